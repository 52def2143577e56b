"""The reliability curve: the fraction of signal among jets of each score."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np

from jetgram.evaluation.calibration import BINS, Calibration, calibration_of, mean_bins
from jetgram.evaluation.scores import Scores
from jetgram.plots.style import caption, legend_above, styled, styles

if TYPE_CHECKING:
    from matplotlib.figure import Figure

CAPTION = (
    "Points: mean over seeds; bars: one standard deviation of the jets in the bin; ECE: expected calibration error."
)


def draw_calibration(models: Mapping[str, Sequence[Scores]], efficiency: float = 0.5) -> Figure:
    """Fraction of signal against the score (above), and where the scores are (below).

    Args:
        models: the scores of each model's seeds, in the window; those that are no probabilities are not drawn.
        efficiency: the working point of other pictures; not needed here.
    """
    from matplotlib.figure import Figure

    found = {model: _calibrations(seeds) for model, seeds in models.items()}
    drawn = {model: seeds for model, seeds in found.items() if seeds}
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
            label = f"{model}: ECE {np.mean([each.ece for each in drawn[model]]):.3f}"
            above.errorbar(x, y, bars, marker="o", markersize=4, linewidth=1.3, label=label, **style)
            fractions = np.zeros(BINS)
            fractions[[each.number for each in bins]] = [each.fraction for each in bins]
            below.stairs(fractions, edges, linewidth=1.4, **style)
        above.set(ylabel="fraction of signal", ylim=(-0.02, 1.02), xlim=(0, 1))
        below.set(xlabel="score", ylabel="fraction / bin", ylim=(0, None))
        for axes in (above, below):
            axes.grid(color="0.92", linewidth=0.7)
            axes.set_axisbelow(True)
        legend_above(figure, above)
        others = [model for model in models if model not in drawn]
        caption(figure, CAPTION + (f"\nNo probabilities, not drawn: {', '.join(others)}." if others else ""))
    return figure


def _calibrations(seeds: Sequence[Scores]) -> list[Calibration]:
    return [found for found in map(calibration_of, seeds) if found is not None]
