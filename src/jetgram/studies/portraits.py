"""Figures of jets: trees coloured by what a network listens to, and how deep trees are."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from jetgram import kinematics
from jetgram.display.layout import SCALES, axis_limits, splitting_scales
from jetgram.display.style import styled, topology_name
from jetgram.display.tree import draw_tree
from jetgram.evaluation.plots.look import legend_above, styles
from jetgram.evaluation.score_files import read_scores
from jetgram.evaluation.selection import Window
from jetgram.models.importance import Importance, node_importance
from jetgram.models.store import load_model
from jetgram.momenta import Jets
from jetgram.storage.dataset import Dataset
from jetgram.studies.judge import Line, scorings_of
from jetgram.studies.workspace import Workspace
from jetgram.trees.topologies import TOPOLOGIES, build_trees

if TYPE_CHECKING:
    from matplotlib.figure import Figure

Cells = list[str]
FIRST_JETS = 5_000  # whose trees are measured


def draw_listening(workspace: Workspace, lines: Sequence[Line]) -> tuple[Figure, Iterator[Cells]]:
    """One signal jet as each network reads it, its branches coloured by importance."""
    from matplotlib.figure import Figure

    number, jet = _sure_signal(workspace, lines[0])
    models = [load_model(scorings_of(workspace, line)[0].folder) for line in lines]
    found = [node_importance(model, jet, number) for model in models]
    limits = axis_limits(np.concatenate([splitting_scales(each.trees, "mass") for each in found]))
    with styled():
        figure = Figure(figsize=(6.2 * len(found), 6.0), layout="constrained")
        panels = figure.subplots(1, len(found), squeeze=False, sharey=True)[0]
        for axes, each in zip(panels, found, strict=True):
            branches = draw_tree(axes, each.trees, "mass", each.values / (each.values.max() or 1.0), limits)
            axes.set_title(f"{topology_name(each.trees.topology)}   depth {each.trees.depth[0]}")
        panels[0].set_ylabel(SCALES["mass"][1])
        label = "importance, relative to the jet's largest"
        figure.colorbar(branches, ax=panels, shrink=0.75, aspect=40, label=label).outline.set_visible(False)
        figure.suptitle(f"test jet {number} (signal)", x=0.012, ha="left")
    return figure, _node_numbers(found)


def _sure_signal(workspace: Workspace, line: Line) -> tuple[int, Jets]:
    """The signal jet in the window that the first seed is most sure of."""
    scores = read_scores(scorings_of(workspace, line)[0].file)
    scores = scores[Window().contains(scores.pt, scores.mass) & (scores.label == 1)]
    number = int(scores.jet[np.argmax(scores.score)])
    jet = Dataset(workspace.dataset(line.row.contestant.data)).row(number, "test")
    assert isinstance(jet, Jets)
    return number, jet


def _node_numbers(found: Sequence[Importance]) -> Iterator[Cells]:
    yield ["topology", "node", "left", "right", "pt", "eta", "phi", "mass", "importance"]
    for each in found:
        p = each.trees.momenta
        columns = (kinematics.pt(p), kinematics.eta(p), kinematics.phi(p), kinematics.mass(p), each.values)
        for node, (children, *numbers) in enumerate(zip(each.trees.children, *columns, strict=True)):
            yield [each.trees.topology, str(node), *map(str, children), *(f"{number:.6g}" for number in numbers)]


def draw_depths(workspace: Workspace, lines: Sequence[Line]) -> tuple[Figure, Iterator[Cells]]:
    """How many test jets have trees of each depth, for the six topologies."""
    from matplotlib.figure import Figure

    depths = tree_depths(Dataset(workspace.dataset(lines[0].row.contestant.data)))
    edges = np.arange(max(int(depth.max()) for depth in depths.values()) + 2) - 0.5
    shares = {name: np.histogram(depth, edges)[0] / len(depth) for name, depth in depths.items()}
    with styled():
        figure = Figure(figsize=(7.2, 4.8), layout="constrained")
        axes = figure.subplots()
        for name, style in styles(shares):
            axes.stairs(
                shares[name], edges, label=f"{topology_name(name)}: {depths[name].mean():.1f} on average", **style
            )
        axes.set(xlabel="depth of the tree", ylabel="share of jets", ylim=(0, None))
        legend_above(figure, axes, columns=2)

    def numbers() -> Iterator[Cells]:
        yield ["topology", "depth", "share"]
        for name, share in shares.items():
            for depth in np.flatnonzero(share):
                yield [name, str(depth), f"{share[depth]:.5f}"]

    return figure, numbers()


def tree_depths(dataset: Dataset) -> dict[str, NDArray[np.int64]]:
    """The depth of every tree of the first test jets, by topology."""
    first = dataset.first(FIRST_JETS, "test", columns=())
    assert isinstance(first, Jets)
    return {name: build_trees(first, name).depth for name in TOPOLOGIES}
