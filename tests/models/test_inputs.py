import dataclasses

import numpy as np
import pytest

from jetgram.errors import BadJetError
from jetgram.inputs.schedule import StereoSchedule, views
from jetgram.jets.preprocess import preprocess
from jetgram.jets.subjets import trim
from jetgram.models.inputs import concatenate_schedules, fit_scaler, read_jets, scale
from jetgram.models.settings import ModelSettings
from jetgram.momenta import Jets
from jetgram.trees.features import node_features
from jetgram.trees.topologies import build_trees


def same(a, b):
    pairs = zip(views(a), views(b), strict=True)
    return all(np.array_equal(x.features, y.features) and np.array_equal(x.inner, y.inner) for x, y in pairs)


def test_the_chain_is_preprocess_tree_features(qcd_jets):
    trees = build_trees(preprocess(qcd_jets), "ca")
    found = read_jets(qcd_jets, ModelSettings(topology="ca"))
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
    by_hand = read_jets(prepare(qcd_jets), ModelSettings(preprocess=False))
    assert same(read_jets(qcd_jets, ModelSettings(**settings)), by_hand)


@pytest.mark.parametrize("topology", ["random", "kt+random"])
def test_a_jet_reads_the_same_alone_and_among_others(qcd_jets, topology):
    settings = ModelSettings(topology=topology, tree_seed=3)
    together = read_jets(qcd_jets[:30], settings)
    assert same(together[10:], read_jets(qcd_jets[10:30], settings))
    assert same(together, concatenate_schedules([together[:7], together[7:8], together[8:]]))


def test_stereo_views_are_those_of_each_topology(qcd_jets):
    both = read_jets(qcd_jets[:20], ModelSettings(topology="kt+desc-pt"))
    assert isinstance(both, StereoSchedule)
    for view, topology in zip(views(both), ("kt", "desc-pt"), strict=True):
        alone = read_jets(qcd_jets[:20], ModelSettings(topology=topology))
        assert np.array_equal(view.features, alone.features)
        assert np.array_equal(view.inner, alone.inner)


def test_scaling_acts_on_all_views(qcd_jets):
    both = read_jets(qcd_jets[:20], ModelSettings(topology="kt+desc-pt"))
    scaler = fit_scaler(both)
    everything = np.concatenate([view.features for view in views(scale(both, scaler))])
    np.testing.assert_allclose(np.median(everything, axis=0), 0, atol=1e-5)


def test_momenta_beyond_single_precision_are_named(qcd_jets):
    huge = Jets(np.array([[1e60, 0.0, 0.0, 1e60]]), np.array([0, 1]))
    with pytest.raises(BadJetError, match="jet 7: its momenta are too large for single precision"):
        read_jets(huge, ModelSettings(), first_jet=7)


def test_views_of_different_jets_are_refused(qcd_jets):
    trees = read_jets(qcd_jets[:5], ModelSettings())
    with pytest.raises(BadJetError, match="found 5 and 3 trees"):
        StereoSchedule.of([trees, dataclasses.replace(trees[:3])])


@pytest.mark.parametrize("choices", [{}, {"trim": 0.05}, {"preprocess": False}, {"topology": "kt+random"}], ids=str)
def test_the_class_of_particles_survives_preprocessing(pflow_jets, choices):
    settings = ModelSettings(features="paper+pclass", **choices)
    found = read_jets(pflow_jets, settings)
    plain = read_jets(pflow_jets, ModelSettings(**choices))
    for view, without in zip(views(found), views(plain), strict=True):
        np.testing.assert_array_equal(view.features[:, :7], without.features)
    kept = trim(pflow_jets, 0.05) if settings.trim else pflow_jets
    jet, row = (np.repeat(np.arange(len(found)), np.diff(found.offsets)), ~found.inner)
    expected = np.zeros((len(kept), 4))
    np.add.at(expected, kept.group, np.eye(4)[kept.particles["pclass"]])
    counts = np.zeros((len(kept), 4))
    np.add.at(counts, jet[row], found.features[row, 7:])
    np.testing.assert_array_equal(counts, expected)
    assert not found.features[found.inner, 7:].any()


def test_scaling_does_not_touch_the_classes(pflow_jets):
    found = read_jets(pflow_jets, ModelSettings(features="paper+pclass"))
    scaler = fit_scaler(found)
    np.testing.assert_array_equal(scaler.center[7:], 0.0)
    np.testing.assert_array_equal(scaler.scale[7:], 1.0)
    np.testing.assert_array_equal(scale(found, scaler).features[:, 7:], found.features[:, 7:])


def test_particles_without_a_class_are_an_error_that_helps(qcd_jets):
    with pytest.raises(BadJetError, match=r"reads the pclass of particles, and these have none; .* --level pflow"):
        read_jets(qcd_jets[:3], ModelSettings(features="paper+pclass"))
