"""From a stored dataset to a model directory: what `jetgram train` does."""

from __future__ import annotations

import dataclasses
import shutil
from pathlib import Path
from typing import Any

from jetgram.display.page import save_figure
from jetgram.errors import TrainingError
from jetgram.models.card import CARD
from jetgram.models.model import JetModel
from jetgram.models.recipe import TrainingSettings
from jetgram.models.settings import ModelSettings
from jetgram.models.store import load_model, save_model
from jetgram.storage import atomic
from jetgram.storage.dataset import Dataset
from jetgram.storage.digest import digest_of
from jetgram.training.blocks import prepare_files
from jetgram.training.checkpoint import CHECKPOINT
from jetgram.training.curves import CURVES, draw_history
from jetgram.training.group import Alone, Group
from jetgram.training.loop import Place, Trainer, Watcher
from jetgram.training.prepare import preparation, prepare_dataset
from jetgram.training.prepared import Prepared
from jetgram.training.start import set_up

PREPARED = "prepared"
GIB = 2**30


@dataclasses.dataclass(frozen=True)
class Job:
    """One training.

    Args:
        dataset: the folder of the jets.
        out: the folder of the model.
        model: settings of the model.
        training: the recipe.
        split: the split to train with.
        cache: keep prepared jets in this folder, for trainings to come; by default they are in memory, or, if they take
            too much of it, in the model's folder until it is trained.
        memory: GiB that prepared jets may take.
        checkpoint_seconds: time between two checkpoints.
    """

    dataset: Path
    out: Path
    model: ModelSettings
    training: TrainingSettings
    split: str = "train"
    cache: Path | None = None
    memory: float = 1.0
    checkpoint_seconds: float = 60.0

    @property
    def preparation(self) -> dict[str, Any]:
        """What decides the prepared jets."""
        return preparation(Dataset(self.dataset), self.split, self.model, self.training.weight)

    @property
    def fingerprint(self) -> str:
        """Tells this training from every other."""
        settings = {"model": self.model.dump(), "training": self.training.dump()}
        return digest_of({**settings, "jets": self.preparation})


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
    group, fingerprint = group or Alone(), job.fingerprint
    if resume and (job.out / CARD).exists():
        return _finished(job)
    if not resume:
        require_free(job)
    if group.rank == 0:
        job.out.mkdir(parents=True, exist_ok=True)
        atomic.remove_leftovers(job.out)
    prepared = prepare(job, watcher, group)
    setup = set_up(prepared, job.model, job.training, stream=prepared.nbytes > job.memory * GIB)
    del prepared  # what stays in memory is in the setup
    trainer = Trainer(setup, job.training, Place(job.out, fingerprint, job.checkpoint_seconds), watcher, group)
    try:
        trainer.run()
    except TrainingError as error:
        _save_stopped(job, trainer, error)
        raise
    model = trainer.best_model(_data(job, setup.unusable))
    if group.rank == 0:
        _save(job, trainer, model)
    return model


def prepare(job: Job, watcher: Watcher | None = None, group: Group | None = None) -> Prepared:
    """The jets of a job: in memory, or in files if there is a cache, if they are many, or if processes share them."""
    dataset, group = Dataset(job.dataset), group or Alone()
    size = sum(shard.size for shard in dataset.shards(job.split))
    estimate = size * max(len(job.model.topologies), 1) * (len(job.model.columns) + 1) / 4  # as measured
    arguments = (dataset, job.split, job.model, job.training.weight)
    total = dataset.splits[job.split]

    def advance(jets: int) -> None:
        if watcher is not None:
            watcher.prepared(jets, total)

    if job.cache is None and group.size == 1 and estimate <= job.memory * GIB:
        return prepare_dataset(*arguments, advance)
    if group.rank == 0:
        prepare_files(job.cache or job.out / PREPARED, *arguments, advance)
    group.wait()
    return prepare_files(job.cache or job.out / PREPARED, *arguments)


def _data(job: Job, unusable: int) -> dict[str, Any]:
    """What the model's card says of its training jets."""
    dataset = Dataset(job.dataset)
    return {
        "dataset": job.dataset.name,
        "digest": dataset.digest,
        "split": job.split,
        job.model.rows: dataset.splits[job.split],
        "without_target": unusable,
        "fingerprint": job.fingerprint,
    }


def require_free(job: Job) -> None:
    """Raise if the folder of a job holds a model, or what is to become one."""
    for name, what in ((CARD, "a model"), (CHECKPOINT, "an unfinished training")):
        if (job.out / name).exists():
            raise TrainingError(f"{job.out} holds {what}; go on with it (--resume), or choose another folder")


def _finished(job: Job) -> JetModel:
    model = load_model(job.out)
    if model.record["data"].get("fingerprint") != job.fingerprint:
        raise TrainingError(f"{job.out} holds a model with other settings or of other jets; choose another folder")
    stopped = model.record["metrics"].get("stopped")
    if stopped:
        raise TrainingError(f"{job.out} was stopped: {stopped}")
    _tidy_up(job)  # the training may have been killed after it had written its model
    return model


def _save(job: Job, trainer: Trainer, model: JetModel) -> None:
    """Write the curves and the model."""
    metrics = ", ".join(f"{name} {value:.4g}" for name, value in model.record["metrics"].items())
    save_figure(draw_history(trainer.progress.history, f"{job.out.name}: best {metrics}"), job.out / CURVES)
    save_model(job.out, model, trainer.progress.history)  # last: a folder with a card is that of a finished training
    _tidy_up(job)


def _tidy_up(job: Job) -> None:
    """Remove what only the training needed."""
    (job.out / CHECKPOINT).unlink(missing_ok=True)
    if job.cache is None:
        shutil.rmtree(job.out / PREPARED, ignore_errors=True)


def _save_stopped(job: Job, trainer: Trainer, error: TrainingError) -> None:
    """The best epoch of a training that failed is a model too, and says so; without an epoch there is none."""
    if trainer.group.rank == 0 and trainer.progress.history:
        model = trainer.best_model(_data(job, trainer.setup.unusable))
        metrics = {**model.record["metrics"], "stopped": str(error)}
        save_model(
            job.out, dataclasses.replace(model, record={**model.record, "metrics": metrics}), trainer.progress.history
        )
