"""Figures of scores and of jets: ROC curves, data efficiency, trees coloured by importance, and how deep trees are."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from jetgram import kinematics
from jetgram.evaluation.bands import EFFICIENCIES, Band
from jetgram.evaluation.scores import Scores
from jetgram.evaluation.selection import EFFICIENCY, Window, select
from jetgram.evaluation.uncertainty import Spread
from jetgram.inspection import sample_title
from jetgram.models.importance import Importance, node_importance
from jetgram.models.recipes import TrainingSettings
from jetgram.models.store import load_model
from jetgram.momenta import Jets
from jetgram.plots import draw_data_efficiency, draw_depths, draw_importances, draw_roc
from jetgram.roc import roc_curve
from jetgram.storage.dataset import Dataset
from jetgram.studies.judge import Line, read_scoring, scorings_of
from jetgram.studies.scales import generation_settings
from jetgram.studies.tables import Row
from jetgram.studies.workspace import Workspace
from jetgram.training.order import LARGEST_SHARE
from jetgram.trees.topologies import TOPOLOGIES, build_trees

if TYPE_CHECKING:
    from matplotlib.figure import Figure


Cells = list[str]


def compare_rocs(workspace: Workspace, lines: Sequence[Line]) -> tuple[Figure, Iterator[Cells]]:
    """1/FPR against TPR with bands over the seeds whose score files are there."""
    models = selected_scores(workspace, lines)
    kind = next(iter(models.values()))[0].provenance.rows
    generated = generation_settings(lines[0].row.contestant.data, workspace.scale)
    title = sample_title(generated.provenance(), "", level=False)
    return draw_roc(models, EFFICIENCY[kind], title), roc_numbers(models)


def selected_scores(workspace: Workspace, lines: Sequence[Line]) -> dict[str, list[Scores]]:
    """The scores of each line's seeds in the paper's window, by title; without failed models, as in the tables.

    Scores are only there for the seeds of this folder. Where tables have more, the title says which are shown.
    """
    found = {}
    for line in lines:
        scores = [read_scoring(task) for task in scorings_of(workspace, line)]
        title = _title(line.row)
        if len(scores) < len(line.records):
            title += f": {listed([each.provenance.seed for each in scores])} of {len(line.records)}"
        found[title] = [select(each, Window.of_paper(each.provenance.rows)) for each in scores]
    return found


def listed(seeds: Sequence[int | None]) -> str:
    """Seeds in a few words; nothing for an observable.

    Example:
        >>> listed([1, 2, 3, 7])
        '1-3, 7'
    """
    runs: list[list[int]] = []
    for seed in sorted(seed for seed in seeds if seed is not None):
        if runs and seed == runs[-1][-1] + 1:
            runs[-1].append(seed)
        else:
            runs.append([seed])
    return ", ".join(f"{run[0]}-{run[-1]}" if len(run) > 1 else str(run[0]) for run in runs)


def _title(row: Row) -> str:
    """As in a table; of events, where the heading of the table says how many jets, with their number."""
    model = row.contestant.model
    if model is not None and model.input.kind == "pixels":
        return f"{row.contestant.title}, as an image"
    if model is None or model.rows == "jets":
        return row.contestant.title
    hardest = model.reading["hardest"]
    return f"{hardest} jet{'s' if hardest != 1 else ''}"


def roc_numbers(models: Mapping[str, Sequence[Scores]]) -> Iterator[Cells]:
    """The bands, thinned to whole percents."""
    yield ["model", "seeds", "tpr", "rejection", "low", "high"]
    for model, seeds in models.items():
        shown = listed([each.provenance.seed for each in seeds])
        band = Band.of([roc_curve(each.score, each.label, each.weight) for each in seeds])
        whole = np.isclose(np.round(EFFICIENCIES, 2), EFFICIENCIES)
        for point in np.flatnonzero(whole & np.isfinite(band.middle)):
            numbers = (band.middle[point], band.low[point], band.high[point])
            yield [model, shown, f"{EFFICIENCIES[point]:.2f}", *(f"{number:.3f}" for number in numbers)]


def efficiency_curve(workspace: Workspace, lines: Sequence[Line]) -> tuple[Figure, Iterator[Cells]]:
    """AUC and R against the number of training jets."""
    jets = [training_jets(workspace, line.row) for line in lines]
    auc, r = [line.result.auc for line in lines], [line.result.rejection[0] for line in lines]
    return draw_data_efficiency(jets, {"AUC": auc, "R at 50 %": r}), _efficiency_numbers(jets, auc, r)


def _efficiency_numbers(jets: Sequence[int], aucs: Sequence[Spread], rejections: Sequence[Spread]) -> Iterator[Cells]:
    yield ["training_jets", "seeds", "auc", "auc_spread", "r", "r_spread"]
    for count, auc, r in zip(jets, aucs, rejections, strict=True):
        shown = ["" if error is None else f"{error:.5f}" for error in (auc.deviation, r.deviation)]
        yield [str(count), str(auc.count), f"{auc.mean:.5f}", shown[0], f"{r.mean:.3f}", shown[1]]


def training_jets(workspace: Workspace, row: Row) -> int:
    """Jets that the networks of a row were trained with; those for validation do not count."""
    rows = generation_settings(row.contestant.data, workspace.scale).rows // 2
    rest = rows - min(TrainingSettings().validation, rows // LARGEST_SHARE)
    return min(rest, row.contestant.most or rest)


FIRST_JETS = 5_000  # whose trees are measured


def portray_importance(workspace: Workspace, lines: Sequence[Line]) -> tuple[Figure, Iterator[Cells]]:
    """One signal jet as each network reads it, its branches coloured by importance."""
    number, jet = _sure_signal(workspace, lines[0])
    models = [load_model(scorings_of(workspace, line)[0].folder) for line in lines]
    found = [node_importance(model, jet, number) for model in models]
    return draw_importances(found, f"test jet {number} (signal)"), _node_numbers(found)


def _sure_signal(workspace: Workspace, line: Line) -> tuple[int, Jets]:
    """The signal jet in the window that the first seed is most sure of."""
    scores = read_scoring(scorings_of(workspace, line)[0])
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
