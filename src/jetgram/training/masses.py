"""The masses of jets as a network is given them, and weights by which no class is told by its mass."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from jetgram.errors import SettingsError
from jetgram.models.model import CHUNK
from jetgram.models.recipes import TrainingSettings
from jetgram.models.settings import ModelSettings
from jetgram.momenta import Momenta, chunks
from jetgram.storage.dataset import Dataset

Array = NDArray[np.float64]

BINS = 50
MOST = 20.0  # times the weight that a jet had: where a class has next to no jets, few would decide everything


def needs_masses(training: TrainingSettings, settings: ModelSettings) -> bool:
    """Whether a training looks at the masses of jets; an error where there are none."""
    wanted = [name for name in ("disco", "planing") if getattr(training, name)]
    if wanted and settings.rows != "jets":
        raise SettingsError(f"{wanted[0]} decorrelates from the mass of jets; this model reads {settings.rows}")
    if wanted and not settings.head.labels:
        raise SettingsError(f"{wanted[0]} decorrelates the score of a classifier; this is a regressor, leave it out")
    return bool(wanted)


def masses_of(rows: Momenta, settings: ModelSettings) -> Array:
    """The mass of each jet in GeV, `(jets,)`: of what the model reads of it, as in score files."""
    parts = [settings.read(part, begin).pt_and_mass[1] for begin, part in chunks(rows, CHUNK)]
    return np.concatenate([np.empty(0), *parts]).astype(np.float64)


def dataset_masses(
    dataset: Dataset, split: str, settings: ModelSettings, advance: Callable[[int], None] | None = None
) -> Array:
    """The same for all jets of a stored dataset.

    Args:
        dataset: of jets.
        split: to be read.
        settings: of the model.
        advance: is told how many jets are done since the last call.
    """
    parts = [np.empty(0)]
    for rows in dataset.stream(split, settings.input.particle_columns):
        parts.append(masses_of(rows, settings))
        if advance:
            advance(len(rows))
    return np.concatenate(parts)


def planing_factors(
    mass: Array, number: NDArray[np.int64], weight: Array, training: NDArray[np.int64], bins: int = BINS
) -> Array:
    """Factors of the weights that give all classes the same distribution of the mass, that of all jets together.

    The bins hold equal numbers of training jets. In each bin a class gets the same fraction of its own weight; no
    factor is larger than `MOST`.

    Args:
        mass: of all jets, `(jets,)`.
        number: of their classes.
        weight: what they weigh.
        training: numbers of the jets to learn from, which decide the factors of all.
        bins: of the mass.

    Example:
        Background is light and signal is heavy; after planing the mass tells nothing:

        >>> mass = np.array([60.0, 61, 62, 90, 63, 91, 92, 93])
        >>> number = np.array([0, 0, 0, 0, 1, 1, 1, 1])
        >>> planing_factors(mass, number, np.ones(8), np.arange(8), bins=2).round(3)
        array([0.667, 0.667, 0.667, 2.   , 2.   , 0.667, 0.667, 0.667])
    """
    edges = np.quantile(mass[training], np.arange(1, bins) / bins)
    where = np.searchsorted(edges, mass, side="right")
    factors = np.ones(len(mass))
    for one in np.unique(number[training]):
        members = training[number[training] == one]
        filling = np.bincount(where[members], weight[members], minlength=bins)
        wanted = np.where(filling > 0, filling.sum() / max(np.count_nonzero(filling), 1), 0.0)
        ratio = np.divide(wanted, filling, out=np.ones(bins), where=filling > 0)
        factors[number == one] = np.minimum(ratio, MOST)[where[number == one]]
    return factors
