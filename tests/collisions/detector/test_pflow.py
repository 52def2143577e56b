import math

import numpy as np
import pytest

from jetgram import kinematics
from jetgram.collisions.detector import ATLAS, DetectorCard, ParticleClass, pflow
from jetgram.collisions.detector.calorimeter import deposits
from jetgram.collisions.detector.tracks import efficiency, find_tracks, rescale, resolution
from jetgram.momenta import Events
from jetgram.pdg import charge
from jetgram.ragged import sum_groups
from jetgram.validity import faults

PLUS, MINUS, PHOTON, NEUTRAL = ParticleClass


def track(events, seed=1, card=ATLAS):
    return find_tracks(events, charge(events.particles["pdgid"]), card, np.random.default_rng(seed))


@pytest.mark.parametrize(
    ("pdgid", "pt", "eta", "expected"),
    [
        (211, 0.05, 0.0, 0.0),
        (211, 0.5, 1.2, 0.70),
        (-211, 0.5, -2.0, 0.60),
        (321, 5.0, 0.3, 0.95),
        (2212, 50.0, 2.2, 0.85),
        (211, 50.0, 2.6, 0.0),
        (11, 0.5, 0.0, 0.73),
        (-11, 20.0, 1.0, 0.95),
        (11, 200.0, 1.0, 0.99),
        (11, 200.0, 2.0, 0.90),
        (13, 0.5, 2.0, 0.70),
        (-13, 30.0, 0.7, 0.99),
        (13, 30.0, -2.3, 0.98),
        (22, 30.0, 0.0, 0.0),
        (2112, 30.0, 0.0, 0.0),
    ],
)
def test_tracks_are_found_with_the_efficiency_of_the_card(gun, pdgid, pt, eta, expected):
    events = gun(pdgid, eta, pt=pt)
    share = len(track(events).particle) / len(events)
    assert share == pytest.approx(expected, abs=4 * math.sqrt(expected * (1 - expected) / len(events)) + 1e-12)


@pytest.mark.parametrize(
    ("pdgid", "eta", "constant", "slope"),
    [
        (211, 0.3, 0.06, 1.3e-3),
        (-321, -1.2, 0.10, 1.7e-3),
        (2212, 2.0, 0.25, 3.1e-3),
        (11, 0.3, 0.03, 1.3e-3),
        (-11, 1.2, 0.05, 1.7e-3),
        (11, -2.0, 0.15, 3.1e-3),
        (13, 0.3, 0.01, 1.0e-4),
        (-13, 1.2, 0.015, 1.5e-4),
        (13, 2.0, 0.025, 3.5e-4),
    ],
)
@pytest.mark.parametrize("pt", [5.0, 80.0])
def test_tracks_are_smeared_with_the_resolution_of_the_card(gun, pdgid, eta, constant, slope, pt):
    events = gun(pdgid, eta, pt=pt)
    tracks = track(events)
    expected = math.hypot(constant, slope * pt)
    ratio = kinematics.pt(tracks.momenta) / pt
    assert ratio.mean() == pytest.approx(1.0, abs=4 * expected / math.sqrt(len(ratio)))
    assert ratio.std() == pytest.approx(expected, rel=0.06)
    np.testing.assert_allclose(tracks.resolution, expected, rtol=1e-12)


def test_smearing_keeps_direction_and_mass(gun):
    events = gun(2212, 1.1, pt=7.0)
    tracks = track(events)
    before = events.momenta[tracks.particle]
    np.testing.assert_allclose(kinematics.eta(tracks.momenta), kinematics.eta(before), rtol=1e-12)
    np.testing.assert_allclose(kinematics.phi(tracks.momenta), kinematics.phi(before), atol=1e-12)
    np.testing.assert_allclose(kinematics.mass(tracks.momenta), kinematics.mass(before), atol=1e-6)


def test_resolution_is_at_most_one():
    assert resolution(ATLAS.charged_hadrons.resolution, np.array([1e6]), np.array([0.0]))[0] == 1.0


def test_edges_belong_to_the_region_below():
    table = ATLAS.electrons.efficiency
    pt, eta = np.array([0.1, 1.0, 100.0, 100.1, 2.0]), np.array([0.0, 0.0, 1.5, -1.5, 2.5])
    assert efficiency(table, pt, eta).tolist() == [0.0, 0.73, 0.95, 0.99, 0.83]


def test_rescaling_by_one_changes_no_bit(collisions):
    momenta = collisions.momenta
    assert np.array_equal(rescale(momenta, np.ones(len(momenta))), momenta)


def test_a_perfect_detector_returns_the_charged_momenta_and_all_the_energy(collisions, perfect):
    seen = pflow(collisions, 1, perfect)
    left = deposits(collisions, perfect)
    tracked = (left.charge != 0) & (np.abs(kinematics.eta(collisions.momenta)) <= 2.5)
    charged = seen.particles["pclass"] <= MINUS
    assert np.array_equal(seen.momenta[charged], collisions.momenta[tracked])
    sign = np.where(left.charge[tracked] > 0, PLUS, MINUS)
    assert np.array_equal(seen.particles["pclass"][charged], sign)

    inside = np.abs(left.eta)[:, None] < (5.0, 4.9)
    showers = np.where(inside & ~tracked[:, None], left.energy, 0.0).sum(axis=1)
    total = sum_groups(np.where(tracked, collisions.momenta[:, 3], showers)[:, None], collisions.offsets)[:, 0]
    np.testing.assert_allclose(seen.total[:, 3], total, rtol=1e-9)


def test_photons_and_neutral_hadrons_share_the_energy_by_calorimeter(collisions, perfect):
    seen = pflow(collisions, 1, perfect)
    left = deposits(collisions, perfect)
    neutral = (left.charge == 0) | (np.abs(kinematics.eta(collisions.momenta)) > 2.5)
    for layer, (kind, edge) in enumerate(((PHOTON, 5.0), (NEUTRAL, 4.9))):
        expected = left.energy[neutral & (np.abs(left.eta) < edge), layer].sum()
        assert seen.momenta[seen.particles["pclass"] == kind, 3].sum() == pytest.approx(expected, rel=1e-9)


@pytest.mark.parametrize(
    ("pdgid", "eta", "kind"),
    [(22, 1.0, PHOTON), (2112, 1.0, NEUTRAL), (130, 3.0, NEUTRAL), (11, 3.0, PHOTON), (211, 3.0, NEUTRAL)],
)
def test_particles_without_a_track_are_seen_by_one_calorimeter(gun, pdgid, eta, kind):
    seen = pflow(gun(pdgid, eta, energy=200.0, count=500), seed=1)
    assert (seen.multiplicity == 1).all()
    assert (seen.particles["pclass"] == kind).all()
    assert seen.particles["pclass"].dtype == np.int8
    assert seen.total[:, 3].mean() == pytest.approx(200.0, rel=0.03)


@pytest.mark.parametrize(("pdgid", "kind"), [(211, PLUS), (-211, MINUS), (-11, PLUS), (11, MINUS), (13, MINUS)])
def test_tracks_have_the_class_of_their_charge(gun, pdgid, kind):
    seen = pflow(gun(pdgid, 0.5, pt=20.0, count=500), seed=1)
    tracks = seen.particles["pclass"] <= MINUS
    assert (seen.particles["pclass"][tracks] == kind).all()
    assert tracks.sum() > 0.9 * 500


def test_energy_counts_once(gun):
    """A found pion leaves its track, and in 2 sigma only by chance more; a lost one is a neutral hadron."""
    energy = 30.0
    seen = pflow(gun(211, 0.25, energy=energy), seed=3)
    has_track = np.zeros(len(seen), dtype=bool)
    has_track[seen.group[seen.particles["pclass"] == PLUS]] = True
    extra = (seen.multiplicity == 2).mean()
    assert extra < 0.06
    assert seen.total[has_track, 3].mean() == pytest.approx(energy, rel=0.03)
    assert seen.total[~has_track, 3].mean() == pytest.approx(energy, rel=0.03)


def test_an_excess_must_exceed_two_sigma_of_calorimeter_and_track_together(gun):
    """The share of chance excesses, against the same drawn here: at |eta| = 2 tracks are the worse half."""
    pt, eta, draws = 40.0, 2.05, 400_000
    energy = math.hypot(pt * math.cosh(eta), 0.13957)
    spread, relative = math.sqrt((0.05 * energy) ** 2 + 0.706**2 * energy), math.hypot(0.25, 3.1e-3 * pt)
    rng = np.random.default_rng(9)
    width = np.sqrt(np.log1p([(spread / energy) ** 2, relative**2]))[:, None]
    read, tracked = energy * np.exp(width * rng.standard_normal((2, draws)) - width**2 / 2)
    sigma2 = (0.05 * read) ** 2 + 0.706**2 * read + (relative * tracked) ** 2
    expected = np.mean(read - tracked > 2 * np.sqrt(sigma2))

    seen = pflow(gun(211, eta, pt=pt), seed=4)
    tracks = (seen.particles["pclass"] == PLUS).sum()
    share = (seen.multiplicity == 2).sum() / tracks
    assert share == pytest.approx(expected, abs=4 * math.sqrt(expected / tracks))


def test_photon_positions_are_as_fine_as_the_ecal(gun):
    events = gun(22, 0.61, energy=50.0)
    seen = pflow(events, seed=1)
    distance = kinematics.delta_r(seen.momenta, events.momenta[seen.group])
    assert distance.max() < math.hypot(0.0174, math.radians(1.0))


def test_order_within_an_event_and_columns(collisions):
    seen = pflow(collisions, seed=1)
    assert len(seen) == len(collisions)
    assert np.array_equal(seen.columns["number"], np.arange(len(collisions)))
    assert (faults(seen.momenta) == "").all()
    kinds = np.minimum(np.maximum(seen.particles["pclass"], MINUS), NEUTRAL).astype(int)
    steps = np.diff(kinds)
    assert (steps[np.diff(seen.group) == 0] >= 0).all()


def test_events_never_mix(collisions, perfect):
    order = np.random.default_rng(4).permutation(len(collisions))
    whole, shuffled = pflow(collisions, 1, perfect), pflow(collisions[order], 1, perfect)
    assert np.array_equal(shuffled.momenta, whole[order].momenta)


def test_another_field_makes_another_detector(collisions):
    strong = DetectorCard.create(solenoid={"field": 4.0})
    assert isinstance(pflow(collisions, 1, strong), Events)
    assert not np.allclose(deposits(collisions, strong).phi, deposits(collisions, ATLAS).phi)
