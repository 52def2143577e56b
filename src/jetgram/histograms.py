"""Distributions of a quantity, class by class."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from typing import Any, SupportsInt

import numpy as np
from numpy.typing import NDArray

from jetgram.momenta import Momenta

Array = NDArray[np.float64]

BINS = 28
CLASSES = {0: "background", 1: "signal"}
NO_LABEL = -1  # of a row whose class is not known


@dataclasses.dataclass(frozen=True)
class Histogram:
    """One quantity, class by class, in common bins.

    Args:
        label: name and unit.
        edges: of the bins, `(bins + 1,)`; at most `BINS` of them, or a few.
        counts: rows in each bin, `(bins,)`, for each class; rows beyond the edges are in the outermost bins.
        mean: for each class.
        log: the bins have equal widths in the logarithm.
    """

    label: str
    edges: Array
    counts: Mapping[str, NDArray[np.int64]]
    mean: Mapping[str, float]
    log: bool = False


def class_names(rows: Momenta, column: str = "label") -> NDArray[np.str_]:
    """The class of each row in words, from a column with the numbers of classes; `all` without it."""
    if column not in rows.columns:
        return np.full(len(rows), "all")
    return np.array([class_name(label) for label in rows.columns[column]], dtype=str)


def class_name(number: SupportsInt) -> str:
    """A class in words.

    Example:
        >>> class_name(0), class_name(1), class_name(2), class_name(-1)
        ('background', 'signal', 'class 2', 'unknown')
    """
    return CLASSES.get(int(number), "unknown" if int(number) == NO_LABEL else f"class {int(number)}")


def histogram(label: str, values: NDArray[Any], classes: NDArray[np.str_]) -> Histogram:
    """The distribution of each class between the 0.5 and 99.5 % quantiles of all; whole numbers in whole bins."""
    low, high = np.quantile(values, [0.005, 0.995]) if len(values) else (0.0, 1.0)
    if np.issubdtype(values.dtype, np.integer):
        width = int(np.ceil((high - low + 1) / BINS))
        edges = np.arange(np.floor(low), np.ceil(high) + width + 1, width) - 0.5
    else:
        edges = np.linspace(low, high if high > low else low + 1.0, BINS + 1)
    return _filled(label, edges, values, classes)


def log_histogram(label: str, values: Array, classes: NDArray[np.str_]) -> Histogram:
    """The distribution of each class over all decades that hold a row; zeros are in the first bin.

    Example:
        >>> found = log_histogram("pT [GeV]", np.array([0.0, 2e-3, 5.0]), np.array(["a", "a", "b"]))
        >>> float(found.edges[0]), float(found.edges[-1]), int(found.counts["a"].sum())
        (0.001, 10.0, 2)
    """
    positive = values[(values > 0) & np.isfinite(values)]
    low, high = (np.log10(positive.min()), np.log10(positive.max())) if len(positive) else (0.0, 1.0)
    edges = np.logspace(np.floor(low), max(np.ceil(high), np.floor(low) + 1), BINS + 1)
    return dataclasses.replace(_filled(label, edges, values, classes), log=True)


def _filled(label: str, edges: Array, values: NDArray[Any], classes: NDArray[np.str_]) -> Histogram:
    clipped = np.clip(values, edges[0], edges[-1])
    names = sorted(set(classes.tolist()))
    return Histogram(
        label,
        edges,
        {name: np.histogram(clipped[classes == name], edges)[0] for name in names},
        {name: float(values[classes == name].mean()) for name in names},
    )
