"""The installed C++ library gives the scores of Python, from constituents on, on any number of threads."""

import subprocess

import numpy as np
import pytest

from jetgram.joining import concatenate
from jetgram.momenta import Jets
from jetgram.tagger import JetRegressor, JetTagger


def awkward_jets(jets: Jets) -> Jets:
    """The jets, single particles, and momenta that were stored in single precision."""
    bare = Jets(jets.momenta, jets.offsets)
    rounded = bare[:20].momenta.astype(np.float32).astype(np.float64)
    single = Jets(jets.momenta[:5], np.arange(6))
    return concatenate([bare, single, Jets(rounded, bare[:20].offsets)])


SETTINGS = {
    "simple kt": {},
    "gated ca": {"cell": "gated", "topology": "ca"},
    "simple antikt, trimmed": {"topology": "antikt", "trim": 0.05, "hidden": 23},
    "gated random, children": {"cell": "gated", "topology": "random", "tree_seed": 2**62 + 1, "readout": "children"},
    "simple asc-pt, not preprocessed": {"topology": "asc-pt", "preprocess": False},
    "simple desc-pt, only trimmed": {"topology": "desc-pt", "preprocess": False, "trim": 0.1},
    "blend kt, mean": {"cell": "blend", "readout": "mean", "hidden": 30},
    "simple ca, lund": {"features": "lund", "topology": "ca"},
    "blend kt+ca, lund, preprocessed, trimmed": {
        "cell": "blend",
        "topology": "kt+ca",
        "features": "lund",
        "preprocess": True,
        "trim": 0.02,
    },
    "stereo": {"topology": "kt+desc-pt", "cell": "gated", "readout": "children", "hidden": 17},
}


@pytest.mark.parametrize("name", SETTINGS)
def test_scores_are_those_of_python(name, programs, qcd_jets, tmp_path):
    jets = awkward_jets(qcd_jets)
    settings = {"hidden": 24, "epochs": 2, "batch": 32, "rate": 0.01, **SETTINGS[name]}
    tagger = JetTagger(**settings).fit(jets, jets.mass > np.median(jets.mass))
    digest = tagger.save(tmp_path / "model")
    names, found = programs.scores(tmp_path / "model", jets, threads=2)
    expected = tagger.predict_proba(jets)[:, 1:]
    assert names == ["score"]
    assert np.ptp(expected) > 0.01  # something was learned: equal scores are no accident
    np.testing.assert_allclose(found, expected, rtol=0, atol=1e-6)
    assert programs.load(tmp_path / "model") == [digest]


def test_machines_without_avx2_give_the_same_scores(programs, model, qcd_jets, monkeypatch):
    _, expected = programs.scores(model, qcd_jets)
    monkeypatch.setenv("JETGRAM_CPU_PATH", "portable")
    _, found = programs.scores(model, qcd_jets)
    np.testing.assert_allclose(found, expected, rtol=0, atol=1e-6)


def test_numbers_of_a_regressor(programs, qcd_jets, tmp_path):
    targets = np.stack([qcd_jets.mass, qcd_jets.pt], axis=1)
    regressor = JetRegressor(targets=("jet mass", "pt"), hidden=16, epochs=2, batch=32).fit(qcd_jets, targets)
    regressor.save(tmp_path / "model")
    names, found = programs.scores(tmp_path / "model", qcd_jets)
    assert names == ["jet mass", "pt"]
    np.testing.assert_allclose(found, regressor.predict(qcd_jets), rtol=1e-6)


def test_probabilities_of_several_classes(programs, qcd_jets, tmp_path):
    labels = np.array(["qcd", "w", "top"])[np.argsort(np.argsort(qcd_jets.mass)) * 3 // len(qcd_jets)]
    tagger = JetTagger(hidden=16, epochs=2, batch=32).fit(qcd_jets, labels)
    tagger.save(tmp_path / "model")
    names, found = programs.scores(tmp_path / "model", qcd_jets)
    assert names == [f"score_{label}" for label in tagger.classes_]
    np.testing.assert_allclose(found, tagger.predict_proba(qcd_jets), rtol=0, atol=1e-6)


def test_classes_of_particles_are_features(programs, pflow_jets, qcd_jets, tmp_path):
    tagger = JetTagger(features="paper+pclass", trim=0.03, hidden=16, epochs=1)
    tagger.fit(pflow_jets, pflow_jets.mass > np.median(pflow_jets.mass)).save(tmp_path / "model")
    _, found = programs.scores(tmp_path / "model", pflow_jets)
    np.testing.assert_allclose(found[:, 0], tagger.predict_proba(pflow_jets)[:, 1], rtol=0, atol=1e-6)
    assert "this model reads the class of particles; found 0 classes" in programs.complaint(
        tmp_path / "model", Jets(qcd_jets.momenta, qcd_jets.offsets)
    )


def test_eight_threads_at_once(programs, model):
    assert int(programs.run("concurrent", model)) == 8 * 3 * 100


@pytest.mark.parametrize(
    ("momentum", "fault"),
    [
        ((0.0, 3.0, 4.0, 1.0), "E < |p|"),
        ((0.0, 3.0, 4.0, -5.0), "E < 0"),
        ((0.0, 0.0, 0.0, 0.0), "zero momentum"),
        ((np.nan, 3.0, 4.0, 5.0), "NaN"),
        ((0.0, 3.0, 4.0, np.inf), "inf"),
        ((0.0, 3.0, 4.0, 1e150), "too large"),
    ],
)
def test_unphysical_jets_are_refused_with_their_number_and_values(programs, model, qcd_jets, momentum, fault):
    good = Jets(qcd_jets.momenta, qcd_jets.offsets)[:40]
    bad = Jets(np.array([[3.0, 4.0, 0.0, 5.0], momentum]), np.array([0, 2]))
    complaint = programs.complaint(model, concatenate([good, bad]))
    assert f"jet 40, particle 1: {fault} in (px, py, pz, E) = (" in complaint


def test_legal_but_huge_momenta_are_refused(programs, model):
    """They overflow in single precision: an error, and not a NaN."""
    huge = Jets(np.array([[1e60, 0.0, 0.0, 1e60], [0.0, 1e60, 0.0, 1e60]]), np.array([0, 2]))
    assert "jet 0: its momenta are too large for single precision" in programs.complaint(model, huge)


@pytest.mark.slow
def test_a_shared_library_has_nothing_but_its_header(programs, model, tmp_path):
    """The names of everything internal are hidden."""
    shared, installed = programs.rebuilt(tmp_path, "-DBUILD_SHARED_LIBS=ON")
    assert shared.load(model) == programs.load(model)
    command = ["nm", "-DC", "--defined-only", installed / "lib" / "libjetgram.so"]
    symbols = subprocess.run(command, capture_output=True, text=True, check=True).stdout.splitlines()
    ours = [line for line in symbols if "jetgram::" in line]
    assert ours
    assert [line for line in ours if "Tagger" not in line and "Error" not in line] == []
