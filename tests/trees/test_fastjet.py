"""The judge: FastJet's own history of the same jets, through the shim that validation/ and benchmarks/ use too."""

import numpy as np
import pytest
from fastjet_shim import POWERS, histories
from pythia_jets import pythia_jets

from jetgram.momenta import Jets
from jetgram.trees.topologies import build_trees

every_algorithm = pytest.mark.parametrize("algorithm", POWERS)


def assert_same_history(jets: Jets, algorithm: str, *, plain: bool = False) -> None:
    ours, theirs = build_trees(jets, algorithm), histories(jets.momenta, jets.offsets, algorithm, plain=plain)
    assert theirs.joined.all()
    np.testing.assert_array_equal(np.sort(ours.children, axis=1), np.sort(theirs.parents, axis=1))
    np.testing.assert_array_equal(ours.momenta, theirs.momenta)


@every_algorithm
def test_real_jets(qcd_jets, algorithm):
    assert_same_history(qcd_jets, algorithm)


@every_algorithm
def test_whole_events(qcd_events, algorithm):
    """Hundreds of particles, all around: FastJet switches to other strategies, and azimuths wrap."""
    assert_same_history(Jets(qcd_events.momenta, qcd_events.offsets), algorithm)


@every_algorithm
@pytest.mark.parametrize(("smallest", "largest", "plain"), [(2, 37, False), (38, 1000, True)])
def test_equal_distances_are_settled_alike(qcd_jets, algorithm, smallest, largest, plain):
    """Collinear copies tie at distance zero; we follow the strategy that FastJet itself uses up to 74 particles."""
    chosen = qcd_jets[(qcd_jets.multiplicity >= smallest) & (qcd_jets.multiplicity <= largest)]
    shares = np.tile([[0.5], [0.25]], (len(chosen.momenta), 1))
    twice = Jets(np.repeat(chosen.momenta, 2, axis=0) * shares, 2 * chosen.offsets)
    assert_same_history(twice, algorithm, plain=plain)


def test_fastjet_leaves_pieces_where_we_do_not():
    """Along the beam rapidities differ by more than R = 100; our radius is infinite."""
    jets = Jets.from_lists([[[0.0, 0.0, 1.0, 1.0], [0.0, 0.0, -1.0, 1.0]]])
    assert not histories(jets.momenta, jets.offsets, "kt").joined[0]
    build_trees(jets, "kt").check()


@pytest.mark.slow
def test_ten_thousand_real_jets():
    jets = pythia_jets(10_000, seed=17)
    for algorithm in POWERS:
        assert_same_history(jets, algorithm)
