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
    return {model: [roc_curve(s.score, s.label, s.weight) for s in seeds] for model, seeds in models.items()}


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
    """Fractions of one class that pass the cut at a signal efficiency over all jets, in bins of `pt` or `mass`."""
    fractions = np.full((len(seeds), len(edges) - 1), np.nan)
    effective = np.full(fractions.shape, np.nan)
    for row, each in enumerate(seeds):
        cut = roc_curve(each.score, each.label, each.weight).threshold_at(efficiency)
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
