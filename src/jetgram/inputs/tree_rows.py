"""From constituents to what engines read, in one pass of the native core: no array of all jets between the steps."""

from __future__ import annotations

import numpy as np

from jetgram import backend
from jetgram.inputs.schedule import Schedule
from jetgram.momenta import Jets
from jetgram.trees.features import FeatureSet
from jetgram.trees.topologies import find_topology
from jetgram.validity import require_good


def tree_rows(jets: Jets, topology: str, seed: int, features: FeatureSet) -> Schedule | None:
    """The schedule of the trees over jets, with features that are not scaled, in single precision.

    The same, bit for bit, as `build_trees`, the features of the set and `Schedule.from_trees` one after the other: jet
    by jet instead of step by step, so that everything stays in cache.

    Args:
        jets: without fault, as the features need them: in their frame, or clean.
        topology: a name in `jetgram.trees.topologies`.
        seed: of the `random` topology.
        features: of the nodes.

    Returns:
        None where the native core is missing, or does not know this topology or these features, or where features are
        too large for single precision: the single steps do, or say which jet it is.

    Example:
        >>> from jetgram.kinematics import from_ptetaphim
        >>> from jetgram.trees.features import find_features
        >>> constituents = from_ptetaphim([50.0, 40.0, 1.0], [0.0, 0.3, 0.2], [0.0, 0.1, 0.1])
        >>> tree_rows(Jets.from_lists([constituents]), "kt", 0, find_features("paper"))
        <Schedule: 1 trees with 5 nodes of 7 features>
    """
    core, kernel = backend.native_core(), find_topology(topology).kernel
    if core is None or kernel is None or features.kernel is None:
        return None
    require_good(jets)
    offsets = 2 * jets.offsets - np.arange(len(jets) + 1)
    rows = np.empty((offsets[-1], len(features.names)), dtype=np.float32)
    inner = np.empty(offsets[-1], dtype=np.bool_)
    too_large = core.tree_rows(
        jets.momenta, jets.offsets, kernel, seed, features.kernel, backend.threads(), rows, inner
    )
    return Schedule(rows, inner, offsets) if too_large < 0 else None
