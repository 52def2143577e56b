"""Calibration: scores against the fraction of signal; and the mass of background jets before and after a cut."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np

from jetgram.evaluation.calibration import BINS, calibration_of, mean_bins
from jetgram.evaluation.scores import Scores, measure_seeds
from jetgram.evaluation.sculpting import inverse_text, mass_sculpting
from jetgram.notation import percent
from jetgram.plots.style import as_label, caption, grid_behind, legend_above, styled, styles

if TYPE_CHECKING:
    from matplotlib.figure import Figure


RELIABILITY_CAPTION = (
    "Points: mean over seeds; bars: one standard deviation of the jets in the bin; ECE: expected calibration error."
)


def draw_calibration(models: Mapping[str, Sequence[Scores]]) -> Figure:
    """Fraction of signal against the score (above), and where the scores are (below).

    Args:
        models: the scores of each model's seeds, in the window; those that are no probabilities are not drawn.
    """
    from matplotlib.figure import Figure

    drawn = measure_seeds(models, calibration_of)
    with styled():
        figure = Figure(figsize=(6.4, 6.2 + 0.2 * len(drawn)), layout="constrained")
        above, below = figure.subplots(2, 1, sharex=True, height_ratios=(3, 1))
        above.plot([0, 1], [0, 1], color="0.55", linewidth=1, linestyle=":", label="perfectly calibrated")
        edges = np.linspace(0, 1, BINS + 1)
        for model, style in styles(drawn):
            bins = mean_bins(drawn[model])
            x, y = ([getattr(each, name) for each in bins] for name in ("predicted", "observed"))
            bars = np.clip(
                [[each.observed - each.low for each in bins], [each.high - each.observed for each in bins]], 0, 1
            )
            label = f"{as_label(model)}: ECE {np.mean([each.ece for each in drawn[model]]):.3f}"
            above.errorbar(x, y, bars, marker="o", markersize=4, linewidth=1.3, label=label, **style)
            fractions = np.zeros(BINS)
            fractions[[each.number for each in bins]] = [each.fraction for each in bins]
            below.stairs(fractions, edges, linewidth=1.4, **style)
        above.set(ylabel="fraction of signal", ylim=(-0.02, 1.02), xlim=(0, 1))
        below.set(xlabel="score", ylabel="fraction / bin", ylim=(0, None))
        for axes in (above, below):
            grid_behind(axes)
        legend_above(figure, above)
        others = [model for model in models if model not in drawn]
        caption(
            figure, RELIABILITY_CAPTION + (f"\nNo probabilities, not drawn: {', '.join(others)}." if others else "")
        )
    return figure


SCULPTING_CAPTION = "Each distribution is normalised to one, mean over seeds; JSD: Jensen-Shannon divergence, in bits."


def draw_sculpting(models: Mapping[str, Sequence[Scores]], efficiency: float = 0.5) -> Figure:
    """Mass of all background jets (grey, of the first model) and of those that pass the cut of each model.

    Args:
        models: the scores of each model's seeds, in the window.
        efficiency: signal efficiency, which fixes the cut.
    """
    from matplotlib.figure import Figure

    drawn = measure_seeds(models, lambda scores: mass_sculpting(scores, efficiency))
    with styled():
        figure = Figure(figsize=(7.2, 4.8 + 0.2 * len(drawn)), layout="constrained")
        axes = figure.subplots()
        for number, (model, style) in enumerate(styles(drawn)):
            seeds = drawn[model]
            edges = np.array(seeds[0].edges)  # seeds of one model are of the same jets, and have the same bins
            if not number:
                before = np.mean([seed.before for seed in seeds], axis=0) / np.diff(edges)
                axes.stairs(before, edges, fill=True, color="0.87", label="all background jets")
            after = np.mean([seed.after for seed in seeds], axis=0) / np.diff(edges)
            axes.stairs(after, edges, linewidth=1.7, label=f"{as_label(model)}: 1/JSD {inverse_text(seeds)}", **style)
        axes.set(xlabel="jet mass [GeV]", ylabel="background jets / GeV", ylim=(0, None))
        title = f"After one cut on the score, at a signal efficiency of {percent(efficiency)}"
        legend_above(figure, axes, title)
        others = [model for model in models if model not in drawn]
        caption(
            figure, SCULPTING_CAPTION + (f"\nNo background passes, not drawn: {', '.join(others)}." if others else "")
        )
    return figure
