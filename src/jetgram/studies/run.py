"""Doing a study: datasets, then trainings, each with its scores. Stopped anywhere, it goes on from there."""

from __future__ import annotations

import dataclasses
import shutil
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import Executor, Future, as_completed
from contextlib import AbstractContextManager
from typing import Any

from jetgram.collisions.generate import generate_levels
from jetgram.errors import JetgramError
from jetgram.progress import Advance
from jetgram.storage.manifest import MANIFEST
from jetgram.studies.plan import Plan
from jetgram.studies.seeds import SeedRecord, append_seeds
from jetgram.studies.study import Study, everything
from jetgram.studies.tasks import Generation, Scoring, run_scorings
from jetgram.studies.workspace import Workspace
from jetgram.training.ensemble import (
    EnsembleWatcher,
    different_preparations,
    prepare_all,
    train_alone,
    watch_trainings,
)
from jetgram.training.job import Job


@dataclasses.dataclass(frozen=True)
class ProgressDisplays:
    """How the work is shown.

    Args:
        progress: opens a display of: what is done, how many of them, their name, how many are done already.
        training: opens a watcher of this many epochs of trainings.
    """

    progress: Callable[[str, int, str, int], AbstractContextManager[Advance]]
    training: Callable[[int], AbstractContextManager[EnsembleWatcher]]


def run_study(study: Study, executor: Executor, shows: ProgressDisplays) -> list[str]:
    """Do what is not done yet.

    The numbers of every seed go into the study's file of seeds as soon as it is trained and scored.

    Args:
        study: with its folder.
        executor: whose workers do the tasks.
        shows: how it is shown.

    Returns:
        What failed, a line each; everything else is done all the same.
    """
    workspace = study.workspace
    for generation in study.plan.generations:
        _generate(generation, executor, shows)
    plan = study.plan  # again: only now are the digests of new datasets known, which lines from elsewhere must have
    failures = _train(plan, executor, shows, workspace)
    failures += _score([*study.plan.scorings, *unjudged(workspace)], executor, shows, workspace)
    if all(task.share == 1 for task in study.plan.trainings):
        shutil.rmtree(workspace.prepared, ignore_errors=True)
    return failures


def unjudged(workspace: Workspace) -> list[Scoring]:
    """Scores in a study's folder that no line speaks of, asked for or not: those of a run that was killed."""
    tasks = everything(workspace).plan.scorings
    return [task for task in tasks if not task.known and task.file.exists() and (task.dataset / MANIFEST).exists()]


def _generate(task: Generation, executor: Executor, shows: ProgressDisplays) -> None:
    task.require_own()
    if task.share == 1:
        return
    with shows.progress(f"generating {task.name}", task.rows, task.kind, task.rows_done) as advance:
        generate_levels(task.wanted, executor, advance)


def _train(plan: Plan, executor: Executor, shows: ProgressDisplays, workspace: Workspace) -> list[str]:
    jobs = [task.job for task in plan.trainings if task.share < 1]
    if not jobs:
        return []
    different = different_preparations(jobs)
    with shows.progress("preparing", len(different), "inputs", 0) as advance:
        for _ in prepare_all(different, executor):
            advance(1)
    rows: dict[Any, list[Scoring]] = {}
    for task in plan.scorings:
        rows.setdefault(task.folder, []).extend([task] * (task.share < 1))
    failures = []
    with shows.training(sum(job.training.epochs for job in jobs)) as watcher:
        futures = {executor.submit(train_and_score, job, rows.get(job.out, [])): job for job in jobs}
        for future in watch_trainings(futures, watcher):
            failures += _keep(future, [str(futures[future].out)], workspace)
    return failures


def train_and_score(job: Job, scorings: Sequence[Scoring]) -> list[SeedRecord]:
    """Train a network and score all rows that want it; in a worker with one thread.

    Together, so that the numbers of a seed are there as soon as it is trained, however long the others take.
    """
    train_alone(job)
    return [record for task in scorings for record in run_scorings([task])]


def _score(tasks: Iterable[Scoring], executor: Executor, shows: ProgressDisplays, workspace: Workspace) -> list[str]:
    """Score and judge what is trained; the seeds of a row together, which read the same test jets alike."""
    rows: dict[str, list[Scoring]] = {}
    for task in dict.fromkeys(tasks):
        if task.share < 1 and task.ready:
            rows.setdefault(task.name, []).append(task)
    if not rows:
        return []
    failures = []
    with shows.progress("scoring", sum(map(len, rows.values())), "score files", 0) as advance:
        futures = {executor.submit(run_scorings, seeds): seeds for seeds in rows.values()}
        for future in as_completed(futures):
            failures += _keep(future, [str(task.file) for task in futures[future]], workspace)
            advance(len(futures[future]))
    return failures


def _keep(future: Future[list[SeedRecord]], names: Sequence[str], workspace: Workspace) -> list[str]:
    """Write down what a task found; or why it failed, a line for each of the names."""
    try:
        append_seeds(workspace.seeds_file, future.result())
    except (JetgramError, OSError) as error:
        return [f"{name}: {error}" for name in names]
    return []
