import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from jetgram import backend, kinematics
from jetgram.errors import BadJetError, SettingsError
from jetgram.jets.alignment import align
from jetgram.jets.preprocess import preprocess
from jetgram.jets.subjets import find_subjets, trim
from jetgram.momenta import Jets

needs_native = pytest.mark.skipif(backend.load()[0] is None, reason="no native core")


def subjet_momenta(jets: Jets, label: int) -> np.ndarray:
    """Momentum of one subjet of each jet, zero where it has none."""
    sums = np.zeros((len(jets), 4))
    chosen = jets.particles["subjet"] == label
    np.add.at(sums, jets.group[chosen], jets.momenta[chosen])
    return sums


def step_by_step(momenta: np.ndarray, labels: np.ndarray) -> np.ndarray:
    """One jet by the recipe as it is written, with angles."""
    p = momenta.copy()
    first = p[labels == 0].sum(axis=0)
    p[:, :2] = turned(p[:, :2], -np.arctan2(first[1], first[0]))
    p = kinematics.boost_z(p, kinematics.rapidity(first))
    if labels.max() >= 1:
        dy, dz = (p[labels == 0].sum(axis=0) - p[labels == 1].sum(axis=0))[1:3]
        p[:, 1:3] = turned(p[:, 1:3], -np.arctan2(dz, dy))
    if labels.max() >= 2 and p[labels == 2].sum(axis=0)[2] < 0:
        p[:, 2] *= -1
    return p


def turned(xy: np.ndarray, angle: float) -> np.ndarray:
    cos, sin = np.cos(angle), np.sin(angle)
    return xy @ np.array([[cos, sin], [-sin, cos]])


@pytest.mark.parametrize("fraction", [None, 0.05])
def test_every_jet_follows_the_recipe(qcd_jets, fraction):
    jets = preprocess(qcd_jets, trim=fraction)
    before = qcd_jets if fraction is None else trim(qcd_jets, fraction)
    labels = find_subjets(before)
    np.testing.assert_array_equal(jets.offsets, before.offsets)
    np.testing.assert_array_equal(jets.particles["subjet"], labels)
    for jet in range(len(jets)):
        expected = step_by_step(before[jet], labels[jets.offsets[jet] : jets.offsets[jet + 1]])
        np.testing.assert_allclose(jets[jet], expected, rtol=0, atol=1e-10 * before[jet][:, 3].max())


def test_masses_are_conserved(qcd_jets):
    np.testing.assert_allclose(preprocess(qcd_jets).mass, qcd_jets.mass, rtol=1e-9)


def test_the_leading_subjets_define_the_frame(qcd_jets):
    jets = preprocess(qcd_jets)
    first, second, third = (subjet_momenta(jets, label) for label in range(3))
    np.testing.assert_allclose(kinematics.eta(first), 0, atol=1e-12)
    np.testing.assert_allclose(kinematics.phi(first), 0, atol=1e-12)
    there = second[:, 3] > 0
    assert there.mean() > 0.8
    assert np.all(second[there, 1] < 0)
    np.testing.assert_allclose(second[there, 2] / second[there, 3], 0, atol=1e-11)
    assert np.all(third[:, 2] >= 0)


@pytest.mark.parametrize("fraction", [None, 0.05])
def test_twice_is_once(qcd_jets, fraction):
    once = preprocess(qcd_jets, trim=fraction)
    twice = preprocess(once, trim=fraction)
    np.testing.assert_array_equal(twice.offsets, once.offsets)
    scale = once.momenta[:, 3].max()
    np.testing.assert_allclose(twice.momenta, once.momenta, rtol=0, atol=1e-12 * scale)
    np.testing.assert_allclose(preprocess(once).momenta, once.momenta, rtol=0, atol=1e-12 * scale)


def test_jets_in_their_frame_are_not_trimmed_otherwise(qcd_jets):
    with pytest.raises(SettingsError, match=r"preprocessed with trim = 0\.0, now trim = 0\.05"):
        preprocess(preprocess(qcd_jets), trim=0.05)


particles = st.tuples(st.floats(0.1, 500.0), st.floats(-4.0, 4.0), st.floats(-3.2, 3.2), st.floats(0.0, 10.0))
jets_of_particles = st.lists(st.lists(particles, min_size=1, max_size=8), min_size=1, max_size=4).map(
    lambda jets: Jets.from_lists([kinematics.from_ptetaphim(*np.transpose(jet)) for jet in jets])
)


@settings(max_examples=200)
@given(jets_of_particles)
def test_any_jet_keeps_its_mass_and_is_done_after_once(jets):
    once = preprocess(jets)
    energy = np.maximum(jets.total[:, 3], once.total[:, 3])
    np.testing.assert_allclose(
        kinematics.mass2(once.total), kinematics.mass2(jets.total), rtol=1e-9, atol=1e-9 * (energy**2).max()
    )
    np.testing.assert_allclose(preprocess(once).momenta, once.momenta, rtol=0, atol=1e-8 * energy.max())


@needs_native
@settings(max_examples=200)
@given(jets_of_particles)
def test_numpy_gives_the_momenta_of_the_native_core(jets):
    aligned = jets.momenta.copy()
    align(aligned, jets.offsets, find_subjets(jets))
    np.testing.assert_array_equal(aligned, preprocess(jets).momenta)


@needs_native
def test_without_the_native_core_the_result_is_the_same(qcd_jets, monkeypatch):
    jets = qcd_jets[:10]
    native = preprocess(jets, trim=0.05)
    monkeypatch.setattr("jetgram.jets.subjets.native_core", lambda: None)
    monkeypatch.setattr("jetgram.jets.preprocess.native_core", lambda: None)
    np.testing.assert_array_equal(preprocess(jets, trim=0.05).momenta, native.momenta)


@pytest.mark.parametrize(
    "momentum", [(3.0, 4.0, 12.0, 13.0), (0.0, 0.0, 5.0, 5.0), (0.0, 0.0, -5.0, 6.0), (1e-160, 0.0, 1.0, 1.0)]
)
def test_one_particle_alone(momentum):
    jet = preprocess(Jets(np.array([momentum]), np.array([0, 1])))
    assert np.all(np.isfinite(jet.momenta))
    assert jet.momenta[0, 1] == pytest.approx(0)
    assert jet.mass[0] == pytest.approx(kinematics.mass(np.array(momentum)), abs=1e-6)


def test_what_travels_along(qcd_jets):
    jets = preprocess(qcd_jets.with_columns(label=np.ones(len(qcd_jets))), trim=0.05)
    assert set(jets.particles) == {"pdgid", "subjet"}
    assert set(jets.columns) == {"event", "label", "trim"}
    assert "soft" not in jets.ragged
    assert np.all(jets.columns["trim"] == 0.05)


def test_bad_jets_are_refused():
    with pytest.raises(BadJetError, match="jet 0, particle 0: NaN"):
        preprocess(Jets(np.full((1, 4), np.nan), np.array([0, 1])))
