"""Background rejection against signal efficiency: the ROC curve as taggers are compared by."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from jetgram.display.style import styled
from jetgram.evaluation.metrics import ROUNDING, Rejection, RocCurve, roc_curve
from jetgram.evaluation.plots.look import caption, legend_above, percent, styles
from jetgram.evaluation.scores import Scores
from jetgram.evaluation.uncertainty import Spread, wilson

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

Array = NDArray[np.float64]

EFFICIENCIES = np.linspace(0.01, 1.0, 397)
RATIOS_FROM = 0.2  # the efficiency from which on ratios decide the range of their axis; below they are mostly noise
CAPTION = """Bands: one standard deviation over seeds; of a single seed, of the number of background jets that pass.
Lines end where less than one background jet passes."""


@dataclasses.dataclass(frozen=True, eq=False)
class Band:
    """Background rejection of a model at `EFFICIENCIES`; NaN where less than one background jet passes.

    Args:
        middle: mean over the seeds.
        low: one standard deviation less, but not below 1, where everything passes.
        high: one standard deviation more.
    """

    middle: Array
    low: Array
    high: Array

    @classmethod
    def of(cls, curves: Sequence[RocCurve]) -> Band:
        """The band over the seeds; of a single one, the interval of the share of background that passes."""
        fprs = np.array([curve.fpr_at(EFFICIENCIES) for curve in curves])
        background = min(curve.background for curve in curves)
        fprs[:, (fprs * background < 1 - ROUNDING).any(axis=0)] = np.nan
        rejection = 1 / fprs
        middle = rejection.mean(axis=0)
        if len(curves) == 1:
            low, high = wilson(fprs[0], background)
            return cls(middle, 1 / high, 1 / low)
        deviation = rejection.std(axis=0, ddof=1)
        return cls(middle, np.maximum(middle - deviation, 1.0), middle + deviation)


def draw_roc(models: Mapping[str, Sequence[Scores]], efficiency: float = 0.5) -> Figure:
    """1/FPR against TPR for each model, on a logarithmic axis; below it, if there are several, relative to the first.

    Args:
        models: the scores of each model's seeds, in the window.
        efficiency: the working point, which is marked.
    """
    from matplotlib.figure import Figure

    curves = {model: [roc_curve(s.score, s.label, s.weight) for s in seeds] for model, seeds in models.items()}
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
        axes.plot(EFFICIENCIES, band.middle, linewidth=1.7, label=_describe(model, curves[model], efficiency), **style)
        at = np.interp(efficiency, EFFICIENCIES, band.middle)
        axes.plot(efficiency, at, "o", color=style["color"], markersize=5, markeredgecolor="white", zorder=4)
    axes.plot(EFFICIENCIES, 1 / EFFICIENCIES, color="0.55", linewidth=1, linestyle=":", label="random choice")
    highest = max(_largest(band.middle, 10.0) for band in bands.values())
    axes.set(yscale="log", ylim=(1, 2 * highest), ylabel="background rejection (1/FPR)")
    axes.grid(which="major", color="0.9", linewidth=0.7)
    axes.grid(which="minor", axis="y", color="0.95", linewidth=0.5)
    axes.set_axisbelow(True)
    axes.yaxis.set_major_formatter("{x:,.0f}")


def _draw_ratios(axes: Axes, bands: Mapping[str, Band]) -> None:
    first = next(iter(bands.values()))
    highest = 1.0
    for model, style in styles(bands):
        band = bands[model]
        with np.errstate(invalid="ignore"):
            low, middle, high = (values / first.middle for values in (band.low, band.middle, band.high))
        axes.fill_between(EFFICIENCIES, low, high, color=style["color"], alpha=0.18, linewidth=0)
        axes.plot(EFFICIENCIES, middle, linewidth=1.4, **style)
        highest = max(highest, _largest(high[EFFICIENCIES >= RATIOS_FROM], 1.0))
    axes.set(ylabel=f"ratio to\n{next(iter(bands))}", ylim=(0, 1.1 * highest))
    axes.grid(color="0.92", linewidth=0.7)
    axes.set_axisbelow(True)


def _largest(values: Array, at_least: float) -> float:
    return float(np.max(values, where=np.isfinite(values), initial=at_least))


def _describe(model: str, curves: Sequence[RocCurve], efficiency: float) -> str:
    """The model with its two numbers."""
    auc = Spread.of([curve.auc for curve in curves])
    seeds = [curve.rejection(efficiency) for curve in curves]
    spread = Spread.of([each.value for each in seeds])
    rejection = Rejection(spread.mean, any(each.is_bound for each in seeds))
    if auc.deviation is None or spread.deviation is None:
        return f"{model}   AUC {auc.mean:.3f},  R at {percent(efficiency)}: {rejection}"
    numbers = f"AUC {auc.mean:.3f} ± {auc.deviation:.3f},  R at {percent(efficiency)}: {rejection}"
    return f"{model} ({len(curves)} seeds)   {numbers} ± {spread.deviation:,.{rejection.decimals}f}"
