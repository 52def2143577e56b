"""How every picture looks: fonts, colours, names, legends and captions; and how it becomes a file."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import AbstractContextManager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from jetgram.boundary import printable
from jetgram.errors import SettingsError
from jetgram.storage import atomic

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.colors import Colormap, Normalize
    from matplotlib.figure import Figure

Array = NDArray[np.float64]

RC: dict[str, Any] = {
    "font.family": "sans-serif",
    "font.size": 10,
    "axes.titlesize": 11,
    "axes.titlelocation": "left",
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.edgecolor": "0.35",
    "axes.labelcolor": "0.2",
    "xtick.color": "0.35",
    "ytick.color": "0.35",
    "svg.hashsalt": "jetgram",  # the same picture is the same file
}

CLASS_COLOURS = ("#4a6fa5", "#c8325f", "#e29a3b", "#5b8e5a")
# Dark enough for lines on white, and apart from each other for most colour-blind readers.
MODEL_COLOURS = (
    *("#b5325c", "#2f6fb0", "#e08a1e", "#3a8f6b", "#7a55a8"),
    *("#5c5c5c", "#9c6b3f", "#1fa3b5", "#8f9a2d", "#26316b"),
)
LINES = ("-", (0, (5, 1.5)), (0, (1.2, 1.2)))
SUFFIXES = (".png", ".pdf", ".svg")

PT_MIN = 0.1  # GeV; softer particles look like this
PT_MAX = 200.0  # GeV; the colour of all that is harder


def styled() -> AbstractContextManager[None]:
    """A context in which matplotlib draws in this style, and not in one that the user may have set."""
    import matplotlib

    return matplotlib.rc_context(RC)  # type: ignore[arg-type,unused-ignore]


def colour_scale(values: Array | None = None) -> tuple[Colormap, Normalize]:
    """Colour map and norm of transverse momentum on a logarithmic scale (pale is soft, dark is hard), or of `values`.

    Values that reach below zero get a diverging map with zero in the middle.
    """
    import matplotlib
    from matplotlib.colors import LinearSegmentedColormap, LogNorm, Normalize

    if values is not None and values.min() < 0:
        reach = float(np.abs(values).max())
        return matplotlib.colormaps["coolwarm"], Normalize(-reach, reach)
    # The palest end of the map would vanish on white paper.
    shades = LinearSegmentedColormap.from_list(
        "jetgram", list(matplotlib.colormaps["magma_r"](np.linspace(0.12, 0.92, 256)))
    )
    if values is None:
        return shades, LogNorm(PT_MIN, PT_MAX, clip=True)
    return shades, Normalize(0.0, float(values.max()) or 1.0)


def styles(models: Iterable[str]) -> Iterator[tuple[str, dict[str, Any]]]:
    """Each model with its colour, and with another kind of line when the colours begin again."""
    for number, model in enumerate(models):
        turn, colour = divmod(number, len(MODEL_COLOURS))
        yield model, {"color": MODEL_COLOURS[colour], "linestyle": LINES[turn % len(LINES)]}


def as_label(name: str) -> str:
    r"""A name as Matplotlib shows it and nothing else: no formula between `$`, and shown where it begins with `_`.

    Of a file name that the locale's encoding does not know, as `jetgram.boundary.printable` shows it.

    Example:
        >>> as_label("$20"), as_label("kt")
        ('\\$20', 'kt')
    """
    escaped = printable(name).replace("$", r"\$")
    return f"\u200b{escaped}" if escaped.startswith("_") else escaped


def grid_behind(axes: Axes, minor: bool = False) -> None:
    """Pale lines at the major ticks, below all that is drawn.

    Args:
        axes: with their scales set, which say where the ticks are.
        minor: whether even paler lines are at the minor ticks too.
    """
    axes.grid(color="0.92", linewidth=0.7)
    if minor:
        axes.grid(which="minor", color="0.95", linewidth=0.5)
    axes.set_axisbelow(True)


def legend_above(figure: Figure, axes: Axes, title: str = "", columns: int = 1) -> None:
    """The names of what `axes` show, above all panels, where they hide nothing."""
    handles, names = axes.get_legend_handles_labels()
    look = {"frameon": False, "fontsize": 9, "title_fontsize": 10, "alignment": "left", "borderaxespad": 0.2}
    figure.legend(handles, names, loc="outside upper left", title=title or None, ncols=columns, **look)


def caption(figure: Figure, text: str) -> None:
    """Small print below the picture."""
    figure.supxlabel(text, x=0.012, ha="left", multialignment="left", fontsize=8, color="0.45")


def save_figure(figure: Figure, path: Path | str) -> None:
    """Write a figure as PNG, PDF or SVG, by the suffix of the file."""
    path = Path(path)
    if path.suffix.lower() not in SUFFIXES:
        raise SettingsError(f"{path}: a picture ends in {', '.join(SUFFIXES)}; found {path.suffix or 'no suffix'!r}")
    # No date in the file: the same jet gives the same bytes.
    dated = {".pdf": "CreationDate", ".svg": "Date"}.get(path.suffix.lower())
    with styled():
        if dated:
            _settle(figure)
        with atomic.writing(path) as file:
            form = path.suffix[1:].lower()
            figure.savefig(file, format=form, dpi=150, metadata={dated: None} if dated else None)


def _settle(figure: Figure) -> None:
    """Lay the panels out once, and round where they are.

    The layout engine adds numbers up in an order that changes from run to run, and with it the last bits; in files that
    hold numbers instead of pixels this would show.
    """
    figure.draw_without_rendering()
    figure.set_layout_engine("none")
    for axes in figure.axes:
        left, bottom, width, height = (round(edge, 9) for edge in axes.get_position(original=True).bounds)
        axes.set_position((left, bottom, width, height))
