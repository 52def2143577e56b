"""The six ways to build a tree over the constituents of a jet, in one table."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from jetgram import backend
from jetgram.errors import BadJetError, SettingsError, require_known
from jetgram.momenta import Jets
from jetgram.trees import reference
from jetgram.trees.trees import Trees
from jetgram.validity import require_good


class Topology(NamedTuple):
    """One way to build trees.

    Args:
        title: its name in reports.
        short: its name in tables.
        description: what it does.
        build: how, in plain Python.
        kernel: its name in the native core; None where only `build` knows it.
    """

    title: str
    short: str
    description: str
    build: reference.Build
    kernel: str | None = None

    @property
    def tex(self) -> str:
        """Its name in pictures.

        Example:
            >>> TOPOLOGIES["antikt"].tex, TOPOLOGIES["asc-pt"].tex
            ('anti-$k_t$', 'ascending $p_T$')
        """
        return self.title.replace("kt", "$k_t$").replace("pT", "$p_T$")


TOPOLOGIES = {
    "kt": Topology(
        title="kt",
        short="kt",
        description="soft and near first: min(pT_i^2, pT_j^2) Delta_ij^2, infinite radius",
        build=reference.kt,
        kernel="kt",
    ),
    "ca": Topology(
        title="Cambridge/Aachen",
        short="C/A",
        description="near first (Cambridge/Aachen): Delta_ij^2, infinite radius",
        build=reference.cambridge_aachen,
        kernel="ca",
    ),
    "antikt": Topology(
        title="anti-kt",
        short="anti-kt",
        description="hard and near first: min(1/pT_i^2, 1/pT_j^2) Delta_ij^2, infinite radius",
        build=reference.anti_kt,
        kernel="antikt",
    ),
    "random": Topology(
        title="random",
        short="random",
        description="pairs at random, from the seed and the momenta of the jet",
        build=reference.random_pairs,
        kernel="random",
    ),
    "asc-pt": Topology(
        title="ascending pT",
        short="asc-pT",
        description="a chain: the two hardest first, the softest next to the root",
        build=reference.ascending_pt,
        kernel="asc-pt",
    ),
    "desc-pt": Topology(
        title="descending pT",
        short="desc-pT",
        description="a chain: the two softest first, the hardest next to the root",
        build=reference.descending_pt,
        kernel="desc-pt",
    ),
}


def build_trees(jets: Jets, topology: str = "kt", seed: int = 0) -> Trees:
    """The tree of each jet over its constituents.

    Args:
        jets: valid jets: none empty, every momentum physical.
        topology: a name in `TOPOLOGIES`.
        seed: for `random`, from 0 to 2^64 - 1. The tree of a jet depends on the seed and its own momenta only, not on
            the jets around it, nor on the order of its constituents.

    Returns:
        Trees, 2N - 1 nodes for N constituents; the same for any number of threads, and with or without the native core,
        which builds the trees of all built-in topologies.

    Raises:
        BadJetError: a jet is empty or has an unphysical momentum.
        SettingsError: no such topology, or a seed out of range.

    Example:
        >>> from jetgram.kinematics import from_ptetaphim
        >>> constituents = from_ptetaphim([50.0, 40.0, 1.0], [0.0, 0.3, 0.2], [0.0, 0.1, 0.1])
        >>> trees = build_trees(Jets.from_lists([constituents]), "kt")
        >>> trees
        <Trees: 1 kt trees with 5 nodes>
        >>> trees.children  # node 3 joins particles 1 and 2, the root 4 joins particle 0 and node 3
        array([[-1, -1],
               [-1, -1],
               [-1, -1],
               [ 1,  2],
               [ 0,  3]], dtype=int32)
    """
    found = find_topology(topology)
    if not 0 <= seed < 2**64:
        raise SettingsError(f"seed = {seed}; expected a number from 0 to 2^64 - 1")
    require_good(jets)
    offsets = 2 * jets.offsets - np.arange(len(jets) + 1)
    momenta, children = np.empty((offsets[-1], 4)), np.empty((offsets[-1], 2), dtype=np.int32)
    core = backend.native_core()
    if core is not None and found.kernel is not None:
        core.build_trees(jets.momenta, jets.offsets, found.kernel, seed, backend.threads(), momenta, children)
        return Trees(momenta, children, offsets, topology)
    for jet, leaves in enumerate(np.split(jets.momenta, jets.offsets[1:-1])):
        nodes = slice(*offsets[jet : jet + 2])
        tree = reference.Tree(leaves, momenta[nodes], children[nodes])
        found.build(tree, seed)
        if tree.size != 2 * len(leaves) - 1:
            wanted = f"expected {2 * len(leaves) - 1} for {len(leaves)} constituents"
            raise BadJetError(f"topology {topology} made a tree of {tree.size} nodes for jet {jet}; {wanted}")
    return Trees(momenta, children, offsets, topology)


def find_topology(name: str) -> Topology:
    """The topology of that name, or a `SettingsError` that names the nearest.

    Example:
        >>> find_topology("anti-kt")
        Traceback (most recent call last):
        jetgram.errors.SettingsError: no topology 'anti-kt'; did you mean 'antikt'?
    """
    require_known("no topology", name, TOPOLOGIES)
    return TOPOLOGIES[name]
