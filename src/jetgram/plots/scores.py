"""Distributions of the scores of both classes, and how far scores move when jets are perturbed."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from jetgram.evaluation.scores import Scores
from jetgram.notation import percent
from jetgram.plots.style import CLASS_COLOURS, caption, legend_above, styled, styles
from jetgram.roc import roc_curve

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

Array = NDArray[np.float64]

BINS = 40
CLASSES = (("background", 0), ("signal", 1))
CAPTION = "Each class is normalised to one; bands: one standard deviation over seeds."
DECADES = 5  # below the largest shift; smaller ones are next to none
POINTS = 201
MARGIN = 2.0  # around the smallest and the largest shift, so that both steps are seen


def draw_distributions(models: Mapping[str, Sequence[Scores]], efficiency: float = 0.5) -> Figure:
    """One panel per model: the fraction of each class in bins of the score, on a logarithmic axis.

    Args:
        models: the scores of each model's seeds, in the window.
        efficiency: the working point, whose cut is marked.
    """
    from matplotlib.figure import Figure

    columns = 2 if len(models) == 4 else min(3, len(models))
    rows = -(-len(models) // columns)
    with styled():
        figure = Figure(figsize=(max(4.4 * columns, 6.0), 3.7 * rows + 0.2), layout="constrained")
        grid = figure.subplots(rows, columns, squeeze=False)
        for axes, (model, seeds) in zip(grid.flat, models.items(), strict=False):
            _draw_model(axes, seeds, efficiency)
            axes.set_title(model, pad=18)
        for axes in grid.flat[len(models) :]:
            axes.set_visible(False)
        for axes in grid[:, 0]:
            axes.set_ylabel("fraction of the class / bin")
        legend_above(figure, grid[0, 0], columns=2)
        caption(figure, CAPTION)
    return figure


def _draw_model(axes: Axes, seeds: Sequence[Scores], efficiency: float) -> None:
    edges = _edges(seeds)
    smallest = np.inf
    for (name, label), colour in zip(CLASSES, CLASS_COLOURS, strict=False):
        fractions = np.array([_fractions(each, label, edges) for each in seeds])
        mean = fractions.mean(axis=0)
        deviation = fractions.std(axis=0, ddof=1) if len(seeds) > 1 else np.zeros(len(mean))
        axes.stairs(mean, edges, fill=True, color=colour, alpha=0.13)
        axes.stairs(mean, edges, color=colour, linewidth=1.6, label=name)
        if len(seeds) > 1:
            axes.stairs(mean + deviation, edges, baseline=mean - deviation, fill=True, color=colour, alpha=0.3)
        smallest = min(smallest, float(mean[mean > 0].min()))
    curves = [roc_curve(each.score, each.label, each.weight) for each in seeds]
    cut = float(np.mean([curve.threshold_at(efficiency) for curve in curves]))
    passing = float(np.mean([curve.fpr_at(efficiency) for curve in curves]))
    axes.axvline(cut, color="0.25", linewidth=1, linestyle=(0, (4, 3)))
    cost = f"{percent(efficiency)} of the signal and {100 * passing:.2g} % of the background pass the cut"
    axes.text(0, 1.02, cost, transform=axes.transAxes, fontsize=8, color="0.35")
    axes.set(yscale="log", xlim=(edges[0], edges[-1]), ylim=(smallest / 2, None), xlabel="score")


def _edges(seeds: Sequence[Scores]) -> Array:
    """Bins from 0 to 1 for probabilities, else over all but the outermost scores."""
    scores = np.concatenate([each.score for each in seeds])
    if scores.min() >= 0 and scores.max() <= 1 and np.ptp(scores) > 0.5:
        return np.linspace(0, 1, BINS + 1)
    low, high = np.quantile(scores, [0.001, 0.999])
    return np.linspace(low, high, BINS + 1) if high > low else np.linspace(low - 0.5, low + 0.5, BINS + 1)


def _fractions(scores: Scores, label: int, edges: Array) -> Array:
    """Fraction of a class in each bin; what lies outside counts in the outermost ones."""
    members = scores.label == label
    inside = np.clip(scores.score[members], edges[0], edges[-1])
    counts: Array = np.histogram(inside, edges, weights=scores.weight[members])[0]
    fractions: Array = counts / counts.sum()
    return fractions


def draw_shifts(moved: Mapping[str, Array]) -> Figure:
    """The fraction of jets whose score moves by more than a given amount, for each scenario.

    Args:
        moved: absolute changes of the scores, by scenario; `jetgram.evaluation.safety_report.SafetyReport.shifts`.
    """
    from matplotlib.figure import Figure

    with styled():
        figure = Figure(figsize=(7.2, 4.8), layout="constrained")
        axes = figure.subplots()
        edges = shift_edges(moved.values())
        for name, style in styles(moved):
            axes.plot(edges, fraction_beyond(moved[name], edges), linewidth=1.7, label=name, **style)
        axes.set(xscale="log", xlim=(edges[0], edges[-1]), ylim=(0, 1.02))
        axes.set(xlabel="change of the score", ylabel="fraction of jets that change more")
        axes.grid(color="0.92", linewidth=0.7)
        axes.set_axisbelow(True)
        legend_above(figure, axes)
    return figure


def shift_edges(moved: Iterable[Array]) -> Array:
    """Where to count on a logarithmic axis: around all shifts that are not tiny compared with the largest.

    Args:
        moved: absolute changes of scores, one array per scenario.

    Example:
        >>> edges = shift_edges([np.array([0.0, 1.0]), np.array([10.0])])
        >>> float(edges[0].round(6)), float(edges[-1].round(6))
        (0.5, 20.0)
    """
    found = np.concatenate([np.empty(0), *moved])
    largest = float(found.max(initial=0.0)) or 1.0  # nothing moves: any axis shows it
    visible = found[found >= largest * 10.0**-DECADES]
    return np.geomspace(visible.min(initial=largest) / MARGIN, largest * MARGIN, POINTS)


def fraction_beyond(moved: Array, edges: Array) -> Array:
    """The fraction of `moved` that is larger than each edge."""
    return 1 - np.searchsorted(np.sort(moved), edges, side="right") / len(moved)
