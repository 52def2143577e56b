"""How far scores move when soft particles or collinear splits are added to the jets."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from jetgram.display.style import styled
from jetgram.evaluation.plots.look import legend_above, styles
from jetgram.evaluation.safety import NOMINAL, shifts
from jetgram.evaluation.scores import Scores
from jetgram.evaluation.selection import Window

if TYPE_CHECKING:
    from matplotlib.figure import Figure

Array = NDArray[np.float64]

DECADES = 5  # below the largest shift; smaller ones are next to none
POINTS = 201
MARGIN = 2.0  # around the smallest and the largest shift, so that both steps are seen


def draw_shifts(scores: Mapping[str, Scores], window: Window | None = None) -> Figure:
    """The share of jets whose score moves by more than a given amount, for each scenario.

    Args:
        scores: of the same jets by scenario, `nominal` among them.
        window: the jets that count; the paper's by default.
    """
    from matplotlib.figure import Figure

    moved = {name: np.abs(shifts(scores[NOMINAL], each, window)) for name, each in scores.items() if name != NOMINAL}
    with styled():
        figure = Figure(figsize=(7.2, 4.8), layout="constrained")
        axes = figure.subplots()
        edges = shift_edges(moved.values())
        for name, style in styles(moved):
            axes.plot(edges, share_beyond(moved[name], edges), linewidth=1.7, label=name, **style)
        axes.set(xscale="log", xlim=(edges[0], edges[-1]), ylim=(0, 1.02))
        axes.set(xlabel="change of the score", ylabel="share of jets that change more")
        axes.grid(color="0.92", linewidth=0.7)
        axes.set_axisbelow(True)
        legend_above(figure, axes)
    return figure


def shift_edges(moved: Iterable[Array]) -> Array:
    """Where to count on a logarithmic axis: around all shifts that are not tiny beside the largest, of any scorer.

    Args:
        moved: absolute changes of scores, one array a scenario.

    Example:
        >>> edges = shift_edges([np.array([0.0, 1.0]), np.array([10.0])])
        >>> float(edges[0].round(6)), float(edges[-1].round(6))
        (0.5, 20.0)
    """
    found = np.concatenate([np.empty(0), *moved])
    largest = float(found.max(initial=0.0)) or 1.0  # nothing moves: any axis shows it
    visible = found[found >= largest * 10.0**-DECADES]
    return np.geomspace(visible.min(initial=largest) / MARGIN, largest * MARGIN, POINTS)


def share_beyond(moved: Array, edges: Array) -> Array:
    """The share of `moved` that is larger than each edge."""
    return 1 - np.searchsorted(np.sort(moved), edges, side="right") / len(moved)
