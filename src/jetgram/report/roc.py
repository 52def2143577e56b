"""The ROC curves as a reader compares them: background rejection on a logarithmic axis, models switched by a legend."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from jetgram.evaluation.bands import (
    CAPTION,
    EFFICIENCIES,
    RATIOS_FROM,
    Band,
    describe,
    largest,
    roc_curves,
)
from jetgram.evaluation.scores import Scores
from jetgram.notation import percent
from jetgram.report.plots import BACKGROUND_REJECTION, SIGNAL_EFFICIENCY, Look, Panel, looks, plots, rounded

THIN = slice(None, None, 4)  # steps of a percent: finer ones cannot be seen, and a page of thirty models stays small
UNIFIED = 8  # models up to which one box shows the numbers of all of them
POINT = "%{y:,.3~g}  (%{customdata[0]:,.3~g} to %{customdata[1]:,.3~g})"


def interactive_roc(models: Mapping[str, Sequence[Scores]], efficiency: float = 0.5, sample: str = "") -> str:
    """1/FPR against TPR of each model with its band; next to it, if there are several, relative to the first.

    The numbers are those of `jetgram.plots.draw_roc`, at every percent of signal efficiency.

    Args:
        models: the scores of each model's seeds, in the window.
        efficiency: the working point, which is marked and whose R the legend gives.
        sample: the jets and their energy, for the plots.

    Returns:
        HTML for `jetgram.report.html.section`.
    """
    curves = roc_curves(models)
    bands = {model: Band.of(seeds) for model, seeds in curves.items()}
    panels = [_rejections({model: band[THIN] for model, band in bands.items()}, efficiency)]
    if len(models) > 1:
        first = next(iter(bands.values()))
        ratios = {model: band.relative_to(first)[THIN] for model, band in bands.items()}
        panels.append(_ratios(ratios, next(iter(bands)), efficiency))
    legend = {model: describe(model, seeds, efficiency) for model, seeds in curves.items()}
    named = [dataclasses.replace(panel, sample=sample) for panel in panels]
    return plots(named, legend, " ".join(CAPTION.split()))


def _rejections(bands: Mapping[str, Band], efficiency: float) -> Panel:
    import plotly.graph_objects as go

    x = EFFICIENCIES[THIN].round(4)
    chance = go.Scatter(
        x=x.tolist(),
        y=rounded(1 / x),
        mode="lines",
        line={"width": 1, "dash": "dot"},
        hoverinfo="skip",
        meta={"light": "#888888", "dark": "#888888"},
    )
    highest = max(largest(band.middle, 10.0) for band in bands.values())
    layout = _layout(bands, efficiency)
    layout.update(yaxis={"type": "log", "range": [0, float(np.log10(2 * highest))], "dtick": "D2", "tickformat": ",~r"})
    layout.yaxis.title = f"{BACKGROUND_REJECTION} (1/FPR)"
    title = "Background rejection; dotted: a random choice"
    return Panel(title, [chance, *_lines(bands)], layout)


def _ratios(ratios: Mapping[str, Band], first: str, efficiency: float) -> Panel:
    layout = _layout(ratios, efficiency)
    shown = EFFICIENCIES[THIN] >= RATIOS_FROM
    highest = max(largest(ratio.high[shown], 1.0) for ratio in ratios.values())
    layout.update(yaxis={"range": [0, 1.1 * highest], "title": "ratio of rejections"})
    return Panel(f"Relative to {first}", _lines(ratios), layout)


def _lines(bands: Mapping[str, Band]) -> list[Any]:
    """The bands, and over all of them the lines."""
    x = EFFICIENCIES[THIN].round(4).tolist()
    styles: Mapping[str, Look] = looks(bands)
    areas = [styles[model].band(model, x, band.low, band.high) for model, band in bands.items()]
    lines = [
        styles[model].line(
            model,
            x,
            band.middle,
            customdata=list(zip(rounded(band.low), rounded(band.high), strict=True)),
            hovertemplate=POINT if len(bands) <= UNIFIED else f"%{{x:.0%}}: {POINT}",
        )
        for model, band in bands.items()
    ]
    return [*areas, *lines]


def _layout(models: Mapping[str, Band], efficiency: float) -> Any:
    import plotly.graph_objects as go

    mark = {"type": "line", "x0": efficiency, "x1": efficiency, "y0": 0, "y1": 1, "yref": "paper"}
    return go.Layout(
        xaxis={"title": f"{SIGNAL_EFFICIENCY} (TPR)", "range": [0, 1], "hoverformat": ".0%"},
        hovermode="x unified" if len(models) <= UNIFIED else "closest",
        shapes=[{**mark, "line": {"width": 1, "dash": "dash", "color": "#888888"}, "name": percent(efficiency)}],
    )
