"""Markdown as GitHub reads it, told to Python-Markdown, where lists are stricter."""

from __future__ import annotations

import re

ITEM = re.compile(r" {0,3}([-*+]|\d+\.) ")
FENCE = re.compile(r" *(```|~~~)")


def with_titles(text: str, titles: dict[str, str]) -> str:
    """The same page with the titles of pages in place of links that are called like files.

    >>> with_titles("([runs.md](runs.md#start), [here](runs.md), [docs/gp.md](gp.md))", {"runs.md": "Runs"})
    '([Runs](runs.md#start), [here](runs.md), [docs/gp.md](gp.md))'
    """
    named = r"\[(?:docs/)?(?P<page>[\w/-]+\.md)\](?P<link>\((?P=page)[)#])"

    def titled(link: re.Match[str]) -> str:
        title = titles.get(link["page"])
        return link[0] if title is None else f"[{title}]{link['link']}"

    return re.sub(named, titled, text)


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
