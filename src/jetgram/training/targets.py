"""What models learn: columns of a dataset, or numbers computed from its jets or events."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from jetgram import kinematics
from jetgram.errors import DatasetError, SettingsError, TrainingError
from jetgram.jets.subjets import trim
from jetgram.jets.substructure import soft_drop_mass
from jetgram.models.recipes import TrainingSettings
from jetgram.models.settings import ModelSettings
from jetgram.momenta import Events, Jets, Momenta
from jetgram.networks.classification import MOST_CLASSES
from jetgram.networks.heads import HeadSettings, Label
from jetgram.ragged import numbers_or_bools
from jetgram.storage.dataset import Dataset

Array = NDArray[np.float64]


class Target(NamedTuple):
    """A number that is computed from jets (or from events), and the columns this takes."""

    compute: Callable[[Any], Array]
    columns: tuple[str, ...] = ()
    rows: type[Momenta] = Jets


def _boson_mass(events: Events, pdgid: int) -> Array:
    """The mass of the boson with this PDG id (or minus it) in each event; not a number where there is none."""
    bosons = events.ragged["bosons"]
    found = np.flatnonzero(np.abs(bosons.values[:, 4]) == pdgid)
    event = np.repeat(np.arange(len(events)), bosons.counts)[found]
    masses = np.full(len(events), np.nan)
    masses[event] = kinematics.mass(bosons.values[found, :4])
    return masses


TARGETS = {
    "jet_mass": Target(lambda jets: jets.mass),
    "jet_pt": Target(lambda jets: jets.pt),
    "trimmed_mass": Target(lambda jets: trim(jets).mass),
    "soft_drop_mass": Target(soft_drop_mass),
    "boson_pt": Target(lambda jets: kinematics.pt(jets.columns["boson"]), ("boson",)),
    "visible_mass": Target(lambda events: kinematics.mass(events.total), rows=Events),
    "wprime_mass": Target(lambda events: _boson_mass(events, 34), ("bosons",), rows=Events),
}


def compute_targets(jets: Momenta, names: Sequence[str]) -> Array:
    """The targets of these names, `(jets, names)`; not a number where a jet has none, e.g. no boson.

    Args:
        jets: as they were found; or events.
        names: columns with one number per jet; else names in `TARGETS`.

    Example:
        >>> jets = Jets(np.array([[3.0, 4.0, 0.0, 5.0]]), np.array([0, 1]), {"label": np.array([1])})
        >>> compute_targets(jets, ["label", "jet_pt"])
        array([[1., 5.]])
    """
    return np.stack([_target(jets, name) for name in names], axis=1)


def dataset_classes(dataset: Dataset, split: str, column: str = "label") -> tuple[Label, ...] | None:
    """The classes of the jets of a dataset, the background first; None for 0 and 1, and where there are none.

    Args:
        dataset: its provenance names the classes of `label`, or its column counts them.
        split: the split to train with.
        column: with the class.
    """
    names = dataset.class_names(column)
    if names or dataset.sample:  # what was generated is signal and background
        return names or None
    try:
        numbers = np.unique(dataset.column(column, split))
    except DatasetError:
        return None
    several = 2 < len(numbers) <= MOST_CLASSES and np.array_equal(numbers, np.arange(len(numbers)))
    return tuple(range(len(numbers))) if several else None


def require_same_classes(dataset: Dataset, head: HeadSettings) -> None:
    """Raise a `TrainingError` if a dataset has a class of a model under another number; other names are new names."""
    names = dataset.class_names(head.label_column)
    both = [name for name in names if head.has_names and name in head.labels]
    if any(head.labels.index(name) != names.index(name) for name in both):
        found, wanted = ", ".join(names), ", ".join(map(str, head.labels))
        raise TrainingError(
            f"{dataset.path} has the classes {found}; this model learns {wanted}, in this order: "
            "convert --classes gives another order"
        )


def require_classifier(training: TrainingSettings, settings: ModelSettings) -> None:
    """Raise if classes are weighted, and there are none."""
    if training.class_weight is not None and not settings.head.labels:
        raise SettingsError("class_weight is given, but numbers are learned, not classes; leave it out")


def require_class(dataset: Dataset, split: str, column: str) -> None:
    """Raise a `DatasetError` unless the rows of a split have a class; an empty split is another error's."""
    found = dataset.first(1, split).columns if dataset.splits.get(split) else {column: 0}
    if column not in found and column not in TARGETS:
        raise DatasetError(
            f"{dataset.path} has no column {column!r} with the class of each {dataset.kind[:-1]}; it has: "
            f"{', '.join(found) or 'none'}; name the column of the class: targets=NAME"
        )


def needed_columns(names: Sequence[str], dataset: Dataset, split: str) -> set[str]:
    """The columns of a dataset that these targets take: a column goes before what can be computed."""
    computed = {name for name in names if name in TARGETS}
    computed -= dataset.row(0, split).columns.keys() if computed else set()
    return {column for name in names for column in (TARGETS[name].columns if name in computed else (name,))}


def number_column(jets: Momenta, name: str) -> Array:
    """A column with one number per jet (or event)."""
    if name not in jets.columns or jets.columns[name].ndim != 1:
        scalars = [other for other, values in jets.columns.items() if values.ndim == 1]
        what = type(jets).__name__.lower()
        found = f"these {what} have no column {name!r} with one number per {what.removesuffix('s')}"
        raise DatasetError(f"{found}; they have: {', '.join(scalars)}")
    return numbers_or_bools(jets.columns[name], f"values of column {name!r}")


def _target(jets: Momenta, name: str) -> Array:
    target = None if name in jets.columns else TARGETS.get(name)
    if target is None:
        return number_column(jets, name)
    if not isinstance(jets, target.rows):
        wanted, found = target.rows.__name__.lower(), type(jets).__name__.lower()
        raise DatasetError(f"the target {name} is one of {wanted}; these are {found}")
    return target.compute(jets)
