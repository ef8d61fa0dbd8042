"""Formulas of pages as MathML."""

from __future__ import annotations

import html
import re

from latex2mathml.converter import convert

FORMULA = re.compile(r'<(?P<tag>span|div) class="arithmatex">\\[(\[](?P<latex>.*?)\\[)\]]</(?P=tag)>', re.DOTALL)


def to_mathml(page: str) -> str:
    """The page with each formula of the extension `arithmatex` drawn."""
    return FORMULA.sub(drawn, page)


def drawn(found: re.Match[str]) -> str:
    """A formula, in the line or in a line of its own."""
    block = found["tag"] == "div"
    formula = convert(html.unescape(found["latex"]), display="block" if block else "inline")
    return f'<div class="formula">{formula}</div>' if block else formula
