"""A page for one event: all its particles with the jets in colours, and the tree of each jet."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike, NDArray

from jetgram import kinematics
from jetgram.classes import CLASSES, class_name
from jetgram.errors import SettingsError
from jetgram.momenta import Events, Jets
from jetgram.plots.layout import SCALES, axis_limits, require_direction, splitting_scales
from jetgram.plots.style import CLASS_COLOURS, as_label, grid_behind, styled
from jetgram.plots.tree import draw_tree
from jetgram.trees.trees import Trees

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

Array = NDArray[np.float64]

GUIDE = r"Discs grow with $p_T$; grey particles are in none of these jets."
LARGEST, SMALLEST = 1200.0, 2.0  # points^2: the area of a particle with the pT of the hardest jet, and what is seen
MOST = 6  # trees on one page


def draw_event(
    event: Events,
    jets: Jets,
    trees: Trees,
    *,
    scale: str = "mass",
    of_jets: ArrayLike | None = None,
    of_nodes: ArrayLike | None = None,
    number: int = 0,
    hardest: int | None = None,
    classes: Sequence[str] = CLASSES,
) -> Figure:
    """A figure of one event: its particles in the plane of pseudorapidity and azimuth, and the trees of its jets.

    Args:
        event: a single one.
        jets: its jets, hardest first; their constituents are particles of the event.
        trees: one per jet.
        scale: the height of a branching: `mass`, `kt` or `angle`.
        of_jets: how much each jet matters for a score, `(jets,)`.
        of_nodes: how much each node of the trees matters, `(nodes,)`, which colours them; pT by default.
        number: of the event, for the headline.
        hardest: how many of the jets to draw at most, 1 to 6; None for all. What matters stays relative to all jets.
        classes: names for the numbers in the column `label`.

    Example:
        >>> from jetgram.jets.clustering import find_jets
        >>> from jetgram.trees.topologies import build_trees
        >>> event = Events.from_lists([kinematics.from_ptetaphim([90.0, 40.0, 70.0], [0.0, 0.3, 0.2], [0.0, 0.1, 3.0])])
        >>> jets = find_jets(event, hardest=2)
        >>> figure = draw_event(event, jets, build_trees(jets, "kt"))
        >>> figure.get_suptitle()
        'event 0,  3 particles,  visible mass 192 GeV'
    """
    from matplotlib.figure import Figure

    drawn = len(jets) if hardest is None else min(hardest, len(jets))
    if len(event) != 1 or not 1 <= drawn <= MOST or len(trees) != len(jets):
        found = f"{len(event)} events, {len(jets)} jets and {len(trees)} trees"
        raise SettingsError(f"found {found}; an event is drawn with 1 to {MOST} jets and a tree of each")
    require_direction(jets)
    guide = GUIDE if drawn == len(jets) else f"{GUIDE} Drawn: {some_of(drawn, len(jets))}."
    relative, colour = _relative(of_jets), _relative(of_nodes)
    jets, trees = jets[:drawn], trees[:drawn]
    with styled():
        figure = Figure(figsize=(16.0, 7.6), layout="constrained")
        figure.suptitle(_headline(event, number, classes), x=0.012, ha="left", fontsize=14)
        figure.supxlabel(guide, x=0.012, ha="left", fontsize=9, color="0.45")
        left, right = figure.subfigures(1, 2, squeeze=False, width_ratios=(1, 1.5))[0]
        _draw_particles(left.add_subplot(), event.momenta, jets)
        columns = _columns(len(jets))
        grid = right.subplots(-(-len(jets) // columns), columns, squeeze=False, sharey=True)
        _draw_trees(grid.ravel().tolist(), jets, trees, scale, relative, colour)
        if colour is not None:
            _colour_bar(right, grid)
    return figure


def jet_colour(jet: int) -> str:
    """The colour of an event's jets, hardest first."""
    return (*CLASS_COLOURS[::-1], "#7b5ea7", "#3b9aa0")[jet]


def some_of(drawn: int, jets: int) -> str:
    """How many jets of all are drawn, in words.

    Example:
        >>> some_of(6, 23), some_of(1, 2)
        ('the 6 hardest of 23 jets', 'the hardest of 2 jets')
    """
    return f"the {f'{drawn} ' if drawn > 1 else ''}hardest of {jets} jets"


def _columns(jets: int) -> int:
    """Trees side by side."""
    return min(2, jets) if jets < 5 else 3


def _relative(importance: ArrayLike | None) -> Array | None:
    """Relative to the largest."""
    return None if importance is None else np.asarray(importance) / (np.max(importance) or 1.0)


def _headline(event: Events, number: int, classes: Sequence[str]) -> str:
    name = f"event {number}"
    if "label" in event.columns:
        name += f" ({as_label(class_name(event.columns['label'][0], classes))})"
    return f"{name},  {len(event.momenta)} particles,  visible mass {kinematics.mass(event.total)[0]:.0f} GeV"


def _draw_particles(axes: Axes, momenta: Array, jets: Jets) -> None:
    """The event's particles in grey, over them those of each jet in its colour."""
    unit = LARGEST / float(jets.pt[0])
    _discs(axes, momenta, unit, "0.75")
    for jet in range(len(jets)):
        _discs(axes, jets[jet], unit, jet_colour(jet))
        axes.annotate(
            f"{jet + 1}",
            (float(jets.eta[jet]), float(jets.phi[jet])),
            fontsize=13,
            fontweight="bold",
            color=jet_colour(jet),
            xytext=(14, 14),
            textcoords="offset points",
        )
    axes.set(xlabel=r"pseudorapidity $\eta$", ylabel=r"azimuth $\phi$", ylim=(-np.pi, np.pi), title="particles")
    axes.set_xlim(-5, 5)
    grid_behind(axes)


def _discs(axes: Axes, momenta: Array, unit: float, colour: str) -> None:
    pt = kinematics.pt(momenta)
    area = np.maximum(unit * pt, SMALLEST)
    axes.scatter(
        kinematics.eta(momenta), kinematics.phi(momenta), s=area, color=colour, edgecolors="white", linewidths=0.3
    )


def _draw_trees(
    panels: list[Axes], jets: Jets, trees: Trees, scale: str, relative: Array | None, colour: Array | None
) -> None:
    """The trees, all with the same axis; those of nodes that matter with the same colours."""
    limits = axis_limits(np.concatenate([splitting_scales(trees[[jet]], scale) for jet in range(len(jets))]))
    for jet, axes in enumerate(panels):
        if jet >= len(jets):
            axes.set_visible(False)
            continue
        nodes = slice(*trees.offsets[jet : jet + 2])
        draw_tree(axes, trees[[jet]], scale, None if colour is None else colour[nodes], limits, darkest=1.0)
        title = rf"jet {jet + 1},  $p_T$ {jets.pt[jet]:.0f} GeV,  m {jets.mass[jet]:.0f} GeV"
        if relative is not None:
            title += (",  " if _columns(len(jets)) < 3 else "\n") + f"importance {relative[jet]:.2f}"
        axes.set_title(title, color=jet_colour(jet))
    panels[0].set_ylabel(SCALES[scale][1])


def _colour_bar(figure: object, grid: NDArray[np.object_]) -> None:
    branches = grid.ravel()[0].collections[0]
    bar = figure.colorbar(branches, ax=grid, shrink=0.75, aspect=40)  # type: ignore[attr-defined]
    bar.set_label("importance of a branching, relative to the event's largest")
    bar.outline.set_visible(False)
