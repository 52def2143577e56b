"""What one cut on the score does at each pT and each mass: signal efficiency and background rejection."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from jetgram.evaluation.bands import Passing, bin_edges, passing, places_in_bins
from jetgram.evaluation.scores import Scores
from jetgram.notation import percent
from jetgram.report.plots import BACKGROUND_REJECTION, MASS, PT, SIGNAL_EFFICIENCY, Look, Panel, looks, plots

Array = NDArray[np.float64]

VARIABLES = {"pt": PT, "mass": MASS}
CAPTION = """Bars: one standard deviation from the number of jets in the bin. Triangles: no background passes, a lower
limit."""


def working_point(models: Mapping[str, Sequence[Scores]], efficiency: float = 0.5, sample: str = "") -> str:
    """Signal efficiency and background rejection against pT and mass, for one cut on the score of each model.

    Args:
        models: the scores of each model's seeds, in the window.
        efficiency: signal efficiency over all these jets, which fixes the cut.
        sample: the jets and their energy, for the plots.

    Returns:
        HTML for `jetgram.report.html.section`.
    """
    first = next(iter(models.values()))[0]
    of_what = "jet" if first.provenance.rows == "jets" else "hardest jet"
    panels = []
    for variable, symbol in VARIABLES.items():
        edges = bin_edges(models, variable)
        for label, name in ((1, SIGNAL_EFFICIENCY), (0, BACKGROUND_REJECTION)):
            traces = []
            for number, (model, look) in enumerate(looks(models).items()):
                x = places_in_bins(edges, number, len(models))
                found = passing(models[model], label, variable, edges, efficiency)
                traces += (_efficiencies if label else _rejections)(model, look, x, found)
            panels.append(_panel(variable, f"{of_what} {symbol}", name, traces, edges, efficiency, sample))
    legend = {model: model for model in models}
    title = f"One cut on the score, at a signal efficiency of {percent(efficiency)}. "
    return plots(panels, legend, title + " ".join(CAPTION.split()))


def _efficiencies(model: str, look: Look, x: Array, found: Passing) -> list[Any]:
    return [look.points(model, x.tolist(), found.fraction, found.low, found.high)]


def _rejections(model: str, look: Look, x: Array, found: Passing) -> list[Any]:
    """Points where background passes; where none does, a triangle at the least rejection that still fits."""
    some, none = found.fraction > 0, found.fraction == 0
    middle = 1 / found.fraction[some]
    points = look.points(model, x[some].tolist(), middle, 1 / found.high[some], 1 / np.maximum(found.low[some], 1e-9))
    least = 1 / found.high[none]
    limits = look.points(model, x[none].tolist(), least, least, least, hovertemplate="> %{y:.3~g}")
    limits.marker.symbol = "triangle-up"
    limits.marker.size = 9
    return [points, limits]


def _panel(variable: str, x: str, y: str, traces: list[Any], edges: Array, efficiency: float, sample: str) -> Panel:
    import plotly.graph_objects as go

    is_efficiency = y == SIGNAL_EFFICIENCY
    mark = {"type": "line", "x0": 0, "x1": 1, "xref": "paper", "y0": efficiency, "y1": efficiency}
    layout = go.Layout(
        xaxis={"title": x, "range": [float(edges[0]), float(edges[-1])]},
        yaxis={"title": y, "range": [0, 1.03]}
        if is_efficiency
        else {"title": y, "type": "log", "dtick": "D2", "tickformat": ",~r"},
        hovermode="closest",
        shapes=[{**mark, "line": {"width": 1, "dash": "dash", "color": "#888888"}}] if is_efficiency else [],
    )
    what = "Signal efficiency" if is_efficiency else "Background rejection"
    return Panel(f"{what} against {'pT' if variable == 'pt' else 'mass'}", traces, layout, sample)
