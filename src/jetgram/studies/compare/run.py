"""Doing a comparison: rates are tried in short trainings, then all seeds trained with the best one and scored.

Stopped, it goes on. Every trial and every seed leaves a line as soon as it is done.
"""

from __future__ import annotations

import shutil
from collections.abc import Callable, Sequence
from concurrent.futures import Executor, Future
from pathlib import Path
from typing import TypeVar

from jetgram.errors import JetgramError, TrainingError
from jetgram.models.card import CARD
from jetgram.storage.dataset import Dataset
from jetgram.studies.compare.comparison import Comparison
from jetgram.studies.compare.known import collect
from jetgram.studies.compare.measure import measure, measure_trial, require_judgeable
from jetgram.studies.compare.plan import Measurement, make_plan
from jetgram.studies.compare.record import Record, Trial, append_numbers, append_trials
from jetgram.studies.run import ProgressDisplays
from jetgram.studies.tasks import why_stopped
from jetgram.training.ensemble import different_preparations, prepare_all, train_alone, watch_trainings
from jetgram.training.job import Job

T = TypeVar("T")


def run_comparison(comparison: Comparison, executor: Executor, shows: ProgressDisplays) -> list[str]:
    """Do what is not known yet; every trial, and every network and seed, leaves a line in the comparison's files.

    Args:
        comparison: with its folder, which must be occupied.
        executor: whose workers do the tasks, each with one thread.
        shows: how it is shown.

    Returns:
        What failed, a line each; everything else is done all the same.
    """
    require_judgeable(Dataset(comparison.dataset))
    comparison.note()
    failures = _try_rates(comparison, executor, shows)
    known = collect(comparison)
    plan = make_plan(comparison, known, list(failures))
    failures |= {task.job.out: why for task in plan.trials if (why := why_stopped(task.job.out))}

    def keep(record: Record) -> None:
        if record.identity not in known.records:  # of a teacher that was trained again they are
            append_numbers(comparison.numbers, [record])

    ready = [task for task in plan.measurements if known.best_rate(task.network, list(failures)) is not None]
    wanted = {task.job.out: task for task in ready if task.share < 1 or task.training.share < 1}
    for generation in sorted({task.generation for task in wanted.values()}):  # teachers first
        failures |= _watch(
            [task.job for task in wanted.values() if task.generation == generation],
            lambda job: executor.submit(train_and_measure, wanted[job.out]),
            executor,
            shows,
            keep,
        )
    if make_plan(comparison, given_up=list(failures)).finished:
        shutil.rmtree(comparison.prepared, ignore_errors=True)
    return [f"{folder}: {why}" for folder, why in failures.items()]


def _try_rates(comparison: Comparison, executor: Executor, shows: ProgressDisplays) -> dict[Path, str]:
    """Try rates until the best of each network is known; why some trials failed, by their folders."""
    networks = comparison.with_teachers
    names = {job.out: name for name in networks for job in comparison.possible_trials(name).values()}
    failures: dict[Path, str] = {}

    def left() -> list[Job]:
        tasks = make_plan(comparison, given_up=list(failures)).trials
        return [task.job for task in tasks if task.share < 1 and task.job.out not in failures]

    while trials := left():
        failures |= _watch(
            trials,
            lambda job: executor.submit(try_rate, job, names[job.out]),
            executor,
            shows,
            lambda trial: append_trials(comparison.tried, [trial]),
        )
    return failures


def try_rate(job: Job, network: str) -> Trial:
    """A task: one short training; one that breaks off tells that its rate is too large."""
    try:
        train_alone(job)
    except TrainingError:
        if not why_stopped(job.out):
            raise
    return measure_trial(job, network)


def train_and_measure(task: Measurement) -> Record:
    """A task: train a network, unless that is done, score the test jets, and judge; in a worker with one thread."""
    train_alone(task.job)
    return measure(task.job, task.network, task.teachers)


def _watch(
    jobs: Sequence[Job],
    submit: Callable[[Job], Future[T]],
    executor: Executor,
    shows: ProgressDisplays,
    keep: Callable[[T], None],
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
