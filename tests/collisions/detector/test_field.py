import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from jetgram import kinematics
from jetgram.collisions.detector.components import Solenoid
from jetgram.collisions.detector.field import LIGHT, calorimeter_face

SOLENOID = Solenoid()


def integrate(momentum, charge, solenoid, step=0.002):
    """Where a particle leaves the cylinder, by fourth-order Runge-Kutta steps through the Lorentz force."""
    bend = LIGHT * charge * solenoid.field / np.linalg.norm(momentum)

    def slope(state):
        _, direction = state
        return np.array([direction, bend * np.array([direction[1], -direction[0], 0.0])])

    state = np.array([np.zeros(3), momentum / np.linalg.norm(momentum)])
    for _ in range(20_000):
        before = state[0]
        k1 = slope(state)
        k2 = slope(state + 0.5 * step * k1)
        k3 = slope(state + 0.5 * step * k2)
        k4 = slope(state + step * k3)
        state = state + step / 6 * (k1 + 2 * k2 + 2 * k3 + k4)
        reach = max(np.hypot(*state[0][:2]) / solenoid.radius, abs(state[0][2]) / solenoid.half_length)
        if reach >= 1:
            earlier = max(np.hypot(*before[:2]) / solenoid.radius, abs(before[2]) / solenoid.half_length)
            return before + (state[0] - before) * (1 - earlier) / (reach - earlier)
    raise AssertionError("the particle did not leave")


@pytest.mark.parametrize("charge", [1.0, -1.0, 2.0])
@pytest.mark.parametrize(
    ("pt", "eta", "phi"),
    [
        (0.5, 0.3, 0.1),
        (0.4, -1.0, 3.0),
        (2.0, 1.2, -2.0),
        (10.0, -2.4, 1.0),
        (0.36, 0.2, 2.0),  # just reaches the barrel
        (0.3, -1.5, -3.1),  # curls
        (0.2, 0.9, 0.5),
        (0.1, 1.3, 1.0),
        (1.0, 3.5, 0.0),
    ],
)
def test_helix_agrees_with_integration(pt, eta, phi, charge):
    momentum = kinematics.from_ptetaphim([pt], eta, phi)
    x, y, z = integrate(momentum[0, :3], charge, SOLENOID)
    face_eta, face_phi = calorimeter_face(momentum, np.array([charge]), SOLENOID)
    assert face_eta[0] == pytest.approx(np.arcsinh(z / np.hypot(x, y)), abs=1e-3)
    assert abs(kinematics.delta_phi(face_phi[0], np.arctan2(y, x))) < 1e-3


def random_momenta(count=2000, seed=1):
    rng = np.random.default_rng(seed)
    return kinematics.from_ptetaphim(
        10 ** rng.uniform(-1, 3, count), rng.uniform(-4, 4, count), rng.uniform(-np.pi, np.pi, count)
    )


@pytest.mark.parametrize("solenoid", [SOLENOID, Solenoid(field=0.0)])
def test_straight_lines_keep_their_direction(solenoid):
    momenta = random_momenta()
    charge = np.zeros(len(momenta)) if solenoid.field else np.ones(len(momenta))
    eta, phi = calorimeter_face(momenta, charge, solenoid)
    np.testing.assert_allclose(eta, kinematics.eta(momenta), rtol=1e-14)
    np.testing.assert_allclose(phi, kinematics.phi(momenta), atol=1e-14)


def test_barrel_bending_is_the_sagitta_formula():
    """A circle through the origin meets radius R at half the turn: sin(a) = 0.3 B R / (2 pT)."""
    pt = np.array([0.5, 1.0, 10.0, 300.0])
    eta, phi = calorimeter_face(kinematics.from_ptetaphim(pt, 0.0, 0.0), np.ones(4), SOLENOID)
    np.testing.assert_allclose(phi, -np.arcsin(0.299792458 * 2.0 * 1.15 / (2 * pt)), rtol=1e-12)
    assert not eta.any()


def test_field_along_z_turns_positive_charges_clockwise():
    eta, phi = calorimeter_face(kinematics.from_ptetaphim([1.0, 1.0], 0.0, 0.0), np.array([1.0, -1.0]), SOLENOID)
    assert phi[0] < 0 < phi[1]
    assert eta[0] == eta[1] == 0


def test_opposite_charges_and_mirror_images_are_symmetric():
    momenta = random_momenta()
    mirror, backward = momenta * [1, -1, 1, 1], momenta * [1, 1, -1, 1]
    plus = np.ones(len(momenta))
    eta, phi = calorimeter_face(momenta, plus, SOLENOID)
    other_eta, other_phi = calorimeter_face(mirror, -plus, SOLENOID)
    np.testing.assert_allclose((other_eta, other_phi), (eta, -phi), atol=1e-11)
    back_eta, back_phi = calorimeter_face(backward, plus, SOLENOID)
    np.testing.assert_allclose((back_eta, back_phi), (-eta, phi), atol=1e-11)


def test_curlers_leave_through_the_endcap():
    """Below 0.345 GeV the circle fits into the barrel: the point is on the endcap, within the circle's diameter."""
    pt = 0.2
    momenta = kinematics.from_ptetaphim(np.full(50, pt), np.linspace(0.1, 3, 50), 0.0)
    eta, _ = calorimeter_face(momenta, np.ones(50), SOLENOID)
    radius = SOLENOID.half_length / np.sinh(eta)
    assert (radius <= 2 * pt / (LIGHT * SOLENOID.field) + 1e-12).all()


def test_eternal_curlers_meet_no_calorimeter():
    eta, phi = calorimeter_face(kinematics.from_ptetaphim([0.2], 0.0, 0.0), np.ones(1), SOLENOID)
    assert np.isinf(eta[0])
    assert np.isfinite(phi[0])


component = st.floats(-1e100, 1e100) | st.sampled_from([0.0, 1e-300, -1e-300, 1e-12, 0.345])


@given(st.tuples(component, component, component), st.sampled_from([-2.0, -1.0, 0.0, 1.0]))
def test_every_momentum_has_a_place(momentum, charge):
    p = np.array([[*momentum, 0.0]])
    eta, phi = calorimeter_face(p, np.array([charge]), SOLENOID)
    assert not np.isnan(eta[0])
    assert -np.pi <= phi[0] <= np.pi
