"""A page for one jet: its particles in the plane of pseudorapidity and azimuth, next to one tree or all six."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike, NDArray

from jetgram import kinematics
from jetgram.classes import CLASSES, class_name
from jetgram.errors import SettingsError
from jetgram.momenta import Jets
from jetgram.plots.layout import SCALES, axis_limits, require_direction, splitting_scales
from jetgram.plots.style import as_label, colour_scale, grid_behind, styled
from jetgram.plots.tree import draw_tree
from jetgram.ragged import locate
from jetgram.trees.topologies import TOPOLOGIES, build_trees
from jetgram.trees.trees import Trees

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.collections import PathCollection
    from matplotlib.figure import Figure, FigureBase, SubFigure

    from jetgram.models.importance import Importance

Array = NDArray[np.float64]

GUIDE = (
    r"Discs, branches and bars grow with $p_T$. A branching stands at the height of its scale, "
    "the harder child to the left of the softer one."
)
IMPORTANCE = "importance, relative to the jet's largest"
LARGEST = 2400.0  # points^2: the area of a particle that carries the whole jet
SMALLEST = 6.0  # points^2: what the eye still finds


def draw_jet(
    jets: Jets,
    index: int,
    topology: str = "kt",
    *,
    scale: str = "mass",
    seed: int = 0,
    colour: ArrayLike | None = None,
    colour_label: str = "",
    number: int | None = None,
    classes: Sequence[str] = CLASSES,
) -> Figure:
    """A figure of one jet and its tree, or of its six trees with `topology="all"`.

    Args:
        jets: the jets.
        index: which of them; negative counts from the end.
        topology: one of the six, or `all`.
        scale: the height of a branching: `mass`, `kt` or `angle`.
        seed: of the random topology.
        colour: one number per node to colour a single tree by, `(nodes,)`; transverse momentum by default.
        colour_label: what these numbers are.
        number: the jet's number where `jets` is a part of more; `index` by default.
        classes: names for the numbers in the column `label`.

    Example:
        >>> jets = Jets.from_lists([kinematics.from_ptetaphim([50.0, 40.0, 1.0], [0.0, 0.3, 0.2], [0.0, 0.1, 0.1])])
        >>> figure = draw_jet(jets, 0, "all")
        >>> [axes.get_title(loc="left") for axes in figure.axes[2:4]]
        ['$k_t$   depth 2', 'Cambridge/Aachen   depth 2']
    """
    one = jets[[index]]
    number = locate(index, len(jets)) if number is None else number
    require_direction(one, number)
    names = list(TOPOLOGIES) if topology == "all" else [topology]
    trees = [build_trees(one, name, seed) for name in names]
    if colour is not None and len(trees) > 1:
        raise SettingsError("colour= is for the nodes of one tree; name one topology")
    if colour is not None and np.shape(colour) != (len(trees[0].momenta),):
        raise SettingsError(f"colour has shape {np.shape(colour)}; the tree has {len(trees[0].momenta)} nodes")
    return _page(one, describe(one, number, classes), trees, scale, [colour] * len(trees), colour_label)


def draw_importance(
    found: Importance, jet: Jets, number: int = 0, scale: str = "mass", classes: Sequence[str] = CLASSES
) -> Figure:
    """A figure of one jet after a model's preprocessing and of its tree, dark where the score depends on a branch.

    Args:
        found: `jetgram.models.importance.node_importance` of the jet.
        jet: a single jet, as it was found; for its label.
        number: the jet's number in its dataset; for the headline.
        scale: the height of a branching: `mass`, `kt` or `angle`.
        classes: names for the numbers in the column `label`.

    Example:
        >>> from jetgram.models.importance import node_importance
        >>> from jetgram.models.model import JetModel
        >>> from jetgram.models.settings import ModelSettings
        >>> jets = Jets.from_lists([kinematics.from_ptetaphim([50.0, 40.0, 1.0], [0.0, 0.3, 0.2], [0.0, 0.1, 0.1])])
        >>> figure = draw_importance(node_importance(JetModel.untrained(ModelSettings(), jets), jets), jets)
        >>> figure.axes[-1].get_ylabel()
        "importance, relative to the jet's largest"
    """
    labels = {"label": jet.columns["label"]} if "label" in jet.columns else {}
    seen = Jets.from_lists([found.trees.momenta[found.trees.is_leaf]]).with_columns(**labels)
    require_direction(seen, number)
    return _page(seen, describe(seen, number, classes), [found.trees], scale, [_relative(found)], IMPORTANCE)


def draw_importances(found: Sequence[Importance], title: str) -> Figure:
    """The trees of one jet as several models read it, side by side, dark where the score of each depends on a branch.

    Args:
        found: `jetgram.models.importance.node_importance` of the jet, one per model.
        title: above the picture.

    Example:
        >>> from jetgram.models.importance import node_importance
        >>> from jetgram.models.model import JetModel
        >>> from jetgram.models.settings import ModelSettings
        >>> jets = Jets.from_lists([kinematics.from_ptetaphim([50.0, 40.0, 1.0], [0.0, 0.3, 0.2], [0.0, 0.1, 0.1])])
        >>> found = [node_importance(JetModel.untrained(ModelSettings(), jets, seed), jets) for seed in (1, 2)]
        >>> len(draw_importances(found, "two untrained networks").axes)
        3
    """
    from matplotlib.figure import Figure

    with styled():
        figure = Figure(figsize=(6.2 * len(found), 6.0), layout="constrained")
        _draw_trees(figure, [each.trees for each in found], "mass", [_relative(each) for each in found], IMPORTANCE)
        figure.suptitle(as_label(title), x=0.012, ha="left")
    return figure


def describe(jet: Jets, number: int, classes: Sequence[str] = CLASSES) -> str:
    """A headline: number, class, pT, mass and particles of a single jet."""
    words = [f"jet {number}"]
    if "label" in jet.columns:
        words[0] += f" ({as_label(class_name(jet.columns['label'][0], classes))})"
    words.append(rf"$p_T$ = {jet.pt[0]:.0f} GeV")
    words.append(f"m = {jet.mass[0]:.1f} GeV")
    particles = int(jet.multiplicity[0])
    words.append(f"{particles} particle{'s' if particles > 1 else ''}")
    return ",  ".join(words)


def _page(
    jet: Jets, headline: str, trees: Sequence[Trees], scale: str, colours: Sequence[ArrayLike | None], label: str
) -> Figure:
    """The particles to the left, the trees to the right."""
    from matplotlib.figure import Figure

    with styled():
        figure = Figure(figsize=(16.0, 7.6) if len(trees) > 1 else (12.5, 6.0), layout="constrained")
        figure.suptitle(headline, x=0.012, ha="left", fontsize=14)
        figure.supxlabel(GUIDE, x=0.012, ha="left", fontsize=9, color="0.45")
        left, right = figure.subfigures(1, 2, squeeze=False, width_ratios=(1, 1.8) if len(trees) > 1 else (1, 1.45))[0]
        _draw_particles(left, jet)
        _draw_trees(right, trees, scale, colours, label)
    return figure


def _relative(found: Importance) -> Array:
    """Importance relative to the jet's largest."""
    return found.values / (found.values.max() or 1.0)


def _draw_particles(figure: SubFigure, jet: Jets) -> None:
    axes = figure.add_subplot()
    discs = draw_eta_phi(axes, jet.momenta)
    axes.set_title("particles")
    bar = figure.colorbar(discs, ax=axes, orientation="horizontal", shrink=0.75, aspect=40, pad=0.03)
    bar.set_label(r"transverse momentum $p_T$ [GeV]")
    bar.ax.xaxis.set_major_formatter("{x:g}")
    bar.outline.set_visible(False)


def _draw_trees(
    figure: FigureBase, trees: Sequence[Trees], scale: str, colours: Sequence[ArrayLike | None], label: str
) -> None:
    """The trees in rows of three, all with the same axis."""
    limits = axis_limits(np.concatenate([splitting_scales(tree, scale) for tree in trees]))
    rows = -(-len(trees) // 3)
    grid = figure.subplots(rows, min(3, len(trees)), squeeze=False, sharey=True)
    for axes, tree, colour in zip(grid.flat, trees, colours, strict=True):
        branches = draw_tree(axes, tree, scale, colour, limits)
        axes.set_title(f"{TOPOLOGIES[tree.topology].tex}   depth {tree.depth[0]}")
    for axes in grid[:, 0]:
        axes.set_ylabel(SCALES[scale][1])
    if colours[0] is not None:
        bar = figure.colorbar(branches, ax=grid, shrink=0.75, aspect=40, label=label)
        bar.outline.set_visible(False)


def draw_eta_phi(axes: Axes, momenta: Array) -> PathCollection:
    r"""Draw each constituent as a disc at $(\eta, \phi)$, its area in proportion to its fraction of the jet's pT.

    The azimuth is unrolled around the jet axis, which a cross marks, so that a jet at $\phi = \pi$ stays whole.

    Args:
        axes: where to draw.
        momenta: the constituents, `(n, 4)`.

    Returns:
        The discs, coloured by transverse momentum, for a colour bar.
    """
    jet = momenta.sum(axis=0)
    eta, phi = kinematics.eta(momenta), unrolled_phi(momenta)
    pt = kinematics.pt(momenta)
    area = np.maximum(LARGEST * pt / pt.sum(), SMALLEST)
    order = np.argsort(-pt, kind="stable")  # soft ones on top of hard ones
    colours, norm = colour_scale()
    discs = axes.scatter(
        eta[order], phi[order], s=area[order], c=pt[order], cmap=colours, norm=norm, edgecolors="white", linewidths=0.4
    )
    centre = float(kinematics.eta(jet)), float(kinematics.phi(jet))
    axes.plot(*centre, "+", color="0.3", markersize=9, markeredgewidth=0.9, zorder=3)
    reach = max(1.0, *(np.abs(eta - centre[0])), *(np.abs(phi - centre[1]))) * 1.06
    axes.set(
        xlim=(centre[0] - reach, centre[0] + reach),
        ylim=(centre[1] - reach, centre[1] + reach),
        xlabel=r"pseudorapidity $\eta$",
        ylabel=r"azimuth $\phi$",
    )
    axes.set_aspect("equal")
    grid_behind(axes)
    return discs


def unrolled_phi(momenta: Array) -> Array:
    r"""Azimuths of a jet's constituents within $\pi$ of the jet's own, `(n,)`.

    Example:
        >>> import numpy as np
        >>> pair = kinematics.from_ptetaphim([50.0, 40.0], 0.0, [3.1, -3.1])
        >>> unrolled_phi(pair).round(3)
        array([3.1  , 3.183])
    """
    axis = kinematics.phi(momenta.sum(axis=0))
    return axis + kinematics.delta_phi(kinematics.phi(momenta), axis)
