"""A page that needs nothing but itself: text, tables and pictures in one HTML file.

Example:
    >>> print(table(["model", "AUC"], [["simple & kt", "0.9"]]))
    <div class="scroll"><table>
    <thead><tr><th>model</th><th>AUC</th></tr></thead>
    <tbody><tr><th scope="row">simple &amp; kt</th><td>0.9</td></tr></tbody>
    </table></div>
"""

from __future__ import annotations

import base64
import io
from collections.abc import Iterable, Sequence
from html import escape
from importlib.resources import files
from typing import TYPE_CHECKING

from jetgram.display.style import styled

if TYPE_CHECKING:
    from matplotlib.figure import Figure

RESOLUTION = 150  # dots per inch


def document(title: str, lead: str, sections: Iterable[str]) -> str:
    """The whole page: a title, a first paragraph, and sections with a list of contents.

    Args:
        title: plain text.
        lead: plain text.
        sections: of `section`.
    """
    style = files("jetgram.report").joinpath("page.css").read_text()
    return f"""<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>{escape(title)}</title>
<style>
{style}</style>
</head>
<body>
<header><h1>{escape(title)}</h1><p>{escape(lead)}</p></header>
<main>
{"".join(sections)}</main>
</body>
</html>
"""


def section(title: str, *parts: str) -> str:
    """A section with a heading; its parts are HTML."""
    body = "\n".join(parts)
    return f"<section>\n<h2>{escape(title)}</h2>\n{body}\n</section>\n"


def paragraph(text: str) -> str:
    """Plain text as a paragraph."""
    return f"<p>{escape(text)}</p>"


def table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """A table of plain text; the first column names the rows."""
    headings = "".join(f"<th>{escape(name)}</th>" for name in head)
    lines = []
    for first, *others in rows:
        cells = "".join(f"<td>{escape(cell)}</td>" for cell in others)
        lines.append(f'<tr><th scope="row">{escape(first)}</th>{cells}</tr>')
    body = "\n".join(lines)
    return f'<div class="scroll"><table>\n<thead><tr>{headings}</tr></thead>\n<tbody>{body}</tbody>\n</table></div>'


def picture(figure: Figure, description: str, caption: str = "") -> str:
    """A figure inside the page.

    Args:
        figure: of matplotlib.
        description: for those who cannot see it.
        caption: below it; plain text.
    """
    content = io.BytesIO()
    with styled():
        figure.savefig(content, format="png", dpi=RESOLUTION)
    data = base64.b64encode(content.getvalue()).decode()
    below = f"<figcaption>{escape(caption)}</figcaption>" if caption else ""
    return f'<figure><img alt="{escape(description)}" src="data:image/png;base64,{data}">{below}</figure>'
