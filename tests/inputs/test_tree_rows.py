"""One pass of the native core and the single steps give the same bits."""

import numpy as np
import pytest
from hypothesis import given, settings
from nasty_jets import nasty_jets

from jetgram import backend
from jetgram.errors import BadJetError
from jetgram.inputs.schedule import Schedule
from jetgram.inputs.trees import TreeInput, tree_rows
from jetgram.momenta import Jets
from jetgram.trees.features import FEATURE_SETS, find_features
from jetgram.trees.topologies import TOPOLOGIES, build_trees

if backend.load()[0] is None:
    pytest.skip("the native core was not built", allow_module_level=True)

ONE_PASS = [name for name, found in FEATURE_SETS.items() if found.kernel]


def step_by_step(jets: Jets, topology: str, features: str, seed: int = 0) -> Schedule:
    trees = build_trees(jets, topology, seed)
    with np.errstate(over="ignore"):
        return Schedule.from_trees(trees, find_features(features).compute(trees, {}).astype(np.float32))


def require_same(a: Schedule, b: Schedule) -> None:
    for name in ("features", "inner", "offsets"):
        np.testing.assert_array_equal(getattr(a, name), getattr(b, name))


@pytest.mark.parametrize("features", ONE_PASS)
@pytest.mark.parametrize("topology", TOPOLOGIES)
def test_the_same_bits_as_the_single_steps(qcd_jets, topology, features):
    found = tree_rows(qcd_jets, topology, 3, find_features(features))
    require_same(found, step_by_step(qcd_jets, topology, features, 3))


@pytest.mark.parametrize("features", ONE_PASS)
def test_scaled_in_the_same_pass(qcd_jets, features):
    chosen = TreeInput(features=features, topology="ca")
    plain = chosen.read(qcd_jets).inputs
    scaler = plain.fit_scaler(chosen.scaling)
    require_same(chosen.read(qcd_jets, scaler=scaler).inputs, plain.scaled(scaler))


@settings(deadline=None, max_examples=60)
@given(nasty_jets)
def test_nasty_jets_too(jets):
    for topology, features in (("kt", "paper"), ("ca", "lund"), ("kt", "lund"), ("desc-pt", "lund")):
        found, wanted = tree_rows(jets, topology, 0, find_features(features)), step_by_step(jets, topology, features)
        if np.isinf(wanted.features).any():
            assert found is None
        else:
            require_same(found, wanted)


@pytest.mark.parametrize("features", ONE_PASS)
def test_any_number_of_threads_gives_the_same_bits(qcd_jets, features, monkeypatch):
    found = []
    for threads in ("1", "2", "5"):
        monkeypatch.setenv("JETGRAM_THREADS", threads)
        reading = TreeInput(features=features, topology="ca").read(qcd_jets)
        found.append(reading.inputs.scaled(reading.inputs.fit_scaler(FEATURE_SETS[features].scaling)))
    require_same(found[0], found[1])
    require_same(found[0], found[2])


def test_too_large_for_single_precision_is_left_to_the_steps_that_name_the_jet(qcd_jets):
    momenta = qcd_jets[:3].momenta.copy()
    momenta[qcd_jets.offsets[1]] = [3e60, 4e60, 0.0, 5e60]
    jets = Jets(momenta, qcd_jets.offsets[:4])
    assert tree_rows(jets, "kt", 0, find_features("paper")) is None
    with pytest.raises(BadJetError, match="jet 8: its momenta are too large for single precision"):
        TreeInput(preprocess=False).read(jets, first=7)


def test_columns_of_particles_are_read_step_by_step(qcd_jets):
    assert find_features("paper+charge").kernel is None
    assert tree_rows(qcd_jets, "kt", 0, find_features("paper+charge")) is None


def test_without_the_native_core(qcd_jets, monkeypatch):
    monkeypatch.setattr(backend, "native_core", lambda: None)
    assert tree_rows(qcd_jets[:1], "kt", 0, find_features("paper")) is None
