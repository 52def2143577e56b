"""The plot of a comparison: accuracy against what it costs."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from jetgram.plots.style import legend_above, styled, styles

if TYPE_CHECKING:
    from matplotlib.figure import Figure

Point = tuple[str, float, float | None, tuple[float, float]]  # network, R50, its error, CPU-seconds and jets/s


def draw_costs(points: Sequence[Point], title: str) -> Figure:
    """R50 of networks against CPU-seconds of training (left) and against jets per second and core (right).

    Args:
        points: of each network its name, R50 with an error, CPU-seconds of training, and jets per second.
        title: names the sample.
    """
    from matplotlib.figure import Figure

    names = ("training (CPU-seconds)", "inference (jets / second and core)")
    with styled():
        figure = Figure(figsize=(9, 4.6), layout="constrained")
        panels = figure.subplots(1, 2, sharey=True)
        for panel, (axes, label) in enumerate(zip(panels, names, strict=True)):
            for (_, look), (network, r50, error, costs) in zip(styles([p[0] for p in points]), points, strict=True):
                axes.errorbar(costs[panel], r50, yerr=error, fmt="o", color=look["color"], label=network, capsize=3)
            axes.set_xscale("log")
            axes.set_xlabel(label)
        panels[0].set_ylabel(r"$R_{50} = 1/\epsilon_B$ at $\epsilon_S = 50\ \%$")
        legend_above(figure, panels[0], title, columns=4)
    return figure
