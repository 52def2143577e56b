"""Tables that put our numbers next to the paper's.

Example:
    >>> from jetgram.evaluation.uncertainty import Spread
    >>> row = Row("simple kt", (Pair(Spread(0.92, 0.003, 5), Spread(0.916, 0.004, 30)),))
    >>> f"{row.pairs[0].sigmas:+.1f}"
    '+2.6'
    >>> html = compare([Column("AUC", 4)], {"towers": [row]})
    >>> "0.9200 ± 0.0030" in html and "0.9160 ± 0.0040" in html
    True
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Mapping, Sequence
from html import escape

from jetgram.evaluation.pair import FAR, Pair
from jetgram.report.html import SCROLL

STAR = '<span class="star" aria-hidden="true"> ★</span><span class="unseen"> (best)</span>'


@dataclasses.dataclass(frozen=True)
class Column:
    """A quantity of which larger is better.

    Args:
        name: e.g. `AUC`.
        decimals: digits after the point.
    """

    name: str
    decimals: int


HEADINGS = ("ours", "paper", "difference")  # the parts of each column


@dataclasses.dataclass(frozen=True)
class Row:
    """A model: its name and a pair for each column."""

    name: str
    pairs: Sequence[Pair]


def compare(columns: Sequence[Column], groups: Mapping[str, Sequence[Row]], caption: str = "") -> str:
    """A table with our numbers, the paper's and the difference in sigmas; the best of ours in each group is marked.

    Args:
        columns: the quantities.
        groups: rows under headings; under the heading `""` they stand alone.
        caption: above the table; plain text.

    Returns:
        HTML for `jetgram.report.html.section`.
    """
    first = "".join(f'<th colspan="{len(HEADINGS)}" scope="colgroup">{escape(column.name)}</th>' for column in columns)
    second = "".join(f'<th scope="col">{heading}</th>' for heading in HEADINGS) * len(columns)
    head = f'<thead><tr><td rowspan="2"></td>{first}</tr>\n<tr>{second}</tr></thead>'
    bodies = "\n".join(_group(title, rows, columns) for title, rows in groups.items())
    above = f"<caption>{escape(caption)}</caption>" if caption else ""
    scroll = SCROLL.replace('class="scroll"', 'class="scroll wide"')
    return f'{scroll}<table class="comparison">{above}\n{head}\n{bodies}\n</table></div>'


def _group(title: str, rows: Sequence[Row], columns: Sequence[Column]) -> str:
    best = [_best([row.pairs[i] for row in rows]) for i in range(len(columns))]
    width = 1 + len(HEADINGS) * len(columns)
    heading = f'<tr><th colspan="{width}" scope="rowgroup">{escape(title)}</th></tr>\n' if title else ""
    lines = [
        f'<tr><th scope="row">{escape(row.name)}</th>'
        + "".join(_cells(pair, column, pair is top) for pair, column, top in zip(row.pairs, columns, best, strict=True))
        + "</tr>"
        for row in rows
    ]
    return f"<tbody>{heading}{chr(10).join(lines)}</tbody>"


def _best(pairs: Sequence[Pair]) -> Pair | None:
    """The largest of ours, if there are several to choose from."""
    ours = [pair for pair in pairs if pair.ours is not None]
    return max(ours, key=lambda pair: pair.ours.mean if pair.ours else -math.inf) if len(ours) > 1 else None


def _cells(pair: Pair, column: Column, best: bool) -> str:
    ours = escape(pair.ours.text(column.decimals, pair.is_bound) if pair.ours else "")
    if best:
        ours = f"<strong>{ours}</strong>{STAR}"
    sigmas = pair.sigmas
    far = ' class="far"' if sigmas is not None and abs(sigmas) > FAR else ""
    difference = "" if sigmas is None else f"{sigmas:+.1f} σ".replace("-", "−")
    paper = escape(pair.paper.text(column.decimals) if pair.paper else "")
    return f'<td class="ours">{ours}</td><td>{paper}</td><td{far}>{difference}</td>'
