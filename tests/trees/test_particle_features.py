"""Features from columns of particles: by their definition, node by node."""

import numpy as np
import pytest

import jetgram
from jetgram import kinematics
from jetgram.errors import BadJetError, SettingsError
from jetgram.models.settings import ModelSettings
from jetgram.momenta import Jets
from jetgram.trees.features import FEATURE_SETS, find_features, node_features
from jetgram.trees.particle_features import PDG_CLASSES, parse_feature, pdg_classes, sum_leaves
from jetgram.trees.topologies import build_trees


@pytest.fixture(scope="module")
def jets(qcd_jets):
    rng = np.random.default_rng(1)
    pdgid = qcd_jets.particles["pdgid"]
    charge = np.where(np.isin(np.abs(pdgid), (11, 13, 211, 321, 2212)), np.sign(pdgid), 0)
    some = Jets(
        qcd_jets.momenta,
        qcd_jets.offsets,
        particles={"pdgid": pdgid, "charge": charge.astype(np.int8), "d0": rng.normal(size=len(pdgid))},
    )
    return some[:60]


def leaves_below(trees, number):
    """Rows of the leaves below each node of a tree, as sets: by the definition."""
    start, stop = trees.offsets[number : number + 2]
    below = []
    for node, (left, right) in enumerate(trees.children[start:stop].tolist()):
        below.append({node} if left < 0 else below[left] | below[right])
    return below


@pytest.mark.parametrize("topology", ["kt", "desc-pt"])
def test_by_the_definition(jets, topology):
    trees = build_trees(jets, topology)
    found = find_features("paper+charge+mean:d0+onehot:pdgid").compute(trees, jets.particles)
    np.testing.assert_array_equal(found[:, :7], node_features(trees))
    pt, classes = kinematics.pt(jets.momenta), pdg_classes(jets.particles["pdgid"])
    for number in (0, 7, 31):
        first, start = jets.offsets[number], trees.offsets[number]
        for node, below in enumerate(leaves_below(trees, number)):
            rows = first + np.array(sorted(below))
            weight = pt[rows] / pt[rows].sum()
            expected = [
                jets.particles["charge"][rows].sum(),
                weight @ jets.particles["d0"][rows],
                *(weight @ (classes[rows] == each) for each in range(len(PDG_CLASSES))),
            ]
            np.testing.assert_allclose(found[start + node, 7:], expected, rtol=1e-9, atol=1e-12)


def test_a_leaf_has_the_values_of_its_particle(jets):
    trees = build_trees(jets)
    found = find_features("paper+charge+d0+onehot:pdgid").compute(trees, jets.particles)[trees.is_leaf, 7:]
    np.testing.assert_array_equal(found[:, 0], jets.particles["charge"])
    np.testing.assert_array_equal(found[:, 1], jets.particles["d0"])
    assert set(np.unique(found[:, 2:])) == {0.0, 1.0}
    np.testing.assert_array_equal(np.argmax(found[:, 2:], axis=1), pdg_classes(jets.particles["pdgid"]))


def test_one_particle_and_many_at_once():
    """Trees of any sizes beside each other, a single leaf among them."""
    rng = np.random.default_rng(2)
    counts = np.array([1, 300, 2, 17, 1])
    offsets = np.concatenate([[0], np.cumsum(counts)])
    momenta = kinematics.from_ptetaphim(rng.exponential(5, 321), rng.normal(size=321), rng.normal(size=321), 0.0)
    jets, values = Jets(momenta, offsets), rng.normal(size=(321, 2))
    for topology in ("kt", "asc-pt"):
        trees = build_trees(jets, topology)
        sums = sum_leaves(trees, values)
        np.testing.assert_allclose(sums[trees.root], np.add.reduceat(values, offsets[:-1]), atol=1e-9)


def test_a_collinear_split_changes_no_mean_above_it(jets):
    jet = jets[:1]
    halves = Jets(
        np.concatenate([jet.momenta[:1] / 2, jet.momenta[:1] / 2, jet.momenta[1:]]),
        np.array([0, len(jet.momenta) + 1]),
        particles={name: np.concatenate([values[:1], values]) for name, values in jet.particles.items()},
    )
    features = find_features("paper+d0+onehot:pdgid")
    roots = [features.compute(trees := build_trees(each), each.particles)[trees.root, 7:] for each in (jet, halves)]
    np.testing.assert_allclose(*roots, rtol=1e-9, atol=1e-12)


def test_classes_of_particles():
    ids = [22, 11, -13, 211, -321, 130, 2112, 0, 12, 16]
    assert pdg_classes(np.array(ids)).tolist() == [0, 1, 2, 3, 3, 4, 4, -1, -1, -1]
    assert pdg_classes(np.array([411, 421, -3334, 1000022])).tolist() == [3, 4, 3, -1]


def test_classes_of_any_column(jets):
    kind = Jets(jets.momenta, jets.offsets, particles={"kind": np.arange(len(jets.momenta)) % 3})
    trees = build_trees(kind)
    found = find_features("paper+onehot:kind:3").compute(trees, kind.particles)[:, 7:]
    np.testing.assert_allclose(found.sum(axis=1), 1.0)
    with pytest.raises(BadJetError, match="a particle has kind = 2; expected an integer below 2"):
        find_features("paper+onehot:kind:2").compute(trees, kind.particles)


@pytest.mark.parametrize("text", ["foo:x", "sum:", "onehot:x", "onehot:x:1", "onehot:x:many", "mean:a:b", ""])
def test_what_is_no_feature_is_refused(text):
    with pytest.raises(SettingsError, match="among the features; expected"):
        parse_feature(text)


def test_numbers_must_be_finite(jets):
    d0 = jets.particles["d0"].copy()
    d0[5] = np.nan
    with pytest.raises(BadJetError, match=r"d0 of particles is nan 1 times in [\d,]+; expected finite numbers"):
        find_features("paper+d0").compute(build_trees(jets), {"d0": d0})


def test_the_longest_name_is_the_set():
    assert find_features("paper+pclass") is FEATURE_SETS["paper+pclass"]
    assert find_features("paper+pclass+charge").names[-2:] == (FEATURE_SETS["paper+pclass"].names[-1], "sum of charge")


def test_a_tagger_learns_the_charge(qcd_jets, tmp_path):
    """Jets that differ in the charge of one particle alone are told apart: those that were not learned from, too."""
    label = np.random.default_rng(3).integers(0, 2, len(qcd_jets))
    charge = np.zeros(len(qcd_jets.momenta))
    charge[qcd_jets.offsets[:-1]] = 2 * label - 1
    own = Jets(qcd_jets.momenta, qcd_jets.offsets, particles={"charge": charge, "pdgid": qcd_jets.particles["pdgid"]})
    accuracy = {}
    for features in ("paper", ["paper", "charge", "onehot:pdgid"]):
        tagger = jetgram.JetTagger(features=features, hidden=8, epochs=15, rate=0.01, batch=16)
        scores = tagger.fit(own[:300], label[:300], validation=60).predict_proba(own[300:])
        accuracy[str(features)] = np.mean((scores[:, 1] > 0.5) == label[300:])
    blind, seeing = accuracy.values()
    assert seeing > 0.9 > 0.65 > blind
    tagger.save(tmp_path / "model")
    np.testing.assert_array_equal(jetgram.JetTagger.load(tmp_path / "model").predict_proba(own[300:]), scores)
    with pytest.raises(BadJetError, match="reads the charge of particles, and these have none; they have: pdgid; take"):
        tagger.predict_proba(Jets(own.momenta, own.offsets, particles={"pdgid": own.particles["pdgid"]}))


def test_a_list_is_the_same_as_names_joined():
    joined = ModelSettings(features="paper+charge+onehot:pdgid")
    assert ModelSettings(features=["paper", "charge", "onehot:pdgid"]) == joined
