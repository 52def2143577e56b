"""What models learn: columns of a dataset, or numbers computed from its jets."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from jetgram import kinematics
from jetgram.errors import DatasetError
from jetgram.jets.subjets import trim
from jetgram.jets.substructure import soft_drop_mass
from jetgram.momenta import Jets

Array = NDArray[np.float64]


class Target(NamedTuple):
    """A number that is computed from jets, and the columns this takes."""

    compute: Callable[[Jets], Array]
    columns: tuple[str, ...] = ()


TARGETS = {
    "jet_mass": Target(lambda jets: jets.mass),
    "jet_pt": Target(lambda jets: jets.pt),
    "trimmed_mass": Target(lambda jets: trim(jets).mass),
    "soft_drop_mass": Target(soft_drop_mass),
    "boson_pt": Target(lambda jets: kinematics.pt(jets.columns["boson"]), ("boson",)),
}


def compute_targets(jets: Jets, names: Sequence[str]) -> Array:
    """The targets of these names, `(jets, names)`; not a number where a jet has none, e.g. no boson.

    Args:
        jets: as they were found.
        names: names in `TARGETS`, or columns with one number a jet.

    Example:
        >>> jets = Jets(np.array([[3.0, 4.0, 0.0, 5.0]]), np.array([0, 1]), {"label": np.array([1])})
        >>> compute_targets(jets, ["label", "jet_pt"])
        array([[1., 5.]])
    """
    return np.stack([_target(jets, name) for name in names], axis=1)


def needed_columns(names: Sequence[str]) -> set[str]:
    """The columns that these targets take."""
    return {column for name in names for column in (TARGETS[name].columns if name in TARGETS else (name,))}


def number_column(jets: Jets, name: str) -> Array:
    """A column with one number a jet."""
    if name not in jets.columns or jets.columns[name].ndim != 1:
        scalars = [other for other, values in jets.columns.items() if values.ndim == 1]
        raise DatasetError(f"these jets have no column {name!r} with one number a jet; they have: {', '.join(scalars)}")
    return np.asarray(jets.columns[name], dtype=np.float64)


def _target(jets: Jets, name: str) -> Array:
    return TARGETS[name].compute(jets) if name in TARGETS else number_column(jets, name)
