"""From jets to what a network reads of them, before scaling; and what is done with it: scaled, joined, stored.

Events, which `jetgram.models.event_inputs` reads, are treated alike: the trees of their jets, and their sequences.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, overload

import numpy as np
from numpy.typing import NDArray

from jetgram.errors import BadJetError
from jetgram.inputs.scaler import Scaler
from jetgram.inputs.schedule import Schedule, StereoSchedule, views
from jetgram.inputs.sequences import COLUMNS, EventSchedule, Inputs
from jetgram.inputs.sparse_images import UNIT, SparseImages, concatenate_images, full_images
from jetgram.jets.preprocess import preprocess
from jetgram.jets.subjets import trim
from jetgram.models.settings import ModelSettings
from jetgram.momenta import Jets, Momenta
from jetgram.ragged import offsets_of
from jetgram.trees.features import FEATURE_SETS
from jetgram.trees.topologies import build_trees
from jetgram.trees.trees import Trees


def read_jets(jets: Jets, settings: ModelSettings, first_jet: int = 0) -> Schedule:
    """The trees of the jets with the features of their nodes, unscaled, as the settings say.

    Args:
        jets: as they were found.
        settings: preprocessing, topology and features count here.
        first_jet: the number of the first jet, when `jets` is a batch out of more; for messages.

    Example:
        >>> from jetgram.kinematics import from_ptetaphim
        >>> jets = Jets.from_lists([from_ptetaphim([50.0, 40.0, 1.0], [0.0, 0.3, 0.2], [0.0, 0.1, 0.1])])
        >>> read_jets(jets, ModelSettings(topology="kt"))
        <Schedule: 1 trees with 5 nodes of 7 features>
    """
    return schedule(jets_as_read(jets, settings, first_jet), settings, first_jet)


def read_trees(jets: Jets, settings: ModelSettings, first_jet: int = 0) -> Iterator[tuple[Trees, NDArray[np.float32]]]:
    """The trees of the jets and the features of their nodes, one topology after the other; see `read_jets`."""
    return _trees(jets_as_read(jets, settings, first_jet), settings, first_jet)


def jets_as_read(jets: Jets, settings: ModelSettings, first_jet: int = 0) -> Jets:
    """The jets whose constituents are the leaves: trimmed and in their own frame, or the pixels of their images."""
    if settings.input == "pixels":
        return full_images(jets, settings.trim, settings.image_chain, first_jet).to_jets()
    if settings.preprocess:
        return preprocess(jets, settings.trim)
    return jets if settings.trim is None else trim(jets, settings.trim)


def schedule(jets: Jets, settings: ModelSettings, first_jet: int = 0) -> Schedule:
    """The trees of jets that are as `jets_as_read` gives them, for the engines."""
    found = _trees(jets, settings, first_jet)
    return StereoSchedule.of([Schedule.from_trees(trees, features) for trees, features in found])


def _trees(jets: Jets, settings: ModelSettings, first_jet: int) -> Iterator[tuple[Trees, NDArray[np.float32]]]:
    require_particles(jets, settings)
    compute = FEATURE_SETS[settings.features].compute
    for topology in settings.topologies:
        trees = build_trees(jets, topology, settings.tree_seed)
        yield trees, _single_precision(compute(trees, jets.particles), trees, first_jet)


def require_particles(rows: Momenta, settings: ModelSettings) -> None:
    """Raise a `BadJetError` if the particles have not all that the features take."""
    for name in settings.particle_columns:
        if name not in rows.particles:
            found = f"features = {settings.features} reads the {name} of particles, and these have none"
            raise BadJetError(f"{found}; generate them with --level pflow, or leave features = paper")


def fit_scaler(trees: Inputs) -> Scaler:
    """The scaler of the features of all nodes (of a stereo model, of all its trees together), then of events' jets."""
    if isinstance(trees, SparseImages):
        return Scaler(np.zeros(1), np.full(1, UNIT))  # normalised already; only in the units that networks like
    if isinstance(trees, EventSchedule):
        momenta = Scaler.fit(trees.momenta)
        return fit_scaler(trees.trees).join(momenta) if trees.trees is not None else momenta
    return Scaler.fit(np.concatenate([view.features for view in views(trees)]))


@overload
def scale(trees: Schedule, scaler: Scaler) -> Schedule: ...
@overload
def scale(trees: Inputs, scaler: Scaler) -> Inputs: ...
def scale(trees: Inputs, scaler: Scaler) -> Inputs:
    """The same trees, images or events with scaled features."""
    if isinstance(trees, SparseImages):
        return dataclasses.replace(trees, intensities=scaler.transform(trees.intensities[:, None])[:, 0])
    if isinstance(trees, EventSchedule):
        nodes, jets = scaler[: -len(COLUMNS)], scaler[-len(COLUMNS) :]
        inner = scale(trees.trees, nodes) if trees.trees is not None else None
        return EventSchedule(jets.transform(trees.momenta), trees.offsets, inner)
    return StereoSchedule.of([dataclasses.replace(v, features=scaler.transform(v.features)) for v in _plain(trees)])


@overload
def concatenate_schedules(parts: Sequence[Schedule]) -> Schedule: ...
@overload
def concatenate_schedules(parts: Sequence[Inputs]) -> Inputs: ...
def concatenate_schedules(parts: Sequence[Inputs]) -> Inputs:
    """One schedule of the trees, images or events of several, in their order."""
    images = [part for part in parts if isinstance(part, SparseImages)]
    if images:
        return concatenate_images(images)
    events = [part for part in parts if isinstance(part, EventSchedule)]
    if events:
        trees = [part.trees for part in events if part.trees is not None]
        momenta = np.concatenate([part.momenta for part in events])
        offsets = offsets_of(np.concatenate([np.diff(part.offsets) for part in events]))
        return EventSchedule(momenta, offsets, concatenate_schedules(trees) if trees else None)
    columns = zip(*(_plain(part) for part in parts if isinstance(part, Schedule)), strict=True)
    return StereoSchedule.of([_concatenate(list(column)) for column in columns])


def to_arrays(trees: Inputs) -> dict[str, NDArray[Any]]:
    """As named arrays, for a file."""
    if isinstance(trees, SparseImages):
        return {"counts": np.diff(trees.offsets), "pixels": trees.pixels, "intensities": trees.intensities}
    if isinstance(trees, EventSchedule):
        inner = to_arrays(trees.trees) if trees.trees is not None else {}
        return {"jets": np.diff(trees.offsets), "momenta": trees.momenta, **inner}
    arrays: dict[str, NDArray[Any]] = {"rows": np.diff(trees.offsets)}
    for number, view in enumerate(views(trees)):
        arrays |= {f"features_{number}": view.features, f"inner_{number}": view.inner}
    return arrays


def input_bytes(trees: Inputs) -> int:
    """Bytes that trees, or events, take in memory."""
    return sum(array.nbytes for array in to_arrays(trees).values())


def from_arrays(arrays: Mapping[str, NDArray[Any]]) -> Inputs:
    """What `to_arrays` made arrays of."""
    if "pixels" in arrays:
        return SparseImages(arrays["pixels"], arrays["intensities"], offsets_of(arrays["counts"]))
    if "momenta" in arrays:
        trees = _trees_from_arrays(arrays) if "rows" in arrays else None
        return EventSchedule(arrays["momenta"], offsets_of(arrays["jets"]), trees)
    return _trees_from_arrays(arrays)


def _trees_from_arrays(arrays: Mapping[str, NDArray[Any]]) -> Schedule:
    offsets = offsets_of(arrays["rows"])  # the same for all topologies: they have the same leaves
    topologies = sum(name.startswith("inner_") for name in arrays)
    return StereoSchedule.of(
        [Schedule(arrays[f"features_{i}"], arrays[f"inner_{i}"], offsets) for i in range(topologies)]
    )


def _concatenate(parts: list[Schedule]) -> Schedule:
    rows = np.cumsum([0, *(len(part.inner) for part in parts)])
    ends = [part.offsets[1:] + first for part, first in zip(parts, rows, strict=False)]
    return Schedule(
        np.concatenate([part.features for part in parts]),
        np.concatenate([part.inner for part in parts]),
        np.concatenate([np.zeros(1, dtype=np.int64), *ends]),
    )


def _plain(trees: Schedule) -> list[Schedule]:
    """The views as schedules of one topology each."""
    return [Schedule(view.features, view.inner, view.offsets) for view in views(trees)]


def _single_precision(features: NDArray[np.float64], trees: Trees, first_jet: int) -> NDArray[np.float32]:
    """The features in the precision of the networks; momenta that are legal, but too large for it, are an error."""
    with np.errstate(over="ignore"):
        single = features.astype(np.float32)
    if not np.isfinite(single).all():
        row = int(np.argmax(~np.isfinite(single).all(axis=1)))
        jet = first_jet + int(np.searchsorted(trees.offsets, row, side="right")) - 1
        raise BadJetError(f"jet {jet}: its momenta are too large for single precision: {trees.momenta[row].tolist()}")
    return single
