"""A tree drawn with its splitting scales: every branching at the height of its scale, every leaf at the foot.

Under each leaf hangs a bar as long as its pT is large, so that sixty leaves of very different pT stay apart.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike, NDArray

from jetgram import kinematics
from jetgram.plots.layout import (
    FOOT,
    HIGH,
    LOW,
    axis_limits,
    axis_ticks,
    heights,
    horizontal_positions,
    scale_height,
    splitting_scales,
)
from jetgram.plots.style import colour_scale
from jetgram.trees.trees import Trees

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.collections import LineCollection

Array = NDArray[np.float64]

BAR = 0.13  # length of the hardest leaf's bar


def draw_tree(
    axes: Axes,
    tree: Trees,
    scale: str = "mass",
    colour: ArrayLike | None = None,
    limits: tuple[float, float] | None = None,
    darkest: float | None = None,
) -> LineCollection:
    """Draw one tree: the more pT a branch carries the wider it is, and the longer the bar under a leaf.

    Args:
        axes: where to draw.
        tree: a `Trees` of one jet.
        scale: the height of a branching: `mass`, `kt` or `angle`; see `jetgram.plots.layout.SCALES`.
        colour: one number per node to colour branches and leaves by, `(nodes,)`; transverse momentum by default.
        limits: smallest and largest scale of the axis, to give several trees the same; the tree's own by default.
        darkest: the value of `colour` with the darkest colour, to give several trees the same; the largest by default.

    Returns:
        The branches, for a colour bar.

    Example:
        >>> from matplotlib.figure import Figure
        >>> from jetgram.momenta import Jets
        >>> from jetgram.trees.topologies import build_trees
        >>> jets = Jets.from_lists([kinematics.from_ptetaphim([50.0, 40.0, 1.0], [0.0, 0.3, 0.2], [0.0, 0.1, 0.1])])
        >>> branches = draw_tree(Figure().subplots(), build_trees(jets, "ca"))
        >>> len(branches.get_segments())
        5
    """
    scales = splitting_scales(tree, scale)
    limits = limits or axis_limits(scales)
    x = horizontal_positions(tree.children)
    pt = kinematics.pt(tree.momenta)
    leaf = tree.is_leaf
    values = pt if colour is None else np.asarray(colour, dtype=np.float64)
    colours, norm = colour_scale(None if colour is None else values)
    if colour is not None and darkest is not None:
        norm.vmax = darkest

    order = np.lexsort((pt, ~leaf))  # branches over leaves, hard ones over soft ones
    widths = (0.7 + np.sqrt(pt / pt[-1]) * np.where(leaf, 1.6, 4.2))[order]
    branches = _draw_lines(axes, _branch_lines(tree.children, x, heights(leaf, scales, limits))[order], widths)
    branches.set(array=values[order], cmap=colours, norm=norm)
    _draw_bars(axes, x[leaf], pt[leaf], colours(norm(values[leaf])))
    axes.set(xlim=(-1.0, leaf.sum()), ylim=(0.0, 1.0), xticks=[])
    _label_scale(axes, limits)
    return branches


def _branch_lines(children: NDArray[np.int32], x: Array, y: Array) -> Array:
    """For each node the corner from its parent's height down to its own, `(nodes, 3, 2)`; the root comes from above."""
    parent = np.full(len(children), len(children) - 1)
    inner = np.flatnonzero(children[:, 0] >= 0)
    parent[children[inner].reshape(-1)] = np.repeat(inner, 2)
    start = np.stack([x[parent], y[parent]], axis=-1)
    start[-1] = x[-1], 1.0
    corner = np.stack([x, start[:, 1]], axis=-1)
    return np.stack([start, corner, np.stack([x, y], axis=-1)], axis=1)


def _draw_lines(axes: Axes, lines: Array, widths: Array) -> LineCollection:
    from matplotlib.collections import LineCollection

    collection = LineCollection(list(lines), linewidths=widths, capstyle="projecting", joinstyle="miter")
    axes.add_collection(collection, autolim=False)
    return collection


def _draw_bars(axes: Axes, x: Array, pt: Array, colours: Array) -> None:
    length = np.maximum(BAR * pt / pt.max(), 0.004)
    axes.bar(x, -length, bottom=FOOT, width=0.78, color=colours, linewidth=0)


def _label_scale(axes: Axes, limits: tuple[float, float]) -> None:
    """Ticks at the decades, their parts and the largest scale, on a spine that ends where the scales end."""
    labelled, unlabelled = axis_ticks(limits)
    axes.set_yticks(scale_height(labelled, limits), [f"{value:.3g}" for value in labelled])
    axes.set_yticks(scale_height(unlabelled, limits), minor=True)
    axes.spines["left"].set_bounds(LOW, HIGH)
    axes.spines["bottom"].set_visible(False)
