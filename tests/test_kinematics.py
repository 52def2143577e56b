import math
from fractions import Fraction
from typing import Any

import fastjet
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from jetgram import kinematics
from jetgram.kinematics import ETA_MAX, Array

EPS = np.finfo(np.float64).eps
PI = np.pi
ANY = None  # where the docstrings promise nothing but a finite number in its range
QUANTITIES = ("pt", "momentum", "eta", "rapidity", "phi", "theta", "mass")
BEAM_Y = ETA_MAX + 50.0  # FastJet's rapidity of a massless momentum along the beam, pz = 50
LN3, LN5 = math.log(3), math.log(5)
PHI, THETA = math.atan2(4, 3), math.atan2(5, 12)  # of (3, 4, 12)
AWKWARD: dict[str, tuple[tuple[float, ...], tuple[float | None, ...]]] = {
    "zero": ((0, 0, 0, 0), (0, 0, 0, 0, ANY, ANY, 0)),
    "along +z": ((0, 0, 50, 50), (0, 50, ETA_MAX, BEAM_Y, ANY, 0, 0)),
    "along -z": ((0, 0, -50, 50), (0, 50, -ETA_MAX, -BEAM_Y, ANY, PI, 0)),
    "along +z, massive": ((0, 0, 4, 5), (0, 4, ETA_MAX, LN3, ANY, 0, 3)),
    "along -z, massive": ((0, 0, -4, 5), (0, 4, -ETA_MAX, -LN3, ANY, PI, 3)),
    "along -z, px = py = -0": ((-0.0, -0.0, -50, 50), (0, 50, -ETA_MAX, -BEAM_Y, ANY, PI, 0)),
    "along +z, E < |p|": ((0, 0, 50, np.nextafter(50, 0)), (0, 50, ETA_MAX, BEAM_Y, ANY, 0, 0)),
    "at rest": ((0, 0, 0, 91.2), (0, 0, 0, 0, ANY, ANY, 91.2)),
    "massive": ((3, 4, 12, 15), (5, 13, LN5, LN3, PHI, THETA, math.sqrt(56))),
    "massless": ((3, 4, 12, 13), (5, 13, LN5, LN5, PHI, THETA, 0)),
    "E < |p|": ((3, 4, 12, np.nextafter(13, 0)), (5, 13, LN5, LN5, PHI, THETA, 0)),
    "E < |p|, backward": ((3, 4, -12, np.nextafter(13, 0)), (5, 13, -LN5, -LN5, PHI, PI - THETA, 0)),
    "E < 0": ((3, 4, 12, -13), (5, 13, LN5, -LN5, PHI, THETA, 0)),
    "px = -0": ((-0.0, 3, 4, 5), (3, 5, LN3, LN3, PI / 2, math.atan2(3, 4), 0)),
    "phi = pi": ((-5, 0.0, 0, 5), (5, 5, 0, 0, PI, PI / 2, 0)),
    "phi = -pi": ((-5, -0.0, 0, 5), (5, 5, 0, 0, -PI, PI / 2, 0)),
    "just below phi = 0": ((5, -1e-300, 0, 5), (5, 5, 0, 0, 0, PI / 2, 0)),
    "squares vanish": ((3e-200, 4e-200, 12e-200, 15e-200), (ANY, ANY, ANY, ANY, PHI, ANY, ANY)),
    "tiny": ((3e-100, 4e-100, 12e-100, 15e-100), (5e-100, 13e-100, LN5, LN3, PHI, THETA, math.sqrt(56) * 1e-100)),
    "huge": ((3e100, 4e100, 12e100, 15e100), (5e100, 13e100, LN5, LN3, PHI, THETA, math.sqrt(56) * 1e100)),
}
MOMENTA = {name: np.array(p, dtype=np.float64) for name, (p, _) in AWKWARD.items()}
NOT_FINITE_IN_FASTJET = ("along +z, E < |p|", "squares vanish")
ALL = np.stack(list(MOMENTA.values()))

azimuths = st.floats(-PI, PI)
rapidities = st.floats(-3, 3)
masses = st.just(0.0) | st.floats(1e-3, 200)
momenta = st.builds(kinematics.from_ptetaphim, st.floats(0.1, 1e3), st.floats(-4, 4), azimuths, masses)
massless = st.builds(kinematics.from_ptetaphim, st.floats(0.1, 1e3), st.floats(-4, 4), azimuths)


def assert_same_angle(found: Any, expected: Any, atol: float = 1e-14) -> None:
    np.testing.assert_allclose(np.exp(1j * np.asarray(found)), np.exp(1j * np.asarray(expected)), rtol=0, atol=atol)


def rotated(p: Array, angle: float, first: int, second: int) -> Array:
    turned = p.copy()
    turned[first] = math.cos(angle) * p[first] - math.sin(angle) * p[second]
    turned[second] = math.sin(angle) * p[first] + math.cos(angle) * p[second]
    return turned


@pytest.mark.parametrize("quantity", QUANTITIES)
@pytest.mark.parametrize("name", AWKWARD)
def test_an_awkward_momentum_has_the_documented_values(name: str, quantity: str) -> None:
    expected = AWKWARD[name][1][QUANTITIES.index(quantity)]
    found = getattr(kinematics, quantity)(MOMENTA[name])
    if expected is ANY:
        assert np.isfinite(found)
    elif quantity == "phi":
        assert_same_angle(found, expected)
    else:
        np.testing.assert_allclose(found, expected, rtol=1e-14, atol=0)


@pytest.mark.parametrize("name", AWKWARD)
def test_awkward_momenta_have_finite_values_in_range(name: str) -> None:
    p = MOMENTA[name]
    y, phi, pt2 = kinematics.rapidity_phi_pt2(p)
    mass2 = float(kinematics.mass2(p))
    assert all(map(math.isfinite, (y, pt2, mass2)))
    assert abs(kinematics.eta(p)) <= ETA_MAX
    assert abs(kinematics.phi(p)) <= PI
    assert 0 <= kinematics.theta(p) <= PI
    assert 0 <= phi < 2 * PI
    assert y == pytest.approx(float(kinematics.rapidity(p)), rel=1e-14)
    assert pt2 == kinematics.pt2(p) == pytest.approx(float(kinematics.pt(p)) ** 2, rel=1e-14)
    assert kinematics.mass(p) == math.sqrt(max(0.0, mass2))
    assert kinematics.delta_r(p, p) == 0
    if pt2:
        assert_same_angle(phi, kinematics.phi(p))


@pytest.mark.parametrize("quantity", ["pt2", "mass2", *QUANTITIES])
def test_many_momenta_are_those_one_by_one(quantity: str) -> None:
    function = getattr(kinematics, quantity)
    found = function(ALL[:, None])
    np.testing.assert_allclose(found, [[function(p)] for p in ALL], rtol=1e-14, atol=0)


def test_places_are_those_of_each_momentum() -> None:
    np.testing.assert_array_equal(kinematics.places(ALL).T, [kinematics.rapidity_phi_pt2(p) for p in ALL])
    assert kinematics.places(ALL[:0]).shape == (3, 0)


@pytest.mark.parametrize("name", [name for name in AWKWARD if name not in NOT_FINITE_IN_FASTJET and name != "zero"])
def test_places_are_those_of_fastjet(name: str) -> None:
    jet = fastjet.PseudoJet(*MOMENTA[name].tolist())
    expected = (jet.rap(), jet.phi(), jet.kt2())
    np.testing.assert_allclose(kinematics.rapidity_phi_pt2(MOMENTA[name]), expected, rtol=1e-14, atol=0)


@given(st.floats(0.1, 1e3), st.floats(20, 300), azimuths, st.sampled_from([-1, 1]))
def test_rapidity_is_precise_where_energy_equals_pz(pt: float, eta: float, phi: float, side: int) -> None:
    p = kinematics.from_ptetaphim(pt, side * eta, phi)
    assert kinematics.rapidity(p) == pytest.approx(side * eta, rel=1e-13)
    assert kinematics.rapidity_phi_pt2(p)[0] == pytest.approx(side * eta, rel=1e-13)


@given(st.floats(0.1, 1e3), st.floats(-12, 12), azimuths, st.floats(0, 1e-3), st.integers(-3, 3))
def test_mass2_is_the_exact_one_up_to_rounding(pt: float, eta: float, phi: float, mass: float, ulps: int) -> None:
    """Rounding is relative to pT^2 and mT^2, not to E^2, which is larger by cosh^2(eta)."""
    p = kinematics.from_ptetaphim(pt, eta, phi, mass)
    p[3] += ulps * np.spacing(p[3])
    px, py, pz, energy = map(Fraction, p.tolist())
    terms = abs((energy + pz) * (energy - pz)) + px * px + py * py
    assert abs(Fraction(float(kinematics.mass2(p))) - (energy**2 - px**2 - py**2 - pz**2)) <= 2 * Fraction(EPS) * terms


@pytest.mark.parametrize(
    ("a", "b", "expected"),
    [(PI, 0, -PI), (-PI, 0, -PI), (0, PI, -PI), (0, -PI, -PI), (3 * PI, 0, -PI), (PI, -PI, 0), (-PI, PI, 0), (1, 1, 0)],
)
def test_opposite_azimuths_differ_by_minus_pi(a: float, b: float, expected: float) -> None:
    assert kinematics.delta_phi(a, b) == expected


@given(st.floats(-10, 10), st.floats(-10, 10))
def test_delta_phi_is_the_difference_up_to_turns(a: float, b: float) -> None:
    found = kinematics.delta_phi([a], b)
    assert (np.abs(found) <= PI).all()
    assert_same_angle(found, [a - b])


def test_delta_r_is_the_shortest_distance_around_the_beam() -> None:
    p, q = kinematics.from_ptetaphim([50.0, 80.0], [1.0, -0.5], [3.0, -3.0], [0.0, 80.4])
    assert kinematics.delta_r(p, q) == pytest.approx(math.hypot(1.5, 2 * PI - 6), rel=1e-13)
    assert kinematics.delta_r(p, q) == kinematics.delta_r(q, p)
    assert kinematics.delta_r(MOMENTA["along +z"], MOMENTA["along -z"]) == 2 * ETA_MAX


@given(st.floats(1e-3, 1e4), st.floats(-10, 10), azimuths, masses)
def test_coordinates_come_back(pt: float, eta: float, phi: float, mass: float) -> None:
    p = kinematics.from_ptetaphim(pt, eta, phi, mass)
    assert kinematics.pt(p) == pytest.approx(pt, rel=1e-14)
    assert kinematics.eta(p) == pytest.approx(eta, rel=1e-13, abs=1e-14)
    assert kinematics.theta(p) == pytest.approx(2 * math.atan(math.exp(-eta)), rel=1e-12)
    assert_same_angle(kinematics.phi(p), phi)
    assert kinematics.mass2(p) == pytest.approx(mass * mass, rel=1e-13, abs=4 * EPS * p[3] ** 2)


def test_coordinates_are_broadcast_and_massless_by_default() -> None:
    p = kinematics.from_ptetaphim([[5.0], [10.0]], 0.0, [0.0, 1.0, 2.0])
    assert p.shape == (2, 3, 4)
    np.testing.assert_array_equal(p[..., 3], [[5.0] * 3, [10.0] * 3])


@given(momenta, rapidities)
def test_a_boost_along_z_shifts_rapidities_and_keeps_the_mass(p: Array, boost: float) -> None:
    before = p.copy()
    found = kinematics.boost_z(p, boost)
    np.testing.assert_array_equal(p, before)
    np.testing.assert_array_equal(found[:2], p[:2])
    assert kinematics.mass2(found) == pytest.approx(kinematics.mass2(p), rel=1e-12, abs=8 * EPS * (p[3] * 10) ** 2)
    assert kinematics.rapidity(found) == pytest.approx(kinematics.rapidity(p) - boost, abs=1e-8)
    np.testing.assert_allclose(kinematics.boost_z(found, -boost), p, rtol=0, atol=1e-12 * p[3])


@given(momenta, azimuths, st.sampled_from([(0, 1), (1, 2), (2, 0)]))
def test_rotations_keep_mass_and_momentum(p: Array, angle: float, plane: tuple[int, int]) -> None:
    found = rotated(p, angle, *plane)
    assert kinematics.momentum(found) == pytest.approx(kinematics.momentum(p), rel=1e-14)
    assert kinematics.mass2(found) == pytest.approx(kinematics.mass2(p), rel=1e-13, abs=8 * EPS * p[3] ** 2)
    if plane == (0, 1):
        assert kinematics.eta(found) == pytest.approx(kinematics.eta(p), rel=1e-13, abs=1e-14)
        assert kinematics.rapidity(found) == pytest.approx(kinematics.rapidity(p), abs=1e-8)
        assert_same_angle(kinematics.phi(found), kinematics.phi(p) + angle)


@given(massless, massless, rapidities)
def test_two_massless_momenta_have_the_mass_of_their_angle(p: Array, q: Array, boost: float) -> None:
    r"""$m^2 = 2 p_T p_T' (\cosh\Delta\eta - \cos\Delta\phi)$; boosts shift eta, and commute with sums."""
    delta_eta = kinematics.eta(p) - kinematics.eta(q)
    delta_phi = kinematics.delta_phi(kinematics.phi(p), kinematics.phi(q))
    expected = 2 * kinematics.pt(p) * kinematics.pt(q) * (np.cosh(delta_eta) - np.cos(delta_phi))
    assert kinematics.mass2(p + q) == pytest.approx(expected, rel=1e-9, abs=8 * EPS * (p + q)[3] ** 2)
    assert kinematics.eta(kinematics.boost_z(p, boost)) == pytest.approx(kinematics.eta(p) - boost, abs=1e-8)
    together = kinematics.boost_z(p, boost) + kinematics.boost_z(q, boost)
    np.testing.assert_allclose(kinematics.boost_z(p + q, boost), together, rtol=0, atol=1e-13 * together[3] + 1e-12)
