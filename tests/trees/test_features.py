import numpy as np
import pytest
from hypothesis import given
from nasty_jets import nasty_jets

from jetgram import backend, kinematics
from jetgram.collisions.detector import ParticleClass
from jetgram.errors import BadJetError
from jetgram.kinematics import from_ptetaphim
from jetgram.momenta import Jets
from jetgram.trees.features import CLASSES, FEATURE_SETS, FEATURES, class_features, node_features
from jetgram.trees.topologies import TOPOLOGIES, build_trees
from jetgram.trees.trees import Trees


def reference_features(trees: Trees) -> np.ndarray:
    """`node_features` as it is without the native core."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(backend, "native_core", lambda: None)
        return node_features(trees)


def leaf_features(*momenta: tuple[float, float, float, float]) -> dict[str, np.ndarray]:
    """Features of single particles, each a tree of one node, by name."""
    jets = Jets(np.array(momenta), np.arange(len(momenta) + 1))
    return dict(zip(FEATURES, node_features(build_trees(jets)).T, strict=True))


@pytest.mark.parametrize("topology", TOPOLOGIES)
def test_real_trees_have_the_features_of_the_formulas(qcd_jets, topology):
    trees = build_trees(qcd_jets, topology)
    np.testing.assert_allclose(node_features(trees), reference_features(trees), rtol=1e-14, atol=1e-15)


@given(jets=nasty_jets)
def test_nasty_trees_have_finite_features_of_the_formulas(jets):
    trees = build_trees(jets)
    features = node_features(trees)
    assert np.all(np.isfinite(features))
    np.testing.assert_allclose(features, reference_features(trees), rtol=1e-14, atol=1e-300)


@pytest.mark.parametrize("threads", ["1", "2", "5"])
def test_threads_and_neighbours_change_nothing(qcd_jets, threads, monkeypatch):
    trees = build_trees(qcd_jets)
    features = node_features(trees)
    monkeypatch.setenv("JETGRAM_THREADS", threads)
    np.testing.assert_array_equal(node_features(trees), features)
    np.testing.assert_array_equal(node_features(trees[3]), features[trees.offsets[3] : trees.offsets[4]])


def test_features_are_what_they_are_called():
    p = from_ptetaphim([20.0, 5.0], [1.3, -0.7], [0.4, -2.0], [0.0, 2.0])
    features = leaf_features(*p)
    np.testing.assert_allclose(features["pT"], [20.0, 5.0], rtol=1e-14)
    np.testing.assert_allclose(features["eta"], [1.3, -0.7], rtol=1e-14)
    np.testing.assert_allclose(features["phi"], [0.4, -2.0], rtol=1e-14)
    np.testing.assert_allclose(features["p"], [20.0 * np.cosh(1.3), 5.0 * np.cosh(0.7)], rtol=1e-14)
    np.testing.assert_allclose(features["theta"], 2 * np.arctan(np.exp([-1.3, 0.7])), rtol=1e-14)
    np.testing.assert_array_equal(features["E"], p[:, 3])
    np.testing.assert_array_equal(features["E/E_jet"], 1.0)


def test_along_the_beam_and_at_rest():
    features = leaf_features((0.0, 0.0, 3.0, 3.0), (0.0, 0.0, -3.0, 3.0), (0.0, 0.0, 0.0, 3.0))
    np.testing.assert_array_equal(features["eta"], [kinematics.ETA_MAX, -kinematics.ETA_MAX, 0.0])
    np.testing.assert_array_equal(features["theta"], [0.0, np.pi, 0.0])
    np.testing.assert_array_equal(features["phi"], 0.0)


def test_small_pseudorapidities_keep_their_digits():
    pz = 10.0 ** -np.arange(1.0, 15.0)
    features = leaf_features(*np.stack([np.ones_like(pz), 0 * pz, pz, np.hypot(1.0, pz)], axis=1))
    np.testing.assert_allclose(features["eta"], np.arcsinh(pz), rtol=4e-16)


def test_angles_all_around():
    phi = np.linspace(-np.pi, np.pi, 4001)
    features = leaf_features(*from_ptetaphim(np.full_like(phi, 7.0), 0.0, phi))
    np.testing.assert_allclose(features["phi"], phi, rtol=3e-16, atol=3e-16)


def test_energy_fractions_add_up(qcd_jets):
    trees = build_trees(qcd_jets)
    fraction = node_features(trees)[:, FEATURES.index("E/E_jet")]
    np.testing.assert_array_equal(fraction[trees.root], 1.0)
    sums = np.add.reduceat(np.where(trees.is_leaf, fraction, 0.0), trees.offsets[:-1])
    np.testing.assert_allclose(sums, 1.0, rtol=1e-13)


def test_the_classes_are_those_of_the_detector():
    symbols = {"+": "plus", "-": "minus"}
    names = ["_".join(symbols.get(word, word) for word in name.split()).upper() for name in CLASSES]
    assert names == [kind.name for kind in ParticleClass]
    assert [kind.value for kind in ParticleClass] == [0, 1, 2, 3]


@pytest.mark.parametrize("topology", TOPOLOGIES)
def test_leaves_carry_the_class_of_their_particle(pflow_jets, topology):
    trees = build_trees(pflow_jets, topology)
    features = FEATURE_SETS["paper+pclass"].compute(trees, pflow_jets.particles)
    assert features.shape == (len(trees.momenta), len(FEATURE_SETS["paper+pclass"].names)) == (len(features), 11)
    np.testing.assert_array_equal(features[:, :7], node_features(trees))
    np.testing.assert_array_equal(features[trees.is_leaf, 7:], np.eye(4)[pflow_jets.particles["pclass"]])
    np.testing.assert_array_equal(features[~trees.is_leaf, 7:], 0.0)


def test_a_class_that_does_not_exist_is_named(pflow_jets):
    with pytest.raises(
        BadJetError, match=r"the class 7; expected one of 0 \(charged hadron \+\), .*3 \(neutral hadron\)"
    ):
        class_features(build_trees(pflow_jets[:1]), np.full(len(pflow_jets[0]), 7))
