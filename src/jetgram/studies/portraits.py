"""Figures of jets: trees coloured by what a network listens to, and how deep trees are."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from jetgram import kinematics
from jetgram.evaluation.score_files import read_scores
from jetgram.evaluation.selection import Window
from jetgram.models.importance import Importance, node_importance
from jetgram.models.store import load_model
from jetgram.momenta import Jets
from jetgram.plots import draw_depths, draw_importances
from jetgram.storage.dataset import Dataset
from jetgram.studies.judge import Line, scorings_of
from jetgram.studies.workspace import Workspace
from jetgram.trees.topologies import TOPOLOGIES, build_trees

if TYPE_CHECKING:
    from matplotlib.figure import Figure

Cells = list[str]
FIRST_JETS = 5_000  # whose trees are measured


def portray_importance(workspace: Workspace, lines: Sequence[Line]) -> tuple[Figure, Iterator[Cells]]:
    """One signal jet as each network reads it, its branches coloured by importance."""
    number, jet = _sure_signal(workspace, lines[0])
    models = [load_model(scorings_of(workspace, line)[0].folder) for line in lines]
    found = [node_importance(model, jet, number) for model in models]
    return draw_importances(found, f"test jet {number} (signal)"), _node_numbers(found)


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


def portray_depths(workspace: Workspace, lines: Sequence[Line]) -> tuple[Figure, Iterator[Cells]]:
    """How many test jets have trees of each depth, for the six topologies."""
    depths = tree_depths(Dataset(workspace.dataset(lines[0].row.contestant.data)))
    return draw_depths(depths), _depth_numbers(depths)


def _depth_numbers(depths: Mapping[str, NDArray[np.int64]]) -> Iterator[Cells]:
    yield ["topology", "depth", "share"]
    for name, depth in depths.items():
        share = np.bincount(depth) / len(depth)
        for value in np.flatnonzero(share):
            yield [name, str(value), f"{share[value]:.5f}"]


def tree_depths(dataset: Dataset) -> dict[str, NDArray[np.int64]]:
    """The depth of every tree of the first test jets, by topology."""
    first = dataset.first(FIRST_JETS, "test", columns=())
    assert isinstance(first, Jets)
    return {name: build_trees(first, name).depth for name in TOPOLOGIES}
