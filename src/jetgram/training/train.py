"""From a stored dataset to a model directory: what `jetgram train` does."""

from __future__ import annotations

import dataclasses
import shutil
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from jetgram.errors import JetgramError, MissingExtraError, MissingExtraWarning, SettingsError, TrainingError
from jetgram.models.card import CARD, read_card
from jetgram.models.ensemble import SEEDS, load_scoring, member_digests
from jetgram.models.model import JetModel
from jetgram.models.store import load_model, write_model
from jetgram.networks.device import find_device
from jetgram.storage import atomic
from jetgram.storage.lock import FolderLock
from jetgram.training.augmentation import Perturbation, require_augmentable, require_soft
from jetgram.training.blocks import prepare_files
from jetgram.training.checkpoint import CHECKPOINT
from jetgram.training.distillation import ask_teacher, require_same_answers, require_teacher
from jetgram.training.fine_tuning import origins, require_same_model
from jetgram.training.group import Group, SingleProcess
from jetgram.training.job import Job
from jetgram.training.loop import RunDirectory, Trainer
from jetgram.training.masses import dataset_masses, needs_masses
from jetgram.training.prepare import prepare_dataset
from jetgram.training.prepared import Prepared
from jetgram.training.start import Setup, set_up
from jetgram.training.targets import require_classifier, require_same_classes
from jetgram.training.watching import Watcher

PREPARED = "prepared"
GIB = 2**30


def train(
    job: Job,
    resume: bool = False,
    watcher: Watcher | None = None,
    group: Group | None = None,
) -> JetModel:
    """Train a model and write its directory; the model of the best epoch is returned.

    Args:
        job: what to do.
        resume: go on with an unfinished training in that folder, or take the finished model.
        watcher: is told what happens.
        group: the processes that train together.

    Example:
        >>> import tempfile
        >>> from pathlib import Path
        >>> from jetgram.kinematics import from_ptetaphim
        >>> from jetgram.models.settings import make_settings
        >>> from jetgram.momenta import Jets
        >>> from jetgram.storage.dataset import save
        >>> rng = np.random.default_rng(1)
        >>> some = [from_ptetaphim(rng.exponential(50, 9), *rng.normal(0, 0.3, (2, 9))) for _ in range(60)]
        >>> jets = Jets.from_lists(some).with_columns(label=np.arange(60) % 2)
        >>> settings, training = make_settings(recipe="paper", epochs=2)
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     stored = save(f"{folder}/jets", jets, {"source": "by hand"})
        ...     model = train(Job(stored.path, Path(folder) / "model", settings, training))
        >>> model.title, model.predict(jets).shape
        ('simple kt', (60, 1))
    """
    require_trainable(job)
    group, fingerprint = group or SingleProcess(), job.fingerprint
    if resume and (job.out / CARD).exists():
        return _finished(job)
    _require_no_seeds(job)
    if not resume:
        require_free(job)
    if group.rank != 0:
        return _train(job, fingerprint, watcher, group)
    with FolderLock(job.out, TrainingError):
        if resume and (job.out / CARD).exists():  # of a run that ended while this one began
            return _finished(job)
        if not resume:
            require_free(job)
        atomic.remove_leftovers(job.out)
        return _train(job, fingerprint, watcher, group)


def _train(job: Job, fingerprint: str, watcher: Watcher | None, group: Group) -> JetModel:
    """`train` in a folder that is free, or holds what is to be resumed."""
    if job.training.disco and group.size > 1:
        raise SettingsError(
            f"disco is of whole batches, which {group.size} processes share; train in one process, or with planing"
        )
    try:
        setup = _set_up(job, watcher, group)
    except JetgramError:
        if group.rank == 0 and not (job.out / CHECKPOINT).exists():
            _forget_prepared(job)
        raise
    data = _data(job, setup, fingerprint)  # before the first epoch: the models behind it may be gone after the last
    trainer = Trainer(setup, job.training, RunDirectory(job.out, fingerprint, job.checkpoint_seconds), watcher, group)
    try:
        trainer.run()
    except TrainingError as error:
        _save_stopped(job, trainer, data, error)
        raise
    model = trainer.best_model(data)
    if group.rank == 0:
        _save(job, trainer, model)
    return model


def _set_up(job: Job, watcher: Watcher | None, group: Group) -> Setup:
    """What the training begins with; unscaled inputs are gone when it returns."""
    prepared = prepare(job, watcher, group)
    copies = [prepare(job, watcher, group, pool) for pool in job.pools]
    taught, mass = teach(job, watcher), _masses(job, watcher)
    return set_up(
        prepared,
        job.model,
        job.training,
        stream=prepared.nbytes + sum(pool.nbytes for pool in copies) > job.memory * GIB,
        kept_aside=job.kept_aside,
        start_from=None if job.start_from is None else load_model(job.start_from),
        device=job.device,
        taught=taught,
        mass=mass,
        copies=copies,
    )


def prepare(
    job: Job, watcher: Watcher | None = None, group: Group | None = None, pool: Perturbation | None = None
) -> Prepared:
    """The jets of a job: in memory, or in files if there is a cache, if they are many, or if processes share them.

    Args:
        job: the training.
        watcher: is told how many are ready.
        group: the processes that train together.
        pool: what is done to the jets before; None for nothing.
    """
    dataset, group = job.stored, group or SingleProcess()
    size = sum(shard.size for shard in dataset.shards(job.splits))
    estimate = size * max(len(job.model.input.topologies), 1) * (len(job.model.input.columns) + 1) / 4  # as measured
    estimate *= 1 + len(job.pools)
    preparation = dataclasses.replace(job.preparation, perturbation=pool)
    advance, folder = _told(watcher, dataset.rows(job.splits)), job.cache or job.out / PREPARED
    if job.cache is None and group.size == 1 and estimate <= job.memory * GIB:
        return prepare_dataset(preparation, advance)
    if group.rank == 0:
        prepare_files(folder, preparation, advance)
    group.wait()
    return prepare_files(folder, preparation)


def teach(job: Job, watcher: Watcher | None = None) -> NDArray[np.float64] | None:
    """What the teacher of a job answers for its jets, `(jets, outputs)`; None without a teacher."""
    if job.teacher is None:
        return None
    advance = _told(watcher, job.stored.rows(job.splits))
    return ask_teacher(load_scoring(job.teacher), job.stored, job.splits, job.model, advance)


def _masses(job: Job, watcher: Watcher | None = None) -> NDArray[np.float64] | None:
    """The masses of the jets of a job, `(jets,)`; None where it does not look at them."""
    if not needs_masses(job.training, job.model):
        return None
    return dataset_masses(job.stored, job.splits, job.model, _told(watcher, job.stored.rows(job.splits)))


def _told(watcher: Watcher | None, total: int) -> Callable[[int], None]:
    """Tells a watcher how many jets of all are prepared since the last call."""
    return lambda jets: watcher.prepared(jets, total) if watcher is not None else None


def _data(job: Job, setup: Setup, fingerprint: str) -> dict[str, Any]:
    """What the model's card says of its training jets, and of the models behind it."""
    dataset = job.stored
    start = None if job.start_from is None else read_card(job.start_from).digest
    return {
        "dataset": job.dataset.name,
        "digest": dataset.digest,
        "split": job.split,
        **({"level": dataset.level} if dataset.level else {}),
        job.model.rows: dataset.rows(job.split),
        "training": len(setup.feed),
        "validation": len(setup.validation.targets),
        **({"validation_split": job.validation_split} if job.validation_split else {}),
        "without_target": setup.unusable,
        **origins(start, None if job.teacher is None else member_digests(job.teacher)),
        "fingerprint": fingerprint,
    }


def require_trainable(job: Job) -> None:
    """Raise if a job cannot be done, as far as that can be known before jets are prepared."""
    find_device(job.device)
    require_teacher(job.training, job.teacher)
    require_augmentable(job.training, job.model)
    require_soft(job.training, job.stored, job.split)
    needs_masses(job.training, job.model)
    require_classifier(job.training, job.model)
    require_same_classes(job.stored, job.model.head)
    if job.start_from is not None:
        require_same_model(job.model, load_model(job.start_from))
    if job.teacher is not None:
        require_same_answers(load_scoring(job.teacher), job.model)


def require_free(job: Job) -> None:
    """Raise if the folder of a job holds a model, or what is to become one."""
    for name, what in ((CARD, "a model"), (CHECKPOINT, "an unfinished training")):
        if (job.out / name).exists():
            raise TrainingError(f"{job.out} holds {what}; go on with it (--resume), or choose another folder")


def _require_no_seeds(job: Job) -> None:
    """Raise if the folder of a job holds the models of many seeds: with another one next to them, which is meant?"""
    if any((seed / name).exists() for seed in job.out.glob(SEEDS) for name in (CARD, CHECKPOINT)):
        raise TrainingError(
            f"{job.out} holds the models of many seeds; go on with them (--seeds N --resume), or choose another folder"
        )


def _finished(job: Job) -> JetModel:
    model = load_model(job.out)
    if model.record["data"].get("fingerprint") != job.fingerprint:
        raise TrainingError(f"{job.out} holds a model with other settings or of other jets; choose another folder")
    _tidy_up(job)  # the training may have been killed after it had written its model
    stopped = model.record["metrics"].get("stopped")
    if stopped:
        raise TrainingError(f"{job.out} was stopped: {stopped}")
    return model


def _save(job: Job, trainer: Trainer, model: JetModel) -> None:
    """Write the curves and the model."""
    _draw_curves(job, trainer, model)
    write_model(job.out, model, trainer.progress.history)  # last: a folder with a card is that of a finished training
    _tidy_up(job)


def _draw_curves(job: Job, trainer: Trainer, model: JetModel) -> None:
    """The course of the training as a picture: where nothing can draw it, a training is worth no less."""
    try:
        from jetgram.plots.learning import CURVES, draw_history
        from jetgram.plots.style import save_figure
    except MissingExtraError as error:
        warnings.warn(f"{job.out} gets no picture of its training: {error}", MissingExtraWarning, stacklevel=2)
        return
    metrics = ", ".join(f"{name} {value:.4g}" for name, value in model.record["metrics"].items())
    save_figure(draw_history(trainer.progress.history, f"{job.out.name}: best {metrics}"), job.out / CURVES)


def _tidy_up(job: Job) -> None:
    """Remove what only the training needed."""
    (job.out / CHECKPOINT).unlink(missing_ok=True)
    _forget_prepared(job)


def _forget_prepared(job: Job) -> None:
    """Remove prepared jets that no other training is to use."""
    if job.cache is None:
        shutil.rmtree(job.out / PREPARED, ignore_errors=True)


def _save_stopped(job: Job, trainer: Trainer, data: dict[str, Any], error: TrainingError) -> None:
    """The best epoch of a training that failed is a model too, and says so; without an epoch there is none.

    It cannot go on, so that its jets need not stay prepared.
    """
    if trainer.group.rank != 0:
        return
    if not trainer.progress.history:
        _forget_prepared(job)
        return
    model = trainer.best_model(data)
    metrics = {**model.record["metrics"], "stopped": str(error)}
    model = dataclasses.replace(model, record={**model.record, "metrics": metrics})
    write_model(job.out, model, trainer.progress.history)
    _tidy_up(job)
