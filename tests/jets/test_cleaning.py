import dataclasses

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from jetgram import backend, kinematics
from jetgram.errors import BadJetError, SettingsError
from jetgram.jets.cleaning import clean
from jetgram.jets.perturb import perturb
from jetgram.momenta import Jets


def distances(momenta):
    eta, phi = kinematics.eta(momenta), kinematics.phi(momenta)
    return np.hypot(eta[:, None] - eta, kinematics.delta_phi(phi[:, None], phi))


def test_soft_constituents_go(qcd_jets):
    cleaned = clean(qcd_jets, min_pt=0.5, merge=0.0)
    pt = kinematics.pt(qcd_jets.momenta)
    np.testing.assert_array_equal(cleaned.momenta, qcd_jets.momenta[pt >= 0.5])
    assert (cleaned.multiplicity <= qcd_jets.multiplicity).all()
    assert len(cleaned.momenta) < len(qcd_jets.momenta)


def test_the_hardest_constituent_stays():
    jets = Jets.from_lists([kinematics.from_ptetaphim([0.02, 0.05], [0.0, 0.5], [0.0, 1.0])])
    np.testing.assert_allclose(kinematics.pt(clean(jets).momenta), [0.05])


def test_momentum_is_conserved_by_merging(qcd_jets):
    merged = clean(qcd_jets, min_pt=0.0, merge=0.05)
    assert (merged.multiplicity < qcd_jets.multiplicity).any()
    np.testing.assert_allclose(merged.total, qcd_jets.total, rtol=1e-12, atol=1e-9)


def test_what_is_left_is_apart(qcd_jets):
    for jet in range(50):
        apart = distances(clean(qcd_jets, merge=0.02)[jet])
        assert (apart[~np.eye(len(apart), dtype=bool)] > 0.019).all()


def test_clean_jets_stay_as_they_are(qcd_jets):
    once = clean(qcd_jets)
    twice = clean(once)
    np.testing.assert_array_equal(twice.momenta, once.momenta)
    np.testing.assert_array_equal(twice.offsets, once.offsets)


def test_collinear_splits_are_undone(qcd_jets):
    """A split within the distance gives the jet back, to rounding; the paper's perturbations are such."""
    before, after = clean(qcd_jets), clean(perturb(qcd_jets, "collinear10-max", seed=3))
    np.testing.assert_array_equal(after.multiplicity, before.multiplicity)
    order = [np.lexsort((kinematics.pt(jets.momenta), jets.group)) for jets in (before, after)]
    np.testing.assert_allclose(after.momenta[order[1]], before.momenta[order[0]], rtol=1e-6, atol=1e-6)


def test_columns_follow():
    momenta = kinematics.from_ptetaphim([3.0, 9.0, 5.0, 0.01], [0.0, 0.0, 1.0, 0.0], [0.0, 1e-4, 0.0, 2.0])
    jets = Jets(momenta, np.array([0, 4]), {"label": np.array([1])}, particles={"pclass": np.array([2, 0, 3, 1])})
    cleaned = clean(jets)
    assert cleaned.particles["pclass"].tolist() == [0, 3]  # that of the hardest member
    assert cleaned.columns["label"].tolist() == [1]
    np.testing.assert_allclose(kinematics.pt(cleaned.momenta), [12.0, 5.0])


def test_one_jet_at_a_time_is_the_same(qcd_jets):
    together = clean(qcd_jets[:30], merge=0.05)
    for jet in range(30):
        np.testing.assert_array_equal(together[jet], clean(qcd_jets[[jet]], merge=0.05).momenta)


@pytest.mark.parametrize(("min_pt", "merge"), [(0.1, 1e-3), (0.5, 0.03), (0.0, 0.2), (5.0, 0.0)])
def test_with_and_without_the_native_core(qcd_jets, monkeypatch, min_pt, merge):
    if backend.native_core() is None:
        pytest.skip("the native core was not built")
    jets = qcd_jets[:40].with_columns()
    jets = dataclasses.replace(jets, particles={"number": np.arange(len(jets.momenta))})
    native = clean(jets, min_pt, merge)
    monkeypatch.setattr(backend, "native_core", lambda: None)
    plain = clean(jets, min_pt, merge)
    np.testing.assert_array_equal(native.offsets, plain.offsets)
    np.testing.assert_allclose(native.momenta, plain.momenta, rtol=1e-13)
    np.testing.assert_array_equal(native.particles["number"], plain.particles["number"])


@pytest.mark.parametrize("spacing", [0.0, 2e-4, 7e-4, 9e-4, 1.1e-3])
def test_crowds_are_joined_as_without_the_native_core(monkeypatch, spacing):
    """Chains and clumps that grow and drift as they are joined, with others far away between them in order."""
    if backend.native_core() is None:
        pytest.skip("the native core was not built")
    rng = np.random.default_rng(2)
    groups = []
    for size in (2, 3, 5, 12, 40):
        eta, phi = spacing * np.cumsum(rng.normal(0.0, 1.0, (2, size)), axis=1)
        far = rng.uniform(0.5, 1.0, (2, size))
        eta, phi = (np.stack([near, other], axis=1).reshape(-1) for near, other in ((eta, far[0]), (phi, far[1])))
        groups.append(kinematics.from_ptetaphim(rng.uniform(0.2, 9.0, 2 * size), eta, phi))
    jets = Jets.from_lists(groups)
    native = clean(jets)
    monkeypatch.setattr(backend, "native_core", lambda: None)
    plain = clean(jets)
    np.testing.assert_array_equal(native.offsets, plain.offsets)
    np.testing.assert_allclose(native.momenta, plain.momenta, rtol=1e-13)


@given(
    eta=st.floats(-11.0, 11.0),
    phi=st.floats(-np.pi, np.pi),
    direction=st.floats(0.0, 2 * np.pi),
    pt=st.sampled_from([1e-150, 0.2, 50.0]),
    merge=st.sampled_from([1e-3, 0.1, 1.0]),
)
def test_a_pair_is_merged_up_to_the_distance_and_no_farther(eta, phi, direction, pt, merge):
    for factor, left in ((0.999, 1), (1.001, 2)):
        step = factor * merge * np.array([np.cos(direction), np.sin(direction)])
        pair = kinematics.from_ptetaphim([pt, pt], [eta, eta + step[0]], [phi, phi + step[1]])
        assert clean(Jets.from_lists([pair]), 0.0, merge).multiplicity[0] == left


@pytest.mark.parametrize("native", [True, False])
def test_a_particle_at_rest_is_at_rapidity_and_azimuth_0(monkeypatch, native):
    if not native:
        monkeypatch.setattr(backend, "native_core", lambda: None)
    at_rest, at_zero, elsewhere = [0.0, 0.0, 0.0, 10.0], [5.0, 0.0, 0.0, 5.0], [0.0, 5.0, 0.0, 5.0]
    joined, apart = clean(Jets.from_lists([[at_rest, at_zero, at_rest], [elsewhere, at_rest]]), 0.0)
    np.testing.assert_array_equal(joined, [[5.0, 0.0, 0.0, 25.0]])
    np.testing.assert_array_equal(apart, [elsewhere, at_rest])


def test_no_jets():
    nothing = Jets.from_lists([])
    assert len(clean(nothing)) == 0


def test_limits_are_checked(qcd_jets):
    with pytest.raises(SettingsError, match="min_pt = -1"):
        clean(qcd_jets, min_pt=-1)
    with pytest.raises(SettingsError, match="merge = nan"):
        clean(qcd_jets, merge=np.nan)


@pytest.mark.parametrize("copies", [2, 20])
@pytest.mark.parametrize("native", [True, False])
def test_sums_that_are_too_large_are_named(monkeypatch, copies, native):
    if not native:
        monkeypatch.setattr(backend, "native_core", lambda: None)
    jets = Jets.from_lists([[[1.0, 0.0, 0.0, 1.0]], copies * [[9e99, 0.0, 0.0, 9e99]]])
    for checked in (False, True):
        with pytest.raises(BadJetError, match=r"^jet 1, particle 0: too large"):
            clean(jets, checked=checked)
