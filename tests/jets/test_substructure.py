import itertools

import numpy as np
import pytest
from scipy.optimize import minimize

from jetgram import kinematics
from jetgram.errors import BadJetError, SettingsError
from jetgram.jets.subjets import trim
from jetgram.jets.substructure import nsubjettiness, soft_drop_mass, substructure, tau21
from jetgram.momenta import Jets


def one_jet(pt, eta, phi) -> Jets:
    momenta = kinematics.from_ptetaphim(pt, eta, phi)
    return Jets(momenta, np.array([0, len(momenta)]))


def tau1_about(jet: np.ndarray, axis: np.ndarray) -> float:
    pt = kinematics.pt(jet)
    distance = np.hypot(kinematics.rapidity(jet) - axis[0], kinematics.delta_phi(kinematics.phi(jet), axis[1]))
    return float((pt * distance).sum() / pt.sum())


def winners(jet: np.ndarray, axes: int) -> list[tuple[float, float]]:
    """Rapidity and azimuth of exclusive kt subjets, by definition: of two, the sum goes where the harder one goes."""
    left = [(*kinematics.rapidity_phi_pt2(p)[:2], float(kinematics.pt(p))) for p in jet]
    while len(left) > axes:

        def distance(pair, left=left):
            (y1, phi1, pt1), (y2, phi2, pt2) = left[pair[0]], left[pair[1]]
            return min(pt1, pt2) ** 2 * ((y1 - y2) ** 2 + kinematics.delta_phi(phi1, phi2) ** 2)

        pair = min(itertools.combinations(range(len(left)), 2), key=distance)
        one, other = sorted((left[i] for i in pair), key=lambda each: each[2])
        left = [each for i, each in enumerate(left) if i not in pair] + [(*other[:2], one[2] + other[2])]
    return [each[:2] for each in left]


def test_the_winner_takes_all(qcd_jets):
    jets = trim(qcd_jets, 0.05)[:12]
    for jet, found in enumerate(nsubjettiness(jets, (1, 2, 3))):
        pt, y, phi = kinematics.pt(jets[jet]), kinematics.rapidity(jets[jet]), kinematics.phi(jets[jet])
        for tau, count in zip(found, (1, 2, 3), strict=True):
            away = [np.hypot(y - axis[0], kinematics.delta_phi(phi, axis[1])) for axis in winners(jets[jet], count)]
            assert tau == pytest.approx((pt * np.min(away, axis=0)).sum() / pt.sum(), rel=1e-9, abs=1e-12)


def test_tau1_is_the_smallest_over_all_axes(qcd_jets):
    jets = qcd_jets[:20]
    for jet, tau1 in enumerate(nsubjettiness(jets, [1], axes="one-pass-kt")[:, 0]):
        start = np.array([kinematics.rapidity(jets.total[jet]), kinematics.phi(jets.total[jet])])
        best = minimize(lambda axis, jet=jet: tau1_about(jets[jet], axis), start, method="Nelder-Mead")
        assert tau1 == pytest.approx(best.fun, rel=2e-3)


def test_three_prongs_have_the_taus_of_their_distances():
    jets = one_jet([60.0, 60.0, 30.0], [0.0, 0.3, 0.15], [0.0, 0.0, 0.8])
    tau1, tau2, tau3 = nsubjettiness(jets, (1, 2, 3))[0]
    assert tau3 == pytest.approx(0, abs=1e-9)
    assert tau2 == pytest.approx(60 * 0.3 / 150, rel=1e-6)  # the two hard ones share an axis anywhere between them
    assert tau1 > tau2


def test_beta_and_radius_enter_as_powers(qcd_jets):
    jets = qcd_jets[:20]
    np.testing.assert_allclose(nsubjettiness(jets, radius=0.5), 2 * nsubjettiness(jets), rtol=1e-9)
    np.testing.assert_allclose(nsubjettiness(jets, beta=2.0, radius=0.5), 4 * nsubjettiness(jets, beta=2.0), rtol=1e-9)


def test_more_axes_describe_better(qcd_jets):
    tau = nsubjettiness(qcd_jets, (1, 2, 3))
    assert np.all(tau >= 0)
    assert np.all(np.diff(nsubjettiness(qcd_jets, (1, 2, 3), axes="one-pass-kt"), axis=1) <= 1e-3)
    assert np.mean(np.diff(tau, axis=1) <= 0) > 0.99  # an axis of its own may leave the rest a worse one
    ratio = tau21(qcd_jets)
    np.testing.assert_array_equal(ratio[tau[:, 0] > 0], (tau[:, 1] / tau[:, 0])[tau[:, 0] > 0])


def test_a_single_particle_has_no_substructure():
    jet = one_jet([50.0], [1.0], [2.0])
    np.testing.assert_array_equal(nsubjettiness(jet), [[0.0, 0.0]])
    np.testing.assert_array_equal(tau21(jet), [0.0])
    assert soft_drop_mass(jet)[0] == pytest.approx(0, abs=1e-5)


@pytest.mark.parametrize(("soft", "kept"), [(5.0, False), (20.0, True)])
def test_soft_drop_decides_on_the_share_of_pt(soft, kept):
    jet = one_jet([100.0, soft], [0.0, 0.7], [0.0, 0.0])
    assert soft_drop_mass(jet)[0] == pytest.approx(jet.mass[0] if kept else 0.0, abs=1e-5)


def test_soft_drop_with_beta_keeps_collinear_splittings():
    jet = one_jet([100.0, 5.0], [0.0, 0.2], [0.0, 0.0])  # z = 0.048 against 0.1 * 0.2
    assert soft_drop_mass(jet, beta=1.0)[0] == pytest.approx(jet.mass[0])
    assert soft_drop_mass(jet, beta=0.0)[0] == pytest.approx(0, abs=1e-5)


def test_grooming_lowers_masses(qcd_jets):
    assert np.all(soft_drop_mass(qcd_jets[:50]) <= qcd_jets[:50].mass * (1 + 1e-9))


def test_the_table_of_the_baselines(qcd_jets):
    jets = qcd_jets[:30]
    columns, trimmed = substructure(jets), trim(jets, 0.05)
    np.testing.assert_array_equal(columns["tau21"], tau21(trimmed))
    np.testing.assert_array_equal(columns["trimmed_mass"], trimmed.mass)
    np.testing.assert_array_equal(columns["trimmed_pt"], trimmed.pt)
    assert set(jets.with_columns(**columns).columns) == {"event", *columns}


def test_a_turn_about_the_beam_changes_nothing(qcd_jets):
    jets = qcd_jets[:20]
    turned = jets.momenta.copy()
    turned[:, :2] = jets.momenta[:, 1::-1] * [1, -1]
    np.testing.assert_allclose(nsubjettiness(Jets(turned, jets.offsets)), nsubjettiness(jets), rtol=1e-6)
    boosted = Jets(kinematics.boost_z(jets.momenta, 0.7), jets.offsets)
    np.testing.assert_allclose(nsubjettiness(boosted), nsubjettiness(jets), rtol=1e-6)


def test_no_jets_and_bad_jets(qcd_jets):
    nothing = qcd_jets[:0]
    assert nsubjettiness(nothing).shape == (0, 2)
    assert soft_drop_mass(nothing).shape == (0,)
    with pytest.raises(BadJetError, match="jet 0 is empty"):
        tau21(Jets(np.empty((0, 4)), np.array([0, 0])))
    with pytest.raises(SettingsError, match="no axes are called 'kt'; there are: wta-kt, one-pass-kt"):
        nsubjettiness(nothing, axes="kt")


def test_soft_drop_of_single_particles_and_of_jets_along_the_beam(qcd_jets):
    alone = Jets(np.array([[30.0, 40.0, 120.0, 130.0], [0.0, 0.0, 50.0, 50.0]]), np.array([0, 1, 2]))
    np.testing.assert_allclose(soft_drop_mass(alone), 0.0, atol=1e-5)
    assert (soft_drop_mass(alone) >= 0).all()
    assert (soft_drop_mass(qcd_jets[:100], z_cut=0.4) >= 0).all()
    assert soft_drop_mass(qcd_jets[:0]).shape == (0,)
