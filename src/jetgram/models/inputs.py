"""From jets to what a network reads of them, before scaling."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from jetgram.engine.schedule import Schedule
from jetgram.errors import BadJetError
from jetgram.jets.preprocess import preprocess
from jetgram.jets.subjets import trim
from jetgram.models.scaler import Scaler
from jetgram.models.settings import ModelSettings
from jetgram.models.stereo import StereoSchedule, views
from jetgram.momenta import Jets
from jetgram.trees.features import FEATURE_SETS
from jetgram.trees.topologies import build_trees
from jetgram.trees.trees import Trees


def read_jets(jets: Jets, settings: ModelSettings, first_jet: int = 0) -> Schedule:
    """The trees of the jets with the features of their nodes, unscaled, as the settings say.

    Args:
        jets: as they were found.
        settings: preprocessing, topology and features count here.
        first_jet: the number of the first jet, when `jets` is a batch out of more; for the `random` topology.

    Example:
        >>> from jetgram.kinematics import from_ptetaphim
        >>> jets = Jets.from_lists([from_ptetaphim([50.0, 40.0, 1.0], [0.0, 0.3, 0.2], [0.0, 0.1, 0.1])])
        >>> read_jets(jets, ModelSettings(topology="kt"))
        <Schedule: 1 trees with 5 nodes of 7 features>
    """
    found = read_trees(jets, settings, first_jet)
    return StereoSchedule.of([Schedule.from_trees(trees, features) for trees, features in found])


def read_trees(jets: Jets, settings: ModelSettings, first_jet: int = 0) -> Iterator[tuple[Trees, NDArray[np.float32]]]:
    """The trees of the jets and the features of their nodes, one topology after the other; see `read_jets`."""
    if settings.preprocess:
        jets = preprocess(jets, settings.trim)
    elif settings.trim is not None:
        jets = trim(jets, settings.trim)
    compute = FEATURE_SETS[settings.features].compute
    for topology in settings.topologies:
        trees = build_trees(jets, topology, settings.tree_seed, first_jet=first_jet)
        yield trees, _single_precision(compute(trees), trees, first_jet)


def fit_scaler(trees: Schedule) -> Scaler:
    """The scaler of the features of all nodes; of a stereo model, of both trees together."""
    return Scaler.fit(np.concatenate([view.features for view in views(trees)]))


def scale(trees: Schedule, scaler: Scaler) -> Schedule:
    """The same trees with scaled features."""
    return StereoSchedule.of([dataclasses.replace(v, features=scaler.transform(v.features)) for v in _plain(trees)])


def concatenate_schedules(parts: list[Schedule]) -> Schedule:
    """One schedule of the trees of several, in their order."""
    columns = zip(*(_plain(part) for part in parts), strict=True)
    return StereoSchedule.of([_concatenate(list(column)) for column in columns])


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
