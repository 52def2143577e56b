"""A table's numbers: what the score files of its rows say, beside the paper's."""

from __future__ import annotations

import csv
import dataclasses
import io
from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from jetgram.evaluation.evaluate import ModelResult, evaluate
from jetgram.evaluation.score_files import read_scores
from jetgram.evaluation.scores import Scores
from jetgram.evaluation.uncertainty import Spread
from jetgram.models.store import read_history
from jetgram.report.comparison import Pair
from jetgram.storage import atomic
from jetgram.storage.dataset import Dataset
from jetgram.studies.paper import SEEDS, Published
from jetgram.studies.scales import rows_of
from jetgram.studies.tables import Row
from jetgram.studies.tasks import Scoring
from jetgram.studies.workspace import Workspace


@dataclasses.dataclass(frozen=True)
class Line:
    """A row with its numbers.

    Args:
        row: the row.
        result: over the seeds that are there; in the paper's window for jets, of all for events.
        own: the same without signal jets that are not the boson's own; None for events, which have no such jets.
        minutes: of training, a seed; None for an observable.
    """

    row: Row
    result: ModelResult
    own: ModelResult | None
    minutes: float | None

    @property
    def seeds(self) -> str:
        """How many trainings the numbers are of."""
        result = self.result
        return f"{result.seeds - result.dropped} of {result.seeds}" if result.dropped else str(result.seeds)

    @property
    def auc(self) -> Pair:
        """The AUC beside the paper's."""
        return _auc(self.result, self.row.published)

    @property
    def rejection(self) -> Pair:
        """R beside the paper's."""
        return _rejection(self.result, self.row.published)

    @property
    def own_pairs(self) -> tuple[Pair, Pair] | None:
        """AUC and R without signal jets that are not the boson's own, beside the paper's."""
        if self.own is None:
            return None
        return _auc(self.own, self.row.published), _rejection(self.own, self.row.published)


def _auc(result: ModelResult, published: Published | None) -> Pair:
    paper = Spread(published.auc, published.auc_error, SEEDS) if published else None
    return Pair(result.auc, paper, test_error=result.errors.auc if result.errors else None)


def _rejection(result: ModelResult, published: Published | None) -> Pair:
    paper = None
    if published is not None and published.rejection is not None:
        paper = Spread(published.rejection, published.rejection_error, SEEDS)
    error = result.errors.rejection[0] if result.errors else None
    return Pair(result.rejection[0], paper, result.is_bound[0], test_error=error)


def judge(workspace: Workspace, rows: Sequence[Row]) -> list[Line]:
    """The lines of a table, for all rows with a score file."""
    scores = {row.name: scores_of(workspace, row) for row in rows}
    there = {row.name: row for row in rows if scores[row.name]}
    if not there:
        return []
    results = {result.model: result for result in evaluate([each for name in there for each in scores[name]]).models}
    own = _judge_own(workspace, [(row, scores[name]) for name, row in there.items()])
    return [
        Line(row, results[row.name], own.get(row.name), _minutes(workspace, row)) for row in rows if row.name in there
    ]


def scorings_of(workspace: Workspace, row: Row) -> list[Scoring]:
    """The tasks of a row whose score files are there, one a seed."""
    tasks = (workspace.scoring(row, seed) for seed in workspace.seeds_of(row.contestant))
    return [task for task in tasks if task.file.exists()]


def scores_of(workspace: Workspace, row: Row) -> list[Scores]:
    """The score files of a row that are there, one a seed."""
    return [read_scores(task.file) for task in scorings_of(workspace, row)]


def _judge_own(workspace: Workspace, rows: Sequence[tuple[Row, list[Scores]]]) -> dict[str, ModelResult]:
    """Results without signal jets that are not the boson's own, by name."""
    masks: dict[str, NDArray[np.bool_]] = {}
    chosen = []
    for row, scores in rows:
        data = row.contestant.data
        if rows_of(data) == "events":
            continue
        if data not in masks:
            masks[data] = own_jets(Dataset(workspace.dataset(data)))
        chosen += [each[masks[data][each.jet]] for each in scores]
    return {result.model: result for result in evaluate(chosen).models} if chosen else {}


def own_jets(dataset: Dataset) -> NDArray[np.bool_]:
    """Whether each test jet is background, or nearer to the boson than 1."""
    parts = dataset.stream("test", columns=("label", "boson_dr"))
    return np.concatenate([(part.columns["label"] == 0) | (part.columns["boson_dr"] < 1) for part in parts])


def _minutes(workspace: Workspace, row: Row) -> float | None:
    folders = [workspace.folder(row.contestant, seed) for seed in workspace.seeds_of(row.contestant) if seed]
    times = [sum(epoch["seconds"] for epoch in history) / 60 for folder in folders if (history := read_history(folder))]
    return float(np.mean(times)) if times else None


def write_csv(file: Path, lines: Sequence[Line], scale: str) -> None:
    """Write a table, every number with its errors, and with the scale of the study in every line."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(COLUMNS)
    writer.writerows([*cells, scale] for cells in _cells(lines))
    atomic.write_bytes(file, text.getvalue().encode())


COLUMNS = (
    *("heading", "row", "key", "scenario", "seeds", "dropped"),
    *("auc", "auc_spread", "auc_test_error", "paper_auc", "paper_auc_spread", "auc_sigmas"),
    *("r", "r_spread", "r_test_error", "r_is_bound", "paper_r", "paper_r_spread", "r_sigmas"),
    *("own_auc", "own_auc_spread", "own_auc_sigmas", "own_r", "own_r_spread", "own_r_sigmas", "minutes", "scale"),
)


def _cells(lines: Sequence[Line]) -> Iterator[list[str]]:
    for line in lines:
        row, result, own = line.row, line.result, line.own
        r = result.rejection[0]
        auc_error, r_error = (result.errors.auc, result.errors.rejection[0]) if result.errors else (None, None)
        auc, auc_spread, rejection, r_spread = row.published.numbers if row.published else (None,) * 4
        without = (own.auc.mean, own.auc.deviation) if own else (None, None)
        r_without = (own.rejection[0].mean, own.rejection[0].deviation) if own else (None, None)
        own_sigmas = [pair.sigmas for pair in line.own_pairs] if line.own_pairs else [None, None]
        yield [
            *(row.heading, row.title, row.contestant.key, row.scenario),
            *(str(result.seeds), str(result.dropped)),
            *_numbers(5, result.auc.mean, result.auc.deviation, auc_error),
            *_numbers(4, auc, auc_spread),
            *_numbers(1, line.auc.sigmas),
            *_numbers(2, r.mean, r.deviation, r_error),
            str(int(result.is_bound[0])),
            *_numbers(2, rejection, r_spread),
            *_numbers(1, line.rejection.sigmas),
            *_numbers(5, *without),
            *_numbers(1, own_sigmas[0]),
            *_numbers(2, *r_without),
            *_numbers(1, own_sigmas[1]),
            *_numbers(2, line.minutes),
        ]


def _numbers(decimals: int, *values: float | None) -> list[str]:
    return ["" if value is None else f"{value:.{decimals}f}" for value in values]
