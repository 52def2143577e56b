"""Histograms as characters."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray
    from rich.table import Table

    from jetgram.histograms import Histogram

BLOCKS = " ▁▂▃▄▅▆▇█"
CHART_HEIGHT = 4
COLOURS = ("cyan", "magenta", "yellow", "green")


def charts(histogram: Histogram) -> Table:
    """One chart per class, side by side, over a common axis."""
    from rich.table import Table

    from jetgram.cli.output import plain

    table = Table(box=None, header_style="", padding=(0, 2, 0, 0))
    table.add_column(f"[bold]{plain(histogram.label)}[/]", width=12)
    columns = []
    for (name, counts), colour in zip(histogram.counts.items(), COLOURS, strict=False):
        table.add_column(f"[{colour}]{plain(name)}[/], mean {histogram.mean[name]:.4g}", no_wrap=True)
        columns.append(f"[{colour}]{_chart(counts)}[/]\n[dim]{_axis(histogram)}[/]")
    table.add_row("", *columns)
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
