"""Figures of scores: ROC curves, and what more training jets are worth."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np

from jetgram.evaluation.bands import EFFICIENCIES, Band
from jetgram.evaluation.score_files import read_scores
from jetgram.evaluation.scores import Scores
from jetgram.evaluation.selection import EFFICIENCY, Window, select
from jetgram.evaluation.uncertainty import Spread
from jetgram.models.recipe import TrainingSettings
from jetgram.plots import draw_data_efficiency, draw_roc
from jetgram.roc import roc_curve
from jetgram.studies.judge import Line, scorings_of
from jetgram.studies.scales import recipe
from jetgram.studies.tables import Row
from jetgram.studies.workspace import Workspace
from jetgram.training.order import LARGEST_SHARE

if TYPE_CHECKING:
    from matplotlib.figure import Figure

Cells = list[str]


def compare_rocs(workspace: Workspace, lines: Sequence[Line]) -> tuple[Figure, Iterator[Cells]]:
    """1/FPR against TPR with bands over the seeds whose score files are there."""
    models = selected_scores(workspace, lines)
    kind = next(iter(models.values()))[0].provenance.rows
    return draw_roc(models, EFFICIENCY[kind]), roc_numbers(models)


def selected_scores(workspace: Workspace, lines: Sequence[Line]) -> dict[str, list[Scores]]:
    """The scores of each line's seeds in the paper's window, by title; without failed models, as in the tables.

    Scores are only there for the seeds of this folder. Where tables have more, the title says which are shown.
    """
    found = {}
    for line in lines:
        scores = [read_scores(task.file) for task in scorings_of(workspace, line)]
        title = _title(line.row)
        if len(scores) < len(line.records):
            title += f" (seeds {listed([each.provenance.seed for each in scores])} of {len(line.records)})"
        found[title] = [select(each, Window.usual(each.provenance.rows)) for each in scores]
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
    rows = recipe(row.contestant.data, workspace.scale).rows // 2
    rest = rows - min(TrainingSettings().validation, rows // LARGEST_SHARE)
    return min(rest, row.contestant.most or rest)
