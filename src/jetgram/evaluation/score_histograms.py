r"""Distributions of scores, class by class, with their errors.

The fraction of a class in bin $b$ of the score, and its statistical error, with the weights $w_i$ of its jets:

$$ f_b = \frac{\sum_{i \in b} w_i}{\sum_i w_i} , \qquad
   \sigma_b = \frac{\sqrt{\sum_{i \in b} w_i^2}}{\sum_i w_i} . $$
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Sequence

import numpy as np
from numpy.typing import NDArray

from jetgram.evaluation.bands import equal_bins
from jetgram.evaluation.scores import Scores

Array = NDArray[np.float64]

BINS = 25
OUTSIDE = 0.001  # fraction of scores that are no probabilities, beyond the bins at each end
CLASSES = {"background": 0, "signal": 1}
CAPTION = """Each class is normalised to one. {errors}: statistical and, where there are several seeds, their standard
deviation in quadrature. Dashed: the cut of the working point."""


@dataclasses.dataclass(frozen=True, eq=False)
class ScoreHistogram:
    """The fraction of a class in bins of the score.

    Args:
        fraction: mean over the seeds, `(bins,)`.
        error: statistical, and the standard deviation over seeds where there are several, in quadrature.
    """

    fraction: Array
    error: Array


def score_edges(seeds: Sequence[Scores], bins: int = BINS) -> Array:
    """Bins from 0 to 1 for probabilities, else over all but the outermost scores.

    Example:
        >>> pt, mass = np.full(3, 270.0), np.full(3, 80.0)
        >>> score_edges([Scores.create({"score": [0.1, 0.2, 0.9]}, [0, 1, 1], pt, mass)], bins=4)
        array([0.  , 0.25, 0.5 , 0.75, 1.  ])
        >>> score_edges([Scores.create({"score": [-3.0, 1.0, 5.0]}, [0, 1, 1], pt, mass)], bins=4).round(1)
        array([-3., -1.,  1.,  3.,  5.])
    """
    scores = np.concatenate([each.score for each in seeds])
    if scores.min() >= 0 and scores.max() <= 1 and np.ptp(scores) > 0.5:
        return np.linspace(0, 1, bins + 1)
    return equal_bins(scores, bins, OUTSIDE)


def score_histogram(seeds: Sequence[Scores], label: int, edges: Array) -> ScoreHistogram:
    """The distribution of a class; scores beyond the edges count in the outermost bins.

    Args:
        seeds: the scores of a model's trainings.
        label: of the class.
        edges: of the bins.

    Example:
        >>> pt, mass = np.full(5, 270.0), np.full(5, 80.0)
        >>> toy = Scores.create({"score": [0.1, 0.2, 0.3, 0.9, 0.8]}, [1, 1, 1, 1, 0], pt, mass)
        >>> found = score_histogram([toy], 1, np.array([0.0, 0.5, 1.0]))
        >>> found.fraction, found.error.round(3)
        (array([0.75, 0.25]), array([0.433, 0.25 ]))
    """
    fractions, errors = np.array([_one_seed(each, label, edges) for each in seeds]).swapaxes(0, 1)
    spread = fractions.std(axis=0, ddof=1) if len(seeds) > 1 else 0.0
    statistical = errors.mean(axis=0)  # all seeds are judged on the same jets
    return ScoreHistogram(fractions.mean(axis=0), np.hypot(statistical, spread))


def class_histograms(seeds: Sequence[Scores]) -> tuple[Array, dict[str, ScoreHistogram]]:
    """The edges of the bins of a model's scores, and the distribution of each class in them.

    Example:
        >>> toy = Scores.create({"score": [0.1, 0.2, 0.9]}, [0, 1, 1], np.full(3, 270.0), np.full(3, 80.0))
        >>> edges, found = class_histograms([toy])
        >>> len(edges), found["signal"].fraction.max(), found["background"].fraction.max()
        (26, np.float64(0.5), np.float64(1.0))
    """
    edges = score_edges(seeds)
    return edges, {name: score_histogram(seeds, label, edges) for name, label in CLASSES.items()}


def shown_range(found: Iterable[ScoreHistogram]) -> tuple[float, float]:
    """What a logarithmic axis shows: from half the smallest fraction that is not zero to twice the largest.

    Example:
        >>> shown_range([ScoreHistogram(np.array([0.0, 0.2, 0.8]), np.zeros(3))])
        (0.1, 1.6)
    """
    every = np.concatenate([each.fraction for each in found])
    return float(every[every > 0].min() / 2), float(2 * every.max())


def _one_seed(scores: Scores, label: int, edges: Array) -> tuple[Array, Array]:
    members = scores.label == label
    inside, weight = np.clip(scores.score[members], edges[0], edges[-1]), scores.weight[members]
    filled: Array = np.histogram(inside, edges, weights=weight)[0]
    squares: Array = np.histogram(inside, edges, weights=weight**2)[0]
    total = weight.sum() or 1.0
    return filled / total, np.sqrt(squares) / total
