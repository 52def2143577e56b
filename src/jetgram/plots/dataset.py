"""Datasets at a glance: the distributions of the classes, two detector levels compared, and how deep trees are."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from numpy.typing import NDArray

from jetgram.histograms import Histogram
from jetgram.inspection import Summary, sample_title
from jetgram.levels import LevelComparison, Response
from jetgram.notation import with_error
from jetgram.plots.style import CLASS_COLOURS, LINES, as_label, legend_above, styled, styles
from jetgram.separation import ULTRASOFT, Separation
from jetgram.trees.topologies import TOPOLOGIES

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

COLUMNS = 3  # panels in a row
HOW = {name: "median ± half the central 68 %" for name in ("pt", "mass")} | {"delta_r": "fraction of the same jets"}
LEGEND: dict[str, Any] = {
    "frameon": False,
    "fontsize": 9,
    "loc": "upper left",
    "title_fontsize": 9,
    "alignment": "left",
}
WARNING_COLOUR = "#b03020"


def draw_summary(summary: Summary) -> Figure:
    """A figure of what `jetgram.inspection.inspect` found in a dataset."""
    from matplotlib.figure import Figure

    panels = len(summary.histograms) + bool(summary.depths)
    rows = -(-panels // COLUMNS)
    with styled():
        figure = Figure(figsize=(4.3 * COLUMNS, 0.3 + 3.6 * rows), layout="constrained")
        title = f"{as_label(sample_title(summary.provenance, summary.path))}: {summary.rows:,} {summary.kind}"
        figure.suptitle(title, x=0.012, ha="left", fontsize=14)
        places = figure.subplots(rows, COLUMNS, squeeze=False).reshape(-1)
        for axes, (name, histogram) in zip(places, summary.histograms.items(), strict=False):
            draw_histogram(axes, histogram, unit=summary.kind, log_counts=histogram.log)
            if name in summary.separation:
                _name_separation(axes, summary.separation[name])
        if "ultrasoft" in summary.separation:
            below = places[list(summary.histograms).index("softest")]
            _name_separation(below, summary.separation["ultrasoft"], f"below {ULTRASOFT:g} GeV: ", "right")
        places[0].legend(frameon=False)
        if summary.depths:
            _draw_depths(places[panels - 1], summary.depths)
        for axes in places[panels:]:
            axes.remove()
    return figure


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
        names: what the legend says of each class; by default its name.
        unit: what is counted.
        log_counts: on a logarithmic axis, for a spectrum with a rare tail.
    """
    for number, (name, counts) in enumerate(histogram.counts.items()):
        turn, place = divmod(number, len(CLASS_COLOURS))
        look: dict[str, Any] = {"color": CLASS_COLOURS[place], "linestyle": LINES[turn % len(LINES)]}
        axes.stairs(counts, histogram.edges, label=names[name] if names else as_label(name), linewidth=1.6, **look)
        axes.stairs(counts, histogram.edges, fill=True, color=CLASS_COLOURS[place], alpha=0.12)
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


def draw_depths(depths: Mapping[str, NDArray[np.int64]]) -> Figure:
    """Which fraction of the jets has trees of each depth.

    Args:
        depths: of the trees of the same jets, by topology.

    Example:
        >>> [text.get_text() for text in draw_depths({"kt": np.array([5, 7]), "ca": np.array([8, 9])}).legends[0].texts]
        ['$k_t$: 6.0 on average', 'Cambridge/Aachen: 8.5 on average']
    """
    from matplotlib.figure import Figure

    edges = np.arange(max(int(depth.max()) for depth in depths.values()) + 2) - 0.5
    with styled():
        figure = Figure(figsize=(7.2, 4.8), layout="constrained")
        axes = figure.subplots()
        for name, style in styles(depths):
            depth = depths[name]
            label = f"{TOPOLOGIES[name].tex}: {depth.mean():.1f} on average"
            axes.stairs(np.histogram(depth, edges)[0] / len(depth), edges, label=label, **style)
        axes.set(xlabel="depth of the tree", ylabel="fraction of jets", ylim=(0, None))
        legend_above(figure, axes, columns=2)
    return figure


def _name_separation(
    axes: Axes, found: Separation, what: str = "", side: Literal["left", "center", "right"] = "left"
) -> None:
    """The AUC of one number alone, above its panel; marked where it should be 0.5."""
    colour = WARNING_COLOUR if found.warning else "0.35"
    axes.set_title(f"{what}AUC {found.power:.3f}", loc=side, fontsize=9, color=colour)


def _draw_depths(axes: Axes, depths: Mapping[str, Mapping[str, float]]) -> None:
    """A box from quartile to quartile, whiskers to the least and the greatest depth."""
    boxes = [
        {
            "whislo": d["min"],
            "q1": d["q25"],
            "med": d["median"],
            "q3": d["q75"],
            "whishi": d["max"],
            "label": TOPOLOGIES[name].tex,
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


def draw_levels(comparison: LevelComparison) -> Figure:
    """A figure of what `jetgram.levels.compare_levels` found.

    The legends of the responses give the median and half the central 68 % of each class.
    """
    from matplotlib.figure import Figure

    first, second = map(as_label, comparison.levels)  # a folder may have any name
    labels = {
        "pt": f"$p_T$({second}) / $p_T$({first})",
        "mass": f"$m$({second}) / $m$({first})",
        "delta_r": rf"$\Delta R$({first}, {second})",
    }
    with styled():
        figure = Figure(figsize=(4.3 * len(labels), 3.9), layout="constrained")
        title = f"{as_label(sample_title(comparison.provenance, comparison.paths[0], level=False))}: "
        title += f"{second} compared with {first}, {comparison.matched:,} jets"
        figure.suptitle(title, x=0.012, ha="left", fontsize=14)
        for axes, (name, label) in zip(figure.subplots(1, len(labels)), labels.items(), strict=True):
            histogram = comparison.histograms[name]
            said = {each: _legend(each, name, comparison.classes[each], comparison.within) for each in histogram.counts}
            draw_histogram(axes, histogram, said)
            axes.axvline(comparison.within if name == "delta_r" else 1.0, color="0.5", linewidth=1, linestyle=":")
            axes.set(xlabel=label)
            if said:
                axes.legend(title=HOW[name], **LEGEND)
            axes.set_ylim(0, 1.35 * axes.get_ylim()[1])  # room for the legend
    return figure


def _legend(name: str, quantity: str, response: Response, within: float) -> str:
    if quantity == "delta_r":
        return rf"{name}: {100 * response.same:.1f} % ($\Delta R < {within:g}$)"
    median, resolution = {
        "pt": (response.pt, response.pt_resolution),
        "mass": (response.mass, response.mass_resolution),
    }[quantity]
    return f"{name}: {with_error(f'{median:.3f}', resolution, '.3f')}"
