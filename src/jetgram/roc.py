r"""The ROC curve, the area under it, and the background rejection at a signal efficiency; all with weights.

A jet passes the cut $t$ if its score is at least $t$. Over signal jets the fraction of the weights that passes is the
signal efficiency (TPR), over background jets the false-positive rate (FPR); the curve has one point for each distinct
score, in falling order, after (0, 0) where nothing passes. Jets of weight zero are left out, as scikit-learn does.

Example:
    >>> curve = roc_curve([0.9, 0.8, 0.7, 0.6, 0.3], [1, 1, 0, 1, 0])
    >>> curve.tpr.round(3), curve.fpr
    (array([0.   , 0.333, 0.667, 0.667, 1.   , 1.   ]), array([0. , 0. , 0. , 0.5, 0.5, 1. ]))
    >>> round(curve.auc, 6)
    0.833333
    >>> print(curve.rejection(0.8), curve.rejection(0.5))
    2.00 > 2
"""

from __future__ import annotations

import dataclasses
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from jetgram.errors import EvaluationError, SettingsError
from jetgram.notation import with_error

Array = NDArray[np.float64]

SCORE = "score"  # the name of the probability of signal; of one class among several it is score_CLASS
ROUNDING = 1e-12  # an efficiency that the curve misses by so little, relative, counts as reached


@dataclasses.dataclass(frozen=True)
class Rejection:
    """Background rejection, 1/FPR.

    Args:
        value: 1/FPR, or what it exceeds.
        is_bound: no background jet passes, so that `value` is only a lower bound: the (effective) number of background
            jets, which is what 1/FPR would be if one of them passed.
    """

    value: float
    is_bound: bool = False

    @property
    def decimals(self) -> int:
        """Digits after the point that show three in all; none for a bound."""
        return 0 if self.is_bound else max(0, 3 - len(f"{self.value:.0f}"))

    def __str__(self) -> str:
        return f"{'> ' if self.is_bound else ''}{self.value:,.{self.decimals}f}"

    def with_error(self, error: float | None) -> str:
        """The same with an error, to as many digits; a bound has none.

        Example:
            >>> Rejection(69.64).with_error(3.28), Rejection(1200, is_bound=True).with_error(3.28)
            ('69.6 ± 3.3', '> 1,200')
        """
        return with_error(str(self), None if self.is_bound else error, f",.{self.decimals}f")


@dataclasses.dataclass(frozen=True, eq=False)
class RocCurve:
    r"""Points of a ROC curve by falling threshold; the first, with threshold inf, is (0, 0), the last is (1, 1).

    Args:
        fpr: fraction of the background with a score of at least the threshold, `(points,)`.
        tpr: fraction of the signal, `(points,)`.
        thresholds: `(points,)`.
        background: effective number of background jets, $(\sum w)^2 / \sum w^2$.

    Example:
        >>> curve = roc_curve([0.9, 0.8, 0.7, 0.6], [1, 0, 1, 0])
        >>> curve.auc, curve.fpr_at([0.5, 1.0]), float(curve.threshold_at(1.0))
        (0.75, array([0. , 0.5]), 0.7)
    """

    fpr: Array
    tpr: Array
    thresholds: Array
    background: float

    @property
    def auc(self) -> float:
        """Area under the curve: the probability that signal scores above background, a tie counting half."""
        return float(np.trapezoid(self.tpr, self.fpr))

    def fpr_at(self, efficiency: ArrayLike) -> Array:
        """FPR at signal efficiencies, of any shape: the curve is straight between its points.

        Where an efficiency is reached at several FPRs, that of the highest threshold counts, which is the smallest.
        """
        wanted = np.asarray(efficiency, dtype=np.float64)
        upper = self._reached_at(wanted)
        lower = np.maximum(upper - 1, 0)
        rise = self.tpr[upper] - self.tpr[lower]
        share = np.divide(wanted - self.tpr[lower], rise, out=np.ones_like(wanted), where=rise > 0)
        fpr: Array = self.fpr[lower] + np.minimum(share, 1.0) * (self.fpr[upper] - self.fpr[lower])
        return fpr

    def threshold_at(self, efficiency: ArrayLike) -> Array:
        """The highest threshold that at least this fraction of the signal passes."""
        return self.thresholds[self._reached_at(np.asarray(efficiency, dtype=np.float64))]

    def rejection(self, efficiency: float) -> Rejection:
        """1/FPR at a signal efficiency; a bound where no background passes."""
        fpr = float(self.fpr_at(efficiency))
        return Rejection(1 / fpr) if fpr > 0 else Rejection(self.background, is_bound=True)

    def _reached_at(self, efficiency: Array) -> NDArray[np.intp]:
        """First point with at least this efficiency."""
        outside = efficiency[~((efficiency >= 0) & (efficiency <= 1))]
        if outside.size:
            raise SettingsError(f"a signal efficiency is between 0 and 1; found {outside.flat[0]}")
        return np.asarray(np.searchsorted(self.tpr, efficiency * (1 - ROUNDING), side="left"))


class Ranking:
    """Scores sorted once, for the curves of many sets of weights.

    Args:
        scores: one per jet, finite.
        signal: whether each jet is signal.
    """

    def __init__(self, scores: Array, signal: NDArray[np.bool_]) -> None:
        self.order = np.argsort(-scores)  # not stable, twice as fast: the order of equal scores does not matter
        ranked = scores[self.order]
        self.signal = signal[self.order]
        self.last = np.append(np.flatnonzero(ranked[1:] != ranked[:-1]), len(ranked) - 1)  # of each run of equal scores
        self.thresholds = np.append(np.inf, ranked[self.last])

    def curve(self, weights: Array) -> RocCurve:
        """The curve for these weights, one per jet in the order in which the scores were given; none negative."""
        ranked = weights[self.order]
        background = np.where(self.signal, 0.0, ranked)
        effective = background.sum() ** 2 / (background**2).sum()
        return RocCurve(self._shares(background), self._shares(ranked * self.signal), self.thresholds, float(effective))

    def _shares(self, weights: Array) -> Array:
        passing = np.cumsum(weights)[self.last]
        return np.append(0.0, passing / passing[-1])


def roc_curve(scores: ArrayLike, labels: ArrayLike, weights: ArrayLike | None = None) -> RocCurve:
    """The ROC curve of scores, with all its points.

    Args:
        scores: one per jet, larger for signal; finite.
        labels: 1 for signal, 0 for background; both must be there.
        weights: one per jet, not negative; 1 by default.

    Example:
        >>> roc_curve([0.9, 0.8, 0.7, 0.6], [1, 0, 1, 0], weights=[1.0, 3.0, 1.0, 1.0]).fpr
        array([0.  , 0.  , 0.75, 0.75, 1.  ])
    """
    score, signal, weight = checked(scores, labels, weights)
    counts = weight > 0
    return Ranking(score[counts], signal[counts]).curve(weight[counts])


def roc_auc(scores: ArrayLike, labels: ArrayLike, weights: ArrayLike | None = None) -> float:
    """Area under the ROC curve.

    Example:
        >>> roc_auc([0.1, 0.4, 0.35, 0.8], [0, 0, 1, 1])
        0.75
    """
    return roc_curve(scores, labels, weights).auc


def background_rejection(
    scores: ArrayLike, labels: ArrayLike, efficiency: float = 0.5, weights: ArrayLike | None = None
) -> Rejection:
    """1/FPR where the TPR is `efficiency`: the paper's R at 50 % by default.

    Example:
        >>> print(background_rejection([0.9, 0.8, 0.7, 0.6], [1, 0, 1, 0], efficiency=1.0))
        2.00
    """
    return roc_curve(scores, labels, weights).rejection(efficiency)


def checked(
    scores: ArrayLike, labels: ArrayLike, weights: ArrayLike | None = None
) -> tuple[Array, NDArray[np.bool_], Array]:
    """Scores, whether each is signal, and weights; an `EvaluationError` names the first row that is not fit."""
    score, label = np.asarray(scores, dtype=np.float64), np.asarray(labels)
    weight = np.ones(score.shape) if weights is None else np.asarray(weights, dtype=np.float64)
    if not (score.ndim == 1 and score.shape == label.shape == weight.shape):
        shapes = f"{score.shape}, {label.shape} and {weight.shape}"
        raise EvaluationError(f"scores, labels and weights have shapes {shapes}; expected one value per jet in each")
    require("score", score, np.isfinite(score), "a finite number")
    require("label", label, (label == 0) | (label == 1), "0 (background) or 1 (signal)")
    require("weight", weight, np.isfinite(weight) & (weight >= 0), "a finite number, not negative")
    signal = label == 1
    for name, members in (("signal (label 1)", signal), ("background (label 0)", ~signal)):
        if not weight[members].sum() > 0:
            raise EvaluationError(f"no {name} among {len(score)} jets, or only with weight 0; both classes are needed")
    return score, signal, weight


def require(what: str, values: NDArray[Any], good: NDArray[np.bool_], expected: str, source: str = "") -> None:
    """Raise an `EvaluationError` that names the first row that is not good, its value, and the `source`."""
    if not good.all():
        row = int(np.argmin(good))
        where = f"{source}: row {row}" if source else f"row {row}"
        bad = f"{np.count_nonzero(~good)} of {len(good)} such rows"
        raise EvaluationError(f"{where}: {what} is {values[row]}; expected {expected}; {bad}")
