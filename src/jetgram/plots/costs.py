"""Accuracy against cost: one point per network, each with its name next to it."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Sequence
from typing import TYPE_CHECKING

from jetgram.plots.labels import Label, place_labels
from jetgram.plots.style import as_label, grid_behind, styled, styles

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

SINGLE, SEVERAL = "o", "D"  # markers
DECADES = 2.5  # of an axis with fewer, 2 and 5 times the powers of ten are written too


@dataclasses.dataclass(frozen=True)
class CostPoint:
    """A network, or the ensemble of its seeds.

    Args:
        name: as it is written next to the point.
        network: points of one network have one colour; the ensemble has another name than the network.
        r50: background rejection at a signal efficiency of 50 %.
        error: of it; None where it is not known.
        cpu_seconds: of training.
        jets_per_second: of inference, on one core.
    """

    name: str
    network: str
    r50: float
    error: float | None
    cpu_seconds: float
    jets_per_second: float


def draw_costs(points: Sequence[CostPoint], title: str) -> Figure:
    """R50 of networks against CPU-seconds of training (left) and against jets per second and core (right).

    Args:
        points: one per network.
        title: names the sample.

    Example:
        >>> kt = CostPoint("simple kt", "simple kt", r50=70.0, error=5.0, cpu_seconds=60.0, jets_per_second=30000.0)
        >>> pfn = CostPoint("PFN", "PFN", r50=90.0, error=6.0, cpu_seconds=400.0, jets_per_second=9000.0)
        >>> [text.get_text() for text in draw_costs([kt, pfn], "W jets").axes[0].texts]
        ['simple kt', 'PFN']
    """
    from matplotlib.figure import Figure

    names = {"cpu_seconds": "training (CPU-seconds)", "jets_per_second": "inference (jets / second and core)"}
    colours = {network: look["color"] for network, look in styles(dict.fromkeys(each.network for each in points))}
    with styled():
        figure = Figure(figsize=(10, 4.8), layout="constrained")
        panels = figure.subplots(1, 2, sharey=True)
        for axes, (cost, label) in zip(panels, names.items(), strict=True):
            for point in points:
                marker, colour = (SINGLE if point.name == point.network else SEVERAL), colours[point.network]
                axes.errorbar(
                    getattr(point, cost), point.r50, yerr=point.error, fmt=marker, color=colour, markersize=5, capsize=3
                )
            axes.set_xscale("log")
            axes.margins(x=0.22, y=0.12)
            _write_numbers(axes)
            axes.set_xlabel(label)
            grid_behind(axes)
        panels[0].set_ylabel(r"$R_{50} = 1/\epsilon_B$ at $\epsilon_S = 50\ \%$")
        figure.suptitle(as_label(title), x=0.01, ha="left", fontsize=11)
        for axes, cost in zip(panels, names, strict=True):
            place_labels(
                axes, [Label(getattr(p, cost), p.r50, p.error or 0.0, p.name, colours[p.network]) for p in points]
            )
    return figure


def _write_numbers(axes: Axes) -> None:
    """Plain numbers along a logarithmic axis; more of them where it spans little."""
    from matplotlib.ticker import FuncFormatter, LogLocator, NullFormatter

    low, high = axes.get_xlim()
    few = math.log10(high / low) < DECADES
    axes.xaxis.set_major_locator(LogLocator(subs=(1.0, 2.0, 5.0) if few else (1.0,)))
    axes.xaxis.set_major_formatter(FuncFormatter(lambda value, place: f"{value:,g}"))
    axes.xaxis.set_minor_formatter(NullFormatter())
