"""What a comparison has to do: its tasks, in the order in which they are done."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import TypeVar

from jetgram.errors import DatasetError
from jetgram.models.card import CARD
from jetgram.storage.dataset import Dataset
from jetgram.studies.compare.comparison import Comparison
from jetgram.studies.compare.known import Known, collect
from jetgram.studies.compare.measure import SCORES
from jetgram.studies.compare.networks import TEACHERS, lineage
from jetgram.studies.plan import Stages
from jetgram.studies.tasks import JUDGED, SCORED, START, Task, Training
from jetgram.training.job import Job

T = TypeVar("T")


@dataclasses.dataclass(frozen=True)
class Measurement:
    """A trained network to be scored and judged.

    Args:
        training: which comes first; done, where the model is there.
        network: its name.
        rows: test jets.
        known: its numbers are there.
        teachers: the folders of those that it learns from, and that these learned from.
    """

    training: Training
    network: str
    rows: int
    known: bool
    teachers: tuple[Path, ...] = ()

    @property
    def job(self) -> Job:
        """Of the training."""
        return self.training.job

    @property
    def group(self) -> str:
        """The network."""
        return self.network

    @property
    def generation(self) -> int:
        """How many networks were trained one after the other before this one can be."""
        return len(lineage(self.network)) - 1

    @property
    def share(self) -> float:
        """Almost done is what has been scored but not judged."""
        return 1.0 if self.known else 0.9 * (self.job.out / SCORES).exists()

    @property
    def seconds(self) -> float:
        """To score and judge; approximate."""
        return 0.0 if self.known else START + self.rows / SCORED["jets"] + self.rows / JUDGED


@dataclasses.dataclass(frozen=True)
class ComparisonPlan(Stages):
    """The tasks of a comparison.

    Args:
        trials: trainings with the rates to try.
        others: trainings of all seeds that are no trials; with the recipe's rate, where the best one is not known yet.
            All networks of the first seed come before those of the second; those that are taught are the last.
        measurements: networks to score, in the same order.
    """

    trials: tuple[Training, ...]
    others: tuple[Training, ...]
    measurements: tuple[Measurement, ...]

    @property
    def stages(self) -> dict[str, Sequence[Task]]:
        """The tasks by kind, in order."""
        return {"try rates": self.trials, "train": self.others, "score": self.measurements}

    @property
    def trainings(self) -> tuple[Training, ...]:
        """All of them."""
        return self.trials + self.others


def make_plan(comparison: Comparison, known: Known | None = None, given_up: Sequence[Path] = ()) -> ComparisonPlan:
    """The tasks of a comparison; what is in its folder, or known from lines, is done.

    Args:
        comparison: what is compared.
        known: what is known; by default what `collect` finds.
        given_up: folders of trials that failed.
    """
    known = known or collect(comparison)
    rows, test_rows = _rows(comparison)
    trials: list[Training] = []
    rounds: dict[tuple[int, int], list[Measurement]] = {}
    for network in comparison.with_teachers:
        tried = _trials(comparison, network, known, rows, given_up)
        trials += tried
        best = known.best_rate(network, given_up)
        rate = comparison.recipe_rate(network) if best is None else best
        teachers = _teachers(comparison, network, known, best)
        seeds = sorted({*teachers, *(comparison.all_seeds if network in comparison.networks else ())})
        for seed in seeds:
            job = comparison.job(network, rate, seed)
            done = best is not None and known.seed(network, rate, seed) is not None
            same = [task for task in tried if task.job == job and (task.needed or (job.out / CARD).exists())]
            minutes, needed = _minutes(known, network, job), not done or seed in teachers
            training = same[0] if same else Training(job, rows, not tried and seed == seeds[0], needed, minutes)
            task = Measurement(training, network, test_rows, done, tuple(comparison.teachers(network, rate)))
            rounds.setdefault((task.generation, seed), []).append(task)
    measurements = [task for _, tasks in sorted(rounds.items()) for task in costliest_then_cheapest(tasks, _whole)]
    plan = ComparisonPlan(
        tuple(costliest_then_cheapest(trials, lambda task: task.seconds)),
        tuple(task.training for task in measurements if task.training not in trials),
        tuple(measurements),
    )
    if not (plan.finished or comparison.has_dataset):
        left = sum(task.share < 1 for tasks in plan.stages.values() for task in tasks)
        raise DatasetError(f"{comparison.dataset} is no dataset, and {left} tasks are left that need its jets")
    return plan


def _rows(comparison: Comparison) -> tuple[int, int]:
    """Training and test jets; none where the dataset is not there."""
    if not comparison.has_dataset:
        return 0, 0
    dataset = Dataset(comparison.dataset)
    return min(dataset.rows("train"), comparison.most or dataset.rows("train")), dataset.rows("test")


def _teachers(comparison: Comparison, network: str, known: Known, rate: float | None) -> tuple[int, ...]:
    """The seeds of a network that others still learn from: their models are needed, not only their numbers."""
    pupils = [each for each in comparison.networks if network in lineage(each)[1:]]
    left = any(rate is None or known.seed(each, rate, seed) is None for each in pupils for seed in comparison.all_seeds)
    return TEACHERS if left else ()


def _trials(comparison: Comparison, network: str, known: Known, rows: int, given_up: Sequence[Path]) -> list[Training]:
    jobs = comparison.trials(network, known.losses(network, given_up)).items()
    return [
        Training(job, rows, number == 0, (network, rate) not in known.trials, _minutes(known, network, job))
        for number, (rate, job) in enumerate(jobs)
    ]


def _minutes(known: Known, network: str, job: Job) -> float | None:
    """What a training takes, by what is known of other trainings of this network."""
    second = known.epoch_seconds(network)
    return None if second is None else second * job.training.epochs / 60


def _whole(task: Measurement) -> float:
    return task.training.seconds + task.seconds


def costliest_then_cheapest(tasks: Iterable[T], cost: Callable[[T], float]) -> list[T]:
    """The most costly task first, then the others from the cheapest.

    One worker is busy with the longest while another finishes most of the rest: much is complete early, and none is
    left alone with the longest at the end.

    Example:
        >>> costliest_then_cheapest([50, 320, 3200, 90, 1700], lambda seconds: seconds)
        [3200, 50, 90, 320, 1700]
    """
    rising = sorted(tasks, key=cost)
    return rising[-1:] + rising[:-1]
