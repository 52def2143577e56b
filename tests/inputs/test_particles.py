"""Sets of particles: their order, limits, and that they survive cutting, joining and files."""

import numpy as np
import pytest

from jetgram import kinematics
from jetgram.inputs.particles import ParticleSetInput, ParticleSets
from jetgram.inputs.representation import concatenate
from jetgram.jets.cleaning import MERGE, MIN_PT, clean
from jetgram.models.settings import ModelSettings
from jetgram.momenta import Jets


@pytest.fixture(scope="module")
def sets(qcd_jets):
    return ParticleSetInput().read(qcd_jets[:30]).inputs


def test_clean_constituents_by_falling_pt(sets, qcd_jets):
    jets = clean(qcd_jets[:30])
    pt = kinematics.pt(jets.momenta)
    np.testing.assert_array_equal(sets.offsets, jets.offsets)
    for begin, end in zip(sets.offsets, sets.offsets[1:], strict=False):
        np.testing.assert_allclose(sets.points[begin:end, 0], np.sort(pt[begin:end])[::-1], rtol=1e-6)
    assert sets.points[:, 0].min() >= MIN_PT
    np.testing.assert_allclose(sets.features[:, 0], np.log(sets.points[:, 0]), rtol=1e-5, atol=1e-6)
    np.testing.assert_allclose(
        sets.features[:, 2], np.log(np.maximum(np.hypot(*sets.points[:, 1:].T), MERGE)), atol=2e-3
    )


def test_directions_do_not_depend_on_the_orientation_of_the_jet(sets, qcd_jets):
    """Turned about the beam, boosted along it, and seen in a mirror."""
    px, py, pz, energy = qcd_jets[:30].momenta.T
    turned = np.stack([np.cos(1) * px - np.sin(1) * py, np.sin(1) * px + np.cos(1) * py, pz, energy], axis=1)
    boost = np.array([[np.cosh(0.3), np.sinh(0.3)], [np.sinh(0.3), np.cosh(0.3)]])
    turned[:, 2:] = turned[:, 2:] @ boost.T
    turned[:, 1] *= -1
    same = ParticleSetInput().read(Jets(turned, qcd_jets[:30].offsets)).inputs
    far = np.abs(same.points - sets.points).max(axis=1)
    assert (far < 1e-3).mean() > 0.95  # a jet may be clean, or reflected, the other way by rounding


def test_the_leading_ones_are_the_hardest(sets, qcd_jets):
    few = ParticleSetInput(leading=5).read(qcd_jets[:30]).inputs
    np.testing.assert_array_equal(few.counts, np.minimum(sets.counts, 5))
    for jet in range(30):
        np.testing.assert_array_equal(few[[jet]].features, sets[[jet]].features[:5])


def test_cut_and_joined_they_are_the_same(sets):
    again = concatenate([sets[:7], sets[7:]])
    restored = ParticleSets.from_arrays(sets.to_arrays())
    for other in (again, restored, sets[np.arange(30)]):
        for name in ("features", "points", "offsets"):
            np.testing.assert_array_equal(getattr(other, name), getattr(sets, name))
    assert repr(sets[[0]]).startswith("<ParticleSets: 1 jets with ")


def test_only_features_are_scaled(sets):
    scaled = sets.scaled(sets.fit_scaler("standard"))
    np.testing.assert_allclose(scaled.features.mean(axis=0), 0, atol=0.05)
    np.testing.assert_allclose(scaled.features.std(axis=0), 1, atol=0.1)
    np.testing.assert_array_equal(scaled.points, sets.points)


def test_networks_of_sets_share_what_is_prepared():
    first, *others = (ModelSettings(network=name).reading for name in ("pfn", "efn", "particlenet", "part"))
    assert all(other == first for other in others)
    assert ModelSettings(network="part", leading=9).reading != first
    assert ModelSettings(network="lundnet").reading != first
