"""Markdown as GitHub reads it, told to Python-Markdown, where lists are stricter."""

from __future__ import annotations

import re

ITEM = re.compile(r" {0,3}([-*+]|\d+\.) ")
FENCE = re.compile(r" *(```|~~~)")


def as_python_markdown(text: str) -> str:
    """The same page with a blank line before lists, and what belongs to an item indented by four.

    >>> print(as_python_markdown("Two things:\\n- one\\n  and more\\n- two"))
    Two things:
    <BLANKLINE>
    - one
        and more
    - two
    """
    lines: list[str] = []
    fenced = in_list = False
    for line in text.split("\n"):
        fenced ^= bool(FENCE.match(line))
        previous = lines[-1] if lines else ""
        if not fenced and ITEM.match(line):
            if not in_list and previous.strip():
                lines.append("")
            in_list = True
        elif line and not line.startswith(" ") and not fenced and (not previous.strip() or line.startswith("#")):
            in_list = False
        lines.append(re.sub(r"^( {2,3})(?=\S)", "    ", line) if in_list else line)
    return "\n".join(lines)
