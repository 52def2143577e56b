"""How far scores move when soft particles or collinear splits are added to the jets."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

import numpy as np

from jetgram.display.style import styled
from jetgram.evaluation.plots.look import legend_above, styles
from jetgram.evaluation.safety import NOMINAL, shifts
from jetgram.evaluation.scores import Scores
from jetgram.evaluation.selection import Window

if TYPE_CHECKING:
    from matplotlib.figure import Figure

EDGES = np.concatenate([[0.0], np.geomspace(1e-5, 1.0, 41)])


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
        for name, style in styles(moved):
            share = [(moved[name] > edge).mean() for edge in EDGES[1:]]
            axes.plot(EDGES[1:], share, linewidth=1.7, label=name, **style)
        axes.set(xscale="log", xlim=(EDGES[1], 1), ylim=(0, 1))
        axes.set(xlabel="change of the score", ylabel="share of jets that change more")
        axes.grid(color="0.92", linewidth=0.7)
        axes.set_axisbelow(True)
        legend_above(figure, axes)
    return figure
