import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from jetgram import backend, kinematics
from jetgram.errors import BadJetError, SettingsError
from jetgram.jets.clustering import cluster, jet_definition
from jetgram.jets.subjets import _hard_subjets, drop_soft_subjets, find_subjets, trim
from jetgram.momenta import Events, Jets
from jetgram.trees.reference import kt_subjets

needs_native = pytest.mark.skipif(backend.load()[0] is None, reason="no native core")


def python_labels(jets: Jets, radius: float = 0.3) -> np.ndarray:
    return np.concatenate([kt_subjets(momenta, radius) for momenta in np.split(jets.momenta, jets.offsets[1:-1])])


def partition(labels: np.ndarray) -> set[frozenset[int]]:
    return {frozenset(np.flatnonzero(labels == label)) for label in np.unique(labels)}


@pytest.mark.parametrize("radius", [0.1, 0.3, 0.7])
def test_subjets_are_those_of_fastjet(qcd_jets, radius):
    labels = find_subjets(qcd_jets, radius)
    events = Events(qcd_jets.momenta, qcd_jets.offsets)
    rows, offsets, _ = cluster(events, jet_definition("kt", radius))
    of_fastjet = np.empty_like(labels)
    of_fastjet[rows] = np.repeat(np.arange(len(offsets) - 1), np.diff(offsets))
    for begin, end in zip(qcd_jets.offsets[:-1], qcd_jets.offsets[1:], strict=True):
        assert partition(labels[begin:end]) == partition(of_fastjet[begin:end])


def test_subjets_are_numbered_by_falling_pt(qcd_jets):
    labels = find_subjets(qcd_jets)
    for jet in range(len(qcd_jets)):
        own = labels[qcd_jets.offsets[jet] : qcd_jets.offsets[jet + 1]]
        pt = [float(kinematics.pt(qcd_jets[jet][own == label].sum(axis=0))) for label in range(own.max() + 1)]
        assert pt == sorted(pt, reverse=True)


@needs_native
def test_python_gives_the_labels_of_the_native_core(qcd_jets):
    jets = qcd_jets[:60]
    np.testing.assert_array_equal(find_subjets(jets), python_labels(jets))


# Few distinct directions and momenta: many equal distances, coinciding and beam-parallel particles.
grid = st.tuples(
    st.sampled_from([1.0, 2.0, 3.0, 1e-5, 100.0]),
    st.sampled_from([0.0, 0.1, 0.2, -0.1, 0.4, 8.0]),
    st.sampled_from([0.0, 0.1, -0.1, 0.3, np.pi, -np.pi]),
    st.sampled_from([0.0, 0.0, 0.14, 5.0]),
)
along_beam = st.sampled_from(
    [(0.0, 0.0, 3.0, 3.0), (0.0, 0.0, -3.0, 3.0), (0.0, 0.0, 0.0, 1.0), (1e-200, 0, 0, 1e-200)]
)
nasty_particle = grid.map(lambda x: tuple(kinematics.from_ptetaphim(*x))) | along_beam
nasty_jets = st.lists(st.lists(nasty_particle, min_size=1, max_size=14), min_size=1, max_size=3).map(Jets.from_lists)


@needs_native
@settings(max_examples=300)
@given(nasty_jets)
def test_both_kernels_settle_equal_distances_alike(jets):
    np.testing.assert_array_equal(find_subjets(jets), python_labels(jets))


@needs_native
def test_the_number_of_threads_changes_nothing(qcd_jets, monkeypatch):
    results = []
    for threads in ("1", "2", "5"):
        monkeypatch.setenv("JETGRAM_THREADS", threads)
        results.append(find_subjets(qcd_jets))
    np.testing.assert_array_equal(results[0], results[1])
    np.testing.assert_array_equal(results[0], results[2])


def test_one_particle_is_one_subjet():
    np.testing.assert_array_equal(find_subjets(Jets(np.array([[3.0, 4.0, 0.0, 5.0]]), np.array([0, 1]))), [0])


def test_no_jets_have_no_subjets():
    nothing = Jets(np.empty((0, 4)), np.array([0]))
    assert len(find_subjets(nothing)) == 0
    assert len(trim(nothing)) == 0


def test_trimming_drops_soft_subjets_only(qcd_jets):
    labels = find_subjets(qcd_jets)
    trimmed = trim(qcd_jets, 0.05)
    for jet in range(len(qcd_jets)):
        own = labels[qcd_jets.offsets[jet] : qcd_jets.offsets[jet + 1]]
        pt = np.array([kinematics.pt(qcd_jets[jet][own == label].sum(axis=0)) for label in range(own.max() + 1)])
        hard = pt >= 0.05 * qcd_jets.pt[jet]
        np.testing.assert_array_equal(trimmed[jet], qcd_jets[jet][hard[own]])
    assert len(trimmed.particles["pdgid"]) == len(trimmed.momenta)
    assert np.all(trimmed.mass <= qcd_jets.mass)


@needs_native
@settings(max_examples=100)
@given(nasty_jets, st.sampled_from([0.0, 0.03, 0.3, 0.9]))
def test_both_kernels_trim_alike(jets, fraction):
    labels = find_subjets(jets)
    _, kept = drop_soft_subjets(jets, labels, fraction)
    np.testing.assert_array_equal(kept, labels[_hard_subjets(jets, labels, fraction)])


def test_trimming_never_empties_a_jet():
    eta, phi = 0.4 * np.mgrid[:5, :5].reshape(2, 25)  # 25 subjets of about 4 % each
    trimmed = trim(Jets(kinematics.from_ptetaphim(1.0, eta, phi), np.array([0, 25])), 0.2)
    np.testing.assert_array_equal(trimmed.multiplicity, [1])


def test_wrong_settings_and_jets_are_refused(qcd_jets):
    with pytest.raises(SettingsError, match="radius = -1"):
        find_subjets(qcd_jets[:2], -1.0)
    with pytest.raises(SettingsError, match=r"fraction 1\.5; expected at least 0 and below 1"):
        trim(qcd_jets[:2], 1.5)
    with pytest.raises(BadJetError, match="jet 0 is empty"):
        find_subjets(Jets(np.empty((0, 4)), np.array([0, 0])))
