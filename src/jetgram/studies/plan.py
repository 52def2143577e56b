"""What a study has to do: its tasks in order, each once, however many tables want it."""

from __future__ import annotations

import dataclasses
import fnmatch
from collections.abc import Iterable, Sequence

from jetgram.studies.scales import DATA
from jetgram.studies.tables import Row
from jetgram.studies.tasks import Generation, Scoring, Task, Training
from jetgram.studies.workspace import Workspace


@dataclasses.dataclass(frozen=True)
class Plan:
    """The tasks of a study; those of one kind need those of the kinds before.

    Args:
        generations: datasets to make.
        trainings: networks to train: all networks of the first seed before those of the second.
        scorings: score files to write.
    """

    generations: tuple[Generation, ...]
    trainings: tuple[Training, ...]
    scorings: tuple[Scoring, ...]

    @property
    def stages(self) -> dict[str, Sequence[Task]]:
        """The tasks by kind, in order."""
        return {"generate": self.generations, "train": self.trainings, "score": self.scorings}

    @property
    def finished(self) -> bool:
        """Whether nothing is left to do."""
        return all(task.share == 1 for tasks in self.stages.values() for task in tasks)

    @property
    def failures(self) -> list[str]:
        """The trainings that broke off, a line each; no scores are made with them."""
        return [f"{task.job.out}: {why}" for task in self.trainings if (why := task.stopped)]

    @property
    def seconds(self) -> float:
        """Time that one core still needs, about."""
        return sum(task.seconds for tasks in self.stages.values() for task in tasks)


def make_plan(workspace: Workspace, rows: Iterable[Row]) -> Plan:
    """The tasks behind these rows.

    Args:
        workspace: where, how large, how many seeds.
        rows: of any number of tables and figures; what they have in common is done once.
    """
    rows = list(rows)
    contestants = list(dict.fromkeys(row.contestant for row in rows))
    networks = [contestant for contestant in contestants if contestant.model is not None]
    trainings = [
        workspace.training(contestant, seed) for seed in range(1, workspace.seeds + 1) for contestant in networks
    ]
    broken = {task.job.out for task in trainings if task.stopped}
    scorings = {
        task.file: task
        for row in rows
        for task in (workspace.scoring(row, seed) for seed in workspace.seeds_of(row.contestant))
        if task.folder not in broken
    }
    samples: dict[str, list[str]] = {}
    for name in dict.fromkeys(contestant.data for contestant in contestants):
        samples.setdefault(DATA[name][0], []).append(name)
    generations = tuple(workspace.generation(levels) for levels in samples.values())
    return Plan(generations, tuple(trainings), tuple(scorings.values()))


def choose(rows: Iterable[Row], patterns: Sequence[str]) -> list[Row]:
    """The rows whose contestants' keys match one of the patterns; all without patterns.

    Example:
        >>> from jetgram.studies.tables import table1
        >>> [row.contestant.key for row in choose(table1().rows, ["towers-*-kt"])]
        ['towers-simple-kt', 'towers-gated-kt']
    """
    if not patterns:
        return list(rows)
    return [row for row in rows if any(fnmatch.fnmatchcase(row.contestant.key, pattern) for pattern in patterns)]
