"""A dataset at a glance: counts, distributions, what separates its classes, tree depths, provenance."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from jetgram import kinematics
from jetgram.classes import CLASSES, NUMBERED, class_name, in_order, row_classes
from jetgram.collisions.processes import ENERGY
from jetgram.collisions.truth import KEPT, matched_fraction
from jetgram.errors import DatasetError
from jetgram.histograms import Histogram, histogram, log_histogram
from jetgram.momenta import Jets, Momenta
from jetgram.ragged import sum_groups
from jetgram.separation import ULTRASOFT, Separation, separation, ultrasoft_fraction
from jetgram.storage.dataset import Dataset, generation_recipe
from jetgram.trees.topologies import TOPOLOGIES, build_trees

Array = NDArray[np.float64]

SOFT = (ULTRASOFT, 0.1)  # GeV; how many rows hold a particle below

# What is plotted of each kind of row: name -> (label of the axis, function of the rows).
QUANTITIES: Mapping[str, Mapping[str, tuple[str, Callable[[Any], NDArray[Any]]]]] = {
    "jets": {
        "pt": ("pT [GeV]", lambda jets: jets.pt),
        "mass": ("mass [GeV]", lambda jets: jets.mass),
        "multiplicity": ("particles", lambda jets: jets.multiplicity),
        "softest": ("pT of the softest constituent [GeV]", lambda jets: softest(jets)),
    },
    "events": {
        "sum_pt": ("scalar sum of pT [GeV]", lambda events: sum_groups(kinematics.pt(events.momenta), events.offsets)),
        "multiplicity": ("particles", lambda events: events.multiplicity),
        "softest": ("pT of the softest particle [GeV]", lambda events: softest(events)),
    },
}
LOGARITHMIC = ("softest",)
TRUTH = tuple(f"{name}_dr" for name in KEPT)  # distances of a jet to what made it
ULTRASOFT_LABEL = f"fraction of constituents below {ULTRASOFT:g} GeV"


@dataclasses.dataclass(frozen=True)
class Summary:
    """A dataset at a glance.

    Args:
        path: its folder.
        kind: `jets` or `events`.
        rows: rows in all.
        bytes: size of its shards on disk.
        counts: rows of each class in each split, `counts[split][name]`.
        histograms: distributions of the rows.
        depths: of the trees of the first jets, `depths[topology]` with min, q25, median, q75, max and mean; empty for
            events.
        soft: fraction of the rows of each class with a constituent below each pT in `SOFT`, `soft["signal"]["1e-06"]`.
        separation: how well each quantity alone separates signal from background, by its name; of several classes, each
            from the first, by `mass: top vs qcd`. Empty without two classes.
        matched: fraction of the signal jets with their boson closer than `MATCHED` of `jetgram.collisions.truth`;
            None without truth.
        provenance: how it was made.
        digest: SHA-256 of the dataset.
    """

    path: str
    kind: str
    rows: int
    bytes: int
    counts: Mapping[str, Mapping[str, int]]
    histograms: Mapping[str, Histogram]
    depths: Mapping[str, Mapping[str, float]]
    soft: Mapping[str, Mapping[str, float]]
    separation: Mapping[str, Separation]
    matched: float | None
    provenance: Mapping[str, Any]
    digest: str


def inspect(path: Path | str, trees: int = 1000, label: str = "label", classes: Sequence[str] | None = None) -> Summary:
    """Look through a dataset, shard by shard, checking every byte on the way.

    Args:
        path: the dataset's folder.
        trees: how many jets, from the start, to build trees of.
        label: the column of the class.
        classes: their names, in the order of their numbers; by default those that the dataset has for `label`.

    Example:
        >>> import tempfile
        >>> from jetgram.storage.dataset import save
        >>> momenta = [[[30.0, 40.0, 0.0, 50.0], [3.0, 0.0, 4.0, 5.0]], [[60.0, 80.0, 0.0, 100.0]]]
        >>> jets = Jets.from_lists(momenta).with_columns(label=[1, 0])
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     summary = inspect(save(folder, jets, {"source": "by hand"}).path)
        >>> summary.rows, summary.counts["train"], summary.histograms["multiplicity"].mean
        (2, {'background': 1, 'signal': 1}, {'background': 1.0, 'signal': 2.0})
    """
    dataset = Dataset(path)
    if not len(dataset):
        raise DatasetError(f"{path} is empty: it has no {dataset.kind}")
    names = classes or dataset.class_names(label) or CLASSES
    column = _gather(dataset, label, names)
    labels = {name: label for name, (label, _) in QUANTITIES[dataset.kind].items()}
    return Summary(
        path=str(path),
        kind=dataset.kind,
        rows=len(dataset),
        bytes=sum(shard.size for shard in dataset.shards()),
        counts={
            split: {name: int(np.sum((column["split"] == split) & (column["class"] == name))) for name in found}
            for found in [in_order(column["class"].tolist(), names)]
            for split in dataset.splits
        },
        histograms={
            name: (log_histogram if name in LOGARITHMIC else histogram)(label, column[name], column["class"], names)
            for name, label in labels.items()
        },
        depths=tree_depths(_first_jets(dataset, trees)),
        soft=soft_fractions(column["softest"], column["class"], names),
        separation=_separations(column, {**labels, "ultrasoft": ULTRASOFT_LABEL}, names),
        matched=matched_fraction(column["truth_dr"][column["class"] == class_name(1, names)]),
        provenance=dataset.provenance,
        digest=dataset.digest,
    )


def _gather(dataset: Dataset, label: str, names: Sequence[str]) -> dict[str, NDArray[Any]]:
    """A few numbers of every row: split, class, distance to the boson, and the quantities of its kind."""
    quantities = QUANTITIES[dataset.kind]
    parts: dict[str, list[NDArray[Any]]] = {
        name: [] for name in ("split", "class", "truth_dr", "ultrasoft", *quantities)
    }
    for split in dataset.splits:
        for rows in dataset.stream(split):
            parts["split"].append(np.full(len(rows), split))
            parts["class"].append(row_classes(rows, label, names))
            parts["truth_dr"].append(_truth_distance(rows))
            parts["ultrasoft"].append(ultrasoft_fraction(rows))
            for name, (_, function) in quantities.items():
                parts[name].append(function(rows))
    return {name: np.concatenate(values) for name, values in parts.items()}


def _truth_distance(rows: Momenta) -> Array:
    """The distance of each jet to its boson, top or parton, whichever the dataset has; NaN where it has none."""
    known = (rows.columns[name] for name in TRUTH if name in rows.columns)
    return next(known, np.full(len(rows), np.nan))


def _separations(
    column: Mapping[str, NDArray[Any]], labels: Mapping[str, str], names: Sequence[str]
) -> dict[str, Separation]:
    """The separating power of each quantity, for each class against the background; unknown ones are left out."""
    background, present = class_name(0, names), in_order(column["class"].tolist(), names)
    signals = [name for name in present if name != background and (name in names or name.startswith(NUMBERED))]
    found = {}
    for signal in signals if background in present else ():
        chosen = np.isin(column["class"], (background, signal))
        pair = f": {signal} vs {background}" if len(signals) > 1 else ""
        for name, label in labels.items():
            values, is_signal = column[name][chosen], column["class"][chosen] == signal
            found[f"{name}{pair}"] = separation(name, f"{label}{pair}", values, is_signal, (background, signal))
    return found


def _first_jets(dataset: Dataset, count: int) -> Jets | None:
    """The first `count` jets, or None if there are none."""
    rows = dataset.first(count, columns=()) if count > 0 else None
    return rows if isinstance(rows, Jets) and len(rows) else None


def softest(rows: Momenta) -> Array:
    """The smallest pT of each row's constituents, in GeV; infinite where there are none.

    A generator may write photons of any energy. Where it does so for one class only, a network on logarithms of the
    momenta tells the classes apart by them.
    """
    found = np.full(len(rows), np.inf)
    filled = np.flatnonzero(rows.multiplicity)
    if len(filled):
        found[filled] = np.minimum.reduceat(kinematics.pt(rows.momenta), rows.offsets[:-1][filled])
    return found


def soft_fractions(
    values: Array, classes: NDArray[np.str_], names: Sequence[str] = CLASSES
) -> dict[str, dict[str, float]]:
    """The fraction of each class's rows whose softest constituent is below each pT in `SOFT`."""
    return {
        name: {f"{cut:g}": float(np.mean(values[classes == name] < cut)) for cut in SOFT}
        for name in in_order(classes.tolist(), names)
    }


def tree_depths(jets: Jets | None) -> dict[str, dict[str, float]]:
    """Least, greatest, mean and quartiles of the depths of the jets' trees, for each topology."""
    if jets is None:
        return {}
    depths = {topology: build_trees(jets, topology).depth for topology in TOPOLOGIES}
    names = ("min", "q25", "median", "q75", "max")
    return {
        topology: {**dict(zip(names, np.quantile(depth, [0, 0.25, 0.5, 0.75, 1]).tolist(), strict=True))}
        | {"mean": float(depth.mean())}
        for topology, depth in depths.items()
    }


def sample_title(provenance: Mapping[str, Any], path: str, level: bool = True) -> str:
    """Sample, energy and detector level of a generated dataset; the folder of any other.

    Example:
        >>> sample_title({"recipe": {"sample": {"name": "w-vs-qcd"}, "level": "towers"}}, "jets")
        'w-vs-qcd at 13 TeV, towers'
        >>> sample_title({}, "mine")
        'mine'
    """
    recipe = generation_recipe(provenance)
    if "name" not in recipe.get("sample", {}):
        return path
    energy = recipe["sample"].get("energy", ENERGY)  # GeV
    sample = f"{recipe['sample']['name']} at {energy / 1000:g} TeV"
    if "shower" in recipe:
        sample += f", {recipe['shower'].capitalize()}"
    if "alpha_s" in recipe:
        sample += f", αs = {recipe['alpha_s']:g}"
    return f"{sample}, {recipe['level']}" if level and "level" in recipe else sample
