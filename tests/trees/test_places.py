"""Rapidities and azimuths have the bits of the C library, which Python's own functions are."""

import math

import numpy as np
import pytest

from jetgram import backend
from jetgram.kinematics import from_ptetaphim

core = backend.load()[0]
if core is None:
    pytest.skip("the native core was not built", allow_module_level=True)


def by_the_library(momentum: np.ndarray) -> tuple[float, float]:
    px, py, pz, energy = map(float, momentum)
    pt2 = px * px + py * py
    mass2, light_cone = max(0.0, (energy + pz) * (energy - pz) - pt2), energy + abs(pz)
    ratio = (pt2 + mass2) / (light_cone * light_cone)
    size = -0.5 * math.log(ratio) if ratio > 0 else 1e5 + abs(pz) if pz else 0.0
    phi = math.atan2(py, px) if pt2 else 0.0
    positive = phi + 2 * math.pi if phi < 0 else phi
    return size if pz > 0 else -size, positive - 2 * math.pi if positive >= 2 * math.pi else positive


def assert_same_bits(momenta: np.ndarray) -> None:
    places = np.empty((len(momenta), 2))
    core.places(momenta, places)
    np.testing.assert_array_equal(places, [by_the_library(momentum) for momentum in momenta])


@pytest.mark.parametrize("width", [1e-6, 0.01, 1.0, 10.0])
def test_all_around_and_near_the_axes(width):
    """One in ten is too close to the middle between two doubles to be sure of it."""
    rng = np.random.default_rng(1)
    count = 40_000
    phi = np.pi / 4 * rng.integers(-4, 5, count) + rng.normal(0.0, width, count)
    eta = rng.normal(0.0, width, count)
    assert_same_bits(from_ptetaphim(rng.exponential(20.0, count), eta, phi, rng.choice([0.0, 0.14, 5.0], count)))


def test_where_nothing_is_sure():
    """Zeros, along the beam, and numbers beyond what vectors are made for."""
    awkward = [0.0, -0.0, 1.0, -1.0, 1e-20, -1e20, 1e90]
    grid = np.array(np.meshgrid(awkward, awkward, awkward)).reshape(3, -1).T
    energy = np.sqrt((grid**2).sum(axis=1)) * 1.5 + 1e-30
    assert_same_bits(np.ascontiguousarray(np.column_stack([grid, energy])))


def test_any_number_of_momenta():
    rng = np.random.default_rng(2)
    momenta = from_ptetaphim(rng.exponential(20.0, 150), rng.normal(size=150), rng.normal(size=150))
    for count in range(1, 150, 7):
        assert_same_bits(momenta[:count])
