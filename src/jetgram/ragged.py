"""Rows in groups of different sizes: one flat array and its offsets."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from typing import Any, overload

import numpy as np
from numpy.typing import ArrayLike, NDArray

from jetgram.errors import BadJetError

Offsets = NDArray[np.int64]


@dataclasses.dataclass(frozen=True, eq=False)
class Ragged:
    """Group `i` holds the rows `values[offsets[i]:offsets[i + 1]]`.

    Args:
        values: all rows, shape `(n, k)`.
        offsets: where each group starts and the last one ends, shape `(groups + 1,)`, from 0 to n.

    Example:
        >>> import numpy as np
        >>> ragged = Ragged(np.arange(6.0).reshape(3, 2), np.array([0, 1, 3]))
        >>> ragged[1]
        array([[2., 3.],
               [4., 5.]])
        >>> ragged[[1, 0]].counts
        array([2, 1])
    """

    values: NDArray[np.float64]
    offsets: Offsets

    def __post_init__(self) -> None:
        values = np.ascontiguousarray(self.values, dtype=np.float64)
        if values.ndim != 2:
            raise BadJetError(f"ragged values have shape {values.shape}; expected two dimensions, (n, k)")
        object.__setattr__(self, "values", values)
        object.__setattr__(self, "offsets", checked_offsets(self.offsets, len(values)))

    def __len__(self) -> int:
        return len(self.offsets) - 1

    @overload
    def __getitem__(self, index: int | np.integer[Any]) -> NDArray[np.float64]: ...

    @overload
    def __getitem__(self, index: slice | Sequence[int] | NDArray[Any]) -> Ragged: ...

    def __getitem__(self, index: Any) -> Any:
        """One group's rows `(m, k)` for an integer; fewer groups for a slice, a mask or indices."""
        if isinstance(index, (int, np.integer)):
            return self.values[slice(*self.offsets[locate(index, len(self)) :][:2])]
        rows, offsets = take_rows(self.offsets, np.arange(len(self))[index])
        return Ragged(self.values[rows], offsets)

    @property
    def counts(self) -> Offsets:
        """Rows in each group, shape `(groups,)`."""
        return np.diff(self.offsets)


def real_numbers(values: ArrayLike, what: str) -> NDArray[Any]:
    """The values as an array of integers or real numbers, or a `BadJetError`.

    Example:
        >>> real_numbers([1.0 + 2.0j], "momenta")
        Traceback (most recent call last):
        jetgram.errors.BadJetError: momenta are of type complex128; expected real numbers
    """
    return _of_kinds(values, what, "iuf")


def _of_kinds(values: ArrayLike, what: str, kinds: str) -> NDArray[Any]:
    """The values as an array of a type of these kinds, or a `BadJetError`."""
    try:
        array = np.asarray(values)
    except ValueError as error:  # rows of different lengths
        raise BadJetError(f"{what} make no array of numbers: {error}") from None
    if array.dtype.kind not in kinds and array.size:
        raise BadJetError(f"{what} are of type {array.dtype}; expected real numbers")
    return array


def numbers_or_bools(values: ArrayLike, what: str) -> NDArray[np.float64]:
    """The values as float64, or a `BadJetError` where they are neither real numbers nor true and false.

    Example:
        >>> numbers_or_bools([True, False], "weights")
        array([1., 0.])
        >>> numbers_or_bools(["qcd"], "labels")
        Traceback (most recent call last):
        jetgram.errors.BadJetError: labels are of type <U3; expected real numbers
    """
    return np.asarray(_of_kinds(values, what, "biuf"), dtype=np.float64)


def integers(values: ArrayLike, what: str) -> Offsets:
    """The values as an array of int64, or a `BadJetError` where they are none: fractions are not cut off."""
    array = real_numbers(values, what)
    if array.dtype.kind == "f":
        raise BadJetError(f"{what} are of type {array.dtype}; expected integers")
    return np.ascontiguousarray(array, dtype=np.int64)


def checked_offsets(offsets: ArrayLike, n: int) -> Offsets:
    """The offsets as int64, or a `BadJetError` if they do not cut `n` rows into groups."""
    offsets = integers(offsets, "offsets")
    if offsets.ndim != 1 or not len(offsets) or offsets[0] != 0 or offsets[-1] != n:
        raise BadJetError(
            f"offsets of shape {offsets.shape} run from {offsets[:1]} to {offsets[-1:]}; "
            f"expected one dimension, from 0 to {n}"
        )
    if np.any(np.diff(offsets) < 0):
        where = int(np.argmax(np.diff(offsets) < 0))
        raise BadJetError(f"offsets fall from {offsets[where]} to {offsets[where + 1]} at {where}; they must not fall")
    return offsets


def locate(index: int | np.integer[Any], groups: int) -> int:
    """A group number, counted from the end if negative, as one from the start."""
    if not -groups <= index < groups:
        raise IndexError(f"index {index} is out of range: there are {groups}")
    return int(index) % groups


def numbers(index: ArrayLike | None, groups: int) -> NDArray[np.int64]:
    """The numbers of chosen groups as an array, by default of all; their range is not checked."""
    return np.arange(groups) if index is None else np.ascontiguousarray(index, dtype=np.int64)


def numbers_in_range(
    index: ArrayLike | None, groups: int, what: tuple[str, str] = ("jet", "jets")
) -> NDArray[np.int64]:
    """The same, or an `IndexError` if one of them is out of range; `what` is one group, and several, in words.

    Example:
        >>> numbers_in_range([0, 5], 3)
        Traceback (most recent call last):
        IndexError: jet 5 is not among the 3 jets
    """
    chosen = numbers(index, groups)
    strange = chosen[(chosen < 0) | (chosen >= groups)]
    if len(strange):
        raise IndexError(f"{what[0]} {strange[0]} is not among the {groups} {what[1]}")
    return chosen


def take_rows(offsets: Offsets, chosen: NDArray[np.int64]) -> tuple[NDArray[np.int64], Offsets]:
    """Rows of the chosen groups, in that order, and the offsets they have among themselves."""
    counts = np.diff(offsets)[chosen]
    taken = offsets_of(counts)
    return np.repeat(offsets[chosen] - taken[:-1], counts) + np.arange(taken[-1]), taken


def offsets_of(counts: NDArray[Any]) -> Offsets:
    """Offsets of groups with these numbers of rows."""
    offsets = np.zeros(len(counts) + 1, dtype=np.int64)
    np.cumsum(counts, out=offsets[1:])
    return offsets


def sum_groups(values: NDArray[np.float64], offsets: Offsets) -> NDArray[np.float64]:
    """Sum of the rows of `values` in each group; an empty group sums to zero."""
    sums = np.zeros((len(offsets) - 1, *values.shape[1:]))
    filled = np.flatnonzero(np.diff(offsets))
    if len(filled):
        sums[filled] = np.add.reduceat(values, offsets[:-1][filled], axis=0)
    return sums


def first_largest(values: NDArray[np.float64], offsets: Offsets) -> Offsets:
    """Row of the largest of `values` in each group, the first of equals; every group must hold a row."""
    largest = np.repeat(np.maximum.reduceat(values, offsets[:-1]), np.diff(offsets))
    rows = np.where(values == largest, np.arange(len(values)), len(values))
    found: Offsets = np.minimum.reduceat(rows, offsets[:-1])
    return found


def concatenate_ragged(parts: Sequence[Ragged]) -> Ragged:
    """One collection out of several: the groups of the first, then those of the second, ..."""
    counts = np.concatenate([part.counts for part in parts])
    return Ragged(np.concatenate([part.values for part in parts]), offsets_of(counts))
