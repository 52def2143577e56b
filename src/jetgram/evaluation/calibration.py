r"""Calibration: of the jets with a score of 0.8, are 80 % signal?

The jets are put into bins $b$ of the score $p$, equally wide from 0 to 1. With $W_b$ the sum of their weights,
$\bar p_b$ the mean score and $f_b$ the fraction of signal, both weighted, the expected calibration error is

$$ \mathrm{ECE} = \sum_b \frac{W_b}{W} \, | f_b - \bar p_b | . $$

Fluctuations of the $f_b$ make it positive for perfect scores too. What they would make of it, the floor, is
$\sum_b \frac{W_b}{W} \sqrt{2/\pi} \, \sigma_b$ with $\sigma_b^2 = \sum_{i \in b} w_i^2 p_i (1 - p_i) / W_b^2$.

A probability holds for the fractions of signal and background that a model was trained with. In a window, or with
other weights, these are others, and the calibration is too: judge it on jets like those of the training.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Sequence

import numpy as np
from numpy.typing import ArrayLike, NDArray

from jetgram.errors import EvaluationError, SettingsError
from jetgram.evaluation.scores import Scores
from jetgram.evaluation.uncertainty import wilson
from jetgram.notation import measured
from jetgram.roc import checked

Array = NDArray[np.float64]

BINS = 15


@dataclasses.dataclass(frozen=True)
class ReliabilityBin:
    """The jets of one bin of the score.

    Args:
        number: of the bin, from 0.
        fraction: of all weights, $W_b / W$.
        predicted: the mean score.
        observed: the fraction of signal.
        low: one standard deviation less (Wilson).
        high: one standard deviation more.
    """

    number: int
    fraction: float
    predicted: float
    observed: float
    low: float
    high: float


@dataclasses.dataclass(frozen=True)
class Calibration:
    """The reliability curve of one model, and its expected calibration error.

    Args:
        ece: the expected calibration error.
        error: its statistical error.
        floor: the ECE that perfectly calibrated scores would show on average with as many jets.
        bins: those that hold jets, by rising score.
    """

    ece: float
    error: float
    floor: float
    bins: tuple[ReliabilityBin, ...]

    def __str__(self) -> str:
        return f"ECE {measured(self.ece, self.error, 4)} (perfect: {self.floor:.4f})"


def calibration(
    scores: ArrayLike, labels: ArrayLike, weights: ArrayLike | None = None, bins: int = BINS
) -> Calibration:
    r"""Reliability curve and expected calibration error of probabilities of signal.

    The statistical error is $\sqrt{\sum_b (W_b/W)^2 s_b^2}$, with $s_b$ the standard error of $f_b - \bar p_b$, or
    $\sigma_b$ where the few jets of a bin show less.

    Args:
        scores: one per jet, from 0 to 1.
        labels: 1 signal, 0 background.
        weights: one per jet; 1 by default.
        bins: of the score.

    Example:
        Scores $p^2$ where the probability of signal is $p$, uniform: $\int |p - p^2| dp = 1/6$.

        >>> rng = np.random.default_rng(1)
        >>> p = rng.random(20_000)
        >>> signal = rng.random(20_000) < p
        >>> print(calibration(p, signal), calibration(p**2, signal), sep="; ")
        ECE 0.0116 ± 0.0029 (perfect: 0.0086); ECE 0.1663 ± 0.0030 (perfect: 0.0077)
    """
    score, signal, weight = checked(scores, labels, weights)
    if not is_probability(score):
        found = f"scores from {score.min():g} to {score.max():g}"
        raise EvaluationError(f"calibration is that of probabilities, from 0 to 1; found {found}")
    if bins < 1:
        raise SettingsError(f"expected one bin of the score or more; found {bins}")
    where = np.minimum((score * bins).astype(np.int64), bins - 1)

    def total(values: Array) -> Array:
        return np.bincount(where, values, minlength=bins).astype(np.float64)

    weights_of = total(weight)
    filled = weights_of > 0
    norm = weights_of[filled]
    predicted, observed = (total(weight * values)[filled] / norm for values in (score, signal.astype(np.float64)))
    gap = np.zeros(bins)
    gap[filled] = observed - predicted
    spread = np.sqrt(total(weight**2 * (signal - score - gap[where]) ** 2)[filled]) / norm
    by_chance = np.sqrt(total(weight**2 * score * (1 - score))[filled]) / norm
    fraction = norm / norm.sum()
    low, high = wilson(observed, norm**2 / total(weight**2)[filled])
    return Calibration(
        float(fraction @ np.abs(gap[filled])),
        float(np.sqrt(((fraction * np.maximum(spread, by_chance)) ** 2).sum())),
        float(np.sqrt(2 / np.pi) * (fraction @ by_chance)),
        tuple(
            ReliabilityBin(int(number), *map(float, row))
            for number, *row in zip(np.flatnonzero(filled), fraction, predicted, observed, low, high, strict=True)
        ),
    )


def is_probability(scores: ArrayLike) -> bool:
    """Whether all scores lie between 0 and 1."""
    values = np.asarray(scores)
    return bool(len(values) and values.min() >= 0 and values.max() <= 1)


def calibration_of(scores: Scores) -> Calibration | None:
    """Of the scores of a classifier, with their weights; None where they are no probabilities, but e.g. logits.

    Of several classes it is per class: `jetgram.evaluation.classes.binary_scores` makes each a probability of its own.

    Example:
        >>> rng = np.random.default_rng(1)
        >>> score = rng.random(4000)
        >>> toy = Scores.create({"score": score}, rng.random(4000) < score, np.full(4000, 270.0), np.full(4000, 80.0))
        >>> print(calibration_of(toy))
        ECE 0.0226 ± 0.0065 (perfect: 0.0192)
        >>> calibration_of(Scores.create({"score": [2.5, -1.0]}, [1, 0], [270.0, 280.0], [80.0, 60.0]))
    """
    return calibration(scores.score, scores.label, scores.weight) if is_probability(scores.score) else None


def mean_bins(seeds: Sequence[Calibration]) -> list[ReliabilityBin]:
    """The bins of the reliability curve, each averaged over the seeds that have jets in it."""
    means = []
    for number in sorted({each.number for seed in seeds for each in seed.bins}):
        members = [each for seed in seeds for each in seed.bins if each.number == number]
        columns = zip(*((m.predicted, m.observed, m.low, m.high) for m in members), strict=True)
        fraction = sum(each.fraction for each in members) / len(seeds)
        means.append(ReliabilityBin(number, fraction, *(float(np.mean(column)) for column in columns)))
    return means


def calibration_rows(models: Iterable[tuple[str, int | None, Calibration | None]]) -> list[list[str]]:
    """The reliability curves as rows of a table, the names of the columns first.

    Args:
        models: name, seed and calibration of each training.
    """
    rows = [["model", "seed", *(field.name for field in dataclasses.fields(ReliabilityBin))]]
    for model, seed, found in models:
        for each in found.bins if found is not None else ():
            numbers = [f"{value:.6g}" for value in dataclasses.astuple(each)]
            rows.append([model, "" if seed is None else str(seed), *numbers])
    return rows
