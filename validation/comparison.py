"""Compared quantities: what the tables of the validation scripts are made of."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

Golden = Mapping[str, NDArray[Any]]

TOLERANCE = 1e-10


class Row(NamedTuple):
    """One compared quantity."""

    quantity: str
    values: int
    deviation: float
    tolerance: float

    @property
    def passed(self) -> bool:
        """Whether the deviation is within tolerance; NaN is not."""
        return self.deviation <= self.tolerance


class Part(NamedTuple):
    """Quantities that are compared together, and the arrays that this takes."""

    name: str
    needs: tuple[str, ...]
    compare: Callable[[Golden], Iterator[Row]]


def row(quantity: str, found: NDArray[Any], expected: NDArray[Any], tolerance: float = TOLERANCE) -> Row:
    """Compare two arrays number by number, |a - b| / max(1, |b|); different shapes deviate infinitely."""
    return _row(quantity, found, expected, np.maximum(1.0, np.abs(expected)), tolerance)


def relative_row(quantity: str, found: NDArray[Any], expected: NDArray[Any], tolerance: float) -> Row:
    """Compare two arrays by the scale of the expected one, |a - b| / max |b|; different shapes deviate infinitely."""
    return _row(quantity, found, expected, np.max(np.abs(expected), initial=np.finfo(float).tiny), tolerance)


def _row(quantity: str, found: NDArray[Any], expected: NDArray[Any], scale: NDArray[Any], tolerance: float) -> Row:
    if found.shape != expected.shape:
        return Row(f"{quantity}: shape {found.shape}, expected {expected.shape}", expected.size, np.inf, tolerance)
    return Row(quantity, expected.size, float(np.max(np.abs(found - expected) / scale, initial=0.0)), tolerance)
