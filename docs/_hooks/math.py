"""Turns formulas into MathML while the site is built, so that pages need no script from elsewhere to show them."""

import html
import re
from typing import Any

from latex2mathml.converter import convert

FORMULA = re.compile(
    r'<(span|div) class="arithmatex">(?:\\\((?P<inline>.*?)\\\)|\\\[(?P<block>.*?)\\\])</\1>', re.DOTALL
)


def on_page_content(content: str, **_: Any) -> str:
    """The page with every formula as MathML."""
    return FORMULA.sub(_to_mathml, content)


def _to_mathml(match: re.Match[str]) -> str:
    latex = html.unescape(match["inline"] or match["block"])
    mathml: str = convert(latex, display="inline" if match["inline"] else "block")
    return mathml
