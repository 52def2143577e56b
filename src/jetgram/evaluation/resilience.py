r"""Performance against resilience (arXiv:1803.07977): how much a tagger's efficiencies depend on who made the jets.

A cut on the score is fixed on the nominal sample. On another sample of the same physics (another parton shower, another
coupling, a detector) the same cut has other efficiencies. With the difference $\Delta\epsilon = \epsilon - \epsilon'$
and the mean $\langle\epsilon\rangle = (\epsilon + \epsilon') / 2$ of both samples, for signal S and background B,

$$ \zeta = \left( \frac{\Delta\epsilon_S^2}{\langle\epsilon_S\rangle^2}
                + \frac{\Delta\epsilon_B^2}{\langle\epsilon_B\rangle^2} \right)^{-1/2}
   \qquad\text{and}\qquad \frac{\epsilon_S}{\sqrt{\epsilon_B}} $$

are the resilience and the performance. A tagger that is good for a reason that a generator gets wrong has much of the
second and little of the first.
"""

from __future__ import annotations

import dataclasses
import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from jetgram.evaluation.scores import Scores
from jetgram.evaluation.selection import Window, select
from jetgram.evaluation.uncertainty import REPLICAS, draws, require_spread
from jetgram.notation import measured
from jetgram.roc import Ranking

Array = NDArray[np.float64]

SIGNIFICANT = 2.0  # a shift of fewer statistical errors than this gives a bound only
LARGEST = 2.0  # relative shift: nothing passes in one of the samples


class Efficiencies(NamedTuple):
    """Fractions of signal and background that pass a cut."""

    signal: float
    background: float

    @property
    def performance(self) -> float:
        r"""$\epsilon_S / \sqrt{\epsilon_B}$, infinite where no background passes."""
        return self.signal / math.sqrt(self.background) if self.background > 0 else math.inf


def relative_shift(one: float, other: float) -> float:
    r"""$(\epsilon' - \epsilon) / \langle\epsilon\rangle$; zero where nothing passes in either.

    Example:
        >>> relative_shift(0.5, 0.5), round(relative_shift(0.1, 0.3), 3)
        (0.0, 1.0)
    """
    return 2 * (other - one) / (one + other) if one + other > 0 else 0.0


def resilience(nominal: Efficiencies, varied: Efficiencies) -> float:
    r"""$\zeta$ of two pairs of efficiencies of the same cut; infinite where they are the same.

    Example:
        >>> round(resilience(Efficiencies(0.5, 0.02), Efficiencies(0.45, 0.03)), 4)
        2.4177
    """
    shift = math.hypot(*map(relative_shift, nominal, varied))
    return 1 / shift if shift > 0 else math.inf


@dataclasses.dataclass(frozen=True)
class Resilience:
    """One tagger on the nominal and on one varied sample.

    Args:
        nominal: efficiencies of the cut on the nominal sample.
        varied: of the same cut on the varied sample.
        performance_error: bootstrap, one standard deviation, as the following; NaN where it was not measured.
        shift_errors: of the relative shifts of the signal's and the background's efficiency.
        background: effective number of background jets of the nominal sample.

    Example:
        >>> moved = Resilience(Efficiencies(0.5, 0.02), Efficiencies(0.55, 0.025), 0.1, Efficiencies(0.01, 0.05))
        >>> round(moved.performance, 2), str(moved)
        (3.54, '4.14 ± 0.79')

        Where no background passes:

        >>> none = Resilience(Efficiencies(0.5, 0.0), Efficiencies(0.5, 0.02), 0.1, Efficiencies(0.01, 0.0), 400)
        >>> none.performance_is_bound, none.performance, none.shifts, str(none)
        (True, 10.0, Efficiencies(signal=0.0, background=nan), '> 0.50')
    """

    nominal: Efficiencies
    varied: Efficiencies
    performance_error: float
    shift_errors: Efficiencies
    background: float = math.inf

    @property
    def performance_is_bound(self) -> bool:
        """Whether no nominal background passes, so that `performance` is only a lower bound."""
        return self.nominal.background == 0

    @property
    def performance(self) -> float:
        """Of the nominal sample; where no background passes, what it would be if one jet did."""
        if not self.performance_is_bound:
            return self.nominal.performance
        return self.nominal._replace(background=1 / self.background).performance

    @property
    def shifts(self) -> Efficiencies:
        """Relative shifts of both efficiencies; NaN where nothing passes in one of the samples, which fixes none."""
        return Efficiencies(
            *(
                relative_shift(one, other) if one > 0 and other > 0 else math.nan
                for one, other in zip(self.nominal, self.varied, strict=True)
            )
        )

    @property
    def shifts_are_known(self) -> bool:
        """Whether jets of both classes pass in both samples."""
        return not any(map(math.isnan, self.shifts))

    @property
    def value(self) -> float:
        r"""$\zeta$; NaN where a shift is not known."""
        return resilience(self.nominal, self.varied) if self.shifts_are_known else math.nan

    @property
    def error(self) -> float:
        r"""Of $\zeta$, propagated from the errors of both shifts; infinite where nothing shifts, NaN as `value`."""
        if math.isnan(self.value):
            return math.nan
        weighted = (shift * error for shift, error in zip(self.shifts, self.shift_errors, strict=True))
        return math.hypot(*weighted) * self.value**3 if math.isfinite(self.value) else math.inf

    @property
    def is_bound(self) -> bool:
        """Whether only `bound` is known: a shift is not, or both together are too small for the number of jets."""
        return not self.shifts_are_known or math.hypot(*self.shifts) < SIGNIFICANT * math.hypot(*self.shift_errors)

    @property
    def bound(self) -> float:
        r"""$\zeta$ if the shift were larger than measured by one statistical error; one not known, as large as any."""
        if self.shifts_are_known:
            largest = math.hypot(*self.shifts) + math.hypot(*self.shift_errors)
        else:
            largest = math.hypot(*map(_at_most, self.shifts, self.shift_errors))
        return 1 / largest if largest > 0 else math.inf

    def __str__(self) -> str:
        if self.is_bound:
            return f"> {self.bound:.2f}"
        return measured(self.value, self.error if 0 < self.error < math.inf else None, 2)


def _at_most(shift: float, error: float) -> float:
    """A shift larger by its error, if that was measured; the largest possible one where it is not known."""
    return LARGEST if math.isnan(shift) else min(abs(shift) + (0.0 if math.isnan(error) else error), LARGEST)


def measure_resilience(
    nominal: Scores,
    varied: Scores,
    window: Window | None = None,
    efficiency: float = 0.5,
    replicas: int = REPLICAS,
    seed: int = 0,
) -> Resilience:
    """The resilience of one tagger's scores, with statistical errors.

    Every replica of the bootstrap draws the jets of both samples anew, and fixes the cut on its nominal ones. Samples
    that share their collisions, as two detector levels do, are drawn as if they did not: their errors are upper bounds.

    Args:
        nominal: scores of the nominal sample.
        varied: of the other one.
        window: the jets that count, of both; by default the paper's for its samples, everything for others.
        efficiency: of the nominal signal, which fixes the cut.
        replicas: of the bootstrap; 0 for no errors.
        seed: the same seed gives the same errors.

    Example:
        >>> rng = np.random.default_rng(1)
        >>> label, pt, mass = np.arange(20000) % 2, np.full(20000, 270.0), np.full(20000, 80.0)
        >>> nominal = Scores.create({"score": rng.normal(2 * label)}, label, pt, mass)
        >>> varied = Scores.create({"score": rng.normal(2.2 * label)}, label, pt, mass)
        >>> found = measure_resilience(nominal, varied, replicas=20)
        >>> [round(shift, 2) for shift in found.shifts]
        [0.14, -0.04]
    """
    window = window or Window.of_sample(nominal.provenance.sample)
    pair = (_Judged(select(nominal, window)), _Judged(select(varied, window)))
    found = _at_one_cut(pair, (pair[0].weight, pair[1].weight), efficiency)
    background = pair[0].ranking.curve(pair[0].weight).background
    if not replicas:
        return Resilience(*found, math.nan, Efficiencies(math.nan, math.nan), background)
    require_spread(replicas)
    rng = np.random.default_rng([seed, *map(len, pair)])
    drawn = [_at_one_cut(pair, (pair[0].draw(rng), pair[1].draw(rng)), efficiency) for _ in range(replicas)]
    shifts = np.array([[relative_shift(a, b) for a, b in zip(*both, strict=True)] for both in drawn])
    performances = np.array([first.performance for first, _ in drawn])
    performances = performances[np.isfinite(performances)]
    error = float(performances.std(ddof=1)) if len(performances) > 1 else math.inf
    return Resilience(*found, error, Efficiencies(*shifts.std(axis=0, ddof=1).tolist()), background)


class _Judged:
    """The jets of one sample that count, sorted once by score."""

    def __init__(self, scores: Scores) -> None:
        self.score, self.weight, self.signal = scores.score, scores.weight, scores.label == 1
        self.ranking = Ranking(self.score, self.signal)

    def __len__(self) -> int:
        return len(self.score)

    def draw(self, rng: np.random.Generator) -> Array:
        """The weights of a replica."""
        return self.weight * draws(self.signal, rng)

    def passing(self, cut: float, weight: Array) -> Efficiencies:
        """The fractions of both classes with a score of at least the cut."""
        passed = self.score >= cut
        both = (
            float(weight[members & passed].sum() / weight[members].sum()) for members in (self.signal, ~self.signal)
        )
        return Efficiencies(*both)


def _at_one_cut(
    pair: tuple[_Judged, _Judged], weights: tuple[Array, Array], efficiency: float
) -> tuple[Efficiencies, Efficiencies]:
    cut = float(pair[0].ranking.curve(weights[0]).threshold_at(efficiency))
    nominal, varied = (each.passing(cut, weight) for each, weight in zip(pair, weights, strict=True))
    return nominal, varied
