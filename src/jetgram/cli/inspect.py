"""`jetgram inspect`: what is in a dataset."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray
    from rich.table import Table

    from jetgram.inspection import Histogram, Summary

BLOCKS = " ▁▂▃▄▅▆▇█"
CHART_HEIGHT = 4
COLOURS = ("cyan", "magenta", "yellow", "green")


def inspect(
    dataset: Annotated[Path, typer.Argument(help="A dataset's folder.", show_default=False)],
    out: Annotated[Path | None, typer.Option(help="Also draw it: .png, .pdf or .svg.")] = None,
    trees: Annotated[int, typer.Option(min=0, help="How many jets to build trees of, for their depths.")] = 1000,
    json: Annotated[bool, typer.Option("--json", help="Print everything as JSON.")] = False,
) -> None:
    """Show counts, distributions, tree depths and provenance of a dataset; every byte is checked on the way.

    Example: [bold]jetgram inspect jets --out jets.png[/]
    """
    from jetgram.cli.output import print_json
    from jetgram.inspection import inspect as look

    summary = look(dataset, trees)
    if json:
        print_json(summary)
    else:
        _print(summary)
    if out is not None:
        from jetgram.display import draw_summary, save_figure

        save_figure(draw_summary(summary), out)


def _print(summary: Summary) -> None:
    from rich.console import Console

    console = Console(highlight=False)
    size = f"{summary.rows:,} {summary.kind}, {summary.bytes / 1e6:.1f} MB, every checksum right"
    console.print(f"[bold]{summary.path}[/]: {size}\n")
    console.print(_counts(summary), "")
    for histogram in summary.histograms.values():
        console.print(_charts(histogram), "")
    if summary.matched is not None:
        console.print(f"signal jets with their boson inside ΔR < 1: {summary.matched:.1%}\n")
    if summary.depths:
        console.print(_depths(summary.depths), "")
    console.print(_provenance(summary), "")
    console.print(f"[bold]digest[/] {summary.digest}", soft_wrap=True)


def _counts(summary: Summary) -> Table:
    from rich.table import Table

    table = Table(box=None, header_style="bold", padding=(0, 2, 0, 0))
    table.add_column("split")
    names = list(next(iter(summary.counts.values())))
    for name, colour in zip(names, COLOURS, strict=False):
        table.add_column(f"[{colour}]{name}[/]", justify="right")
    for split, counts in summary.counts.items():
        table.add_row(split, *(f"{counts[name]:,}" for name in names))
    return table


def _charts(histogram: Histogram) -> Table:
    """One chart a class, side by side, over a common axis."""
    from rich.table import Table

    table = Table(box=None, header_style="", padding=(0, 2, 0, 0))
    table.add_column(f"[bold]{histogram.label}[/]", width=12)
    charts = []
    for (name, counts), colour in zip(histogram.counts.items(), COLOURS, strict=False):
        table.add_column(f"[{colour}]{name}[/], mean {histogram.mean[name]:.4g}", no_wrap=True)
        charts.append(f"[{colour}]{_chart(counts)}[/]\n[dim]{_axis(histogram)}[/]")
    table.add_row("", *charts)
    return table


def _chart(counts: NDArray[np.int64]) -> str:
    """Bars in eighths of a character, the highest `CHART_HEIGHT` lines high."""
    eighths = [round(8 * CHART_HEIGHT * int(count) / max(int(counts.max()), 1)) for count in counts]
    lines = range(CHART_HEIGHT - 1, -1, -1)
    return "\n".join("".join(BLOCKS[min(max(bar - 8 * line, 0), 8)] for bar in eighths) for line in lines)


def _axis(histogram: Histogram) -> str:
    """The first edge to the left, the last one to the right."""
    first, last = (f"{histogram.edges[i]:.0f}" for i in (0, -1))
    return first + last.rjust(len(histogram.edges) - 1 - len(first))


def _depths(depths: Mapping[str, Mapping[str, float]]) -> Table:
    from rich.table import Table

    table = Table(box=None, header_style="bold", padding=(0, 2, 0, 0))
    table.add_column("depth of trees", min_width=12)
    for name in ("mean", "median", "max"):
        table.add_column(name, justify="right")
    for topology, values in depths.items():
        table.add_row(topology, f"{values['mean']:.1f}", f"{values['median']:.0f}", f"{values['max']:.0f}")
    return table


def _provenance(summary: Summary) -> Table:
    from rich.markup import escape
    from rich.table import Table

    table = Table(box=None, header_style="bold", padding=(0, 2, 0, 0))
    table.add_column("provenance", min_width=12)
    table.add_column(overflow="fold")
    for name, value in _flat(summary.provenance):
        table.add_row(escape(name), escape(value))
    return table


def _flat(values: Mapping[str, Any], prefix: str = "") -> Iterator[tuple[str, str]]:
    """Nested settings as dotted names; lines of settings on lines of their own."""
    for name, value in values.items():
        if isinstance(value, Mapping):
            yield from _flat(value, f"{prefix}{name}.")
        elif isinstance(value, list | tuple):
            lines = any(isinstance(item, str) for item in value)
            yield prefix + name, ("\n" if lines else ", ").join(map(str, value)) or "-"
        else:
            yield prefix + name, "-" if value is None else str(value)
