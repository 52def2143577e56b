"""The judge: FastJet's own history of the same jets, through the shim that validation/ and benchmarks/ use too."""

import numpy as np
import pytest
from fastjet_shim import POWERS, histories
from pythia_jets import pythia_jets

from jetgram.momenta import Jets
from jetgram.trees.topologies import build_trees
from jetgram.trees.trees import Trees

every_algorithm = pytest.mark.parametrize("algorithm", POWERS)


def fastjet_trees(jets: Jets, algorithm: str) -> Trees:
    """FastJet's histories as trees: the same nodes, but children in FastJet's order."""
    momenta, parents = histories(jets.momenta, jets.offsets, algorithm)
    return Trees(momenta, parents, 2 * jets.offsets - np.arange(len(jets) + 1), algorithm)


def assert_same_history(jets: Jets, algorithm: str) -> None:
    ours, theirs = build_trees(jets, algorithm), fastjet_trees(jets, algorithm)
    np.testing.assert_array_equal(np.sort(ours.children, axis=1), np.sort(theirs.children, axis=1))
    np.testing.assert_array_equal(ours.momenta, theirs.momenta)


@every_algorithm
def test_real_jets(qcd_jets, algorithm):
    assert_same_history(qcd_jets, algorithm)


@every_algorithm
def test_whole_events(qcd_events, algorithm):
    """Hundreds of particles, all around: FastJet switches to other strategies, and azimuths wrap."""
    assert_same_history(Jets(qcd_events.momenta, qcd_events.offsets), algorithm)


@every_algorithm
def test_equal_distances_are_settled_alike(qcd_jets, algorithm):
    """Collinear copies tie at distance zero. Up to 74 particles FastJet uses the strategy whose order we follow."""
    small = qcd_jets[qcd_jets.multiplicity <= 35]
    twice = [
        np.repeat(jet, 2, axis=0) * np.tile([[0.5], [0.25]], (len(jet), 1))
        for jet in map(small.__getitem__, range(len(small)))
    ]
    assert_same_history(Jets.from_lists(twice), algorithm)


@every_algorithm
def test_a_jet_that_fastjet_leaves_in_pieces_is_reported(algorithm):
    jets = Jets.from_lists([[[0.0, 0.0, 1.0, 1.0], [0.0, 0.0, -1.0, 1.0]]])
    with pytest.raises(ValueError, match="did not join jet 0 into one tree"):
        fastjet_trees(jets, algorithm)


@pytest.mark.slow
def test_ten_thousand_real_jets():
    jets = pythia_jets(10_000, seed=17)
    for algorithm in POWERS:
        assert_same_history(jets, algorithm)
