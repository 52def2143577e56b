"""Names next to points, where they hide neither points nor each other."""

from __future__ import annotations

import dataclasses
import itertools
import math
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.path import Path
    from matplotlib.text import Annotation
    from matplotlib.transforms import Bbox

NEAR, STEP, RINGS = 7.0, 7.0, 24  # distances of a label from its point, in typographic points
DIRECTIONS = (0, 180, 45, 315, 135, 225, 90, 270, 20, 340, 160, 200)  # degrees, in order of preference
MARKER = 4.0  # half the size of a point
ROOM = 1.5  # around a label


@dataclasses.dataclass(frozen=True)
class Label:
    """A point with an error bar, and its name.

    Args:
        x: where it is, in the units of the axes.
        y: likewise.
        error: half the length of the bar.
        text: the name.
        colour: of the text.
    """

    x: float
    y: float
    error: float
    text: str
    colour: str


def place_labels(axes: Axes, labels: Sequence[Label]) -> None:
    """Write each name next to its point, as near as there is room; one that is far gets a line to its point.

    Everything else must have been drawn: limits and layout do not change any more.

    Args:
        axes: with the points.
        labels: one per point.

    Example:
        >>> from matplotlib.figure import Figure
        >>> axes = Figure().subplots()
        >>> dots = axes.plot([1.0, 1.1], [1.0, 1.0], "o")
        >>> place_labels(axes, [Label(1.0, 1.0, 0.0, "kt", "black"), Label(1.1, 1.0, 0.0, "ca", "black")])
        >>> [text.get_text() for text in axes.texts]
        ['kt', 'ca']
    """
    axes.figure.draw_without_rendering()  # type: ignore[union-attr]
    covered = _Covered([_point(axes, label) for label in labels])
    look = {"arrowstyle": "-", "color": "0.6", "linewidth": 0.6, "shrinkA": 0, "shrinkB": 3}
    for label in labels:
        point = (label.x, label.y)
        text = axes.annotate(label.text, point, (0, 0), textcoords="offset points", color=label.colour, fontsize=9)
        text.set_in_layout(False)
        if covered.put_where_free(text, axes.bbox):
            axes.annotate("", point, text.get_position(), textcoords="offset points", arrowprops=look).set_in_layout(
                False
            )


@dataclasses.dataclass
class _Covered:
    """What is taken: by points with their bars, by names, and by the lines that lead to them."""

    points: Sequence[Bbox]
    names: list[Bbox] = dataclasses.field(default_factory=list)
    lines: list[Path] = dataclasses.field(default_factory=list)

    def put_where_free(self, text: Annotation, frame: Bbox) -> bool:
        """Move a name to the nearest place without neighbours, or where it does least harm.

        Returns:
            Whether a line must lead there.
        """
        from matplotlib.backends.backend_agg import FigureCanvasAgg
        from matplotlib.path import Path

        renderer = FigureCanvasAgg(text.figure).get_renderer()  # type: ignore[arg-type,no-untyped-call]
        scale, point = text.figure.dpi / 72, text.axes.transData.transform(text.xy)  # type: ignore[union-attr]
        found = []
        for (x, y), sides in _places():
            text.set(position=(x, y), ha=sides[0], va=sides[1])
            far, end = math.hypot(x, y) > NEAR + STEP, (point[0] + x * scale, point[1] + y * scale)
            box = text.get_window_extent(renderer).padded(ROOM * scale)
            lines = [Path([point, end])] * far
            found.append((self._harm(box, lines, frame, point), (x, y), sides, box, lines))
            if not any(found[-1][0]):
                break
        _, place, sides, box, lines = min(found, key=lambda each: each[0])
        text.set(position=place, ha=sides[0], va=sides[1])
        self.names.append(box)
        self.lines += lines
        return bool(lines)

    def _harm(self, box: Bbox, lines: Sequence[Path], frame: Bbox, point: NDArray[np.float64]) -> tuple[bool, int, int]:
        """Whether a name leaves the frame, how many things it covers, and how many lines cross a name or a point."""
        others = [each for each in self.points if not each.contains(*point)]
        crossed = [(line, box) for line in self.lines]
        crossed += [(line, each) for line in lines for each in (*self.names, *others)]
        crossings = sum(line.intersects_bbox(each, filled=False) for line, each in crossed)
        return not _inside(box, frame), box.count_overlaps([*self.points, *self.names]), int(crossings)


def _places() -> Iterator[tuple[tuple[float, float], tuple[str, str]]]:
    """Offset and alignment, from the nearest."""
    for ring, degrees in itertools.product(range(RINGS), DIRECTIONS):
        distance, angle = NEAR + ring * STEP, math.radians(degrees)
        x, y = math.cos(angle), math.sin(angle)
        if degrees in (90, 270):
            sides = ("center", "bottom" if y > 0 else "top")
        else:
            sides = ("left" if x > 0 else "right", "center")
        yield (distance * x, distance * y), sides


def _point(axes: Axes, label: Label) -> Bbox:
    """What a point with its error bar covers."""
    from matplotlib.transforms import Bbox

    low, high = (axes.transData.transform((label.x, label.y + sign * label.error)) for sign in (-1, 1))
    size = MARKER * axes.figure.dpi / 72
    return Bbox([[low[0] - size, low[1] - size], [high[0] + size, high[1] + size]])


def _inside(box: Bbox, frame: Bbox) -> bool:
    return bool(box.x0 >= frame.x0 and box.x1 <= frame.x1 and box.y0 >= frame.y0 and box.y1 <= frame.y1)
