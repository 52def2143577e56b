"""Histograms as characters."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray
    from rich.console import Group
    from rich.table import Table

    from jetgram.histograms import Histogram

BLOCKS = " ▁▂▃▄▅▆▇█"
CHART_HEIGHT = 4
SIDE_BY_SIDE = 2  # so that they fit into 80 columns
COLOURS = ("cyan", "magenta", "yellow", "green")


def charts(histogram: Histogram) -> Group:
    """One chart per class, side by side, over a common axis; `SIDE_BY_SIDE` of them in a row."""
    from rich.console import Group

    names = list(zip(histogram.counts, itertools.cycle(COLOURS), strict=False))
    rows = [names[begin : begin + SIDE_BY_SIDE] for begin in range(0, len(names), SIDE_BY_SIDE)]
    return Group(*(_row(histogram, row) for row in rows))


def _row(histogram: Histogram, names: Sequence[tuple[str, str]]) -> Table:
    """Charts of some classes, each with its colour."""
    from rich.table import Table

    from jetgram.cli.output import plain

    table = Table(box=None, header_style="", padding=(0, 2, 0, 0))
    table.add_column(f"[bold]{plain(histogram.label)}[/]", width=12)
    for name, colour in names:
        table.add_column(f"[{colour}]{plain(name)}[/], mean {histogram.mean[name]:.4g}", no_wrap=True)
    axis = f"[dim]{_axis(histogram)}[/]"
    table.add_row("", *(f"[{colour}]{_chart(histogram.counts[name])}[/]\n{axis}" for name, colour in names))
    return table


def _chart(counts: NDArray[np.int64]) -> str:
    """Bars in eighths of a character, the highest `CHART_HEIGHT` lines high."""
    eighths = [round(8 * CHART_HEIGHT * int(count) / max(int(counts.max()), 1)) for count in counts]
    lines = range(CHART_HEIGHT - 1, -1, -1)
    return "\n".join("".join(BLOCKS[min(max(bar - 8 * line, 0), 8)] for bar in eighths) for line in lines)


def _axis(histogram: Histogram) -> str:
    """The first edge to the left, the last one to the right."""
    whole = not histogram.log and histogram.edges[-1] - histogram.edges[0] > 10
    first, last = (f"{histogram.edges[i]:{'.0f' if whole else '.3g'}}" for i in (0, -1))
    return first + last.rjust(len(histogram.edges) - 1 - len(first))
