"""Score histograms with their errors, one panel per model."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from jetgram.evaluation.score_histograms import CLASSES, score_edges, score_histogram
from jetgram.evaluation.scores import Scores
from jetgram.notation import percent
from jetgram.report.html import details
from jetgram.report.plots import Panel, class_looks, plots
from jetgram.roc import roc_curve

AT_ONCE = 6  # panels; the reader unfolds more
CAPTION = """Each class is normalised to one. Error bars: statistical and, where there are several seeds, their standard
deviation in quadrature. Dashed: the cut of the working point."""


def score_distributions(models: Mapping[str, Sequence[Scores]], efficiency: float = 0.5, sample: str = "") -> str:
    """The fraction of each class in bins of the score, on a logarithmic axis.

    Args:
        models: the scores of each model's seeds, in the window.
        efficiency: the working point, whose cut is marked.
        sample: the jets and their energy, for the plots.

    Returns:
        HTML for `jetgram.report.html.section`.
    """
    panels = [_panel(model, seeds, efficiency, sample) for model, seeds in models.items()]
    styles, legend = class_looks(CLASSES), {name: name for name in CLASSES}
    shown = plots(panels[:AT_ONCE], legend, " ".join(CAPTION.split()), "Classes", styles)
    if len(panels) <= AT_ONCE:
        return shown
    more = plots(panels[AT_ONCE:], legend, "", "Classes", styles)
    return shown + details(f"Scores of {len(panels) - AT_ONCE} more", more)


def _panel(model: str, seeds: Sequence[Scores], efficiency: float, sample: str) -> Panel:
    import plotly.graph_objects as go

    edges, styles = score_edges(seeds), class_looks(CLASSES)
    found = {name: score_histogram(seeds, label, edges) for name, label in CLASSES.items()}
    every = np.concatenate([each.fraction for each in found.values()])
    low, high = np.log10(every[every > 0].min() / 2), np.log10(2 * every.max())
    floor = 10 ** (low - 3)  # an empty bin is below the axis
    traces = [
        trace
        for name, each in found.items()
        for trace in styles[name].steps(name, edges, np.maximum(each.fraction, floor), each.error)
    ]
    curves = [roc_curve(each.score, each.label, each.weight) for each in seeds]
    cut = float(np.mean([curve.threshold_at(efficiency) for curve in curves]))
    passing = float(np.mean([curve.fpr_at(efficiency) for curve in curves]))
    mark = {"type": "line", "x0": cut, "x1": cut, "y0": 0, "y1": 1, "yref": "paper"}
    layout = go.Layout(
        xaxis={"title": "score", "range": [float(edges[0]), float(edges[-1])]},
        yaxis={"title": f"fraction of {seeds[0].provenance.rows} / bin", "type": "log", "range": [low, high]},
        hovermode="closest",
        shapes=[{**mark, "line": {"width": 1, "dash": "dash", "color": "#888888"}}],
    )
    layout.yaxis.update(dtick=1, exponentformat="power")
    cost = f"{percent(efficiency)} of the signal and {100 * passing:.2g} % of the background pass the cut."
    return Panel(f"Scores of {model}", traces, layout, sample, cost)
