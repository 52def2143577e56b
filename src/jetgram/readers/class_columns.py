"""Which columns tell the class: one with integers or names, or one per class, such as `label_QCD`, `label_Hbb`."""

from __future__ import annotations

import fnmatch
from collections.abc import Collection, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from jetgram.columns import Column, one_per_row, require_columns
from jetgram.errors import SettingsError
from jetgram.readers.options import ReadOptions

USUAL = ("label", "label_*")  # in any layout
LEAVE = "label '' reads it as another column"


def class_columns(columns: Mapping[str, Any], options: ReadOptions, own: str | None = None) -> tuple[str, ...]:
    """The columns that tell the class: those that the user names, or else the first of those of a usual name.

    Columns of one class each are in the order that the options ask for.

    Args:
        columns: all columns of a file, with their shapes where these are known.
        options: how it is read; the label "" is for none.
        own: the usual name, or pattern, in the layout of the file.

    Example:
        >>> class_columns({"label_a": ..., "label_b": ..., "pt": ...}, ReadOptions(classes=("b",)))
        ('label_b', 'label_a')
        >>> class_columns({"label": ..., "label_run": ..., "label_event": ...}, ReadOptions())
        ('label',)
    """
    if options.label == "":
        return ()
    if options.label is not None:
        found = tuple(_matching(columns, options.label))
        require_columns(columns, [] if found else [options.label])
    else:
        found = _usual(columns, own, options.weight)
    if options.weight in found:
        raise SettingsError(f"{options.weight!r} cannot be both the class and the weight")
    names = columns_by_class(found)
    return tuple(names[name] for name in options.in_order(tuple(names))) if names else found


def columns_by_class(columns: Sequence[str]) -> dict[str, str]:
    """From classes to their columns, which have more in their names; empty for a single column.

    Example:
        >>> columns_by_class(["label_QCD", "label_Hbb"]), columns_by_class(["label"])
        ({'QCD': 'label_QCD', 'Hbb': 'label_Hbb'}, {})
    """
    if len(columns) < 2:
        return {}
    start = common_start(columns)
    return {name.removeprefix(start): name for name in columns}


def stacked(table: Mapping[str, Column], columns: Sequence[str]) -> NDArray[Any] | None:
    """The classes of some rows: `(rows,)` of a single column, else `(rows, classes)`; None if no column tells them."""
    try:
        found = [one_per_row(table[name], name) for name in columns]
    except SettingsError as error:
        raise SettingsError(f"{error}; {LEAVE}") from None
    if len(found) < 2:
        return found[0] if found else None
    for name, values in zip(columns, found, strict=True):
        if values.ndim > 1 or values.dtype.kind not in "biuf":
            what = f"shape {values.shape} and type {values.dtype}"
            raise SettingsError(
                f"{name} has {what}; expected 0 or 1 in each row, as a column of one class has; {LEAVE}"
            )
    return np.stack(found, axis=1)


def common_start(names: Sequence[str]) -> str:
    """What all names begin with, up to its last underscore or dot.

    Example:
        >>> common_start(["part_px", "part_py", "part_pz"]), common_start(["label_QCD", "label_Hbb"])
        ('part_', 'label_')
    """
    first, last = min(names), max(names)
    length = next((i for i, (a, b) in enumerate(zip(first, last, strict=False)) if a != b), min(len(first), len(last)))
    common = first[:length]
    return common[: max(common.rfind("_"), common.rfind(".")) + 1]


def _usual(columns: Mapping[str, Any], own: str | None, weight: str | None) -> tuple[str, ...]:
    """The columns of the first usual name that is there."""
    found = {wish: _meant(columns, wish, own, weight) for wish in (*filter(None, [own]), *USUAL)}
    sure = (names for wish, names in found.items() if len(names) > 1 or "*" not in wish)  # one is no set of classes
    return next(filter(None, sure), found[own] if own else ())


def _meant(columns: Mapping[str, Any], wish: str, own: str | None, weight: str | None) -> tuple[str, ...]:
    """The columns of a usual name; a pattern means neither the weight nor, unless the layout says so, lists."""
    found = _matching(columns, wish)
    if "*" in wish:
        found = [name for name in found if name != weight and (wish == own or columns[name] != "list")]
    return tuple(found)


def _matching(columns: Collection[str], wish: str) -> list[str]:
    return fnmatch.filter(columns, wish) if "*" in wish else [wish] * (wish in columns)
