"""Tables that put our numbers beside the paper's.

Example:
    >>> row = Row("simple kt", (Pair(Spread(0.92, 0.003, 5), Spread(0.916, 0.004, 30)),))
    >>> f"{row.pairs[0].sigmas:+.1f}"
    '+0.8'
    >>> html = compare([Column("AUC", 4)], {"towers": [row]})
    >>> "0.9200 ± 0.0030" in html and "0.9160 ± 0.0040" in html
    True
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Mapping, Sequence
from html import escape

from jetgram.evaluation.uncertainty import Spread

STAR = '<span class="star" aria-hidden="true"> ★</span><span class="unseen"> (best)</span>'
FAR = 3.0  # sigmas from which on a difference is emphasised


@dataclasses.dataclass(frozen=True)
class Pair:
    r"""A number of ours and the paper's; either may be missing.

    Their difference is counted in units of

    $$ \sigma^2 = s_\mathrm{ours}^2 + t^2 + s_\mathrm{paper}^2 , $$

    with the spreads s of single trainings over the seeds of each, and the error t that comes from the number of our
    test jets. An observable has no seeds and so no spread, nor has what is trained once, and the paper gives none for
    some rows: such a term is left out. There is no difference in sigmas where neither of our own errors is known, nor
    to a bound.

    Args:
        ours: mean and spread over our seeds; of deviation None for an observable or a single seed.
        paper: mean and spread that the paper prints; of deviation None where it prints none.
        is_bound: our mean is only a lower bound, because no background passes.
        test_error: of ours, that comes from the number of test jets, which all seeds share.

    Example:
        >>> tau21 = Pair(Spread(0.785, None, 1), Spread(0.764, None, 1), test_error=0.003)
        >>> f"{tau21.sigmas:+.1f}"
        '+7.0'
    """

    ours: Spread | None = None
    paper: Spread | None = None
    is_bound: bool = False
    test_error: float | None = None

    @property
    def sigmas(self) -> float | None:
        """The difference in units of its error; None where that is not known."""
        if self.ours is None or self.paper is None or self.is_bound:
            return None
        if self.ours.deviation is None and self.test_error is None:
            return None
        errors = (self.ours.deviation, self.test_error, self.paper.deviation)
        error = math.hypot(*(each for each in errors if each is not None))
        return (self.ours.mean - self.paper.mean) / error if error > 0 else None


@dataclasses.dataclass(frozen=True)
class Column:
    """A quantity of which larger is better.

    Args:
        name: e.g. `AUC`.
        decimals: digits after the point.
        shows_paper: the paper's number stands here; not where it stands in a column before.
    """

    name: str
    decimals: int
    shows_paper: bool = True

    @property
    def headings(self) -> tuple[str, ...]:
        """Over its parts."""
        return ("ours", "paper", "difference") if self.shows_paper else ("ours", "difference")


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
    first = "".join(
        f'<th colspan="{len(column.headings)}" scope="colgroup">{escape(column.name)}</th>' for column in columns
    )
    second = "".join(f'<th scope="col">{heading}</th>' for column in columns for heading in column.headings)
    head = f'<thead><tr><td rowspan="2"></td>{first}</tr>\n<tr>{second}</tr></thead>'
    bodies = "\n".join(_group(title, rows, columns) for title, rows in groups.items())
    above = f"<caption>{escape(caption)}</caption>" if caption else ""
    return f'<div class="scroll wide"><table class="comparison">{above}\n{head}\n{bodies}\n</table></div>'


def _group(title: str, rows: Sequence[Row], columns: Sequence[Column]) -> str:
    best = [_best([row.pairs[i] for row in rows]) for i in range(len(columns))]
    width = 1 + sum(len(column.headings) for column in columns)
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
    ours = escape(_number(pair.ours, column, pair.is_bound))
    if best:
        ours = f"<strong>{ours}</strong>{STAR}"
    sigmas = pair.sigmas
    far = ' class="far"' if sigmas is not None and abs(sigmas) > FAR else ""
    difference = "" if sigmas is None else f"{sigmas:+.1f} σ".replace("-", "−")
    paper = f"<td>{escape(_number(pair.paper, column))}</td>" if column.shows_paper else ""
    return f'<td class="ours">{ours}</td>{paper}<td{far}>{difference}</td>'


def _number(value: Spread | None, column: Column, is_bound: bool = False) -> str:
    if value is None:
        return ""
    text = f"{'> ' if is_bound else ''}{value.mean:,.{column.decimals}f}"
    return text + (f" ± {value.deviation:,.{column.decimals}f}" if value.deviation is not None else "")
