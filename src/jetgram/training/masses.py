"""The masses of jets as a network is given them, and weights by which no class is told by its mass."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from jetgram.errors import SettingsError, TrainingError
from jetgram.joining import chunks
from jetgram.models.model import CHUNK
from jetgram.models.recipes import TrainingSettings
from jetgram.models.settings import ModelSettings
from jetgram.momenta import Momenta
from jetgram.progress import Advance
from jetgram.storage.dataset import Dataset

Array = NDArray[np.float64]

BINS = 50
JETS_PER_BIN = 10  # of the smallest class, on average: bins without a class are lost for all
MOST = 20.0  # largest ratio of the common distribution to that of a class: else, where it has few jets, few decide all


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


def dataset_masses(dataset: Dataset, split: str, settings: ModelSettings, advance: Advance | None = None) -> Array:
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
    mass: Array, number: NDArray[np.int64], weight: Array, training: NDArray[np.int64], bins: int | None = None
) -> Array:
    r"""Factors of the weights that give all classes the same distribution of the mass.

    The bins hold equal numbers of training jets. With $p_c$ the fraction of the weight of class $c$ in a bin, all
    classes get the distribution $q \propto \min(1 / bins, 20 \min_c p_c)$: flat in these bins, less where a class has
    next to no jets, and 0 where it has none. The factors are $q / p_c$: the sum of the weights of each class stays.

    Args:
        mass: of all jets, `(jets,)`.
        number: of their classes.
        weight: what they weigh.
        training: numbers of the jets to learn from, which decide the factors of all.
        bins: of the mass; by default 50, or as many as leave ten jets of the smallest class per bin, but two at least.

    Example:
        Background is light and signal is heavy; after planing the mass tells nothing:

        >>> mass = np.array([60.0, 61, 62, 90, 63, 91, 92, 93])
        >>> number = np.array([0, 0, 0, 0, 1, 1, 1, 1])
        >>> planing_factors(mass, number, np.ones(8), np.arange(8), bins=2).round(3)
        array([0.667, 0.667, 0.667, 2.   , 2.   , 0.667, 0.667, 0.667])
    """
    classes, counts = np.unique(number[training], return_counts=True)
    if bins is None:
        bins = min(BINS, max(2, int(counts.min()) // JETS_PER_BIN))
    edges = np.quantile(mass[training], np.arange(1, bins) / bins)
    where = np.searchsorted(edges, mass, side="right")
    members = [training[number[training] == one] for one in classes]
    fillings = np.stack([np.bincount(where[some], weight[some], minlength=bins) for some in members])
    fractions = fillings / fillings.sum(axis=1, keepdims=True)
    target = np.minimum(1 / bins, MOST * fractions.min(axis=0))
    if not target.any():
        raise TrainingError(_apart(classes, [mass[some] for some in members]))
    ratios = np.divide(target / target.sum(), fractions, out=np.zeros_like(fractions), where=target > 0)
    factors = np.ones(len(mass))
    for one, ratio in zip(classes, ratios, strict=True):
        factors[number == one] = ratio[where[number == one]]
    return factors


def _apart(classes: NDArray[np.int64], masses: list[Array]) -> str:
    """Says that no bin has jets of all classes."""
    ranges = (f"{each.min():.4g} to {each.max():.4g} GeV" for each in masses)
    found = ", ".join(f"class {one} from {span}" for one, span in zip(classes, ranges, strict=True))
    return f"planing needs classes that overlap in mass; no bin has training jets of all: {found}; leave planing out"
