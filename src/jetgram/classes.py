"""The classes of jets in words: a column has their numbers, a dataset may have their names."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import SupportsInt

import numpy as np
from numpy.typing import NDArray

from jetgram.momenta import Momenta

CLASSES = ("background", "signal")  # where a dataset has no names
NO_LABEL = -1  # of a row whose class is not known
UNKNOWN, NUMBERED = "unknown", "class "


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
    if 0 <= label < len(names):
        return names[label]
    return UNKNOWN if label == NO_LABEL else f"{NUMBERED}{label}"


def class_names(rows: Momenta, column: str = "label", names: Sequence[str] = CLASSES) -> NDArray[np.str_]:
    """The class of each row in words; `all` without a column of classes.

    Args:
        rows: jets or events.
        column: the numbers of their classes.
        names: of the classes, in the order of their numbers.
    """
    if column not in rows.columns:
        return np.full(len(rows), "all")
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
