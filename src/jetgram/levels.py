"""Two detector levels of the same collisions, compared jet by jet.

Datasets that `jetgram generate` makes for several levels in one pass number their collisions: rows with the same number
in the column `event` are the leading jets of one collision, as each level sees it. Shards of the same name hold the
same collisions, so that memory holds one shard of each dataset, and a few numbers per jet.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from jetgram import kinematics
from jetgram.classes import in_order, row_classes
from jetgram.errors import DatasetError
from jetgram.histograms import Histogram, histogram, log_histogram
from jetgram.momenta import Momenta
from jetgram.storage.dataset import Dataset
from jetgram.storage.manifest import Shard

Array = NDArray[np.float64]

SAME = 0.5  # two jets nearer than this are the same jet: half the radius, far from both peaks of the distance
EVENT = "event"


@dataclasses.dataclass(frozen=True)
class Response:
    r"""How the jets of one class look at the second level, next to the first; over the same jets.

    Args:
        jets: collisions with a jet at both levels.
        same: fraction of them whose two jets are nearer than $\Delta R$ = `SAME`.
        pt: median of $p_T^\mathrm{second} / p_T^\mathrm{first}$.
        pt_resolution: half the distance of its quantiles at 16 % and 84 %.
        mass: median of $m^\mathrm{second} / m^\mathrm{first}$, of jets that have a mass.
        mass_resolution: likewise.
    """

    jets: int
    same: float
    pt: float
    pt_resolution: float
    mass: float
    mass_resolution: float


@dataclasses.dataclass(frozen=True)
class LevelComparison:
    """Two levels of the same collisions.

    Args:
        paths: of the datasets.
        levels: their names.
        provenance: of the first dataset.
        matched: collisions with a jet at both levels.
        alone: rows of each dataset whose collision has none in the other.
        within: jets nearer than this count as the same.
        classes: the response of each class.
        histograms: `pt` and `mass`, the responses of the same jets, and `delta_r`, the distance of all pairs of jets.
    """

    paths: tuple[str, str]
    levels: tuple[str, str]
    provenance: Mapping[str, Any]
    matched: int
    alone: tuple[int, int]
    within: float
    classes: Mapping[str, Response]
    histograms: Mapping[str, Histogram]


def compare_levels(first: Path | str, second: Path | str, within: float = SAME) -> LevelComparison:
    """Compare the jets of two datasets of the same collisions; every byte of both is checked on the way.

    Args:
        first: the dataset's folder that is the reference, e.g. of particles.
        second: the other one, e.g. of towers.
        within: jets nearer than this are the same jet.
    """
    datasets = Dataset(first), Dataset(second)
    require_same_collisions(*datasets)
    parts = [_pairs(*rows) for rows in _shards(*datasets)]
    column = {name: np.concatenate([part[name] for part in parts]) for name in parts[0]}
    if not len(column["class"]):
        raise DatasetError(f"no collision has a jet in both {first} and {second}")
    levels = tuple(_level(dataset) for dataset in datasets)
    return LevelComparison(
        paths=(str(first), str(second)),
        levels=(levels[0], levels[1]),
        provenance=datasets[0].provenance,
        matched=len(column["class"]),
        alone=(len(datasets[0]) - len(column["class"]), len(datasets[1]) - len(column["class"])),
        within=within,
        classes={
            name: _response({key: values[column["class"] == name] for key, values in column.items()}, within)
            for name in in_order(column["class"].tolist())
        },
        histograms=_histograms(column, (levels[0], levels[1]), within),
    )


def require_same_collisions(first: Dataset, second: Dataset) -> None:
    """Raise a `DatasetError` unless two datasets hold jets of the same collisions, shard by shard."""
    how = "`jetgram generate SAMPLE --level particles,towers --out OUT` makes datasets that do"
    for dataset in (first, second):
        if dataset.kind != "jets":
            raise DatasetError(
                f"{dataset.path} holds {dataset.kind}; levels are compared jet by jet, take datasets of jets"
            )
    recipes = [_flat(dataset.recipe) for dataset in (first, second)]
    for name in {**recipes[0], **recipes[1]}:
        found = [recipe.get(name) for recipe in recipes]
        if name != "level" and found[0] != found[1]:
            raise DatasetError(
                f"{first.path} and {second.path} are not made of the same collisions: their {name} is {found[0]} and "
                f"{found[1]}; {how}"
            )
    names = [{shard.file for shard in dataset.shards()} for dataset in (first, second)]
    if names[0] != names[1]:
        missing = sorted(names[0] ^ names[1])[0]
        raise DatasetError(
            f"{first.path} and {second.path} are not cut into the same shards: only one has {missing}; {how}"
        )


def _flat(values: Mapping[str, Any], prefix: str = "") -> dict[str, Any]:
    """Nested settings by dotted names."""
    found: dict[str, Any] = {}
    for name, value in values.items():
        found |= _flat(value, f"{prefix}{name}.") if isinstance(value, Mapping) else {prefix + name: value}
    return found


def _level(dataset: Dataset) -> str:
    """The name of a dataset's level; where it was not generated, that of its folder."""
    return dataset.level or dataset.path.resolve().name


def _shards(first: Dataset, second: Dataset) -> Iterator[tuple[Momenta, Momenta]]:
    """The rows of the same collisions, shard by shard, in the same order."""
    others = {shard.file: shard for shard in second.shards()}
    for shard in first.shards():
        ours, theirs = _read(first, shard), _read(second, others[shard.file])
        _, here, there = np.intersect1d(ours.columns[EVENT], theirs.columns[EVENT], True, return_indices=True)
        yield ours[here], theirs[there]


def _read(dataset: Dataset, shard: Shard) -> Momenta:
    rows = dataset.read_shard(shard)
    file = dataset.path / shard.file
    if EVENT not in rows.columns:
        raise DatasetError(
            f"{file} has no column {EVENT!r}, which numbers the collisions; levels are compared through it, and "
            "`jetgram generate` writes it"
        )
    numbers, counts = np.unique(rows.columns[EVENT], return_counts=True)
    if len(numbers) and counts.max() > 1:
        twice = int(np.argmax(counts))
        raise DatasetError(f"{file} has {counts[twice]} jets of event {numbers[twice]}; expected one of each collision")
    return rows


def _pairs(first: Momenta, second: Momenta) -> dict[str, NDArray[Any]]:
    """Class, responses and distance of pairs of jets."""
    ours, theirs = first.total, second.total
    with np.errstate(divide="ignore", invalid="ignore"):
        return {
            "class": row_classes(first),
            "pt": kinematics.pt(theirs) / kinematics.pt(ours),
            "mass": kinematics.mass(theirs) / kinematics.mass(ours),
            "delta_r": kinematics.delta_r(ours, theirs),
        }


def _response(column: Mapping[str, NDArray[Any]], within: float) -> Response:
    same = column["delta_r"] < within
    pt, pt_resolution = _median_and_width(column["pt"][same])
    mass, mass_resolution = _median_and_width(column["mass"][same])
    return Response(len(same), float(np.mean(same)), pt, pt_resolution, mass, mass_resolution)


def _median_and_width(ratios: Array) -> tuple[float, float]:
    """Median and half the central 68 % of the finite ones; NaN without any."""
    known = ratios[np.isfinite(ratios)]
    if not len(known):
        return float("nan"), float("nan")
    low, middle, high = np.quantile(known, [0.16, 0.5, 0.84]).tolist()
    return middle, (high - low) / 2


def _histograms(column: Mapping[str, NDArray[Any]], levels: tuple[str, str], within: float) -> dict[str, Histogram]:
    same, found = column["delta_r"] < within, {}
    for name, symbol in (("pt", "pT"), ("mass", "mass")):
        shown = same & np.isfinite(column[name])
        found[name] = histogram(f"{symbol}, {levels[1]} / {levels[0]}", column[name][shown], column["class"][shown])
    found["delta_r"] = log_histogram("ΔR of both", column["delta_r"], column["class"])
    return found
