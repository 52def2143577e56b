"""Distributions of a quantity, class by class."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from jetgram.classes import CLASSES, in_order

Array = NDArray[np.float64]

BINS = 28


@dataclasses.dataclass(frozen=True)
class Histogram:
    """One quantity, class by class, in common bins.

    Args:
        label: name and unit.
        edges: of the bins, `(bins + 1,)`; at most `BINS` of them, or a few.
        counts: rows in each bin, `(bins,)`, for each class, in the order of their numbers; rows beyond the edges are in
            the outermost bins.
        mean: for each class.
        log: the bins have equal widths in the logarithm.

    Example:
        >>> found = histogram("pT [GeV]", np.array([250.0, 300.0, 260.0]), np.array(["signal", "background", "signal"]))
        >>> found.edges[[0, -1]].round(1), {name: int(counts.sum()) for name, counts in found.counts.items()}
        (array([250.1, 299.6]), {'background': 1, 'signal': 2})
    """

    label: str
    edges: Array
    counts: Mapping[str, NDArray[np.int64]]
    mean: Mapping[str, float]
    log: bool = False


def histogram(label: str, values: NDArray[Any], classes: NDArray[np.str_], names: Sequence[str] = CLASSES) -> Histogram:
    """The distribution of each class between the 0.5 and 99.5 % quantiles of all; whole numbers in whole bins.

    Args:
        label: name and unit of the values.
        values: one per row.
        classes: of the rows, in words.
        names: of the classes, in the order of their numbers.
    """
    low, high = np.quantile(values, [0.005, 0.995]) if len(values) else (0.0, 1.0)
    if np.issubdtype(values.dtype, np.integer):
        width = int(np.ceil((high - low + 1) / BINS))
        edges = np.arange(np.floor(low), np.ceil(high) + width + 1, width) - 0.5
    else:
        edges = np.linspace(low, high if high > low else low + 1.0, BINS + 1)
    return _filled(label, edges, values, classes, names)


def log_histogram(label: str, values: Array, classes: NDArray[np.str_], names: Sequence[str] = CLASSES) -> Histogram:
    """The distribution of each class over all decades that hold a row; zeros are in the first bin. See `histogram`.

    Example:
        >>> found = log_histogram("pT [GeV]", np.array([0.0, 2e-3, 5.0]), np.array(["a", "a", "b"]))
        >>> float(found.edges[0]), float(found.edges[-1]), int(found.counts["a"].sum())
        (0.001, 10.0, 2)
    """
    positive = values[(values > 0) & np.isfinite(values)]
    low, high = (np.log10(positive.min()), np.log10(positive.max())) if len(positive) else (0.0, 1.0)
    edges = np.logspace(np.floor(low), max(np.ceil(high), np.floor(low) + 1), BINS + 1)
    return dataclasses.replace(_filled(label, edges, values, classes, names), log=True)


def _filled(
    label: str, edges: Array, values: NDArray[Any], classes: NDArray[np.str_], names: Sequence[str]
) -> Histogram:
    clipped = np.clip(values, edges[0], edges[-1])
    found = in_order(classes.tolist(), names)
    return Histogram(
        label,
        edges,
        {name: np.histogram(clipped[classes == name], edges)[0] for name in found},
        {name: float(values[classes == name].mean()) for name in found},
    )
