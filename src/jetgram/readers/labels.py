"""Classes: one integer per row, whatever a file has, and the names that the integers stand for."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from jetgram.boundary import UNREADABLE, parsing, parsing_each
from jetgram.classes import first_fraction
from jetgram.columns import one_per_row
from jetgram.errors import DatasetError, SettingsError
from jetgram.readers.options import ReadOptions
from jetgram.readers.source import OtherOptionsError, Source

Codes = NDArray[np.int32]
LARGEST = 2**31 - 1  # class
MOST = 1000  # names; a column with more of them is no class


def ordered_classes(given: tuple[str, ...], sources: Iterable[Source], options: ReadOptions) -> tuple[str, ...] | None:
    """The names of the classes, in the order that the options ask for; None where they are integers, or none.

    Args:
        given: names that the user gave to files; empty if the files tell.
        sources: the files, each of which is looked at before the next is taken.
        options: how they are read.
    """
    found = given or find_classes(sources)
    if found is None and options.classes:
        raise SettingsError(
            f"found no names of classes to put {', '.join(options.classes)} first: they are integers, or there are "
            "none. Leave out classes, or name the class of each file: NAME=FILE"
        )
    return found and options.in_order(found)


def find_classes(sources: Iterable[Source]) -> tuple[str, ...] | None:
    """The names of the classes of several files; None where they are integers, or where there are none.

    Names of columns keep the order they have in the file; names in a column are sorted.

    Args:
        sources: files, each of which is looked at before the next is taken.
    """
    first: Path | None = None
    columns: tuple[str, ...] | None = None
    found: set[str] = set()
    for source in sources:
        if not source.rows:
            continue
        theirs, names = source.classes(), _names(source)
        if first is None:
            first, columns = source.path, theirs
        elif theirs != columns and sorted(theirs or ()) == sorted(columns or ()):
            raise DatasetError(
                f"{first} has the classes {_listed(columns)}, {source.path} has {_listed(theirs)}; "
                f"give one order for all files: classes={','.join(columns or ())}"
            )
        elif theirs != columns:
            raise DatasetError(
                f"{first} has the classes {_listed(columns)}, {source.path} has {_listed(theirs)}; "
                "expected the same classes in all files"
            )
        if source.path != first and (names is None) != (not found):
            raise DatasetError(
                f"one of {first} and {source.path} has names of classes, the other has not; expected the same in all"
            )
        found |= names or set()
    return columns or (tuple(sorted(found - {""})) or None)


def _names(source: Source) -> set[str] | None:
    """The different names of classes in a file; None if its classes are no names."""
    with parsing(source.path, what=UNREADABLE):
        names = source.label_names()
    if names is None:
        return None
    found: set[str] = set()
    for some in parsing_each(names, source.path):
        found |= set(np.unique(some).tolist())
        if len(found) > MOST:
            raise DatasetError(f"{source.path} has more than {MOST} different names of classes; is it another column?")
    return found


def _listed(classes: tuple[str, ...] | None) -> str:
    return ", ".join(classes) if classes else "none in its columns' names"


def class_codes(
    label: NDArray[Any], classes: Sequence[str] | None, name: Callable[[int], str] = str
) -> tuple[Codes, NDArray[np.bool_]]:
    """The class of each row as an integer `(rows,)`, and whether it has one.

    Args:
        label: integers, numbers that are integers, or names `(rows,)`; or one column per class `(rows, classes)`.
        classes: their names; the integer is the place in this list.
        name: the name of a row in an error.

    Example:
        >>> class_codes(np.array(["top", "qcd", ""]), ("qcd", "top"))
        (array([1, 0, 0], dtype=int32), array([ True,  True, False]))
        >>> class_codes(np.array([[0, 1], [1, 0], [0, 0]]), ("qcd", "top"))
        (array([1, 0, 0], dtype=int32), array([ True,  True, False]))
    """
    label = one_per_row(label, "label")
    if label.ndim == 2:
        hot = label == 1
        known = hot.any(axis=1) & (np.count_nonzero(label, axis=1) == 1)
        return np.argmax(hot, axis=1).astype(np.int32), known
    if label.dtype.kind in "US":
        code = {name: number for number, name in enumerate(classes or ())}
        unique, back = np.unique(label.astype(str), return_inverse=True)
        codes = np.array([code.get(each, -1) for each in unique.tolist()], dtype=np.int32)[back]
        return np.maximum(codes, 0), codes >= 0
    if label.dtype.kind == "f":
        known = np.isfinite(label)
        row = first_fraction(label)
        if row is not None:
            raise OtherOptionsError(
                f"{name(row)}: the label is {label[row]}; expected an integer, a name, or one column per class. "
                "A number to be learned is a column: leave out the label, and train with targets"
            )
        _require_small(label, known, name)
        return np.where(known, label, 0).astype(np.int32), known
    _require_small(label, np.ones(len(label), dtype=np.bool_), name)
    return label.astype(np.int32), np.ones(len(label), dtype=np.bool_)


def _require_small(label: NDArray[Any], known: NDArray[np.bool_], name: Callable[[int], str]) -> None:
    """Raise a `DatasetError` for a number that is too large for a class: stored as one, it would be another."""
    large = known & (np.abs(label.astype(np.float64)) > LARGEST)
    if large.any():
        row = int(np.argmax(large))
        raise OtherOptionsError(
            f"{name(row)}: the label is {label[row]}; expected a class, 0, 1, ...: is it another column?"
        )
