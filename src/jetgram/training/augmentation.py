"""Perturbed copies of the training jets: soft particles and collinear splits, which must not change what is learned.

A pool holds one perturbed copy of every jet, prepared once, before the first epoch. In each epoch every jet draws the
pool of its copy, so that training runs at full speed: nothing is perturbed or clustered between its steps. All of it
follows from the seed, the epoch and the number of the jet.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from jetgram.errors import DatasetError, SettingsError
from jetgram.jets.cleaning import MIN_PT
from jetgram.jets.perturb import perturb
from jetgram.models.recipes import TrainingSettings
from jetgram.models.settings import ModelSettings
from jetgram.momenta import Jets, Momenta
from jetgram.storage.dataset import Dataset

SOFT = "soft"


class Perturbation(NamedTuple):
    """What is done to all jets of a pool.

    Args:
        kind: a name in `jetgram.jets.perturb`.
        seed: of the training.
        pool: the number of the pool.
    """

    kind: str
    seed: int
    pool: int

    def __call__(self, jets: Momenta, first: int) -> Momenta:
        """The perturbed jets, of which the first has the given number; without what only this needed."""
        assert isinstance(jets, Jets)
        return perturb(jets, self.kind, (self.seed, self.pool), first)

    @property
    def columns(self) -> set[str]:
        """What it takes of a dataset besides the momenta."""
        return {SOFT} if self.kind == SOFT else set()

    def dump(self) -> dict[str, Any]:
        """What decides the copies."""
        return {"perturbed": self._asdict()}


def pools(training: TrainingSettings, settings: ModelSettings) -> list[Perturbation]:
    """One for each pool of a training: `copies` of each collinear scenario, and one of the soft particles there are.

    Example:
        >>> training = TrainingSettings(augment=("soft", "collinear10-max"), copies=2)
        >>> [(pool.kind, pool.pool) for pool in pools(training, ModelSettings())]
        [('soft', 0), ('collinear10-max', 1), ('collinear10-max', 2)]
    """
    require_augmentable(training, settings)
    kinds = [kind for kind in training.augment for _ in range(1 if kind == SOFT else training.copies)]
    return [Perturbation(kind, training.seed, number) for number, kind in enumerate(kinds)]


def require_augmentable(training: TrainingSettings, settings: ModelSettings) -> None:
    """Raise if copies are asked for, and the model reads no jets, or reads nothing of what perturbs them."""
    if training.augment and settings.rows != "jets":
        raise SettingsError(f"augment perturbs jets; this model reads {settings.rows}, leave it out")
    if training.augment and settings.input.cleans:
        raise SettingsError(
            "augment has no effect: this model cleans its jets, which undoes collinear splits and soft particles below "
            f"{MIN_PT:g} GeV; leave it out (consistency too), or take a network that does not clean (recipe = paper)"
        )


def require_soft(training: TrainingSettings, dataset: Dataset, split: str) -> None:
    """Raise if soft particles are asked for, and the jets of a dataset were found without any."""
    if SOFT in training.augment and SOFT not in dataset.first(1, split).ragged:
        raise DatasetError(
            f"{dataset.path} keeps no soft particles, which enter an event before its jets are found; "
            "for augment = soft take jets of `jetgram generate`, or find_jets(events, soft=SoftParticles())"
        )
