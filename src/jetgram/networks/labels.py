"""Labels as users have them, whole numbers, strings or one-hot rows, as the numbers of classes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from jetgram.errors import BadJetError
from jetgram.networks.heads import Label

_LARGEST = 2.0**53  # beyond it, floats are no longer all whole numbers


def found_classes(y: ArrayLike) -> tuple[Label, ...] | None:
    """The different labels in rising order; of one-hot rows their numbers. None if they are 0 and 1, or only one.

    Example:
        >>> found_classes(["w", "qcd", "top"]), found_classes([[0, 0, 1], [1, 0, 0]]), found_classes([0, 1])
        (('qcd', 'top', 'w'), (0, 1, 2), None)
    """
    labels = _labels(y)
    one_hot = np.ndim(y) == 2 and np.shape(y)[1] > 1
    classes = tuple(range(np.shape(y)[1])) if one_hot else tuple(np.unique(labels).tolist())
    return classes if len(classes) > 2 or not set(classes) <= {0, 1} else None


def class_numbers(y: ArrayLike, classes: Sequence[Label]) -> NDArray[np.int64]:
    """The number of each label among the classes, `(jets,)`.

    Example:
        >>> class_numbers(["w", "qcd", "w"], ("qcd", "w"))
        array([1, 0, 1])
    """
    labels, known = _labels(y), np.array(classes)
    found = labels[:, None] == known
    strange = np.flatnonzero(~found.any(axis=1))
    if len(strange):
        row, wanted = strange[0], ", ".join(map(repr, classes))
        raise BadJetError(f"the label of row {row} is {labels.tolist()[row]!r}; expected one of {wanted}")
    numbers: NDArray[np.int64] = found.argmax(axis=1)
    return numbers


def _labels(y: ArrayLike) -> NDArray[Any]:
    """Integers or strings, `(jets,)`; from one-hot rows the number of the class."""
    labels: NDArray[Any] = np.asarray(y)
    if labels.ndim == 2 and labels.shape[1] == 1:
        labels = labels[:, 0]
    if labels.dtype.kind == "O":
        labels = np.array(labels.tolist())
    if labels.ndim == 2:
        hot = ((labels == 1).sum(axis=1) == 1) & ((labels != 0).sum(axis=1) == 1)
        if not hot.all():
            raise BadJetError(f"row {int(np.argmin(hot))} of y is not one-hot; expected a single 1 among zeros")
        labels = labels.argmax(axis=1)
    if labels.dtype.kind == "b":
        return labels.astype(np.int64)
    if labels.dtype.kind == "f":
        strange = np.flatnonzero((labels != np.round(labels)) | (np.abs(labels) > _LARGEST))
        if len(strange):
            found = f"the label of row {strange[0]} is {labels[strange[0]]}"
            raise BadJetError(f"{found}; expected a whole number or a string")
        labels = labels.astype(np.int64)
    if labels.ndim != 1 or labels.dtype.kind not in "iuU":
        raise BadJetError(f"y has shape {labels.shape} and type {labels.dtype}; expected one label per row")
    return labels
