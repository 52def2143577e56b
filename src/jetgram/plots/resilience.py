"""Performance against resilience: every model and every varied sample in one picture."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import TYPE_CHECKING

from jetgram.evaluation.resilience import Resilience
from jetgram.notation import percent
from jetgram.plots.style import as_label, caption, grid_behind, styled, styles

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

MARKERS = "osD^vP*X"
CAPTION = (
    "One cut on the score, fixed on the nominal sample at a signal efficiency of {}. Bars: statistical errors; arrows:"
    "\nonly a lower bound is known, to the right where the shift is not significant or nothing passes in one sample, "
    "upwards\nwhere no nominal background passes. Better is up, more robust is right."
)
ARROW = 26  # points
NOT_SHOWN = "\nNot shown, since nothing shifts: {}."


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
                if math.isfinite(_place(each)):
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
        caption(figure, CAPTION.format(percent(efficiency)) + _left_out(found))
    return figure


def _place(found: Resilience) -> float:
    """Where it is on the axis of the resilience; infinite where nothing shifts."""
    return found.bound if found.is_bound else found.value


def _left_out(found: Mapping[str, Mapping[str, Resilience]]) -> str:
    """What has no place in the picture, for the caption."""
    names = [
        as_label(f"{model} on {name}")
        for model, variations in found.items()
        for name, each in variations.items()
        if math.isinf(_place(each))
    ]
    return NOT_SHOWN.format("; ".join(names)) if names else ""


def _draw_point(axes: Axes, found: Resilience, colour: str, marker: str) -> None:
    """A point with both errors; where only a bound is known, an arrow from it instead, to the right or upwards."""
    performance, place = found.performance, _place(found)
    upwards = found.performance_error if math.isfinite(found.performance_error) else None
    sideways = None if found.is_bound or not math.isfinite(found.error) else found.error
    axes.errorbar(
        place,
        performance,
        yerr=None if found.performance_is_bound else upwards,
        xerr=None if sideways is None else [[min(sideways, 0.95 * place)], [sideways]],
        fmt=marker,
        color=colour,
        markersize=6,
        elinewidth=1.2,
    )
    for is_bound, end in ((found.is_bound, (ARROW, 0)), (found.performance_is_bound, (0, ARROW))):
        if is_bound:  # from its end in points: an arrow to a place outside the axes would not be drawn
            look = {"arrowstyle": "<-", "color": colour, "shrinkA": 0, "shrinkB": 0}
            axes.annotate("", (place, performance), end, textcoords="offset points", arrowprops=look)
