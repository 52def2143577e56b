r"""Mass sculpting: does a cut on the score make background look like signal?

Let $P$ be the distribution of the jet mass of the background that passes the cut, $Q$ that of all background jets, both
in bins, and $M = (P + Q)/2$. The Jensen-Shannon divergence, in bits,

$$ \mathrm{JSD} = \tfrac12 \sum_b P_b \log_2 \frac{P_b}{M_b} + \tfrac12 \sum_b Q_b \log_2 \frac{Q_b}{M_b} , $$

is 0 where the cut leaves the shape as it is, and at most 1. Decorrelated taggers are compared by $1/\mathrm{JSD}$ at a
signal efficiency of 50 % (arXiv:2001.05310). A cut that knows nothing of the mass still fluctuates: with $k$ bins and
$n_P$ of $n_Q$ jets passing, it gives $(k - 1) / (8 \ln 2) \cdot (1/n_P - 1/n_Q)$ on average. One over this is as far as
$1/\mathrm{JSD}$ can be measured.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from jetgram.evaluation.scores import Scores
from jetgram.roc import roc_curve

Array = NDArray[np.float64]

BINS = 20
ROUNDING = 1e-12  # a smaller divergence is rounding: no sample is large enough to see it


@dataclasses.dataclass(frozen=True)
class Sculpting:
    """What a cut at a signal efficiency does to the mass of background jets.

    Args:
        efficiency: of signal.
        inverse: 1/JSD; where both distributions are equal it is the limit.
        error: its statistical error by the bootstrap; None if not asked for, or of a bound.
        limit: 1/JSD, on average, of a cut that knows nothing of the mass, with as many jets.
        edges: of the bins of the mass, in GeV, `(bins + 1,)`; what lies outside is in the outermost ones.
        before: the fraction of all background jets in each bin.
        after: the same of those that pass.
        is_bound: whether 1/JSD is only a lower bound: no sculpting was seen.
    """

    efficiency: float
    inverse: float
    error: float | None
    limit: float
    edges: tuple[float, ...]
    before: tuple[float, ...]
    after: tuple[float, ...]
    is_bound: bool = False


def jensen_shannon(p: Array, q: Array) -> Array:
    """The divergence of distributions over bins, in bits, `(...,)`; counts `(..., bins)` are normalised.

    Example:
        >>> jensen_shannon(np.array([1.0, 0.0]), np.array([[2.0, 0.0], [0.0, 3.0]]))
        array([0., 1.])
    """
    p, q = p / p.sum(axis=-1, keepdims=True), q / q.sum(axis=-1, keepdims=True)
    middle = (p + q) / 2
    result: Array = (_relative(p, middle) + _relative(q, middle)) / 2
    return result


def _relative(p: Array, m: Array) -> Array:
    """The sum over bins of p log2(p / m)."""
    ratio = np.divide(p, m, out=np.ones(np.broadcast_shapes(p.shape, m.shape)), where=np.broadcast_to(p > 0, m.shape))
    result: Array = (p * np.log2(ratio)).sum(axis=-1)
    return result


def mass_sculpting(
    scores: Scores, efficiency: float = 0.5, replicas: int = 0, seed: int = 0, bins: int = BINS
) -> Sculpting | None:
    """What a cut does to the mass of background jets; None where it cannot be said: all pass, or none, or one mass.

    Args:
        scores: of a classifier, with both classes.
        efficiency: of signal, which fixes the cut.
        replicas: of the bootstrap: background jets are drawn with replacement, and the cut stays; 0 for no error.
        seed: of the bootstrap.
        bins: of equal width, over all but the outermost half percent of the background jets at each end.

    Example:
        >>> rng = np.random.default_rng(1)
        >>> label, mass = np.arange(4000) % 2, rng.uniform(50, 110, 4000)
        >>> pt, near_w = np.full(4000, 270.0), np.exp(-((mass - 80) ** 2) / 200)
        >>> blind = mass_sculpting(Scores.create({"score": rng.random(4000)}, label, pt, mass))
        >>> seeing = mass_sculpting(Scores.create({"score": near_w}, label, pt, mass))
        >>> bool(blind.inverse > 100), round(seeing.inverse, 1)
        (True, 3.6)
    """
    cut = roc_curve(scores.score, scores.label, scores.weight).threshold_at(efficiency)
    background = scores[(scores.label == 0) & (scores.weight > 0)]
    low, high = np.quantile(background.mass, [0.005, 0.995])
    passes = background.score >= cut
    if not passes.any() or passes.all() or not high > low:
        return None
    edges = np.linspace(low, high, bins + 1)
    where = np.clip(np.searchsorted(edges, background.mass, side="right") - 1, 0, bins - 1)

    def divergence(weight: Array) -> float:
        return float(jensen_shannon(_filled(where[passes], weight[passes], bins), _filled(where, weight, bins)))

    before, after = (_filled(where[which], background.weight[which], bins) for which in (slice(None), passes))
    chance = (np.count_nonzero(before) - 1) / (8 * np.log(2)) * _noise(background.weight, passes)
    found, error = divergence(background.weight), None
    is_bound = found < ROUNDING
    if replicas > 1 and not is_bound:
        rng = np.random.default_rng([seed, len(where)])
        drawn = [divergence(background.weight * _draws(rng, passes)) for _ in range(replicas)]
        error = float(np.std(drawn, ddof=1)) / found**2
    return Sculpting(
        efficiency,
        float(1 / (chance if is_bound else found)),
        error,
        float(1 / chance),
        _tuple(edges),
        _tuple(before / before.sum()),
        _tuple(after / after.sum()),
        is_bound,
    )


def inverse_text(found: Sequence[Sculpting], form: str = ".3g") -> str:
    """The mean of 1/JSD over the seeds of a model; `> ` where that of one is only a lower bound.

    Args:
        found: of the seeds.
        form: how a number is written.
    """
    bound = "> " if any(each.is_bound for each in found) else ""
    return f"{bound}{np.mean([each.inverse for each in found]):{form}}"


def _filled(where: NDArray[np.int64], weight: Array, bins: int) -> Array:
    return np.bincount(where, weight, minlength=bins).astype(np.float64)


def _draws(rng: np.random.Generator, passes: NDArray[np.bool_]) -> Array:
    """How often each jet is drawn; at least one of those that pass is."""
    times = np.bincount(rng.integers(len(passes), size=len(passes)), minlength=len(passes)).astype(np.float64)
    if not times[passes].any():
        times[np.argmax(passes)] = 1.0
    return times


def _noise(weight: Array, passes: NDArray[np.bool_]) -> float:
    """1/n of the jets that pass less 1/n of all; of counts where the weights of the others are too large for more."""
    noise = 1 / _effective(weight[passes]) - 1 / _effective(weight)
    return noise if noise > 0 else 1 / np.count_nonzero(passes) - 1 / len(passes)


def _effective(weight: Array) -> float:
    return float(weight.sum() ** 2 / (weight**2).sum())


def _tuple(values: NDArray[Any]) -> tuple[float, ...]:
    return tuple(map(float, values))


def sculpting_rows(models: Iterable[tuple[str, int | None, Sculpting | None]]) -> list[list[str]]:
    """The masses of background jets before and after the cut as rows of a table, the names of the columns first.

    Args:
        models: name, seed and sculpting of each training.
    """
    rows = [["model", "seed", "mass_low", "mass_high", "before", "after"]]
    for model, seed, found in models:
        if found is not None:
            bins = zip(found.edges, found.edges[1:], found.before, found.after, strict=False)
            name = [model, "" if seed is None else str(seed)]
            rows += [[*name, *(f"{value:.6g}" for value in each)] for each in bins]
    return rows
