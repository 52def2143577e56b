"""Doing a comparison: rates are tried in short trainings, then all seeds trained with the best one and scored.

Stopped, it goes on.
"""

from __future__ import annotations

import dataclasses
import shutil
from collections.abc import Callable, Sequence
from concurrent.futures import BrokenExecutor, Executor, Future
from pathlib import Path
from typing import TypeVar

from jetgram.errors import JetgramError
from jetgram.models.card import CARD
from jetgram.models.history import history_so_far
from jetgram.storage.dataset import Dataset
from jetgram.studies.compare.comparison import Comparison
from jetgram.studies.compare.record import SCORES, Record, append_record, known_records, measure
from jetgram.studies.run import ProgressDisplays
from jetgram.studies.seeds import DIGITS
from jetgram.studies.tasks import JUDGED, SCORED, START, Task, Training, why_stopped
from jetgram.training.ensemble import different_preparations, prepare_all, train_alone, watch_trainings
from jetgram.training.train import Job

T = TypeVar("T")


@dataclasses.dataclass(frozen=True)
class Measurement:
    """A trained network to be scored and judged.

    Args:
        job: the training.
        network: its name.
        settings: digest of model and training.
        rows: test jets.
        known: its numbers are there.
    """

    job: Job
    network: str
    settings: str
    rows: int
    known: bool

    @property
    def group(self) -> str:
        """The network."""
        return self.network

    @property
    def share(self) -> float:
        """Almost done is what has been scored but not judged."""
        return 1.0 if self.known else 0.9 * (self.job.out / SCORES).exists()

    @property
    def seconds(self) -> float:
        """To score and judge; approximate."""
        return 0.0 if self.known else START + self.rows / SCORED["jets"] + self.rows / JUDGED


@dataclasses.dataclass(frozen=True)
class ComparisonPlan:
    """The tasks of a comparison.

    Args:
        trials: trainings with the rates to try.
        others: trainings of all seeds that are no trials; with the recipe's rate, where the best one is not known yet.
        measurements: networks to score.
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

    @property
    def finished(self) -> bool:
        """Whether nothing is left to do."""
        return all(task.share == 1 for tasks in self.stages.values() for task in tasks)

    @property
    def seconds(self) -> dict[str, float]:
        """Time that one core still needs for each kind of tasks; approximate."""
        return {name: sum(task.seconds for task in tasks) for name, tasks in self.stages.items()}


def make_plan(comparison: Comparison, given_up: Sequence[Path] = ()) -> ComparisonPlan:
    """The tasks of a comparison; what is in its folder is done.

    Args:
        comparison: what is compared.
        given_up: folders of trials that failed.
    """
    dataset = Dataset(comparison.dataset)
    trials: list[Training] = []
    others: list[Training] = []
    measurements = []
    known = {(each.network, each.seed, each.settings, each.dataset) for each in known_records(comparison.numbers)}
    for network in comparison.networks:
        rates = comparison.rates_of(network)
        best = comparison.best_rate(network, given_up)
        rate = rates[len(rates) // 2] if best is None else best
        tried = list(comparison.trials(network).values())
        seeds = [comparison.job(network, rate, seed) for seed in comparison.all_seeds]
        trained = [job for job in seeds if job.out not in {trial.out for trial in tried}]
        minutes = _minutes_of_epoch([*tried, *trained])
        rows = min(dataset.rows("train"), comparison.most or dataset.rows("train"))
        for number, job in enumerate((*tried, *trained)):
            whole = None if minutes is None else minutes * job.training.epochs
            (trials if number < len(tried) else others).append(Training(job, rows, number == 0, minutes=whole))
        digest = comparison.settings_digest(network, rate)
        for job in seeds:
            there = best is not None and (network, job.training.seed, digest, dataset.digest[:DIGITS]) in known
            measurements.append(Measurement(job, network, digest, dataset.rows("test"), there))
    return ComparisonPlan(tuple(trials), tuple(others), tuple(measurements))


def _minutes_of_epoch(jobs: Sequence[Job]) -> float | None:
    """Mean time of the epochs of the trainings that are done."""
    done = [epoch for job in jobs if (job.out / CARD).exists() for epoch in history_so_far(job.out)]
    return sum(epoch["seconds"] for epoch in done) / len(done) / 60 if done else None


def run_comparison(comparison: Comparison, executor: Executor, shows: ProgressDisplays) -> list[str]:
    """Do what is not done yet; every network and seed leaves a line in the comparison's file of numbers.

    Args:
        comparison: with its folder, which must be occupied.
        executor: whose workers do the tasks, each with one thread.
        shows: how it is shown.

    Returns:
        What failed, a line each; everything else is done all the same.
    """
    try:
        trials = _costly_first([task for task in make_plan(comparison).trials if task.share < 1])
        failures = _watch(trials, lambda job: executor.submit(_try, job), executor, shows)
        plan = make_plan(comparison, list(failures))
        failures |= {task.job.out: why for task in plan.trials if (why := why_stopped(task.job.out))}
        rates = {network: comparison.best_rate(network, list(failures)) for network in comparison.networks}
        wanted = {t.job.out: t for t in plan.measurements if t.share < 1 and rates[t.network] is not None}
        costs = {task.job.out: task for task in plan.trainings}
        failures |= _watch(
            _costly_first([costs[folder] for folder in wanted]),
            lambda job: executor.submit(train_and_measure, wanted[job.out]),
            executor,
            shows,
            lambda record: append_record(comparison.numbers, record),
        )
        if make_plan(comparison, list(failures)).finished:
            shutil.rmtree(comparison.prepared, ignore_errors=True)
        return [f"{folder}: {why}" for folder, why in failures.items()]
    except BrokenExecutor as error:
        raise JetgramError(
            "a worker died, perhaps for want of memory; nothing that was finished is lost: run the same command "
            "again, or with fewer --workers"
        ) from error


def _costly_first(tasks: Sequence[Training]) -> list[Job]:
    """So that no worker is left alone with the longest task at the end."""
    return [task.job for task in sorted(tasks, key=lambda task: -task.seconds)]


def _try(job: Job) -> None:
    """A task: one training; its folder is what it leaves behind."""
    train_alone(job)


def train_and_measure(task: Measurement) -> Record:
    """A task: train a network, unless that is done, score the test jets, and judge; in a worker with one thread."""
    train_alone(task.job)
    return measure(task.job, task.network, task.settings)


def _watch(
    jobs: Sequence[Job],
    submit: Callable[[Job], Future[T]],
    executor: Executor,
    shows: ProgressDisplays,
    keep: Callable[[T], None] = lambda found: None,
) -> dict[Path, str]:
    """Do the tasks of these trainings and keep what they find; why some failed, by their folders."""
    if not jobs:
        return {}
    different = different_preparations([job for job in jobs if not (job.out / CARD).exists()])
    with shows.progress("preparing", len(different), "inputs", 0) as advance:
        for _ in prepare_all(different, executor):
            advance(1)
    failures = {}
    with shows.training(sum(job.training.epochs for job in jobs)) as watcher:
        futures = {submit(job): job for job in jobs}
        for future in watch_trainings(futures, watcher):
            try:
                keep(future.result())
            except (JetgramError, OSError) as error:
                failures[futures[future].out] = str(error)
    return failures
