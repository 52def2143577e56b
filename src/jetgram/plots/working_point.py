"""ROC curves, and the fixed working point: efficiency and rejection against pT."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from jetgram.evaluation.bands import (
    BINS,
    EFFICIENCIES,
    RATIOS_FROM,
    Band,
    Passing,
    bin_edges,
    describe,
    largest,
    passing,
    places_in_bins,
    roc_curves,
    spectrum,
)
from jetgram.evaluation.bands import (
    CAPTION as ROC_CAPTION,
)
from jetgram.evaluation.scores import Scores
from jetgram.notation import percent
from jetgram.plots.style import as_label, caption, grid_behind, legend_above, styled, styles
from jetgram.roc import RocCurve

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure


def draw_roc(models: Mapping[str, Sequence[Scores]], efficiency: float = 0.5, title: str = "") -> Figure:
    """1/FPR against TPR for each model, on a logarithmic axis; below it, if there are several, relative to the first.

    Args:
        models: the scores of each model's seeds, in the window.
        efficiency: the working point, which is marked.
        title: names the sample.

    Example:
        >>> rng = np.random.default_rng(1)
        >>> label, pt, mass = np.arange(400) % 2, rng.uniform(250, 300, 400), rng.uniform(50, 110, 400)
        >>> toys = [Scores.create({"score": rng.beta(2 + 3 * label, 2)}, label, pt, mass) for _ in range(2)]
        >>> [axes.get_xlabel() for axes in draw_roc({"kt": toys[:1], "ca": toys[1:]}).axes]
        ['', 'signal efficiency (TPR)']
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
        legend_above(figure, panels[0], title)
        caption(figure, ROC_CAPTION)
    return figure


def _draw_curves(
    axes: Axes, curves: Mapping[str, Sequence[RocCurve]], bands: Mapping[str, Band], efficiency: float
) -> None:
    for model, style in styles(bands):
        band = bands[model]
        axes.fill_between(EFFICIENCIES, band.low, band.high, color=style["color"], alpha=0.18, linewidth=0)
        label = describe(as_label(model), curves[model], efficiency)
        axes.plot(EFFICIENCIES, band.middle, linewidth=1.7, label=label, **style)
        at = np.interp(efficiency, EFFICIENCIES, band.middle)
        axes.plot(efficiency, at, "o", color=style["color"], markersize=5, markeredgecolor="white", zorder=4)
    axes.plot(EFFICIENCIES, 1 / EFFICIENCIES, color="0.55", linewidth=1, linestyle=":", label="random choice")
    highest = max(largest(band.middle, 10.0) for band in bands.values())
    axes.set(yscale="log", ylim=(1, 2 * highest), ylabel="background rejection (1/FPR)")
    grid_behind(axes, minor=True)
    axes.yaxis.set_major_formatter("{x:,.0f}")


def _draw_ratios(axes: Axes, bands: Mapping[str, Band]) -> None:
    first = next(iter(bands.values()))
    highest = 1.0
    for model, style in styles(bands):
        ratio = bands[model].relative_to(first)
        axes.fill_between(EFFICIENCIES, ratio.low, ratio.high, color=style["color"], alpha=0.18, linewidth=0)
        axes.plot(EFFICIENCIES, ratio.middle, linewidth=1.4, **style)
        highest = max(highest, largest(ratio.high[EFFICIENCIES >= RATIOS_FROM], 1.0))
    axes.set(ylabel="ratio to\nthe first", ylim=(0, 1.1 * highest))
    grid_behind(axes)


Array = NDArray[np.float64]

VARIABLES = {"pt": r"jet $p_T$ [GeV]", "mass": "jet mass [GeV]"}
CAPTION = "Points: mean over seeds; bars: one standard deviation of the jets in the bin; arrows: no background passes. "
CAPTION += "Grey: where the jets are."


def draw_working_point(models: Mapping[str, Sequence[Scores]], efficiency: float = 0.5) -> Figure:
    """Signal efficiency (above) and background rejection (below) against pT and mass, for one cut on the score.

    Args:
        models: the scores of each model's seeds, in the window.
        efficiency: signal efficiency over all these jets, which fixes the cut.

    Example:
        >>> rng = np.random.default_rng(1)
        >>> label, pt, mass = np.arange(400) % 2, rng.uniform(250, 300, 400), rng.uniform(50, 110, 400)
        >>> toy = Scores.create({"score": rng.beta(2 + 3 * label, 2)}, label, pt, mass)
        >>> [axes.get_ylabel() for axes in draw_working_point({"kt": [toy]}).axes[:3:2]]
        ['signal efficiency', 'background rejection']
    """
    from matplotlib.figure import Figure

    jets = next(iter(models.values()))[0]
    with styled():
        figure = Figure(figsize=(9.6, 6.4), layout="constrained")
        grid = figure.subplots(2, 2, sharex="col", sharey="row")
        for (variable, name), (above, below) in zip(VARIABLES.items(), grid.T, strict=True):
            edges = bin_edges(models, variable)
            _draw_spectrum(above, jets, 1, variable, edges)
            _draw_spectrum(below, jets, 0, variable, edges)
            for number, (model, style) in enumerate(styles(models)):
                x = places_in_bins(edges, number, len(models))
                _draw_efficiency(above, x, passing(models[model], 1, variable, edges, efficiency), model, style)
                _draw_rejection(below, x, passing(models[model], 0, variable, edges, efficiency), style)
            for edge in edges[1:-1]:
                above.axvline(edge, color="0.9", linewidth=0.6, zorder=0)
                below.axvline(edge, color="0.9", linewidth=0.6, zorder=0)
            above.axhline(efficiency, color="0.6", linewidth=0.8, linestyle=(0, (4, 3)), zorder=1)
            below.set(xlabel=name, xlim=(edges[0], edges[-1]), yscale="log")
            below.yaxis.set_major_formatter("{x:,.0f}")
        grid[0, 0].set(ylabel="signal efficiency", ylim=(0, 1))
        grid[1, 0].set(ylabel="background rejection", ylim=(1, None))
        title = f"One cut on the score, at a signal efficiency of {percent(efficiency)}"
        legend_above(figure, grid[0, 0], title, columns=4)
        caption(figure, CAPTION)
    return figure


def _draw_spectrum(axes: Axes, scores: Scores, label: int, variable: str, edges: Array) -> None:
    """A quiet histogram of the class at the foot of the panel, on no scale."""
    fine = np.linspace(edges[0], edges[-1], 3 * BINS + 1)
    counts = spectrum(scores, label, variable, fine)
    back = axes.twinx()
    back.stairs(counts, fine, fill=True, color="0.93")
    back.set(ylim=(0, 3.5 * max(counts.max(), 1e-300)), yticks=[])
    for spine in back.spines.values():
        spine.set_visible(False)
    axes.set_zorder(back.get_zorder() + 1)
    axes.patch.set_visible(False)


def _draw_efficiency(axes: Axes, x: Array, found: Passing, model: str, style: Mapping[str, object]) -> None:
    bars = np.stack([found.fraction - found.low, found.high - found.fraction]).clip(0)
    axes.errorbar(
        x, found.fraction, bars, fmt="o", markersize=4, elinewidth=1.2, color=str(style["color"]), label=as_label(model)
    )


def _draw_rejection(axes: Axes, x: Array, found: Passing, style: Mapping[str, object]) -> None:
    """Points where background passes; where none does, an arrow up from the least rejection that still fits."""
    colour = str(style["color"])
    some, none = found.fraction > 0, found.fraction == 0
    middle = 1 / found.fraction[some]
    bars = np.stack([middle - 1 / found.high[some], 1 / np.maximum(found.low[some], 1e-9) - middle]).clip(0)
    axes.errorbar(x[some], middle, bars, fmt="o", markersize=4, elinewidth=1.2, color=colour)
    axes.errorbar(x[none], 1 / found.high[none], 0.6 / found.high[none], lolims=True, fmt="none", color=colour)
