"""The course of many trainings in one interactive picture."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from jetgram.report.plots import Panel, looks, plots

History = Sequence[Mapping[str, Any]]

# What a record of an epoch holds -> (title, axis).
QUANTITIES = {
    "loss": ("Loss on the training jets", "loss"),
    "validation_loss": ("Loss on the validation jets", "loss"),
    "validation_auc": ("AUC on the validation jets", "area under the ROC curve"),
}


def training_curves(histories: Mapping[str, Sequence[History]]) -> str:
    """Loss and validation AUC by epoch, one line per training; the seeds of a model look the same.

    Args:
        histories: of each model's seeds, one record per epoch, as `jetgram.models.history.read_history` gives them.

    Returns:
        HTML for `jetgram.report.html.section`; empty if there is no record.
    """
    recorded = {model: [seed for seed in seeds if seed] for model, seeds in histories.items()}
    recorded = {model: seeds for model, seeds in recorded.items() if seeds}
    panels = [_panel(recorded, name) for name in QUANTITIES if _has(recorded, name)]
    legend = {model: model + (f" ({len(seeds)} seeds)" if len(seeds) > 1 else "") for model, seeds in recorded.items()}
    return plots(panels, legend) if panels else ""


def _has(histories: Mapping[str, Sequence[History]], name: str) -> bool:
    return any(name in seed[0] for seeds in histories.values() for seed in seeds)


def _panel(histories: Mapping[str, Sequence[History]], name: str) -> Panel:
    import plotly.graph_objects as go

    title, axis = QUANTITIES[name]
    styles = looks(histories)
    lines = [
        styles[model].line(
            model,
            [record["epoch"] for record in seed],
            np.array([record[name] for record in seed], dtype=np.float64),
            width=1.6,
            hovertemplate="epoch %{x}: %{y:.4f}",
        )
        for model, seeds in histories.items()
        for seed in seeds
        if name in seed[0]
    ]
    layout = go.Layout(xaxis={"title": "epoch"}, yaxis={"title": axis}, hovermode="closest")
    return Panel(title, lines, layout)
