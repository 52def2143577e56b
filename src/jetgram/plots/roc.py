"""Background rejection against signal efficiency: the ROC curve as taggers are compared by."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np

from jetgram.evaluation.bands import CAPTION, EFFICIENCIES, RATIOS_FROM, Band, describe, largest, roc_curves
from jetgram.evaluation.scores import Scores
from jetgram.plots.style import caption, legend_above, styled, styles
from jetgram.roc import RocCurve

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure


def draw_roc(models: Mapping[str, Sequence[Scores]], efficiency: float = 0.5) -> Figure:
    """1/FPR against TPR for each model, on a logarithmic axis; below it, if there are several, relative to the first.

    Args:
        models: the scores of each model's seeds, in the window.
        efficiency: the working point, which is marked.
    """
    from matplotlib.figure import Figure

    curves = roc_curves(models)
    bands = {model: Band.of(seeds) for model, seeds in curves.items()}
    with styled():
        rows = 2 if len(models) > 1 else 1
        figure = Figure(figsize=(7.2, 4.0 + 1.2 * rows + 0.2 * len(models)), layout="constrained")
        panels = figure.subplots(rows, 1, sharex=True, squeeze=False, height_ratios=(3.2, 1)[:rows])[:, 0]
        _draw_curves(panels[0], curves, bands, efficiency)
        if rows > 1:
            _draw_ratios(panels[1], bands)
        panels[-1].set(xlabel="signal efficiency (TPR)", xlim=(0, 1))
        for axes in panels:
            axes.axvline(efficiency, color="0.6", linewidth=0.8, linestyle=(0, (4, 3)), zorder=0)
        legend_above(figure, panels[0])
        caption(figure, CAPTION)
    return figure


def _draw_curves(
    axes: Axes, curves: Mapping[str, Sequence[RocCurve]], bands: Mapping[str, Band], efficiency: float
) -> None:
    for model, style in styles(bands):
        band = bands[model]
        axes.fill_between(EFFICIENCIES, band.low, band.high, color=style["color"], alpha=0.18, linewidth=0)
        axes.plot(EFFICIENCIES, band.middle, linewidth=1.7, label=describe(model, curves[model], efficiency), **style)
        at = np.interp(efficiency, EFFICIENCIES, band.middle)
        axes.plot(efficiency, at, "o", color=style["color"], markersize=5, markeredgecolor="white", zorder=4)
    axes.plot(EFFICIENCIES, 1 / EFFICIENCIES, color="0.55", linewidth=1, linestyle=":", label="random choice")
    highest = max(largest(band.middle, 10.0) for band in bands.values())
    axes.set(yscale="log", ylim=(1, 2 * highest), ylabel="background rejection (1/FPR)")
    axes.grid(which="major", color="0.9", linewidth=0.7)
    axes.grid(which="minor", axis="y", color="0.95", linewidth=0.5)
    axes.set_axisbelow(True)
    axes.yaxis.set_major_formatter("{x:,.0f}")


def _draw_ratios(axes: Axes, bands: Mapping[str, Band]) -> None:
    first = next(iter(bands.values()))
    highest = 1.0
    for model, style in styles(bands):
        ratio = bands[model].relative_to(first)
        axes.fill_between(EFFICIENCIES, ratio.low, ratio.high, color=style["color"], alpha=0.18, linewidth=0)
        axes.plot(EFFICIENCIES, ratio.middle, linewidth=1.4, **style)
        highest = max(highest, largest(ratio.high[EFFICIENCIES >= RATIOS_FROM], 1.0))
    axes.set(ylabel=f"ratio to\n{next(iter(bands))}", ylim=(0, 1.1 * highest))
    axes.grid(color="0.92", linewidth=0.7)
    axes.set_axisbelow(True)
