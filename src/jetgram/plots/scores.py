"""Distributions of the scores of both classes, and how far scores move when jets are perturbed."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from jetgram.evaluation.bands import working_cut
from jetgram.evaluation.score_histograms import CAPTION, ScoreHistogram, class_histograms, shown_range
from jetgram.evaluation.scores import Scores
from jetgram.plots.style import CLASS_COLOURS, as_label, caption, grid_behind, legend_above, styled, styles

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

Array = NDArray[np.float64]

DECADES = 5  # below the largest shift; smaller ones are next to none
POINTS = 201
MARGIN = 2.0  # around the smallest and the largest shift, so that both steps are seen


def draw_distributions(models: Mapping[str, Sequence[Scores]], efficiency: float = 0.5) -> Figure:
    """One panel per model: the fraction of each class in bins of the score, on a logarithmic axis.

    Args:
        models: the scores of each model's seeds, in the window.
        efficiency: the working point, whose cut is marked.

    Example:
        >>> rng = np.random.default_rng(1)
        >>> label, pt, mass = np.arange(400) % 2, rng.uniform(250, 300, 400), rng.uniform(50, 110, 400)
        >>> toy = Scores.create({"score": rng.beta(2 + 3 * label, 2)}, label, pt, mass)
        >>> draw_distributions({"kt": [toy]}).axes[0].texts[0].get_text()
        '50 % of the signal and 20 % of the background pass the cut'
    """
    from matplotlib.figure import Figure

    columns = 2 if len(models) == 4 else min(3, len(models))
    rows = -(-len(models) // columns)
    with styled():
        figure = Figure(figsize=(max(4.4 * columns, 6.0), 3.7 * rows + 0.2), layout="constrained")
        grid = figure.subplots(rows, columns, squeeze=False)
        for axes, (model, seeds) in zip(grid.flat, models.items(), strict=False):
            _draw_model(axes, seeds, efficiency)
            axes.set_title(as_label(model), pad=18)
        for axes in grid.flat[len(models) :]:
            axes.set_visible(False)
        for axes in grid[:, 0]:
            axes.set_ylabel("fraction of the class / bin")
        legend_above(figure, grid[0, 0], columns=2)
        caption(figure, CAPTION.format(errors="Bands"))
    return figure


def _draw_model(axes: Axes, seeds: Sequence[Scores], efficiency: float) -> None:
    edges, found = class_histograms(seeds)
    for (name, each), colour in zip(found.items(), CLASS_COLOURS, strict=False):
        _draw_class(axes, name, each, edges, colour)
    cut = working_cut(seeds, efficiency)
    axes.axvline(cut.score, color="0.25", linewidth=1, linestyle=(0, (4, 3)))
    axes.text(0, 1.02, str(cut), transform=axes.transAxes, fontsize=8, color="0.35")
    axes.set(yscale="log", xlim=(edges[0], edges[-1]), ylim=shown_range(found.values()), xlabel="score")


def _draw_class(axes: Axes, name: str, found: ScoreHistogram, edges: Array, colour: str) -> None:
    """Outline, pale area and the band of the errors."""
    low, high = found.fraction - found.error, found.fraction + found.error
    axes.stairs(found.fraction, edges, fill=True, color=colour, alpha=0.13)
    axes.stairs(found.fraction, edges, color=colour, linewidth=1.6, label=name)
    axes.stairs(high, edges, baseline=low, fill=True, color=colour, alpha=0.3)


def draw_shifts(moved: Mapping[str, Array]) -> Figure:
    """The fraction of jets whose score moves by more than a given amount, for each scenario.

    Args:
        moved: absolute changes of the scores, by scenario; `jetgram.evaluation.safety_report.SafetyReport.shifts`.

    Example:
        >>> figure = draw_shifts({"soft": np.array([0.0, 0.01, 0.1]), "collinear1": np.zeros(3)})
        >>> figure.axes[0].get_xscale()
        'log'
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
        grid_behind(axes)
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
