"""A page for a dataset: the distributions of its classes, and how deep its trees are."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from jetgram.display.style import CLASS_COLOURS, styled, topology_name
from jetgram.histograms import Histogram
from jetgram.inspection import Summary

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure


COLUMNS = 3  # panels in a row
ENERGY = "13 TeV"  # of all collisions that `jetgram generate` makes


def draw_summary(summary: Summary) -> Figure:
    """A figure of what `jetgram.inspection.inspect` found in a dataset."""
    from matplotlib.figure import Figure

    panels = len(summary.histograms) + bool(summary.depths)
    rows = -(-panels // COLUMNS)
    with styled():
        figure = Figure(figsize=(4.3 * COLUMNS, 0.3 + 3.6 * rows), layout="constrained")
        title = f"{sample_title(summary.provenance, summary.path)}: {summary.rows:,} {summary.kind}"
        figure.suptitle(title, x=0.012, ha="left", fontsize=14)
        places = figure.subplots(rows, COLUMNS, squeeze=False).reshape(-1)
        for axes, histogram in zip(places, summary.histograms.values(), strict=False):
            draw_histogram(axes, histogram, unit=summary.kind, log_counts=histogram.log)
        places[0].legend(frameon=False)
        if summary.depths:
            _draw_depths(places[panels - 1], summary.depths)
        for axes in places[panels:]:
            axes.remove()
    return figure


def sample_title(provenance: Mapping[str, Any], path: str, level: bool = True) -> str:
    """Sample, energy and detector level of a generated dataset; the folder of any other.

    Example:
        >>> sample_title({"recipe": {"sample": {"name": "w-vs-qcd"}, "level": "towers"}}, "jets")
        'w-vs-qcd at 13 TeV, towers'
        >>> sample_title({}, "mine")
        'mine'
    """
    recipe = provenance.get("recipe", {})
    if "sample" not in recipe:
        return path
    sample = f"{recipe['sample']['name']} at {ENERGY}"
    return f"{sample}, {recipe['level']}" if level else sample


def draw_histogram(
    axes: Axes,
    histogram: Histogram,
    names: Mapping[str, str] | None = None,
    unit: str = "jets",
    log_counts: bool = False,
) -> None:
    """The distribution of each class, one above the other.

    Args:
        axes: where to draw.
        histogram: what.
        names: of the classes in a legend; by default their own.
        unit: what is counted.
        log_counts: on a logarithmic axis, for a spectrum with a rare tail.
    """
    for (name, counts), colour in zip(histogram.counts.items(), CLASS_COLOURS, strict=False):
        axes.stairs(counts, histogram.edges, label=(names or {}).get(name, name), color=colour, linewidth=1.6)
        axes.stairs(counts, histogram.edges, fill=True, color=colour, alpha=0.12)
    axes.set(
        xlabel=histogram.label.replace("pT", "$p_T$"),
        ylabel=f"{unit} / bin",
        xlim=(histogram.edges[0], histogram.edges[-1]),
        xscale="log" if histogram.log else "linear",
    )
    if log_counts:
        axes.set(yscale="log", ylim=(0.5, None))
    else:
        axes.set(ylim=(0, None))


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
