"""Examples in docstrings, which begin with >>>, as blocks of code."""

from __future__ import annotations

import re
from typing import Any

from griffe import Extension, Object

EXAMPLE = re.compile(r"(?:^|(?<=\n\n))(?P<block>>>> .*?)(?=\n\n|\Z)", re.DOTALL)


def fenced(text: str) -> str:
    """The text with its examples between fences.

    >>> fenced("Adds.\\n\\n>>> 1 + 1\\n2").splitlines()
    ['Adds.', '', '```pycon', '>>> 1 + 1', '2', '```']
    """
    return EXAMPLE.sub(lambda example: f"```pycon\n{example['block']}\n```", text)


class Doctests(Extension):
    """What mkdocstrings is told to do with docstrings before it shows them."""

    def on_object(self, *, obj: Object, **_: Any) -> None:
        """Looks at one class, function, module or attribute."""
        if obj.docstring:
            obj.docstring.value = fenced(obj.docstring.value)
