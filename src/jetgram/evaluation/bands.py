"""The numbers behind the pictures of scores: background rejection with its band, and what passes a cut in bins."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from jetgram.evaluation.scores import Scores
from jetgram.evaluation.uncertainty import Spread, wilson
from jetgram.notation import percent
from jetgram.roc import ROUNDING, Rejection, RocCurve, roc_curve

Array = NDArray[np.float64]

EFFICIENCIES = np.linspace(0.01, 1.0, 397)
BINS = 8  # of pT and of mass
OUTSIDE = 0.002  # fraction of the jets beyond the bins at each end
RATIOS_FROM = 0.2  # the efficiency from which on ratios decide the range of their axis; below they are mostly noise
CAPTION = """Bands: one standard deviation over seeds; of a single seed, of the number of background jets that pass.
Lines end where less than one background jet passes."""


@dataclasses.dataclass(frozen=True, eq=False)
class Band:
    """Background rejection of a model at `EFFICIENCIES`; NaN where less than one background jet passes.

    Args:
        middle: mean over the seeds.
        low: one standard deviation less, but not below 1, where everything passes.
        high: one standard deviation more.
    """

    middle: Array
    low: Array
    high: Array

    @classmethod
    def of(cls, curves: Sequence[RocCurve]) -> Band:
        """The band over the seeds; of a single one, the interval of the fraction of background that passes."""
        fprs = np.array([curve.fpr_at(EFFICIENCIES) for curve in curves])
        background = min(curve.background for curve in curves)
        fprs[:, (fprs * background < 1 - ROUNDING).any(axis=0)] = np.nan
        rejection = 1 / fprs
        middle = rejection.mean(axis=0)
        if len(curves) == 1:
            low, high = wilson(fprs[0], background)
            return cls(middle, 1 / high, 1 / low)
        deviation = rejection.std(axis=0, ddof=1)
        return cls(middle, np.maximum(middle - deviation, 1.0), middle + deviation)

    def relative_to(self, other: Band) -> Band:
        """The band in units of another's mean; NaN where either is."""
        with np.errstate(invalid="ignore"):
            return Band(*(values / other.middle for values in (self.middle, self.low, self.high)))

    def __getitem__(self, index: slice) -> Band:
        """The band at some of the efficiencies."""
        return Band(self.middle[index], self.low[index], self.high[index])


def roc_curves(models: Mapping[str, Sequence[Scores]]) -> dict[str, list[RocCurve]]:
    """The ROC curve of each seed of each model."""
    return {model: [_curve(each) for each in seeds] for model, seeds in models.items()}


def _curve(scores: Scores) -> RocCurve:
    return roc_curve(scores.score, scores.label, scores.weight)


def largest(values: Array, at_least: float) -> float:
    """The largest of the finite values, or `at_least` if that is more."""
    return float(np.max(values, where=np.isfinite(values), initial=at_least))


def describe(model: str, curves: Sequence[RocCurve], efficiency: float) -> str:
    """The model with its two numbers."""
    numbers = summary(curves, efficiency)
    seeds = f" ({len(curves)} seeds)" if len(curves) > 1 else ""
    return f"{model}{seeds}   AUC {numbers[0]},  R at {percent(efficiency)}: {numbers[1]}"


def summary(curves: Sequence[RocCurve], efficiency: float) -> tuple[str, str]:
    """AUC and R of a model's seeds, the mean with the spread over them if there are several."""
    auc = Spread.of([curve.auc for curve in curves])
    seeds = [curve.rejection(efficiency) for curve in curves]
    spread = Spread.of([each.value for each in seeds])
    rejection = Rejection(spread.mean, any(each.is_bound for each in seeds))
    return auc.text(4 if len(curves) > 1 else 3), rejection.with_error(spread.deviation)


@dataclasses.dataclass(frozen=True)
class Cut:
    """The cut on the score at a signal efficiency, and what passes it.

    Args:
        efficiency: fraction of the signal that passes.
        score: from which on a jet passes, mean over the seeds.
        background: fraction of the background that passes, mean over the seeds.

    Example:
        >>> print(Cut(0.5, 0.83, 0.0241))
        50 % of the signal and 2.4 % of the background pass the cut
        >>> print(Cut(1.0, 0.0, 0.999))
        100 % of the signal and 100 % of the background pass the cut
    """

    efficiency: float
    score: float
    background: float

    def __str__(self) -> str:
        background = percent(float(f"{self.background:.2g}"))
        return f"{percent(self.efficiency)} of the signal and {background} of the background pass the cut"


def working_cut(seeds: Sequence[Scores], efficiency: float) -> Cut:
    """The cut of a model at a signal efficiency.

    Example:
        >>> pt, mass = np.full(4, 270.0), np.full(4, 80.0)
        >>> toy = Scores.create({"score": [0.9, 0.6, 0.7, 0.1]}, [1, 1, 0, 0], pt, mass)
        >>> working_cut([toy], 1.0)
        Cut(efficiency=1.0, score=0.6, background=0.5)
    """
    curves = [_curve(each) for each in seeds]
    score = np.mean([curve.threshold_at(efficiency) for curve in curves])
    background = np.mean([curve.fpr_at(efficiency) for curve in curves])
    return Cut(efficiency, float(score), float(background))


def equal_bins(values: Array, bins: int, outside: float) -> Array:
    """Edges of equal bins over all but the outermost values; around the value where there is only one.

    Args:
        values: what to count.
        bins: how many.
        outside: fraction of the values beyond the bins at each end.

    Example:
        >>> equal_bins(np.arange(101.0), 4, 0.1), equal_bins(np.full(3, 80.0), 2, 0.1)
        (array([10., 30., 50., 70., 90.]), array([79.5, 80. , 80.5]))
    """
    low, high = np.quantile(values, [outside, 1 - outside])
    return np.linspace(low, high, bins + 1) if high > low else np.linspace(low - 0.5, low + 0.5, bins + 1)


def bin_edges(models: Mapping[str, Sequence[Scores]], variable: str) -> Array:
    """The bins of `pt` or `mass` that all models share."""
    values = [getattr(each, variable) for seeds in models.values() for each in seeds]
    return equal_bins(np.concatenate(values), BINS, OUTSIDE)


def places_in_bins(edges: Array, number: int, of: int) -> Array:
    """Where the points of one of several models stand in the bins, so that none hides another.

    Example:
        >>> places_in_bins(np.array([0.0, 3.0, 6.0]), 0, 2), places_in_bins(np.array([0.0, 3.0, 6.0]), 1, 2)
        (array([1., 4.]), array([2., 5.]))
    """
    return edges[:-1] + np.diff(edges) * (number + 1) / (of + 1)


def spectrum(scores: Scores, label: int, variable: str, edges: Array) -> Array:
    """Jets of one class in bins of `pt` or `mass`, by weight."""
    members = scores.label == label
    counts: Array = np.histogram(getattr(scores, variable)[members], edges, weights=scores.weight[members])[0]
    return counts


@dataclasses.dataclass(frozen=True, eq=False)
class Passing:
    """Fraction of the jets in each bin that pass a cut, with its interval; NaN in a bin without jets.

    Args:
        fraction: mean over the seeds, `(bins,)`.
        low: one standard deviation less.
        high: one standard deviation more.
    """

    fraction: Array
    low: Array
    high: Array


def passing(seeds: Sequence[Scores], label: int, variable: str, edges: Array, efficiency: float) -> Passing:
    """Fractions of one class that pass the cut at a signal efficiency over all jets, in bins of `pt` or `mass`.

    Example:
        >>> label, pt = np.array([1, 1, 1, 1, 0, 0]), np.array([255.0, 260.0, 280.0, 290.0, 260.0, 280.0])
        >>> toy = Scores.create({"score": [0.9, 0.1, 0.8, 0.7, 0.3, 0.75]}, label, pt, np.full(6, 80.0))
        >>> passing([toy], 1, "pt", np.array([250.0, 275.0, 300.0]), efficiency=0.75).fraction
        array([0.5, 1. ])
    """
    fractions = np.full((len(seeds), len(edges) - 1), np.nan)
    effective = np.full(fractions.shape, np.nan)
    for row, each in enumerate(seeds):
        cut = _curve(each).threshold_at(efficiency)
        members = each.label == label
        where, weight = getattr(each, variable)[members], each.weight[members]
        total, squares, passed = (
            np.histogram(where, edges, weights=values)[0]
            for values in (weight, weight**2, weight * (each.score[members] >= cut))
        )
        filled = total > 0
        fractions[row, filled] = passed[filled] / total[filled]
        effective[row, filled] = total[filled] ** 2 / squares[filled]
    fraction = fractions.mean(axis=0)
    return Passing(fraction, *wilson(fraction, effective.mean(axis=0)))
