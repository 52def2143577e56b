import dataclasses

import numpy as np
import pytest

from jetgram.errors import BadJetError
from jetgram.inputs.representation import concatenate
from jetgram.inputs.schedule import StereoSchedule, joined
from jetgram.jets.cleaning import clean
from jetgram.jets.preprocess import preprocess
from jetgram.jets.subjets import trim
from jetgram.models.settings import ModelSettings
from jetgram.momenta import Jets
from jetgram.trees.features import node_features
from jetgram.trees.lund import lund_features
from jetgram.trees.topologies import build_trees


def same(a, b):
    pairs = zip(a.views, b.views, strict=True)
    return all(np.array_equal(x.features, y.features) and np.array_equal(x.inner, y.inner) for x, y in pairs)


def test_the_chain_is_preprocess_tree_features(qcd_jets):
    trees = build_trees(preprocess(qcd_jets), "ca")
    found = ModelSettings(topology="ca").read(qcd_jets).inputs
    assert found.features.dtype == np.float32
    np.testing.assert_allclose(found.features[found.offsets[:-1]], node_features(trees)[trees.root], rtol=1e-6)


@pytest.mark.parametrize(
    ("settings", "prepare"),
    [
        ({"preprocess": False}, lambda jets: jets),
        ({"preprocess": False, "trim": 0.05}, lambda jets: trim(jets, 0.05)),
        ({"trim": 0.05}, lambda jets: preprocess(jets, 0.05)),
    ],
)
def test_preprocessing_and_trimming_are_choices(qcd_jets, settings, prepare):
    by_hand = ModelSettings(preprocess=False).read(prepare(qcd_jets)).inputs
    assert same(ModelSettings(**settings).read(qcd_jets).inputs, by_hand)


def test_lund_features_are_of_clean_jets_as_they_were_found(qcd_jets):
    settings = ModelSettings(features="lund", topology="ca")
    assert not settings.input.preprocess
    trees = build_trees(clean(qcd_jets), "ca")
    found = settings.read(qcd_jets).inputs
    roots = lund_features(trees)[trees.root].astype(np.float32)
    np.testing.assert_array_equal(found.features[found.offsets[:-1]], roots)
    scaled = found.scaled(found.fit_scaler(settings.input.scaling)).features
    assert np.isfinite(scaled).all()
    assert np.abs(scaled).max() <= 6
    assert (scaled[np.isnan(found.features)] == 0).all()


@pytest.mark.parametrize("topology", ["random", "kt+random"])
def test_a_jet_reads_the_same_alone_and_among_others(qcd_jets, topology):
    settings = ModelSettings(topology=topology, tree_seed=3)
    together = settings.read(qcd_jets[:30]).inputs
    assert same(together[10:], settings.read(qcd_jets[10:30]).inputs)
    assert same(together, concatenate([together[:7], together[7:8], together[8:]]))


def test_stereo_views_are_those_of_each_topology(qcd_jets):
    both = ModelSettings(topology="kt+desc-pt").read(qcd_jets[:20]).inputs
    assert isinstance(both, StereoSchedule)
    for view, topology in zip(both.views, ("kt", "desc-pt"), strict=True):
        alone = ModelSettings(topology=topology).read(qcd_jets[:20]).inputs
        assert np.array_equal(view.features, alone.features)
        assert np.array_equal(view.inner, alone.inner)


def test_scaling_acts_on_all_views(qcd_jets):
    both = ModelSettings(topology="kt+desc-pt").read(qcd_jets[:20]).inputs
    scaler = both.fit_scaler()
    everything = np.concatenate([view.features for view in both.scaled(scaler).views])
    np.testing.assert_allclose(np.median(everything, axis=0), 0, atol=1e-5)


def test_momenta_beyond_single_precision_are_named(qcd_jets):
    huge = Jets(np.array([[1e60, 0.0, 0.0, 1e60]]), np.array([0, 1]))
    with pytest.raises(BadJetError, match="jet 7: its momenta are too large for single precision"):
        ModelSettings().read(huge, 7)


def test_views_of_different_jets_are_refused(qcd_jets):
    trees = ModelSettings().read(qcd_jets[:5]).inputs
    with pytest.raises(BadJetError, match="found 5 and 3 trees"):
        joined([trees, dataclasses.replace(trees[:3])])


@pytest.mark.parametrize("choices", [{}, {"trim": 0.05}, {"preprocess": False}, {"topology": "kt+random"}], ids=str)
def test_the_class_of_particles_survives_preprocessing(pflow_jets, choices):
    settings = ModelSettings(features="paper+pclass", **choices)
    found = settings.read(pflow_jets).inputs
    plain = ModelSettings(**choices).read(pflow_jets).inputs
    for view, without in zip(found.views, plain.views, strict=True):
        np.testing.assert_array_equal(view.features[:, :7], without.features)
    kept = trim(pflow_jets, 0.05) if settings.input.trim else pflow_jets
    jet, row = (np.repeat(np.arange(len(found)), np.diff(found.offsets)), ~found.inner)
    expected = np.zeros((len(kept), 4))
    np.add.at(expected, kept.group, np.eye(4)[kept.particles["pclass"]])
    counts = np.zeros((len(kept), 4))
    np.add.at(counts, jet[row], found.features[row, 7:])
    np.testing.assert_array_equal(counts, expected)
    assert not found.features[found.inner, 7:].any()


def test_scaling_does_not_touch_the_classes(pflow_jets):
    found = ModelSettings(features="paper+pclass").read(pflow_jets).inputs
    scaler = found.fit_scaler()
    np.testing.assert_array_equal(scaler.center[7:], 0.0)
    np.testing.assert_array_equal(scaler.scale[7:], 1.0)
    np.testing.assert_array_equal(found.scaled(scaler).features[:, 7:], found.features[:, 7:])


def test_particles_without_a_class_are_an_error_that_helps(qcd_jets):
    with pytest.raises(BadJetError, match=r"reads the pclass of particles, and these have none; .* --level pflow"):
        ModelSettings(features="paper+pclass").read(qcd_jets[:3])
