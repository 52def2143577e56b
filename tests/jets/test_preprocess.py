import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from jetgram import backend, kinematics
from jetgram.errors import BadJetError, SettingsError, SuspiciousJetsWarning
from jetgram.jets.alignment import align
from jetgram.jets.images import jet_images
from jetgram.jets.preprocess import preprocess
from jetgram.jets.subjets import find_subjets, trim
from jetgram.joining import concatenate
from jetgram.momenta import Jets, Preprocessed
from jetgram.trees.topologies import build_trees
from jetgram.validity import is_physical

needs_native = pytest.mark.skipif(backend.load()[0] is None, reason="no native core")


def subjet_momenta(jets: Jets, labels: np.ndarray, label: int) -> np.ndarray:
    """Momentum of one subjet of each jet, zero where it has none."""
    sums = np.zeros((len(jets), 4))
    chosen = labels == label
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
    for jet in range(len(jets)):
        expected = step_by_step(before[jet], labels[jets.offsets[jet] : jets.offsets[jet + 1]])
        np.testing.assert_allclose(jets[jet], expected, rtol=0, atol=1e-10 * before[jet][:, 3].max())


def test_masses_are_conserved(qcd_jets):
    np.testing.assert_allclose(preprocess(qcd_jets).mass, qcd_jets.mass, rtol=1e-9)


def test_the_leading_subjets_define_the_frame(qcd_jets):
    jets = preprocess(qcd_jets)
    first, second, third = (subjet_momenta(jets, find_subjets(qcd_jets), label) for label in range(3))
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
    assert once.preprocessed == Preprocessed(fraction)
    for again in (preprocess(once, trim=fraction), preprocess(once), preprocess(once[:]), preprocess(once[[5, 3]])):
        assert again.preprocessed == Preprocessed(fraction)
    np.testing.assert_array_equal(preprocess(once).momenta, once.momenta)
    np.testing.assert_array_equal(preprocess(concatenate([once[:9], once[9:]])).momenta, once.momenta)


def test_jets_in_their_frame_are_not_trimmed_otherwise(qcd_jets):
    with pytest.raises(SettingsError, match=r"preprocessed with trim = None, now trim = 0\.05"):
        preprocess(preprocess(qcd_jets), trim=0.05)
    for cluster_again in (trim, jet_images):
        with pytest.raises(SettingsError, match="found jets that were preprocessed; expected jets as they were found"):
            cluster_again(preprocess(qcd_jets))


def test_jets_in_different_frames_are_not_put_together(qcd_jets):
    with pytest.raises(BadJetError, match="expected jets that were all treated alike"):
        concatenate([qcd_jets, preprocess(qcd_jets)])


@pytest.mark.parametrize(
    "labels",
    [lambda n: np.full(n, -1), lambda n: np.full(n, np.nan), lambda n: np.full(n, 2**31 - 1), lambda n: np.arange(n)],
    ids=["negative", "nan", "huge", "plausible"],
)
def test_columns_of_these_names_mean_nothing(qcd_jets, labels):
    """They come from files of anybody; what the native core reads is found by the package itself."""
    columns, particles = {"trim": np.full(len(qcd_jets), 0.05)}, {"subjet": labels(len(qcd_jets.momenta))}
    brought = preprocess(Jets(qcd_jets.momenta, qcd_jets.offsets, columns, particles))
    np.testing.assert_array_equal(brought.momenta, preprocess(qcd_jets).momenta)
    np.testing.assert_array_equal(brought.particles["subjet"], particles["subjet"])
    np.testing.assert_array_equal(brought.columns["trim"], columns["trim"])


@pytest.mark.parametrize("native", [pytest.param(True, marks=needs_native), False])
@pytest.mark.parametrize("fraction", [None, 0.05])
def test_preprocessed_jets_without_their_mark_are_noticed(qcd_jets, fraction, native, monkeypatch):
    if not native:
        monkeypatch.setattr("jetgram.jets.preprocess.native_core", lambda: None)
    once = preprocess(qcd_jets, trim=fraction)
    with pytest.warns(SuspiciousJetsWarning, match=r"of 400 jets are in the frame of their own subjets already"):
        preprocess(Jets(once.momenta, once.offsets))


@needs_native
def test_both_twins_count_the_same_frames(qcd_jets):
    once = preprocess(qcd_jets)
    labels = find_subjets(once)
    counts = [
        backend.load()[0].align(once.momenta.copy(), once.offsets, labels, 2),
        align(once.momenta.copy(), once.offsets, labels),
        align(qcd_jets.momenta.copy(), qcd_jets.offsets, find_subjets(qcd_jets)),
    ]
    assert counts[0] == counts[1] > 100
    assert counts[2] == 0


def test_jets_in_single_precision_are_preprocessed(qcd_jets):
    """E of massless particles falls short of |p| by 1e-7; boosted, that was an energy far below the momentum."""
    single = Jets(qcd_jets.momenta.astype(np.float32), qcd_jets.offsets)
    boosted = Jets(kinematics.boost_z(qcd_jets.momenta, 4.0).astype(np.float32), qcd_jets.offsets)
    size = kinematics.momentum(single.momenta)
    assert np.mean(size > single.momenta[:, 3]) > 0.1
    exact = preprocess(qcd_jets)
    for jets, precision in ((single, 1e-5), (boosted, 1e-2)):  # forward jets lose digits of their mass in the file
        found = preprocess(jets)
        assert is_physical(found.momenta).all()
        build_trees(found)
        assert np.median(np.abs(found.mass / exact.mass - 1)) < precision


def test_forward_particles_in_single_precision_stay_physical():
    rng = np.random.default_rng(1)
    particles = kinematics.from_ptetaphim(
        rng.exponential(1.0, 4000) + 0.1, rng.normal(8.0, 0.3, 4000), rng.normal(0, 0.3, 4000)
    )
    jets = Jets(particles.astype(np.float32), np.arange(0, 4001, 4))
    assert is_physical(preprocess(jets).momenta).all()


# Hypothesis finds particles that lie in the frame of their subjets but for numbers like 1e-309.
on_purpose = pytest.mark.filterwarnings("ignore::jetgram.errors.SuspiciousJetsWarning")
particles = st.tuples(st.floats(0.1, 500.0), st.floats(-4.0, 4.0), st.floats(-3.2, 3.2), st.floats(0.0, 10.0))
jets_of_particles = st.lists(st.lists(particles, min_size=1, max_size=8), min_size=1, max_size=4).map(
    lambda jets: Jets.from_lists([kinematics.from_ptetaphim(*np.transpose(jet)) for jet in jets])
)


@on_purpose
@settings(max_examples=200)
@given(jets_of_particles)
def test_any_jet_keeps_its_mass_and_is_done_after_once(jets):
    once = preprocess(jets)
    energy = np.maximum(jets.total[:, 3], once.total[:, 3])
    np.testing.assert_allclose(
        kinematics.mass2(once.total), kinematics.mass2(jets.total), rtol=1e-9, atol=1e-9 * (energy**2).max()
    )
    np.testing.assert_array_equal(preprocess(once).momenta, once.momenta)


@needs_native
@on_purpose
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
    assert set(jets.particles) == {"pdgid"}
    assert set(jets.columns) == {"event", "label"}
    assert "soft" not in jets.ragged


def test_bad_jets_are_refused():
    with pytest.raises(BadJetError, match="jet 0, particle 0: NaN"):
        preprocess(Jets(np.full((1, 4), np.nan), np.array([0, 1])))
