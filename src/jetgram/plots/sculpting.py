"""The mass of background jets, before and after a cut on the score."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np

from jetgram.evaluation.scores import Scores
from jetgram.evaluation.sculpting import Sculpting, mass_sculpting
from jetgram.notation import percent
from jetgram.plots.style import caption, legend_above, styled, styles

if TYPE_CHECKING:
    from matplotlib.figure import Figure

CAPTION = "Each distribution is normalised to one, mean over seeds; JSD: Jensen-Shannon divergence, in bits."


def draw_sculpting(models: Mapping[str, Sequence[Scores]], efficiency: float = 0.5) -> Figure:
    """Mass of all background jets (grey, of the first model) and of those that pass the cut of each model.

    Args:
        models: the scores of each model's seeds, in the window.
        efficiency: signal efficiency, which fixes the cut.
    """
    from matplotlib.figure import Figure

    found = {model: _known(seeds, efficiency) for model, seeds in models.items()}
    drawn = {model: seeds for model, seeds in found.items() if seeds}
    with styled():
        figure = Figure(figsize=(7.2, 4.8 + 0.2 * len(drawn)), layout="constrained")
        axes = figure.subplots()
        for number, (model, style) in enumerate(styles(drawn)):
            seeds = drawn[model]
            edges = np.array(seeds[0].edges)
            if not number:
                before = np.mean([seed.before for seed in seeds], axis=0) / np.diff(edges)
                axes.stairs(before, edges, fill=True, color="0.87", label="all background jets")
            after = np.mean([seed.after for seed in seeds], axis=0) / np.diff(edges)
            inverse = np.mean([seed.inverse for seed in seeds])
            axes.stairs(after, edges, linewidth=1.7, label=f"{model}: 1/JSD {inverse:.3g}", **style)
        axes.set(xlabel="jet mass [GeV]", ylabel="background jets / GeV", ylim=(0, None))
        title = f"After one cut on the score, at a signal efficiency of {percent(efficiency)}"
        legend_above(figure, axes, title)
        others = [model for model in models if model not in drawn]
        caption(figure, CAPTION + (f"\nNo background passes, not drawn: {', '.join(others)}." if others else ""))
    return figure


def _known(seeds: Sequence[Scores], efficiency: float) -> list[Sculpting]:
    """Of each seed; seeds of one model are of the same jets, and have the same bins."""
    return [found for found in (mass_sculpting(each, efficiency) for each in seeds) if found is not None]
