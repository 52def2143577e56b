"""Two detector levels of the same collisions: responses in pT and mass, and the distance of their jets."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from jetgram.display.style import styled
from jetgram.display.summary import draw_histogram, sample_title
from jetgram.levels import LevelComparison, Response

if TYPE_CHECKING:
    from matplotlib.figure import Figure

HOW = {name: "median ± half the central 68 %" for name in ("pt", "mass")} | {"delta_r": "fraction of the same jets"}

LEGEND: dict[str, Any] = {
    "frameon": False,
    "fontsize": 9,
    "loc": "upper left",
    "title_fontsize": 9,
    "alignment": "left",
}


def draw_levels(comparison: LevelComparison) -> Figure:
    """A figure of what `jetgram.levels.compare_levels` found.

    The legends of the responses give the median and half the central 68 % of each class.
    """
    from matplotlib.figure import Figure

    first, second = (level.replace("$", r"\$") for level in comparison.levels)  # a folder may have any name
    labels = {
        "pt": f"$p_T$({second}) / $p_T$({first})",
        "mass": f"$m$({second}) / $m$({first})",
        "delta_r": rf"$\Delta R$({first}, {second})",
    }
    with styled():
        figure = Figure(figsize=(4.3 * len(labels), 3.9), layout="constrained")
        title = f"{sample_title(comparison.provenance, comparison.paths[0], level=False)}: "
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
    return rf"{name}: ${median:.3f} \pm {resolution:.3f}$"
