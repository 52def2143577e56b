"""A table's numbers: what the seeds of its rows say, next to the paper's."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Iterator, Sequence
from pathlib import Path

from jetgram.evaluation.evaluate import ModelResult, average_seeds, mark_failed
from jetgram.evaluation.pair import Pair
from jetgram.evaluation.score_files import read_scores
from jetgram.evaluation.scores import Scores
from jetgram.evaluation.uncertainty import Spread
from jetgram.storage.csv_files import write_csv
from jetgram.studies import paper
from jetgram.studies.belonging import require_settings
from jetgram.studies.merge import collect_seeds
from jetgram.studies.scales import generation_settings
from jetgram.studies.seeds import SeedRecord
from jetgram.studies.tables import Row
from jetgram.studies.tasks import Scoring
from jetgram.studies.workspace import Workspace


@dataclasses.dataclass(frozen=True)
class Line:
    """A row with its numbers.

    Args:
        row: the row.
        result: over the seeds that are there; in the paper's window for jets, of all for events.
        records: the seeds that the averages are taken over.
        test_rows: test jets or events, in the window or not.
    """

    row: Row
    result: ModelResult
    records: tuple[SeedRecord, ...]
    test_rows: int

    @classmethod
    def of(cls, row: Row, records: Sequence[SeedRecord], test_rows: int) -> Line:
        """The line of a row with at least one record; failed trainings are left out by the paper's rule."""
        judged = mark_failed([record.result for record in records])
        kept = tuple(record for record, seed in zip(records, judged, strict=True) if not seed.dropped)
        return cls(row, average_seeds(judged)[0], kept, test_rows)

    @property
    def seeds(self) -> str:
        """How many trainings the numbers are of."""
        result = self.result
        return f"{result.seeds - result.dropped} of {result.seeds}" if result.dropped else str(result.seeds)

    @property
    def minutes(self) -> float | None:
        """Of training, per seed; None for an observable."""
        times = [record.minutes for record in self.records if record.minutes is not None]
        return sum(times) / len(times) if times else None

    @property
    def auc(self) -> Pair:
        """The AUC next to the paper's."""
        published, errors = self.row.published, self.result.errors
        theirs = Spread(published.auc, published.auc_error, paper.SEEDS) if published else None
        return self._pair(
            self.result.auc, theirs, errors.auc if errors else None, published.auc_unit if published else 0.0
        )

    @property
    def rejection(self) -> Pair:
        """R next to the paper's."""
        published, errors = self.row.published, self.result.errors
        theirs = None
        if published is not None and published.rejection is not None:
            theirs = Spread(published.rejection, published.rejection_error, paper.SEEDS)
        unit = published.rejection_unit if published else 0.0
        pair = self._pair(self.result.rejection[0], theirs, errors.rejection[0] if errors else None, unit)
        return dataclasses.replace(pair, is_bound=self.result.is_bound[0])

    def _pair(self, ours: Spread, theirs: Spread | None, test_error: float | None, unit: float) -> Pair:
        """With the statistical error of the paper's test sample: ours, scaled to its size."""
        of_paper = None if test_error is None else test_error * math.sqrt(self.test_rows / paper.TEST_ROWS)
        return Pair(ours, theirs, test_error=test_error, paper_test_error=of_paper, unit=unit)


def judge(workspace: Workspace, rows: Sequence[Row]) -> list[Line]:
    """The lines of a table, for all rows with a finished seed, made here or elsewhere."""
    merged = collect_seeds(workspace, rows)
    return [
        Line.of(row, records, generation_settings(row.contestant.data, workspace.scale).rows // 2)
        for row in rows
        if (records := merged.of(row, workspace.seeds_of(row.contestant)))
    ]


def scorings_of(workspace: Workspace, line: Line) -> list[Scoring]:
    """The tasks of a line whose score files are in the study's folder, one per seed that counts."""
    tasks = (workspace.scoring(line.row, record.seed) for record in line.records)
    return [task for task in tasks if task.file.exists()]


def read_scoring(task: Scoring) -> Scores:
    """The scores of a task that is done, which must be of its settings."""
    scores = read_scores(task.file)
    require_settings(scores, task.settings)
    return scores


def write_lines(file: Path, lines: Sequence[Line], scale: str) -> None:
    """Write a table, every number with its errors, and with the scale of the study in every line."""
    write_csv(file, [COLUMNS, *([*cells, scale] for cells in _cells(lines))])


COLUMNS = (
    *("heading", "row", "key", "scenario", "seeds", "dropped"),
    *("auc", "auc_spread", "auc_test_error", "paper_auc", "paper_auc_spread", "auc_sigmas"),
    *("r", "r_spread", "r_test_error", "r_is_bound", "paper_r", "paper_r_spread", "r_sigmas"),
    *("minutes", "scale"),
)


def _cells(lines: Sequence[Line]) -> Iterator[list[str]]:
    for line in lines:
        row, result = line.row, line.result
        r = result.rejection[0]
        auc, auc_spread, rejection, r_spread = row.published.numbers if row.published else (None,) * 4
        yield [
            *(row.heading, row.title, row.contestant.key, row.scenario),
            *(str(result.seeds), str(result.dropped)),
            *_numbers(7, result.auc.mean, result.auc.deviation, line.auc.test_error),
            *_numbers(4, auc, auc_spread),
            *_numbers(1, line.auc.sigmas),
            *_numbers(4, r.mean, r.deviation, line.rejection.test_error),
            str(int(result.is_bound[0])),
            *_numbers(2, rejection, r_spread),
            *_numbers(1, line.rejection.sigmas),
            *_numbers(2, line.minutes),
        ]


def _numbers(decimals: int, *values: float | None) -> list[str]:
    return ["" if value is None else f"{value:.{decimals}f}" for value in values]
