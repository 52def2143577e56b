"""The classes of jets in words: a column has their numbers, a dataset may have their names."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, SupportsInt

import numpy as np
from numpy.typing import NDArray

from jetgram.errors import BadJetError
from jetgram.momenta import Momenta

CLASSES = ("background", "signal")  # where a dataset has no names
NO_LABEL = -1  # of a row whose class is not known
UNKNOWN, NUMBERED = "unknown", "class "
EXPECTED = (
    "expected the number of a class, 0, 1, ... A number to be learned is a column of another name: train with targets"
)


def first_fraction(numbers: NDArray[Any]) -> int | None:
    """Where the first number is that is finite but not whole, and so is no class; None if there is none.

    Example:
        >>> first_fraction(np.array([0.0, 1.0, np.nan, 0.5])), first_fraction(np.array([0.0, -1.0]))
        (3, None)
    """
    if numbers.dtype.kind != "f":
        return None
    fraction = np.isfinite(numbers) & (numbers != np.rint(numbers))
    return int(np.argmax(fraction)) if fraction.any() else None


def require_whole(numbers: NDArray[Any], column: str = "label", what: str = "row") -> None:
    """Raise a `BadJetError` that names the first number that is no class because it is not whole.

    Args:
        numbers: of the classes, one per row.
        column: that they are of.
        what: a row is called in the message.

    Example:
        >>> require_whole(np.array([1.0, 0.5]), what="train: jet")
        Traceback (most recent call last):
        jetgram.errors.BadJetError: train: jet 1: the label is 0.5; expected the number of a class, 0, 1, ... A number
            to be learned is a column of another name: train with targets
    """
    row = first_fraction(numbers)
    if row is not None:
        raise BadJetError(f"{what} {row}: the {column} is {numbers[row]}; {EXPECTED}")


def class_name(number: SupportsInt, names: Sequence[str] = CLASSES) -> str:
    """A class in words.

    Args:
        number: of the class.
        names: of the classes, in the order of their numbers.

    Example:
        >>> class_name(0), class_name(1), class_name(2), class_name(-1)
        ('background', 'signal', 'class 2', 'unknown')
        >>> class_name(2, ["QCD", "Hbb", "Hcc"])
        'Hcc'
    """
    label = int(number)
    if label != number:
        raise BadJetError(f"the label is {number}; {EXPECTED}")
    if 0 <= label < len(names):
        return names[label]
    return UNKNOWN if label == NO_LABEL else f"{NUMBERED}{label}"


def row_classes(rows: Momenta, column: str = "label", names: Sequence[str] = CLASSES) -> NDArray[np.str_]:
    """The class of each row in words; `all` without a column of classes.

    Args:
        rows: jets or events.
        column: the numbers of their classes.
        names: of the classes, in the order of their numbers.
    """
    if column not in rows.columns:
        return np.full(len(rows), "all")
    require_whole(rows.columns[column], column, type(rows).__name__.lower().removesuffix("s"))
    return np.array([class_name(label, names) for label in rows.columns[column]], dtype=str)


def in_order(found: Iterable[str], names: Sequence[str] = CLASSES) -> list[str]:
    """Classes in words, each once, in the order of their numbers.

    Example:
        >>> in_order(["unknown", "class 10", "signal", "class 9", "background", "signal"])
        ['background', 'signal', 'class 9', 'class 10', 'unknown']
    """

    def place(name: str) -> tuple[int, int]:
        if name in names:
            return 0, names.index(name)
        return (1, int(name.removeprefix(NUMBERED))) if name.startswith(NUMBERED) else (2, 0)

    return sorted(set(found), key=place)
