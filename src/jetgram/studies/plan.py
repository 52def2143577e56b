"""What a study has to do: its tasks in order, each once, however many tables want it."""

from __future__ import annotations

import abc
import dataclasses
import fnmatch
from collections.abc import Iterable, Iterator, Mapping, Sequence

from jetgram.storage.manifest import MANIFEST
from jetgram.studies.merge import Merged, collect_seeds
from jetgram.studies.scales import DATA
from jetgram.studies.tables import Row
from jetgram.studies.tasks import Generation, Scoring, Task, Training
from jetgram.studies.workspace import Workspace


class Stages(abc.ABC):
    """Tasks of several kinds, one kind after the other."""

    @property
    @abc.abstractmethod
    def stages(self) -> Mapping[str, Sequence[Task]]:
        """The tasks by kind, in order."""

    @property
    def finished(self) -> bool:
        """Whether nothing is left to do."""
        return all(task.share == 1 for tasks in self.stages.values() for task in tasks)

    @property
    def seconds(self) -> dict[str, float]:
        """Time that one core still needs for each kind of tasks; approximate."""
        return {name: sum(task.seconds for task in tasks) for name, tasks in self.stages.items()}


@dataclasses.dataclass(frozen=True)
class Plan(Stages):
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
    def failures(self) -> list[str]:
        """The trainings that broke off, a line each; no scores are made with them."""
        return [f"{task.job.out}: {why}" for task in self.trainings if (why := task.stopped)]


def make_plan(workspace: Workspace, rows: Iterable[Row]) -> Plan:
    """The tasks behind these rows; what is known from the study's file of seeds, or from others, is done.

    Args:
        workspace: where, how large, how many seeds, which other files of seeds.
        rows: of any number of tables and figures; what they have in common is done once.
    """
    rows = list({row.name: row for row in rows}.values())
    merged = collect_seeds(workspace, rows)
    scorings = {
        (row.name, seed): workspace.scoring(row, seed, known=(row.name, seed) in merged.records)
        for row in rows
        for seed in workspace.seeds_of(row.contestant)
    }
    trainings = tuple(_trainings(workspace, list(scorings.values()), merged))
    broken = {task.job.out for task in trainings if task.stopped}
    left = tuple(task for task in scorings.values() if task.folder not in broken)
    return Plan(_generations(workspace, rows, [*trainings, *left]), trainings, left)


def _trainings(workspace: Workspace, scorings: Sequence[Scoring], merged: Merged) -> Iterator[Training]:
    """All networks of the first seed before those of the second; needed is what has not been scored."""
    contestants = dict.fromkeys(task.contestant for task in scorings if task.contestant.model is not None)
    wanted = {task.folder for task in scorings if not task.known and not task.file.exists()}
    minutes = {contestant: merged.minutes(contestant) for contestant in contestants}
    prepared: set[str] = set()
    for seed in range(workspace.first, workspace.seeds + 1):
        for contestant in contestants:
            needed = workspace.folder(contestant, seed) in wanted
            task = workspace.training(contestant, seed, needed, contestant.key not in prepared, minutes[contestant])
            if task.share < 1:
                prepared.add(contestant.key)
            yield task


def _generations(
    workspace: Workspace, rows: Iterable[Row], tasks: Sequence[Training | Scoring]
) -> tuple[Generation, ...]:
    """The datasets that are there, and those on which something is left to do."""
    wanted = {(task.job if isinstance(task, Training) else task).dataset for task in tasks if task.share < 1}
    samples: dict[str, list[str]] = {}
    for name in dict.fromkeys(row.contestant.data for row in rows):
        folder = workspace.dataset(name)
        if folder in wanted or (folder / MANIFEST).exists():
            samples.setdefault(DATA[name][0], []).append(name)
    return tuple(workspace.generation(levels) for levels in samples.values())


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
