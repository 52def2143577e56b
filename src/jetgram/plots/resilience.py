"""Performance against resilience: every model and every varied sample in one picture."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

import numpy as np

from jetgram.evaluation.resilience import Resilience
from jetgram.notation import percent
from jetgram.plots.style import as_label, caption, grid_behind, styled, styles

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

MARKERS = "osD^vP*X"
CAPTION = "One cut on the score, fixed on the nominal sample at a signal efficiency of {}. Bars: statistical errors; "
CAPTION += (
    "arrows: the shift\nis not significant, the resilience only a lower bound. Better is up, more robust is right."
)


def draw_resilience(found: Mapping[str, Mapping[str, Resilience]], title: str = "", efficiency: float = 0.5) -> Figure:
    """Performance against resilience, a colour for each model and a marker for each varied sample.

    Args:
        found: by model and variation.
        title: names the nominal sample.
        efficiency: signal efficiency of the cut, for the caption.
    """
    from matplotlib.figure import Figure
    from matplotlib.lines import Line2D
    from matplotlib.ticker import FuncFormatter

    variations = list(dict.fromkeys(name for each in found.values() for name in each))
    marker = {name: MARKERS[number % len(MARKERS)] for number, name in enumerate(variations)}
    with styled():
        figure = Figure(figsize=(7.6, 5.2), layout="constrained")
        axes = figure.subplots()
        handles = []
        for model, style in styles(found):
            handles.append(Line2D([], [], color=str(style["color"]), linewidth=3, label=as_label(model)))
            for name, each in found[model].items():
                _draw_point(axes, each, str(style["color"]), marker[name])
        for name in variations:
            handles.append(
                Line2D([], [], linestyle="none", marker=marker[name], color="0.35", markersize=6, label=as_label(name))
            )
        axes.set(xscale="log", xlabel=r"resilience $\zeta$", ylabel=r"performance $\epsilon_S / \sqrt{\epsilon_B}$")
        axes.xaxis.set_major_formatter("{x:g}")
        axes.xaxis.set_minor_formatter(FuncFormatter(lambda x, _: f"{x:g}" if f"{x:e}"[0] in "235" else ""))
        grid_behind(axes, minor=True)
        axes.margins(0.12)
        axes.set_title(as_label(title))
        figure.legend(handles=handles, loc="outside right upper", frameon=False, fontsize=9)
        caption(figure, CAPTION.format(percent(efficiency)))
    return figure


def _draw_point(axes: Axes, found: Resilience, colour: str, marker: str) -> None:
    """A point with both errors; where only a bound is known, an arrow to the right from it."""
    performance = found.nominal.performance
    place = found.bound if found.is_bound else found.value
    if not (np.isfinite(performance) and np.isfinite(place)):
        return
    sideways = 0.35 * place if found.is_bound else found.error
    axes.errorbar(
        place,
        performance,
        yerr=found.performance_error if np.isfinite(found.performance_error) else None,
        xerr=[[min(sideways, 0.95 * place)], [sideways]] if np.isfinite(sideways) and not found.is_bound else None,
        fmt=marker,
        color=colour,
        markersize=6,
        elinewidth=1.2,
    )
    if found.is_bound:
        axes.annotate(
            "", (place + sideways, performance), (place, performance), arrowprops={"arrowstyle": "->", "color": colour}
        )
