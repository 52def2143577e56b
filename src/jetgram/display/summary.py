"""A page for a dataset: the distributions of its classes, and how deep its trees are."""

from __future__ import annotations

from typing import TYPE_CHECKING

from jetgram.display.style import CLASS_COLOURS, styled, topology_name
from jetgram.inspection import Histogram, Summary

if TYPE_CHECKING:
    from collections.abc import Mapping

    from matplotlib.axes import Axes
    from matplotlib.figure import Figure


def draw_summary(summary: Summary) -> Figure:
    """A figure of what `jetgram.inspection.inspect` found in a dataset."""
    from matplotlib.figure import Figure

    panels = len(summary.histograms) + bool(summary.depths)
    with styled():
        figure = Figure(figsize=(4.3 * panels, 3.9), layout="constrained")
        figure.suptitle(f"{summary.path}: {summary.rows:,} {summary.kind}", x=0.012, ha="left", fontsize=14)
        row = figure.subplots(1, panels, squeeze=False)[0]
        for axes, histogram in zip(row, summary.histograms.values(), strict=False):
            _draw_histogram(axes, histogram)
        row[0].legend(frameon=False)
        if summary.depths:
            _draw_depths(row[-1], summary.depths)
    return figure


def _draw_histogram(axes: Axes, histogram: Histogram) -> None:
    for (name, counts), colour in zip(histogram.counts.items(), CLASS_COLOURS, strict=False):
        axes.stairs(counts, histogram.edges, label=name, color=colour, linewidth=1.6)
        axes.stairs(counts, histogram.edges, fill=True, color=colour, alpha=0.12)
    axes.set(
        xlabel=histogram.label, ylabel="rows a bin", xlim=(histogram.edges[0], histogram.edges[-1]), ylim=(0, None)
    )


def _draw_depths(axes: Axes, depths: Mapping[str, Mapping[str, float]]) -> None:
    """A box from quartile to quartile, whiskers to the least and the greatest depth."""
    boxes = [
        {
            "whislo": d["min"],
            "q1": d["q25"],
            "med": d["median"],
            "q3": d["q75"],
            "whishi": d["max"],
            "label": topology_name(name),
        }
        for name, d in depths.items()
    ]
    axes.bxp(
        boxes[::-1],
        showfliers=False,
        orientation="horizontal",
        widths=0.55,
        patch_artist=True,
        boxprops={"facecolor": "0.9", "edgecolor": "0.35"},
        medianprops={"color": CLASS_COLOURS[-1], "linewidth": 2},
        whiskerprops={"color": "0.35"},
        capprops={"color": "0.35"},
    )
    axes.set(xlabel="depth of the trees")
