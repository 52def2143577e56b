"""One training: which jets, which model, and where it goes."""

from __future__ import annotations

import dataclasses
import functools
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from jetgram.models.card import read_card
from jetgram.models.ensemble import member_digests
from jetgram.models.recipes import TrainingSettings
from jetgram.models.settings import ModelSettings
from jetgram.networks.device import CPU
from jetgram.storage.dataset import Dataset
from jetgram.storage.sealed import digest_of
from jetgram.training.augmentation import Perturbation, pools
from jetgram.training.prepare import Preparation

VALIDATION = "val"  # the split that is for nothing else


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

    @functools.cached_property
    def stored(self) -> Dataset:
        """The dataset, opened once: a job is about the jets that were there when it was first asked."""
        return Dataset(self.dataset)

    @property
    def validation_split(self) -> str | None:
        """The split that chooses the best epoch; None where jets of the training split are kept aside for it."""
        learned = VALIDATION in self.split.split("+")
        return VALIDATION if not learned and self.stored.splits.get(VALIDATION) else None

    @property
    def splits(self) -> str:
        """What is read: the split to train with, and behind it the one to validate with."""
        return self.split if self.validation_split is None else f"{self.split}+{self.validation_split}"

    @property
    def kept_aside(self) -> NDArray[np.int64] | None:
        """The numbers of the jets to validate with, among all that are read; None where the settings choose them."""
        first, end = (self.stored.rows(split) for split in (self.split, self.splits))
        return None if self.validation_split is None else np.arange(first, end)

    @property
    def preparation(self) -> Preparation:
        """What is prepared of its jets as they are."""
        return Preparation(self.stored, self.splits, self.model, self.training.weight)

    @property
    def pools(self) -> list[Perturbation]:
        """The perturbed copies of its jets."""
        return pools(self.training, self.model)

    @property
    def fingerprint(self) -> str:
        """Tells this training from every other."""
        settings = {"model": self.model.dump(), "training": self.training.dump()}
        # Without it `train`, next to a split `val`, and `train+val` would read the same jets and be taken for the same.
        learned = {"split": self.split} if VALIDATION in self.split.split("+") else {}
        start = {} if self.start_from is None else {"start_from": read_card(self.start_from).digest}
        taught = {} if self.teacher is None else {"teacher": member_digests(self.teacher)}
        return digest_of({**settings, "jets": self.preparation.identity, **learned, **start, **taught})
