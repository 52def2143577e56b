"""The jets of a dataset in interactive plots: distributions of each class, and how deep its trees are."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from jetgram.histograms import Histogram
from jetgram.inspection import Summary
from jetgram.report.plots import PT, Panel, class_looks, plots, with_symbols
from jetgram.trees.topologies import TOPOLOGIES

TITLES = {
    "pt": "Transverse momentum",
    "mass": "Mass",
    "sum_pt": "Scalar sum of transverse momenta",
    "multiplicity": "Multiplicity",
    "softest": "Softest constituent",
}


def sample_distributions(summary: Summary, sample: str = "") -> str:
    """Distributions of the classes of a dataset, and the depths of its trees.

    Args:
        summary: of the dataset.
        sample: the jets and their energy, for the plots.

    Returns:
        HTML for `jetgram.report.html.section`.
    """
    classes = {name: name for name in next(iter(summary.counts.values()))}
    panels = [_distribution(name, each, summary.kind, classes, sample) for name, each in summary.histograms.items()]
    if summary.depths:
        panels.append(_depths(summary.depths, sample))
    caption = f"Error bars: the square root of the number of {summary.kind}. The outermost bins hold all beyond them."
    return plots(panels, classes, caption, "Classes", class_looks(classes))


def _distribution(name: str, histogram: Histogram, kind: str, classes: Mapping[str, str], sample: str) -> Panel:
    import plotly.graph_objects as go

    edges, styles, floor = histogram.edges, class_looks(classes), 1e-3 if histogram.log else 0.0
    traces = []
    for group, counts in histogram.counts.items():
        filled = np.asarray(counts, dtype=np.float64)
        traces += styles[group].steps(group, edges, np.maximum(filled, floor), np.sqrt(filled))
    highest = max(float(np.max(counts)) for counts in histogram.counts.values())
    title = PT if name == "softest" else with_symbols(histogram.label)  # the panel's title says of what
    axis: dict[str, Any] = {"title": title, "range": [float(edges[0]), float(edges[-1])]}
    counted: dict[str, Any] = {"title": f"{kind} / bin", "rangemode": "tozero"}
    if histogram.log:
        axis |= {"type": "log", "range": np.log10(edges[[0, -1]]).tolist(), "dtick": 1, "exponentformat": "power"}
        counted |= {"type": "log", "range": [-0.3, float(np.log10(2 * highest + 1))], "dtick": 1}
    return Panel(TITLES[name], traces, go.Layout(xaxis=axis, yaxis=counted, hovermode="closest"), sample)


def _depths(depths: Mapping[str, Mapping[str, float]], sample: str) -> Panel:
    """A box from quartile to quartile, whiskers to the least and the greatest depth."""
    import plotly.graph_objects as go

    boxes = [
        go.Box(
            y0=TOPOLOGIES[name].title,
            lowerfence=[each["min"]],
            q1=[each["q25"]],
            median=[each["median"]],
            q3=[each["q75"]],
            upperfence=[each["max"]],
            orientation="h",
            line={"width": 1.6},
            meta={"light": "#5c5c5c", "dark": "#b8bcc4"},
        )
        for name, each in list(depths.items())[::-1]
    ]
    layout = go.Layout(xaxis={"title": "depth of the tree", "rangemode": "tozero"}, hovermode="closest")
    return Panel("Depth of the trees; boxes: quartiles, whiskers: all", boxes, layout, sample)
