"""What a network learned: the importance of branchings on the Lund plane, signal next to background."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from jetgram.models.lund_importance import X_EDGES, Y_EDGES, LundImportance
from jetgram.report.plots import LUND_X, LUND_Y, Panel, plots, rounded

Array = NDArray[np.float64]

FEWEST = 10  # branchings in a cell whose mean is drawn
LEVEL_TICKS = (0.001, 0.01, 0.1, 1.0)
RATIO_TICKS = (0.125, 0.25, 0.5, 1.0, 2.0, 4.0, 8.0)
CAPTION = f"""Mean importance of a branching, relative to the largest mean; logarithmic colours, which end where their
scale ends. Cells with fewer than {FEWEST} branchings are empty; the outermost cells hold all beyond them."""
# From unimportant to important: dark on a light page, bright on a dark one. Ratios: below, at and above one.
LEVELS = {
    "light": ("#fdf3e1", "#fbb97e", "#ee5b5e", "#9f2f7f", "#3b0f6f", "#0c0926"),
    "dark": ("#2a2140", "#5b177e", "#a8327d", "#ee5b5e", "#fdb078", "#fcf6c0"),
}
RATIOS = {
    "light": ("#2f5f9e", "#9dbbdd", "#f3efe8", "#e79bb0", "#b5234f"),
    "dark": ("#8ab8f5", "#54779f", "#474b54", "#a9546f", "#ff8fb0"),
}


def lund_planes(signal: LundImportance, background: LundImportance, sample: str = "") -> str:
    """Mean importance of the branchings of signal and of background jets in cells of the Lund plane, and their ratio.

    Args:
        signal: the sums of signal jets.
        background: the same of background jets.
        sample: the jets and their energy, for the plots.

    Returns:
        HTML for `jetgram.report.html.section`.
    """
    means = [each.mean(FEWEST) for each in (signal, background)]
    largest = max(float(np.nanmax(mean, initial=0.0)) for mean in means) or 1.0
    with np.errstate(divide="ignore", invalid="ignore"):
        ratio = means[0] / means[1]
    sides = zip(("Signal", "Background"), (signal, background), means, strict=True)
    panels = [
        _panel(f"{name}: {each.jets:,} jets", mean / largest, LEVELS, LEVEL_TICKS, sample, "importance")
        for name, each, mean in sides
    ]
    panels.append(_panel("Signal / background", ratio, RATIOS, RATIO_TICKS, sample, "ratio"))
    return plots(panels, {}, " ".join(CAPTION.split()))


def _panel(
    title: str, values: Array, shades: Mapping[str, Sequence[str]], ticks: Sequence[float], sample: str, name: str
) -> Panel:
    """A heat map with logarithmic colours between the first and the last tick; NaN is an empty cell."""
    import plotly.graph_objects as go

    places = np.log10(ticks)
    shown = np.log10(np.clip(values, ticks[0], ticks[-1]))
    trace = go.Heatmap(
        x=X_EDGES.round(4).tolist(),
        y=Y_EDGES.round(4).tolist(),
        z=[rounded(row) for row in shown.T],
        customdata=[rounded(row) for row in values.T],
        zmin=places[0],
        zmax=places[-1],
        colorbar={
            "thickness": 10,
            "len": 1,
            "title": {"text": name, "side": "right"},
            "tickvals": places.tolist(),
            "ticktext": [f"{tick:g}" for tick in ticks],
        },
        hovertemplate=f"{LUND_X} = %{{x:.2f}}, {LUND_Y} = %{{y:.2f}}: %{{customdata:.3g}}<extra></extra>",
        meta={scheme: _scale(colours) for scheme, colours in shades.items()},
    )
    layout = go.Layout(xaxis={"title": LUND_X}, yaxis={"title": LUND_Y}, hovermode="closest")
    return Panel(title, [trace], layout, sample)


def _scale(colours: Sequence[str]) -> list[tuple[float, str]]:
    return [(float(place), colour) for place, colour in zip(np.linspace(0, 1, len(colours)), colours, strict=True)]
