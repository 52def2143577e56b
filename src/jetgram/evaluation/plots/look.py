"""What the pictures of scores share: a colour for each model, and honest captions."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

# Dark enough for lines on white, and apart from each other for most colour-blind readers.
MODEL_COLOURS = ("#b5325c", "#2f6fb0", "#e08a1e", "#3a8f6b", "#7a55a8", "#5c5c5c", "#9c6b3f", "#1fa3b5")
LINES = ("-", (0, (5, 1.5)), (0, (1.2, 1.2)))


def styles(models: Iterable[str]) -> Iterator[tuple[str, dict[str, Any]]]:
    """Each model with its colour, and with another kind of line when the colours begin again."""
    for number, model in enumerate(models):
        turn, colour = divmod(number, len(MODEL_COLOURS))
        yield model, {"color": MODEL_COLOURS[colour], "linestyle": LINES[turn % len(LINES)]}


def percent(share: float) -> str:
    """A share as a reader writes it.

    Example:
        >>> percent(0.5), percent(0.305)
        ('50 %', '30.5 %')
    """
    return f"{100 * share:.4g} %"


def legend_above(figure: Figure, axes: Axes, title: str = "", columns: int = 1) -> None:
    """The names of what `axes` show, above all panels, where they hide nothing."""
    handles, names = axes.get_legend_handles_labels()
    look = {"frameon": False, "fontsize": 9, "title_fontsize": 10, "alignment": "left", "borderaxespad": 0.2}
    figure.legend(handles, names, loc="outside upper left", title=title or None, ncols=columns, **look)


def caption(figure: Figure, text: str) -> None:
    """Small print below the picture."""
    figure.supxlabel(text, x=0.012, ha="left", multialignment="left", fontsize=8, color="0.45")
