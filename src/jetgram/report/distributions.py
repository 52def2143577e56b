"""Score histograms with their errors, one panel per model."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from jetgram.evaluation.bands import working_cut
from jetgram.evaluation.score_histograms import CAPTION, CLASSES, class_histograms, shown_range
from jetgram.evaluation.scores import Scores
from jetgram.report.html import details
from jetgram.report.plots import Panel, class_looks, plots

AT_ONCE = 6  # panels; the reader unfolds more


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
    caption = " ".join(CAPTION.format(errors="Error bars").split())
    shown = plots(panels[:AT_ONCE], legend, caption, "Classes", styles)
    if len(panels) <= AT_ONCE:
        return shown
    more = plots(panels[AT_ONCE:], legend, "", "Classes", styles)
    return shown + details(f"Scores of {len(panels) - AT_ONCE} more", more)


def _panel(model: str, seeds: Sequence[Scores], efficiency: float, sample: str) -> Panel:
    import plotly.graph_objects as go

    (edges, found), styles = class_histograms(seeds), class_looks(CLASSES)
    low, high = np.log10(shown_range(found.values()))
    floor = 10 ** (low - 3)  # an empty bin is below the axis
    traces = [
        trace
        for name, each in found.items()
        for trace in styles[name].steps(name, edges, np.maximum(each.fraction, floor), each.error)
    ]
    cut = working_cut(seeds, efficiency)
    mark = {"type": "line", "x0": cut.score, "x1": cut.score, "y0": 0, "y1": 1, "yref": "paper"}
    layout = go.Layout(
        xaxis={"title": "score", "range": [float(edges[0]), float(edges[-1])]},
        yaxis={"title": f"fraction of {seeds[0].provenance.rows} / bin", "type": "log", "range": [low, high]},
        hovermode="closest",
        shapes=[{**mark, "line": {"width": 1, "dash": "dash", "color": "#888888"}}],
    )
    layout.yaxis.update(dtick=1, exponentformat="power")
    return Panel(f"Scores of {model}", traces, layout, sample, f"{cut}.")
