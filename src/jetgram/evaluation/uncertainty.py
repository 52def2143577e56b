r"""Errors: of one model by the bootstrap, of a network by the spread over seeds; the paper's rule for failed models.

The bootstrap answers "how far would the numbers move with other test jets?", the spread over seeds "with another
training?". They are different questions: the paper quotes the second.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike, NDArray

from jetgram.errors import SettingsError
from jetgram.notation import with_error
from jetgram.roc import Ranking, checked

Array = NDArray[np.float64]

REPLICAS = 200  # give the errors to 5 %
BEST_AND_WORST = 5
SIGMAS = 3.0


@dataclasses.dataclass(frozen=True)
class Errors:
    """Bootstrap errors (one standard deviation) of one model on one test sample.

    Args:
        auc: of the area under the ROC curve.
        rejection: of 1/FPR, one for each signal efficiency; None where no background passes.
    """

    auc: float
    rejection: tuple[float | None, ...]


def bootstrap(
    scores: ArrayLike,
    labels: ArrayLike,
    weights: ArrayLike | None = None,
    efficiencies: Sequence[float] = (0.5,),
    replicas: int = REPLICAS,
    seed: int = 0,
) -> Errors:
    r"""Statistical errors of AUC and R from the finite test sample.

    Each replica draws as many jets of each class as there are, with replacement, and keeps their weights. The error of
    $R = 1/f$ is propagated from the spread of the false-positive rate, $\sigma_R = \sigma_f / f^2$: it stays finite
    when in some replica no background jet passes.

    Args:
        scores: one per jet, larger for signal.
        labels: 1 signal, 0 background.
        weights: one per jet; 1 by default.
        efficiencies: signal efficiencies at which R is wanted.
        replicas: the more, the better known the errors: to $1 / \sqrt{2 \cdot replicas}$ of themselves.
        seed: the same seed gives the same errors.

    Example:
        >>> import numpy as np
        >>> rng = np.random.default_rng(1)
        >>> labels = np.arange(2000) % 2
        >>> errors = bootstrap(labels + rng.normal(size=2000), labels)
        >>> round(errors.auc, 3), round(errors.rejection[0], 1)
        (0.011, 0.6)
    """
    score, signal, weight = _counting(scores, labels, weights)
    fpr = Ranking(score, signal).curve(weight).fpr_at(efficiencies)
    return errors_of(fpr, *resample(score, signal, weight, efficiencies, replicas, seed))


def errors_of(fpr: ArrayLike, auc: Array, fprs: Array) -> Errors:
    """The errors of `bootstrap` from its replicas.

    Args:
        fpr: false-positive rates of the sample itself, `(efficiencies,)`.
        auc: of the replicas, as `resample` gives them.
        fprs: likewise.
    """
    spread = np.std(fprs, axis=0, ddof=1)
    rejection = (float(s / f**2) if f > 0 else None for f, s in zip(np.asarray(fpr), spread, strict=True))
    return Errors(float(np.std(auc, ddof=1)), tuple(rejection))


def resample(
    scores: ArrayLike,
    labels: ArrayLike,
    weights: ArrayLike | None = None,
    efficiencies: Sequence[float] = (0.5,),
    replicas: int = REPLICAS,
    seed: int = 0,
) -> tuple[Array, Array]:
    """AUC `(replicas,)` and false-positive rates `(replicas, efficiencies)` of the replicas of `bootstrap`.

    Two models that are judged on the same jets, in the same order, get the same replicas: their numbers can be
    compared replica by replica.
    """
    require_spread(replicas)
    score, signal, weight = _counting(scores, labels, weights)
    ranking, rng = Ranking(score, signal), np.random.default_rng([seed, len(score)])
    curves = (ranking.curve(weight * draws(signal, rng)) for _ in range(replicas))
    auc, fprs = zip(*((curve.auc, curve.fpr_at(efficiencies)) for curve in curves), strict=True)
    return np.array(auc), np.array(fprs)


def require_spread(replicas: int) -> None:
    """Refuse a number of replicas that has no standard deviation."""
    if replicas < 2:
        raise SettingsError(f"replicas = {replicas} have no spread; expected 2 or more")


def _counting(
    scores: ArrayLike, labels: ArrayLike, weights: ArrayLike | None
) -> tuple[Array, NDArray[np.bool_], Array]:
    """Jets of weight zero do not count."""
    score, signal, weight = checked(scores, labels, weights)
    counts = weight > 0
    return score[counts], signal[counts], weight[counts]


def draws(signal: NDArray[np.bool_], rng: np.random.Generator) -> Array:
    """How often each jet is drawn, out of its own class."""
    times = np.empty(len(signal))
    for members in (signal, ~signal):
        count = np.count_nonzero(members)
        times[members] = np.bincount(rng.integers(count, size=count), minlength=count)
    return times


def wilson(share: ArrayLike, count: ArrayLike) -> tuple[Array, Array]:
    r"""Interval of one standard deviation around a measured fraction, by Wilson: within 0 and 1, and never empty.

    Args:
        share: the measured fractions, of any shape.
        count: how many jets they are fractions of; for weighted jets the effective number $(\sum w)^2 / \sum w^2$.

    Returns:
        Lower and upper ends.

    Example:
        >>> low, high = wilson([0.0, 0.5], [9, 100])
        >>> low.round(3), high.round(3)
        (array([0.  , 0.45]), array([0.1 , 0.55]))
    """
    f, n = np.asarray(share, dtype=np.float64), np.asarray(count, dtype=np.float64)
    middle = (f + 0.5 / n) / (1 + 1 / n)
    half = np.sqrt(f * (1 - f) / n + 0.25 / n**2) / (1 + 1 / n)
    return np.maximum(middle - half, 0.0), np.minimum(middle + half, 1.0)


@dataclasses.dataclass(frozen=True)
class Spread:
    """Mean over seeds and standard deviation of a single one ($n - 1$ in the denominator; None for one seed).

    Example:
        >>> print(Spread.of([0.90, 0.91, 0.92]))
        0.91 ± 0.01
        >>> Spread(1234.5, 6.78, 3).text(1, is_bound=True)
        '> 1,234.5'
    """

    mean: float
    deviation: float | None
    count: int

    @classmethod
    def of(cls, values: ArrayLike) -> Spread:
        """The spread of at least one value."""
        array = np.asarray(values, dtype=np.float64)
        return cls(float(array.mean()), float(array.std(ddof=1)) if len(array) > 1 else None, len(array))

    def __str__(self) -> str:
        return with_error(f"{self.mean:.4g}", self.deviation, ".2g")

    def text(self, decimals: int, is_bound: bool = False) -> str:
        """Mean and deviation with a number of decimals; a bound is written as one, without an error."""
        if is_bound:
            return f"> {self.mean:,.{decimals}f}"
        return with_error(f"{self.mean:,.{decimals}f}", self.deviation, f",.{decimals}f")


def failed(rejections: ArrayLike, best_and_worst: int = BEST_AND_WORST, sigmas: float = SIGMAS) -> NDArray[np.bool_]:
    r"""The paper's rule: models whose R is more than 3 standard deviations from the mean are dropped.

    Mean and standard deviation are taken without the five best and the five worst models. That is a sixth of the
    paper's 30 at each end; of fewer models a sixth is left out, rounded down. Of fewer than six models none is left
    out, and none dropped: no value lies more than $(n - 1)/\sqrt n < 3$ deviations from a mean that it takes part in.

    The rule is sharp: the middle two thirds of 30 Gaussian values have about half of their standard deviation, so it
    drops one healthy model in nine. Say how many were dropped.

    Args:
        rejections: R of each model.
        best_and_worst: how many to leave out at each end, at most.
        sigmas: how far is too far.

    Returns:
        Whether each model is dropped, shape `(models,)`.

    Example:
        >>> failed([70, 68, 71, 69, 70, 72, 67, 3])
        array([False, False, False, False, False, False, False,  True])
    """
    values = np.asarray(rejections, dtype=np.float64)
    left_out = min(best_and_worst, len(values) // 6)
    core = np.sort(values)[left_out : len(values) - left_out]
    if not left_out:
        return np.zeros(len(values), dtype=np.bool_)
    far: NDArray[np.bool_] = np.abs(values - core.mean()) > sigmas * core.std(ddof=1)
    return far
