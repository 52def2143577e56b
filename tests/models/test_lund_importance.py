"""The importance of branchings on the Lund plane."""

import numpy as np
import pytest

from jetgram.kinematics import from_ptetaphim
from jetgram.models.lund_importance import (
    BATCH,
    X_EDGES,
    Y_EDGES,
    Importance,
    is_primary,
    lund_coordinates,
    lund_importance,
    node_importance,
    on_lund_plane,
)
from jetgram.models.model import JetModel
from jetgram.models.settings import ModelSettings
from jetgram.momenta import Jets
from jetgram.trees.topologies import TOPOLOGIES, build_trees


def three_prongs():
    """Particles of 60, 30 and 2 GeV: C/A joins the last two at 0.1, then both with the first at about 0.5."""
    pt, phi = [60.0, 30.0, 2.0], [0.0, 0.5, 0.6]
    return build_trees(Jets.from_lists([from_ptetaphim(pt, [0.0] * 3, phi)]), "ca")


def test_a_branching_is_in_the_cell_of_its_angle_and_kt():
    trees = three_prongs()
    values = np.array([0.0, 0.0, 0.0, 3.0, 7.0])  # leaves, the pair, the root
    plane = on_lund_plane(Importance(trees, values))
    soft = np.searchsorted(X_EDGES, np.log(1 / 0.1)) - 1, np.searchsorted(Y_EDGES, np.log(2 * 0.1)) - 1
    assert plane.branchings[soft] == 1
    assert plane.importance[soft] == 3
    delta = 0.5 + 0.1 * 2 / 32  # the pair's direction is the mean of its particles', weighted with pT
    hard = np.searchsorted(X_EDGES, np.log(1 / delta)) - 1, np.searchsorted(Y_EDGES, np.log(32 * delta)) - 1
    assert plane.branchings[hard] == 1
    assert plane.importance[hard] == 7
    assert plane.branchings.sum() == 2
    x, y = lund_coordinates(trees)
    assert (x[3], y[3]) == pytest.approx((np.log(10), np.log(0.2)), abs=1e-6)
    assert (x[4], y[4]) == pytest.approx((np.log(1 / delta), np.log(32 * delta)), abs=1e-3)


def test_the_primary_plane_follows_the_harder_child():
    trees = three_prongs()
    assert is_primary(trees).tolist() == [True, False, False, False, True]  # the pair is softer than the first
    plane = on_lund_plane(Importance(trees, np.array([0.0, 0.0, 0.0, 3.0, 7.0])), primary=True)
    assert plane.importance.sum() == 7


@pytest.mark.parametrize("topology", TOPOLOGIES)
def test_nothing_is_lost(topology, qcd_jets):
    """The cells add up to all inner nodes, however wide, soft or collinear; primary ones to a path of each jet."""
    model = JetModel.untrained(ModelSettings(topology=topology, hidden=4), qcd_jets, seed=3)
    jets = qcd_jets[:40]
    nodes, found = node_importance(model, jets), lund_importance(model, jets)
    inner = ~nodes.trees.is_leaf
    assert found.everything.jets == 40
    assert found.everything.branchings.sum() == inner.sum()
    assert found.everything.importance.sum() == pytest.approx(nodes.values[inner].sum(), rel=1e-4)
    path = inner & is_primary(nodes.trees)
    assert found.primary.importance.sum() == pytest.approx(nodes.values[path].sum(), rel=1e-4)
    assert (found.primary.branchings <= found.everything.branchings).all()
    assert path[nodes.trees.root].all()


def test_batches_add_up(qcd_jets):
    model = JetModel.untrained(ModelSettings(hidden=4), qcd_jets, seed=3)
    assert len(qcd_jets) > BATCH
    together = lund_importance(model, qcd_jets).everything
    parts = [lund_importance(model, part).everything for part in (qcd_jets[:123], qcd_jets[123:])]
    both = parts[0] + parts[1]
    assert both.jets == together.jets
    np.testing.assert_array_equal(both.branchings, together.branchings)
    np.testing.assert_allclose(both.importance, together.importance, rtol=1e-3)


def test_the_mean_leaves_out_what_is_rare():
    plane = on_lund_plane(Importance(three_prongs(), np.array([0.0, 0.0, 0.0, 3.0, 7.0])))
    assert np.nanmax(plane.mean()) == 7
    assert np.isfinite(plane.mean()).sum() == 2
    assert np.isnan(plane.mean(at_least=2)).all()
