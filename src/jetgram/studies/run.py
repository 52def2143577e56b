"""Doing a plan: datasets, then trainings, then scores. Stopped anywhere, it goes on from there."""

from __future__ import annotations

import dataclasses
import shutil
from collections.abc import Callable, Sequence
from concurrent.futures import BrokenExecutor, Executor, as_completed
from contextlib import AbstractContextManager
from pathlib import Path

from jetgram.collisions.generate import generate_levels
from jetgram.errors import JetgramError
from jetgram.studies.plan import Plan
from jetgram.studies.tasks import Generation, Scoring, Training, run_scorings
from jetgram.training.ensemble import EnsembleWatcher, different_preparations, prepare_all, train_all

Advance = Callable[[int], None]


@dataclasses.dataclass(frozen=True)
class Shows:
    """How the work is shown.

    Args:
        progress: opens a display of: what is done, how many of them, their name, how many are done already.
        training: opens a watcher of this many epochs of trainings.
    """

    progress: Callable[[str, int, str, int], AbstractContextManager[Advance]]
    training: Callable[[int], AbstractContextManager[EnsembleWatcher]]


def run_plan(plan: Plan, executor: Executor, shows: Shows, prepared: Path) -> list[str]:
    """Do what is not done yet.

    Args:
        plan: the tasks.
        executor: whose workers do them.
        shows: how it is shown.
        prepared: the folder of prepared trees; removed when all networks are trained.

    Returns:
        What failed, a line each; everything else is done all the same.
    """
    try:
        for generation in plan.generations:
            _generate(generation, executor, shows)
        failures = _train(plan.trainings, executor, shows)
        if all(task.share == 1 for task in plan.trainings):
            shutil.rmtree(prepared, ignore_errors=True)
        return failures + _score(plan.scorings, executor, shows)
    except BrokenExecutor as error:
        raise JetgramError(
            "a worker died, perhaps for want of memory; nothing that was finished is lost: run the same command "
            "again, or with fewer --workers"
        ) from error


def _generate(task: Generation, executor: Executor, shows: Shows) -> None:
    if task.share == 1:
        return
    with shows.progress(f"generating {task.name}", task.rows, task.kind, task.rows_done) as advance:
        generate_levels(task.recipes, executor, advance)


def _train(tasks: Sequence[Training], executor: Executor, shows: Shows) -> list[str]:
    jobs = [task.job for task in tasks if task.share < 1]
    if not jobs:
        return []
    different = different_preparations(jobs)
    with shows.progress("preparing", len(different), "inputs", 0) as advance:
        for _ in prepare_all(different, executor):
            advance(1)
    with shows.training(sum(job.training.epochs for job in jobs)) as watcher:
        results = train_all(jobs, executor, watcher)
    return [f"{result.folder}: {result.error}" for result in results if result.error]


def _score(tasks: Sequence[Scoring], executor: Executor, shows: Shows) -> list[str]:
    """Score with every model that there is; the seeds of a row together, which read the same test jets alike."""
    rows: dict[str, list[Scoring]] = {}
    for task in tasks:
        if task.share < 1 and task.ready:
            rows.setdefault(task.name, []).append(task)
    if not rows:
        return []
    failures = []
    with shows.progress("scoring", sum(map(len, rows.values())), "score files", 0) as advance:
        futures = {executor.submit(run_scorings, seeds): seeds for seeds in rows.values()}
        for future in as_completed(futures):
            seeds = futures[future]
            try:
                future.result()
            except (JetgramError, OSError) as error:
                failures += [f"{task.file}: {error}" for task in seeds]
            advance(len(seeds))
    return failures
