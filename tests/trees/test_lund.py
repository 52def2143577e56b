import numpy as np
import pytest

from jetgram import backend, kinematics
from jetgram.jets.cleaning import clean
from jetgram.momenta import Jets
from jetgram.trees.lund import LEAF_FEATURES, LUND_FEATURES, lund_features
from jetgram.trees.topologies import build_trees

LEAF, INNER = slice(0, len(LEAF_FEATURES)), slice(len(LEAF_FEATURES), -1)
TOPOLOGIES = ["ca", "kt", "desc-pt"]


def turned(jets: Jets, angle: float = 0.0, rapidity: float = 0.0, sign: int = 1) -> Jets:
    """The jets turned around the beam, boosted along it, or reflected in the plane of the beam."""
    p = kinematics.boost_z(jets.momenta, rapidity)
    px, py = p[:, 0].copy(), sign * p[:, 1]
    p[:, 0], p[:, 1] = np.cos(angle) * px - np.sin(angle) * py, np.sin(angle) * px + np.cos(angle) * py
    return Jets(p, jets.offsets)


def test_each_kind_of_node_has_its_own_columns(qcd_jets):
    trees = build_trees(clean(qcd_jets), "ca")
    features = lund_features(trees)
    assert features.shape == (len(trees.momenta), len(LUND_FEATURES)) == (len(trees.momenta), 15)
    leaf = trees.is_leaf
    for kind, own, other in ((leaf, LEAF, INNER), (~leaf, INNER, LEAF)):
        assert np.isfinite(features[kind, own]).all()
        assert np.isnan(features[kind, other]).all()
    np.testing.assert_array_equal(features[:, -1], leaf)


@pytest.mark.parametrize("topology", TOPOLOGIES)
def test_one_jet_written_out(qcd_jets, topology):
    jets = clean(qcd_jets)[[3]]
    trees = build_trees(jets, topology)
    features, p = lund_features(trees), trees.momenta
    jet = p[-1]

    def from_to(hard, soft):
        phi = kinematics.delta_phi(kinematics.phi(soft), kinematics.phi(hard))
        return np.array([kinematics.rapidity(soft) - kinematics.rapidity(hard), phi])

    pairs = [p[pair] for pair in trees.children[~trees.is_leaf]]
    axis = from_to(*max(pairs, key=lambda pair: kinematics.pt(pair[1]) * np.hypot(*from_to(*pair))))
    axis /= np.hypot(*axis)

    def place(q):
        at = from_to(jet, q)
        return np.array([axis @ at, np.array([-axis[1], axis[0]]) @ at])

    leaves = p[trees.is_leaf]
    skew = sum(kinematics.pt(q) * place(q)[1] * np.hypot(*place(q)) for q in leaves)
    reflect = np.array([1.0, -1.0 if skew < 0 else 1.0])
    for node in range(len(p)):
        q = p[node]
        u, v = place(q) * reflect
        if trees.is_leaf[node]:
            expected = [
                np.log(kinematics.pt(q)),
                np.log(kinematics.pt(q) / kinematics.pt(jet)),
                np.log(max(np.hypot(u, v), 1e-3)),
                u,
                v,
                np.log(q[3]),
            ]
            np.testing.assert_allclose(features[node, LEAF], expected, atol=1e-9)
            continue
        left, right = p[trees.children[node]]
        opening = max(np.hypot(*from_to(left, right)), 1e-3)
        pt_L, pt_R = kinematics.pt(left), kinematics.pt(right)
        expected = [
            np.log(kinematics.pt(q)),
            np.log(kinematics.pt(q) / kinematics.pt(jet)),
            np.log(opening),
            np.log(pt_R / (pt_L + pt_R)),
            np.log(pt_R * opening),
            np.log(max(kinematics.mass(q), 1e-2)),
            u,
            v,
        ]
        np.testing.assert_allclose(features[node, INNER], expected, atol=1e-9)


@pytest.mark.parametrize("moved", [{"angle": 2.0}, {"rapidity": 0.7}, {"sign": -1}], ids=str)
def test_direction_and_orientation_of_a_jet_do_not_matter(qcd_jets, moved):
    jets = clean(qcd_jets[:100])
    before = lund_features(build_trees(jets, "ca"))
    after = lund_features(build_trees(turned(jets, **moved), "ca"))
    energy = list(LUND_FEATURES).index("leaf: ln E")  # of a boosted jet another one
    columns = [i for i in range(len(LUND_FEATURES)) if not (i == energy and "rapidity" in moved)]
    np.testing.assert_allclose(after[:, columns], before[:, columns], atol=1e-5)


def test_a_jet_of_one_particle():
    jets = Jets.from_lists([kinematics.from_ptetaphim([20.0], [0.5], [1.0])])
    (features,) = lund_features(build_trees(jets, "ca"))
    expected = [np.log(20), 0, np.log(1e-3), 0, 0, np.log(jets.momenta[0, 3])]
    np.testing.assert_allclose(features[LEAF], expected, atol=1e-12)


def test_nothing_is_infinite():
    """Momenta and angles as small as doubles allow, along the beam too."""
    momenta = np.array([[1e-300, 0, 0, 1e-300], [0, 0, 5.0, 5.0], [1e-150, 1e-150, 1.0, 1.0], [3.0, 0, 0, 3.0]])
    for topology in TOPOLOGIES:
        features = lund_features(build_trees(Jets(momenta, np.array([0, 4])), topology))
        assert not np.isinf(features).any()


@pytest.mark.parametrize("left", [0.0, 1e-300, 1e-9, 1e-3])
@pytest.mark.parametrize("native", [True, False])
def test_momenta_that_cancel_are_cut_off(monkeypatch, left, native):
    """What is left of the jet's pT divides that of its parts; up to a million times as much is told apart."""
    if not native:
        monkeypatch.setattr(backend, "native_core", lambda: None)
    momenta = np.array([[100.0 + left, 0.0, 0.0, 101.0], [-100.0, 0.0, 50.0, 120.0]])
    features = lund_features(build_trees(Jets(momenta, np.array([0, 2])), "ca"))
    expected = np.log(100.001 / 1e-3) if left == 1e-3 else np.log(1e6)
    np.testing.assert_allclose(features[0, 1], expected, rtol=1e-9)


@pytest.mark.parametrize("topology", TOPOLOGIES)
def test_with_and_without_the_native_core(qcd_jets, monkeypatch, topology):
    if backend.native_core() is None:
        pytest.skip("the native core was not built")
    trees = build_trees(clean(qcd_jets[:100]), topology)
    native = lund_features(trees)
    monkeypatch.setattr(backend, "native_core", lambda: None)
    np.testing.assert_allclose(lund_features(trees), native, rtol=1e-10, atol=1e-10)
