"""A page for one jet: the particles to the left, one tree or all six to the right."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike

from jetgram.display.eta_phi import draw_eta_phi
from jetgram.display.layout import SCALES, axis_limits, splitting_scales
from jetgram.display.style import styled, topology_name
from jetgram.display.tree import draw_tree
from jetgram.errors import SettingsError
from jetgram.momenta import Jets
from jetgram.ragged import locate
from jetgram.trees.topologies import TOPOLOGIES, build_trees
from jetgram.trees.trees import Trees

if TYPE_CHECKING:
    from matplotlib.figure import Figure, SubFigure

GUIDE = (
    r"Discs, branches and bars grow with $p_T$. A branching stands at the height of its scale, "
    "the harder child to the left of the softer one."
)
SUFFIXES = (".png", ".pdf", ".svg")


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
) -> Figure:
    """A figure of one jet and its tree, or of its six trees with `topology="all"`.

    Args:
        jets: the jets.
        index: which of them; negative counts from the end.
        topology: one of the six, or `all`.
        scale: the height of a branching: `mass`, `kt` or `angle`.
        seed: of the random topology.
        colour: one number a node to colour a single tree by, `(nodes,)`; transverse momentum by default.
        colour_label: what these numbers are.
        number: the jet's number where `jets` is a part of more; `index` by default.
    """
    from matplotlib.figure import Figure

    one = jets[[index]]
    number = locate(index, len(jets)) if number is None else number
    names = list(TOPOLOGIES) if topology == "all" else [topology]
    trees = [build_trees(one, name, seed) for name in names]
    if colour is not None and len(trees) > 1:
        raise SettingsError("colour= is for the nodes of one tree; name one topology")
    if colour is not None and np.shape(colour) != (len(trees[0].momenta),):
        raise SettingsError(f"colour has shape {np.shape(colour)}; the tree has {len(trees[0].momenta)} nodes")
    with styled():
        figure = Figure(figsize=(16.0, 7.6) if len(trees) > 1 else (12.5, 6.0), layout="constrained")
        figure.suptitle(describe(one, number), x=0.012, ha="left", fontsize=14)
        figure.supxlabel(GUIDE, x=0.012, ha="left", fontsize=9, color="0.45")
        left, right = figure.subfigures(1, 2, squeeze=False, width_ratios=(1, 1.8) if len(trees) > 1 else (1, 1.45))[0]
        _draw_particles(left, one)
        _draw_trees(right, trees, scale, colour, colour_label)
    return figure


def describe(jet: Jets, number: int) -> str:
    """A headline: number, class, pT, mass and particles of a single jet."""
    words = [f"jet {number}"]
    if "label" in jet.columns:
        words[0] += f" ({'signal' if jet.columns['label'][0] else 'background'})"
    words.append(rf"$p_T$ = {jet.pt[0]:.0f} GeV")
    words.append(f"m = {jet.mass[0]:.1f} GeV")
    particles = int(jet.multiplicity[0])
    words.append(f"{particles} particle{'s' if particles > 1 else ''}")
    return ",  ".join(words)


def save_figure(figure: Figure, path: Path | str) -> None:
    """Write a figure as PNG, PDF or SVG, by the suffix of the file."""
    path = Path(path)
    if path.suffix.lower() not in SUFFIXES:
        raise SettingsError(f"{path}: a picture ends in {', '.join(SUFFIXES)}; found {path.suffix or 'no suffix'!r}")
    # No date in the file: the same jet gives the same bytes.
    dated = {".pdf": "CreationDate", ".svg": "Date"}.get(path.suffix.lower())
    with styled():
        figure.savefig(path, dpi=150, metadata={dated: None} if dated else None)


def _draw_particles(figure: SubFigure, jet: Jets) -> None:
    axes = figure.add_subplot()
    discs = draw_eta_phi(axes, jet.momenta)
    axes.set_title("particles")
    bar = figure.colorbar(discs, ax=axes, orientation="horizontal", shrink=0.75, aspect=40, pad=0.03)
    bar.set_label(r"transverse momentum $p_T$ [GeV]")
    bar.ax.xaxis.set_major_formatter("{x:g}")
    bar.outline.set_visible(False)


def _draw_trees(figure: SubFigure, trees: list[Trees], scale: str, colour: ArrayLike | None, colour_label: str) -> None:
    """The trees in rows of three, all with the same axis."""
    limits = axis_limits(np.concatenate([splitting_scales(tree, scale) for tree in trees]))
    rows = -(-len(trees) // 3)
    grid = figure.subplots(rows, min(3, len(trees)), squeeze=False, sharey=True)
    for axes, tree in zip(grid.flat, trees, strict=True):
        branches = draw_tree(axes, tree, scale, colour, limits)
        axes.set_title(f"{topology_name(tree.topology)}   depth {tree.depth[0]}")
    for axes in grid[:, 0]:
        axes.set_ylabel(SCALES[scale][1])
    if colour is not None:
        bar = figure.colorbar(branches, ax=grid, shrink=0.75, aspect=40, label=colour_label)
        bar.outline.set_visible(False)
