"""Which learning rates are tried: some around that of the recipe, and the next ones until the best is enclosed."""

from __future__ import annotations

import math
from collections.abc import Mapping

STEP = 3.0  # from one rate to the next
ENCLOSED = 3  # so many rates at least can enclose the best one
FARTHEST = 4  # steps from the recipe's rate
LARGEST = 1.0


def rates_to_try(middle: float, count: int, losses: Mapping[float, float]) -> list[float]:
    """The rates to try, from the smallest.

    A best rate that is the largest or the smallest of three or more may be the best only because no other was tried:
    then the next one beyond it is tried too, and so on.

    Args:
        middle: the recipe's.
        count: how many are tried at first.
        losses: the validation losses that are known, by rate; infinite where a training broke off.

    Example:
        >>> rates_to_try(0.001, 3, {})
        [0.00033, 0.001, 0.003]
        >>> rates_to_try(0.001, 3, {0.00033: 0.5, 0.001: 0.41, 0.003: 0.4})
        [0.00033, 0.001, 0.003, 0.009]
        >>> rates_to_try(0.001, 3, {0.00033: 0.5, 0.001: 0.41, 0.003: 0.4, 0.009: 0.6})  # 0.003 is enclosed
        [0.00033, 0.001, 0.003, 0.009]
    """
    lowest = -(count // 2)
    steps = list(range(lowest, lowest + count))
    while count >= ENCLOSED and (beyond := _beyond(middle, steps, losses)) is not None:
        steps = sorted([*steps, beyond])
    return [rate_at(middle, step) for step in steps]


def all_rates(middle: float) -> list[float]:
    """Every rate that may ever be tried, from the smallest.

    Example:
        >>> all_rates(0.1)
        [0.0012, 0.0037, 0.011, 0.033, 0.1, 0.3, 0.9]
    """
    rates = (rate_at(middle, step) for step in range(-FARTHEST, FARTHEST + 1))
    return [rate for rate in rates if rate <= LARGEST]


def rate_at(middle: float, step: int) -> float:
    """The rate so many steps above the recipe's, in two digits."""
    return float(f"{middle * STEP**step:.2g}")


def _beyond(middle: float, steps: list[int], losses: Mapping[float, float]) -> int | None:
    """The step beyond the best one, if all are known and that is the first or the last."""
    known = {step: losses[rate] for step in steps if (rate := rate_at(middle, step)) in losses}
    if len(known) < len(steps) or not math.isfinite(min(known.values())):
        return None
    best = min(known, key=known.__getitem__)
    beyond = {steps[0]: best - 1, steps[-1]: best + 1}.get(best)
    return beyond if beyond is not None and rate_at(middle, beyond) in all_rates(middle) else None
