"""What is in a dataset: counts, distributions, tree depths, provenance. `jetgram inspect` prints it."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from jetgram import kinematics
from jetgram.momenta import Jets, Momenta
from jetgram.ragged import sum_groups
from jetgram.storage.dataset import Dataset
from jetgram.trees.topologies import TOPOLOGIES, build_trees

Array = NDArray[np.float64]

BINS = 28
MATCHED = 1.0  # a signal jet with its boson nearer than this, the jet radius, counts as matched
CLASSES = {0: "background", 1: "signal"}

# What is plotted of each kind of row: name -> (label of the axis, function of the rows).
QUANTITIES: Mapping[str, Mapping[str, tuple[str, Callable[[Any], NDArray[Any]]]]] = {
    "jets": {
        "pt": ("pT [GeV]", lambda jets: jets.pt),
        "mass": ("mass [GeV]", lambda jets: jets.mass),
        "multiplicity": ("particles", lambda jets: jets.multiplicity),
    },
    "events": {
        "sum_pt": ("scalar sum of pT [GeV]", lambda events: sum_groups(kinematics.pt(events.momenta), events.offsets)),
        "multiplicity": ("particles", lambda events: events.multiplicity),
    },
}


@dataclasses.dataclass(frozen=True)
class Histogram:
    """One quantity, class by class, in common bins.

    Args:
        label: name and unit.
        edges: of the bins, `(bins + 1,)`; at most `BINS` of them, or a few.
        counts: rows in each bin, `(bins,)`, for each class; rows beyond the edges are in the outermost bins.
        mean: for each class.
    """

    label: str
    edges: Array
    counts: Mapping[str, NDArray[np.int64]]
    mean: Mapping[str, float]


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
        matched: share of the signal jets with their boson closer than `MATCHED`; None without truth.
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
    matched: float | None
    provenance: Mapping[str, Any]
    digest: str


def inspect(path: Path | str, trees: int = 1000) -> Summary:
    """Look through a dataset, shard by shard, checking every byte on the way.

    Args:
        path: the dataset's folder.
        trees: how many jets, from the start, to build trees of.
    """
    dataset = Dataset(path)
    column = _gather(dataset)
    labels = {name: label for name, (label, _) in QUANTITIES[dataset.kind].items()}
    return Summary(
        path=str(path),
        kind=dataset.kind,
        rows=len(dataset),
        bytes=sum(shard.size for shard in dataset.shards()),
        counts={
            split: {name: int(np.sum((column["split"] == split) & (column["class"] == name))) for name in names}
            for names in [sorted(set(column["class"]))]
            for split in dataset.splits
        },
        histograms={name: histogram(label, column[name], column["class"]) for name, label in labels.items()},
        depths=tree_depths(_first_jets(dataset, trees)),
        matched=_matched(column["boson_dr"]),
        provenance=dataset.provenance,
        digest=dataset.digest,
    )


def _gather(dataset: Dataset) -> dict[str, NDArray[Any]]:
    """A few numbers of every row: split, class, distance to the boson, and the quantities of its kind."""
    quantities = QUANTITIES[dataset.kind]
    parts: dict[str, list[NDArray[Any]]] = {name: [] for name in ("split", "class", "boson_dr", *quantities)}
    for split in dataset.splits:
        for rows in dataset.stream(split):
            parts["split"].append(np.full(len(rows), split))
            parts["class"].append(class_names(rows))
            parts["boson_dr"].append(rows.columns.get("boson_dr", np.full(len(rows), np.nan)))
            for name, (_, function) in quantities.items():
                parts[name].append(function(rows))
    return {name: np.concatenate(values) for name, values in parts.items()}


def _first_jets(dataset: Dataset, count: int) -> Jets | None:
    """The first `count` jets, or None if there are none."""
    rows = dataset.first(count, columns=()) if count > 0 else None
    return rows if isinstance(rows, Jets) and len(rows) else None


def class_names(rows: Momenta) -> NDArray[np.str_]:
    """The class of each row in words, from the column `label`; `all` without labels."""
    if "label" not in rows.columns:
        return np.full(len(rows), "all")
    return np.array([CLASSES.get(int(label), f"class {label}") for label in rows.columns["label"]], dtype=str)


def histogram(label: str, values: NDArray[Any], classes: NDArray[np.str_]) -> Histogram:
    """The distribution of each class between the 0.5 and 99.5 % quantiles of all; whole numbers in whole bins."""
    low, high = np.quantile(values, [0.005, 0.995])
    if np.issubdtype(values.dtype, np.integer):
        width = int(np.ceil((high - low + 1) / BINS))
        edges = np.arange(np.floor(low), np.ceil(high) + width + 1, width) - 0.5
    else:
        edges = np.linspace(low, high if high > low else low + 1.0, BINS + 1)
    clipped = np.clip(values, edges[0], edges[-1])
    names = sorted(set(classes))
    return Histogram(
        label,
        edges,
        {name: np.histogram(clipped[classes == name], edges)[0] for name in names},
        {name: float(values[classes == name].mean()) for name in names},
    )


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


def _matched(boson_dr: Array) -> float | None:
    known = boson_dr[np.isfinite(boson_dr)]
    return float(np.mean(known < MATCHED)) if len(known) else None
