"""A page that needs nothing but itself: text, tables, pictures and programs in one HTML file.

Example:
    >>> print(table(["model", "AUC"], [["simple & kt", "0.9"]]))
    <div class="scroll" tabindex="0" role="region" aria-label="Table"><table>
    <thead><tr><th scope="col">model</th><th scope="col">AUC</th></tr></thead>
    <tbody><tr><th scope="row">simple &amp; kt</th><td>0.9</td></tr></tbody>
    </table></div>
"""

from __future__ import annotations

import base64
import io
from collections.abc import Iterable, Mapping, Sequence
from html import escape
from importlib.resources import files
from typing import TYPE_CHECKING

from jetgram.plots.style import styled

if TYPE_CHECKING:
    from matplotlib.figure import Figure

RESOLUTION = 150  # dots per inch
SCROLL = '<div class="scroll" tabindex="0" role="region" aria-label="Table">'  # by keys too


def document(title: str, lead: str, sections: Iterable[str]) -> str:
    """The whole page: a title, a first paragraph, and sections.

    What interactive parts need is put into the page once, however many there are, and left out where there are none.

    Args:
        title: plain text.
        lead: plain text.
        sections: of `section`.
    """
    body = "".join(sections)
    drawn, explored = (f'class="{name}"' in body for name in ("plots", "explorer"))
    styles = ["page.css", *(["plots.css"] if drawn else []), *(["explorer.css"] if explored else [])]
    scripts = [*([_plotly(), asset("plots.js")] if drawn else []), *([_explorer()] if explored else [])]
    style = "".join(map(asset, styles))
    programs = "".join(f"<script>{script}</script>\n" for script in scripts)
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
{body}</main>
{programs}</body>
</html>
"""


def asset(name: str) -> str:
    """A file that is made for the browser."""
    return files("jetgram.report").joinpath("browser", name).read_text()


def _explorer() -> str:
    """The program of the jet explorer: its files in one scope of their own."""
    parts = "".join(asset(f"explorer/{name}.js") for name in ("jets", "views", "controls", "gestures"))
    return f'(() => {{\n"use strict";\n{parts}}})();'


def _plotly() -> str:
    """plotly.js, which is told to fetch nothing."""
    from plotly.offline import get_plotlyjs

    return 'window.PlotlyConfig = {MathJaxConfig: "local"};\n' + str(get_plotlyjs())


def section(title: str, *parts: str) -> str:
    """A section with a heading; its parts are HTML."""
    body = "\n".join(parts)
    return f"<section>\n<h2>{escape(title)}</h2>\n{body}\n</section>\n"


def subheading(title: str) -> str:
    """A heading within a section."""
    return f"<h3>{escape(title)}</h3>"


def paragraph(text: str) -> str:
    """Plain text as a paragraph."""
    return f"<p>{escape(text)}</p>"


def details(summary: str, *parts: str) -> str:
    """Parts that the reader unfolds; they are HTML, the summary is plain text."""
    return f"<details><summary>{escape(summary)}</summary>\n{chr(10).join(parts)}\n</details>"


def facts(values: Mapping[str, object], title: str = "Provenance") -> str:
    """Settings, seeds, versions, times: anything with a name, nested or not, as a table that the reader unfolds.

    Example:
        >>> print(facts({"seeds": [1, 2], "versions": {"numpy": "2.4"}}))
        <details><summary>Provenance</summary>
        <div class="scroll" tabindex="0" role="region" aria-label="Table"><table>
        <thead><tr><td></td><th scope="col">value</th></tr></thead>
        <tbody><tr><th scope="row">seeds</th><td>1; 2</td></tr>
        <tr><th scope="row">versions</th><td>numpy: 2.4</td></tr></tbody>
        </table></div>
        </details>
    """
    return details(title, table(["", "value"], [[name, _plain(value)] for name, value in values.items()]))


def _plain(value: object) -> str:
    if isinstance(value, Mapping):
        return "; ".join(f"{name}: {_plain(entry)}" for name, entry in value.items())
    if isinstance(value, list | tuple):
        return "; ".join(map(_plain, value))
    return str(value)


def embedded_json(data: str) -> str:
    r"""JSON in a page, for a program in it; no text inside can end the element.

    Example:
        >>> print(embedded_json('["</script>"]'))
        <script type="application/json">["\u003c/script>"]</script>
    """
    escaped = data.replace("<", "\\u003c")
    return f'<script type="application/json">{escaped}</script>'


def table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """A table of plain text; the first column names the rows."""
    headings = "".join(f'<th scope="col">{escape(name)}</th>' if name else "<td></td>" for name in head)
    lines = []
    for first, *others in rows:
        cells = "".join(f"<td>{escape(cell)}</td>" for cell in others)
        lines.append(f'<tr><th scope="row">{escape(first)}</th>{cells}</tr>')
    body = "\n".join(lines)
    return f"{SCROLL}<table>\n<thead><tr>{headings}</tr></thead>\n<tbody>{body}</tbody>\n</table></div>"


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
    return image(content.getvalue(), description, caption)


def image(png: bytes, description: str, caption: str = "") -> str:
    """A picture inside the page that is drawn already; the arguments are those of `picture`."""
    data = base64.b64encode(png).decode()
    below = f"<figcaption>{escape(caption)}</figcaption>" if caption else ""
    return f'<figure><img alt="{escape(description)}" src="data:image/png;base64,{data}">{below}</figure>'
