"""Many seeds of one training: over the cores of this machine, or over a Dask cluster; each seed is a model.

OUT/
  prepared/     the jets, prepared once for all seeds; removed when all are trained, or cannot go on
  seed-000/     a model directory
  seed-001/
"""

from __future__ import annotations

import dataclasses
import shutil
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import FIRST_COMPLETED, Executor, Future, as_completed, wait
from pathlib import Path
from typing import Any, TypeVar

from jetgram.errors import JetgramError, TrainingError
from jetgram.fanout import given_or_opened
from jetgram.models.card import CARD
from jetgram.models.history import history_so_far
from jetgram.networks.device import using_threads
from jetgram.storage.lock import FolderLock
from jetgram.storage.sealed import digest_of
from jetgram.training.checkpoint import CHECKPOINT
from jetgram.training.job import Job
from jetgram.training.train import PREPARED, prepare, require_free, require_trainable, train
from jetgram.training.watching import Watcher

SECONDS_BETWEEN_LOOKS = 0.5

T = TypeVar("T")


@dataclasses.dataclass(frozen=True)
class SeedResult:
    """What became of one seed.

    Args:
        seed: its number.
        folder: of its model.
        metrics: of its best epoch.
        error: why there is no model; empty if there is one.
    """

    seed: int
    folder: Path
    metrics: dict[str, Any]
    error: str = ""


def seed_job(job: Job, seed: int) -> Job:
    """The training of one seed, in a folder of its own and with prepared jets that all share."""
    training = job.training.model_copy(update={"seed": seed})
    cache = job.cache or job.out / PREPARED
    return dataclasses.replace(job, out=job.out / f"seed-{seed:03d}", training=training, cache=cache)


class EnsembleWatcher(Watcher):
    """Is told what happens in many trainings; does nothing itself."""

    def epochs(self, histories: Sequence[Sequence[dict[str, Any]]]) -> None:
        """The histories of all seeds so far."""


def train_seeds(
    job: Job,
    seeds: Sequence[int],
    executor: Executor | None = None,
    resume: bool = False,
    watcher: EnsembleWatcher | None = None,
) -> list[SeedResult]:
    """Train one model per seed; a seed that fails does not stop the others.

    Args:
        job: the training; its seed does not count, and its folder holds those of the seeds.
        seeds: their numbers.
        executor: whose workers train, each with one thread; by default the `jetgram.cluster` around, or one process.
        resume: go on with unfinished seeds, and keep the finished ones.
        watcher: is told of preparation and epochs.
    """
    require_trainable(job)
    if any((job.out / name).exists() for name in (CARD, CHECKPOINT)):
        raise TrainingError(f"{job.out} holds a model; expected a folder for models of many seeds: choose another one")
    watcher = watcher or EnsembleWatcher()
    jobs = [seed_job(job, seed) for seed in seeds]
    if not resume:
        for one in jobs:
            require_free(one)
    with FolderLock(job.out, TrainingError), given_or_opened(executor) as workers:
        results = train_all(jobs, workers, watcher)
        if job.cache is None and all((one.out / CARD).exists() for one in jobs):  # also of seeds that cannot go on
            shutil.rmtree(job.out / PREPARED, ignore_errors=True)
    return results


def train_all(jobs: Sequence[Job], executor: Executor, watcher: EnsembleWatcher | None = None) -> list[SeedResult]:
    """Train different models side by side; what is finished is kept, and one that fails does not stop the others.

    Args:
        jobs: the trainings, in this order; those with the same cache share what is prepared there.
        executor: whose workers train, each with one thread.
        watcher: is told of preparation and epochs.
    """
    watcher = watcher or EnsembleWatcher()
    for first in different_preparations([job for job in jobs if not (job.out / CARD).exists()]):
        prepare(first, watcher)
    futures = {executor.submit(train_alone, job): job for job in jobs}
    for _ in watch_trainings(futures, watcher):
        pass
    return [_result(future, job) for future, job in futures.items()]


def different_preparations(jobs: Sequence[Job]) -> list[Job]:
    """One job for each set of prepared jets in caches; those of the others are the same."""
    return list(
        {digest_of({"in": str(job.cache), **job.preparation.identity}): job for job in jobs if job.cache}.values()
    )


def prepare_all(jobs: Sequence[Job], executor: Executor) -> Iterator[int]:
    """Prepare what these jobs find in their caches, side by side; yields how many sets are ready, after each.

    Args:
        jobs: trainings with caches; see `different_preparations`.
        executor: whose workers prepare, each with one thread.
    """
    for ready, future in enumerate(as_completed([executor.submit(_prepare_alone, job) for job in jobs]), start=1):
        future.result()
        yield ready


def _prepare_alone(job: Job) -> None:
    """A task: the files are what it leaves behind."""
    with using_threads(1):
        prepare(job)


def train_alone(job: Job) -> dict[str, Any]:
    """A task: one training in a worker; resumed, because the worker before it may have died."""
    with using_threads(1):
        metrics: dict[str, Any] = train(job, resume=True).record["metrics"]
    return metrics


def watch_trainings(futures: Mapping[Future[T], Job], watcher: EnsembleWatcher) -> Iterator[Future[T]]:
    """The trainings as they end; meanwhile the watcher is told of all histories, again and again.

    Args:
        futures: the trainings, running or waiting, with their jobs.
        watcher: is told of epochs.
    """
    pending = set(futures)
    while pending:
        ended, pending = wait(pending, timeout=SECONDS_BETWEEN_LOOKS, return_when=FIRST_COMPLETED)
        watcher.epochs([history_so_far(job.out) for job in futures.values()])
        yield from ended


def _result(future: Future[Any], job: Job) -> SeedResult:
    try:
        return SeedResult(job.training.seed, job.out, future.result())
    except (JetgramError, OSError) as error:
        return SeedResult(job.training.seed, job.out, {}, str(error))
