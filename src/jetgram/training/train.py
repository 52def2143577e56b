"""From a stored dataset to a model directory: what `jetgram train` does."""

from __future__ import annotations

import dataclasses
import shutil
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from jetgram.errors import MissingExtraError, MissingExtraWarning, SettingsError, TrainingError
from jetgram.models.card import CARD, read_card
from jetgram.models.ensemble import load_scoring, member_digests
from jetgram.models.model import JetModel
from jetgram.models.recipes import TrainingSettings
from jetgram.models.settings import ModelSettings
from jetgram.models.store import load_model, write_model
from jetgram.networks.device import CPU, find_device
from jetgram.storage import atomic
from jetgram.storage.dataset import Dataset
from jetgram.storage.lock import FolderLock
from jetgram.storage.sealed import digest_of
from jetgram.training.augmentation import Perturbation, pools, require_augmentable, require_soft
from jetgram.training.blocks import prepare_files
from jetgram.training.checkpoint import CHECKPOINT
from jetgram.training.distillation import ask_teacher, require_teacher
from jetgram.training.fine_tuning import require_same_model
from jetgram.training.group import Group, SingleProcess
from jetgram.training.loop import RunDirectory, Trainer
from jetgram.training.masses import dataset_masses, needs_masses
from jetgram.training.prepare import preparation, prepare_dataset
from jetgram.training.prepared import Prepared
from jetgram.training.start import Setup, set_up
from jetgram.training.targets import require_same_classes
from jetgram.training.watching import Watcher

PREPARED = "prepared"
VALIDATION = "val"  # the split that is for nothing else
GIB = 2**30


@dataclasses.dataclass(frozen=True)
class Job:
    """One training.

    Args:
        dataset: the folder of the jets.
        out: the folder of the model.
        model: settings of the model.
        training: its settings.
        split: the split to train with; where the dataset has a split `val`, its jets choose the best epoch.
        cache: keep prepared jets in this folder, for trainings to come; by default they are in memory, or, if they take
            too much of it, in the model's folder until it is trained.
        memory: GiB that prepared jets may take.
        checkpoint_seconds: time between two checkpoints.
        start_from: the folder of the model whose weights the training begins with; None for random ones.
        device: where PyTorch computes; no part of the fingerprint, so that a training may go on elsewhere.
        teacher: the folder of a model, or of several joined by commas, whose answers are learned too; None for none.
    """

    dataset: Path
    out: Path
    model: ModelSettings
    training: TrainingSettings
    split: str = "train"
    cache: Path | None = None
    memory: float = 1.0
    checkpoint_seconds: float = 60.0
    start_from: Path | None = None
    device: str = CPU
    teacher: str | None = None

    @property
    def validation_split(self) -> str | None:
        """The split that chooses the best epoch; None where jets of the training split are kept aside for it."""
        learned = VALIDATION in self.split.split("+")
        return VALIDATION if not learned and Dataset(self.dataset).splits.get(VALIDATION) else None

    @property
    def splits(self) -> str:
        """What is read: the split to train with, and behind it the one to validate with."""
        return self.split if self.validation_split is None else f"{self.split}+{self.validation_split}"

    @property
    def kept_aside(self) -> NDArray[np.int64] | None:
        """The numbers of the jets to validate with, among all that are read; None where the settings choose them."""
        first, end = (Dataset(self.dataset).rows(split) for split in (self.split, self.splits))
        return None if self.validation_split is None else np.arange(first, end)

    @property
    def preparation(self) -> dict[str, Any]:
        """What decides the prepared jets."""
        return preparation(Dataset(self.dataset), self.splits, self.model, self.training.weight)

    @property
    def pools(self) -> list[Perturbation]:
        """The perturbed copies of its jets."""
        return pools(self.training, self.model)

    @property
    def fingerprint(self) -> str:
        """Tells this training from every other."""
        settings = {"model": self.model.dump(), "training": self.training.dump()}
        start = {} if self.start_from is None else {"start_from": read_card(self.start_from).digest}
        taught = {} if self.teacher is None else {"teacher": member_digests(self.teacher)}
        return digest_of({**settings, "jets": self.preparation, **start, **taught})


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
    """
    find_device(job.device)  # before anything is prepared
    require_teacher(job.training, job.teacher)
    require_augmentable(job.training, job.model)
    require_soft(job.training, Dataset(job.dataset), job.split)
    require_start(job)
    group, fingerprint = group or SingleProcess(), job.fingerprint
    if resume and (job.out / CARD).exists():
        return _finished(job)
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
    require_same_classes(Dataset(job.dataset), job.model.head)
    prepared = prepare(job, watcher, group)
    copies = [prepare(job, watcher, group, pool) for pool in job.pools]
    taught, mass = teach(job, watcher), _masses(job, watcher)
    start = None if job.start_from is None else load_model(job.start_from)
    stream = prepared.nbytes + sum(pool.nbytes for pool in copies) > job.memory * GIB
    setup = set_up(
        prepared,
        job.model,
        job.training,
        stream,
        job.kept_aside,
        start_from=start,
        device=job.device,
        taught=taught,
        mass=mass,
        copies=copies,
    )
    del prepared, copies  # what stays in memory is in the setup
    trainer = Trainer(setup, job.training, RunDirectory(job.out, fingerprint, job.checkpoint_seconds), watcher, group)
    try:
        trainer.run()
    except TrainingError as error:
        _save_stopped(job, trainer, error)
        raise
    model = trainer.best_model(_data(job, setup))
    if group.rank == 0:
        _save(job, trainer, model)
    return model


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
    dataset, group = Dataset(job.dataset), group or SingleProcess()
    size = sum(shard.size for shard in dataset.shards(job.splits))
    estimate = size * max(len(job.model.input.topologies), 1) * (len(job.model.input.columns) + 1) / 4  # as measured
    estimate *= 1 + len(job.pools)
    arguments = (dataset, job.splits, job.model, job.training.weight)
    advance = _told(watcher, dataset.rows(job.splits))
    if job.cache is None and group.size == 1 and estimate <= job.memory * GIB:
        return prepare_dataset(*arguments, advance, pool)
    if group.rank == 0:
        prepare_files(job.cache or job.out / PREPARED, *arguments, advance, pool)
    group.wait()
    return prepare_files(job.cache or job.out / PREPARED, *arguments, perturbation=pool)


def teach(job: Job, watcher: Watcher | None = None) -> NDArray[np.float64] | None:
    """What the teacher of a job answers for its jets, `(jets, outputs)`; None without a teacher."""
    if job.teacher is None:
        return None
    dataset = Dataset(job.dataset)
    advance = _told(watcher, dataset.rows(job.splits))
    return ask_teacher(load_scoring(job.teacher), dataset, job.splits, job.model, advance)


def _masses(job: Job, watcher: Watcher | None = None) -> NDArray[np.float64] | None:
    """The masses of the jets of a job, `(jets,)`; None where it does not look at them."""
    if not needs_masses(job.training, job.model):
        return None
    dataset = Dataset(job.dataset)
    return dataset_masses(dataset, job.splits, job.model, _told(watcher, dataset.rows(job.splits)))


def _told(watcher: Watcher | None, total: int) -> Callable[[int], None]:
    """Tells a watcher how many jets of all are prepared since the last call."""
    return lambda jets: watcher.prepared(jets, total) if watcher is not None else None


def _data(job: Job, setup: Setup) -> dict[str, Any]:
    """What the model's card says of its training jets."""
    dataset = Dataset(job.dataset)
    return {
        "dataset": job.dataset.name,
        "digest": dataset.digest,
        "split": job.split,
        **({"level": dataset.level} if dataset.level else {}),
        job.model.rows: dataset.rows(job.split),
        "validation": len(setup.validation.targets),
        **({"validation_split": job.validation_split} if job.validation_split else {}),
        "without_target": setup.unusable,
        **({"teacher": member_digests(job.teacher)} if job.teacher is not None else {}),
        "fingerprint": job.fingerprint,
    }


def require_start(job: Job) -> None:
    """Raise if a job begins with a model whose weights do not fit it."""
    if job.start_from is not None:
        require_same_model(job.model, load_model(job.start_from))


def require_free(job: Job) -> None:
    """Raise if the folder of a job holds a model, or what is to become one."""
    for name, what in ((CARD, "a model"), (CHECKPOINT, "an unfinished training")):
        if (job.out / name).exists():
            raise TrainingError(f"{job.out} holds {what}; go on with it (--resume), or choose another folder")


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


def _save_stopped(job: Job, trainer: Trainer, error: TrainingError) -> None:
    """The best epoch of a training that failed is a model too, and says so; without an epoch there is none.

    It cannot go on, so that its jets need not stay prepared.
    """
    if trainer.group.rank != 0:
        return
    if not trainer.progress.history:
        _forget_prepared(job)
        return
    model = trainer.best_model(_data(job, trainer.setup))
    metrics = {**model.record["metrics"], "stopped": str(error)}
    model = dataclasses.replace(model, record={**model.record, "metrics": metrics})
    write_model(job.out, model, trainer.progress.history)
    _tidy_up(job)
