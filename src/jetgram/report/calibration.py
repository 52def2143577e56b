"""Calibration of the scores, and what a cut does to the mass of background jets."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from jetgram.evaluation.calibration import Calibration, calibration_of, mean_bins
from jetgram.evaluation.scores import Scores, measure_seeds
from jetgram.evaluation.sculpting import Sculpting, inverse_text, mass_sculpting
from jetgram.notation import percent
from jetgram.report.plots import MASS, Panel, looks, plots, rounded

RELIABILITY = """ECE: expected calibration error. Points: mean over seeds; bars: one standard deviation from the number
of jets in the bin. Dotted: perfectly calibrated."""
SCULPTING = """Each distribution is normalised to one, mean over seeds. Grey: all background jets. JSD: Jensen-Shannon
divergence of both, in bits; 1/JSD is the larger, the less a cut changes the shape."""


def reliability_curves(models: Mapping[str, Sequence[Scores]], sample: str = "") -> str:
    """Fraction of signal against the score.

    Args:
        models: the scores of each model's seeds, in the window; those that are no probabilities are not drawn.
        sample: the jets and their energy, for the plots.

    Returns:
        HTML for `jetgram.report.html.section`; nothing where no score is a probability.
    """
    import plotly.graph_objects as go

    drawn = measure_seeds(models, calibration_of)
    if not drawn:
        return ""
    traces = [_grey([0, 1], np.array([0.0, 1.0]), {"width": 1, "dash": "dot"})]
    styles = looks(models)
    for model, seeds in drawn.items():
        look, bins = styles[model], mean_bins(seeds)
        x = [round(each.predicted, 4) for each in bins]
        y, low, high = (np.array([getattr(each, name) for each in bins]) for name in ("observed", "low", "high"))
        points = look.points(model, x, y, np.minimum(low, y), np.maximum(high, y), hovertemplate="%{x:.2f}: %{y:.3f}")
        traces += [look.line(model, x, y, width=1.3, hoverinfo="skip"), points]
    layout = go.Layout(
        xaxis={"title": "score", "range": [0, 1]},
        yaxis={"title": "fraction of signal", "range": [-0.02, 1.02]},
        hovermode="closest",
    )
    legend = {model: f"{model}: ECE {np.mean([each.ece for each in seeds]):.3f}" for model, seeds in drawn.items()}
    panel = Panel("Calibration", traces, layout, sample)
    return plots([panel], legend, _caption(RELIABILITY, models, drawn), styles=styles)


def mass_sculptings(models: Mapping[str, Sequence[Scores]], efficiency: float = 0.5, sample: str = "") -> str:
    """Mass of all background jets (of the first model) and of those that pass the cut of each model.

    Args:
        models: the scores of each model's seeds, in the window.
        efficiency: signal efficiency, which fixes the cut.
        sample: the jets and their energy, for the plots.

    Returns:
        HTML for `jetgram.report.html.section`; nothing where no background passes any cut.
    """
    import plotly.graph_objects as go

    drawn = measure_seeds(models, lambda scores: mass_sculpting(scores, efficiency))
    if not drawn:
        return ""
    first = next(iter(drawn.values()))
    edges, before = _density(first, "before")
    traces = [_grey(edges, before, {"width": 0, "shape": "hv"}, fill="tozeroy")]
    styles = looks(models)
    for model, seeds in drawn.items():
        edges, after = _density(seeds, "after")
        line = styles[model].line(model, edges, after, hovertemplate="%{y:.3~g} / GeV")
        line.line.shape = "hv"
        traces.append(line)
    of_what = "jet" if next(iter(models.values()))[0].provenance.rows == "jets" else "hardest jet"
    layout = go.Layout(
        xaxis={"title": f"{of_what} {MASS}", "range": [first[0].edges[0], first[0].edges[-1]]},
        yaxis={"title": "fraction of background / GeV", "rangemode": "tozero"},
        hovermode="closest",
    )
    legend = {model: f"{model}: 1/JSD {inverse_text(seeds)}" for model, seeds in drawn.items()}
    note = f"After one cut on the score, at a signal efficiency of {percent(efficiency)}."
    panel = Panel("Mass of background jets that pass", traces, layout, sample, note)
    return plots([panel], legend, _caption(SCULPTING, models, drawn), styles=styles)


def _density(seeds: Sequence[Sculpting], name: str) -> tuple[list[float], np.ndarray]:
    """Edges, and the mean over seeds per GeV in each bin, the last one twice so that steps reach its end."""
    edges = np.array(seeds[0].edges)
    mean = np.mean([getattr(seed, name) for seed in seeds], axis=0) / np.diff(edges)
    return edges.tolist(), np.append(mean, mean[-1:])


def _grey(x: Sequence[float], y: np.ndarray, line: dict[str, Any], **more: Any) -> Any:
    """A line that belongs to no model."""
    import plotly.graph_objects as go

    colours = {"light": "#888888", "dark": "#888888"}
    return go.Scatter(x=list(x), y=rounded(y), mode="lines", line=line, hoverinfo="skip", meta=colours, **more)


def _caption(
    words: str, models: Mapping[str, Sequence[Scores]], drawn: Mapping[str, Sequence[Calibration | Sculpting]]
) -> str:
    others = [model for model in models if model not in drawn]
    return " ".join(words.split()) + (f" Not drawn, for want of such numbers: {', '.join(others)}." if others else "")
