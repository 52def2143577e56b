import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from jetgram import kinematics
from jetgram.collisions.detector import ATLAS, pflow, simulate, towers
from jetgram.collisions.detector.calorimeter import deposits, sigma
from jetgram.collisions.detector.cells import Grid
from jetgram.errors import BadJetError, SettingsError
from jetgram.joining import concatenate
from jetgram.momenta import Events
from jetgram.ragged import Ragged, sum_groups
from jetgram.validity import faults

ECAL_CENTRAL, ECAL_FORWARD = (0.0017, 0.101, 0.0), (0.035, 0.285, 0.0)
HCAL_BARREL, HCAL_ENDCAP, HCAL_FORWARD = (0.0302, 0.5205, 1.59), (0.05, 0.706, 0.0), (0.0942, 1.0, 0.0)


def spread(terms, energy):
    constant, stochastic, noise = terms
    return math.sqrt((constant * energy) ** 2 + stochastic**2 * energy + noise**2)


def energies(events):
    """Total energy of each event."""
    return events.total[:, 3]


SHOWERS = [
    (22, 0.35, 50.0, ECAL_CENTRAL),
    (22, -2.05, 500.0, ECAL_CENTRAL),
    (22, 4.2, 500.0, ECAL_FORWARD),
    (11, 1.05, 100.0, ECAL_CENTRAL),
    (-11, -0.25, 20.0, ECAL_CENTRAL),
    (211, 0.55, 100.0, HCAL_BARREL),
    (-211, 2.15, 200.0, HCAL_ENDCAP),
    (321, -4.0, 1000.0, HCAL_FORWARD),
    (2112, -1.25, 60.0, HCAL_BARREL),
    (130, 1.85, 100.0, HCAL_ENDCAP),
]


@pytest.mark.parametrize(("pdgid", "eta", "energy", "terms"), SHOWERS)
def test_single_particles_have_the_response_and_resolution_of_the_card(gun, pdgid, eta, energy, terms):
    seen = energies(towers(gun(pdgid, eta, energy=energy), seed=5))
    expected = spread(terms, energy)
    count = len(seen)
    assert seen.mean() == pytest.approx(energy, abs=4 * expected / math.sqrt(count))
    assert seen.std() == pytest.approx(expected, rel=0.05)


@pytest.mark.parametrize(("eta", "terms"), [(0.35, (ECAL_CENTRAL, HCAL_BARREL)), (2.25, (ECAL_CENTRAL, HCAL_ENDCAP))])
def test_lambdas_are_shared_between_the_calorimeters(gun, eta, terms):
    seen = towers(gun(3122, eta, energy=200.0), seed=6)
    width = math.hypot(spread(terms[0], 60.0), spread(terms[1], 140.0))
    assert energies(seen).mean() == pytest.approx(200.0, abs=4 * width / 100)
    assert energies(seen).std() == pytest.approx(width, rel=0.05)
    assert seen.particles["ecal_fraction"].mean() == pytest.approx(0.3, abs=0.01)


@pytest.mark.parametrize(
    ("pdgid", "energy", "terms", "minimum"),
    [(22, 0.6, ECAL_CENTRAL, 0.5), (211, 3.0, HCAL_BARREL, 1.0), (130, 6.0, HCAL_BARREL, 1.0)],
)
def test_thresholds_lose_the_expected_share(gun, pdgid, energy, terms, minimum):
    """The lost share is the log-normal integral below the threshold: the minimum, or E = 2 sigma(E)."""
    constant, stochastic, noise = terms
    root = np.roots([1 - 4 * constant**2, -4 * stochastic**2, -4 * noise**2]).max()
    variance = math.log1p((spread(terms, energy) / energy) ** 2)
    z = (math.log(max(minimum, root) / energy) + variance / 2) / math.sqrt(variance)
    lost = 0.5 * (1 + math.erf(z / math.sqrt(2)))
    events = gun(pdgid, 0.35, energy=energy)
    share = np.mean(towers(events, seed=8).multiplicity == 0)
    assert share == pytest.approx(lost, abs=4 * math.sqrt(lost * (1 - lost) / len(events)))


@pytest.mark.parametrize("pdgid", [13, -13, 12, -14, 16, 1000022])
def test_muons_and_neutrinos_leave_nothing(gun, pdgid):
    seen = towers(gun(pdgid, 0.4, energy=100.0, count=100), seed=1)
    assert len(seen) == 100
    assert not seen.multiplicity.any()


def test_beyond_the_last_cell_nothing_is_seen(gun):
    assert not len(towers(gun(2112, 4.95, energy=1000.0, count=100), seed=1).momenta)


def test_without_errors_the_energy_is_conserved_event_by_event(collisions, perfect):
    seen = towers(collisions, 1, perfect)
    left = deposits(collisions, perfect)
    inside = np.abs(left.eta) < 4.9
    expected = sum_groups(np.where(inside, left.energy.sum(axis=1), 0.0)[:, None], collisions.offsets)[:, 0]
    np.testing.assert_allclose(energies(seen), expected, rtol=1e-12)
    assert expected.sum() > 0.5 * energies(collisions).sum()


def test_towers_lie_in_the_cells_that_were_hit(gun):
    events = gun(-211, 1.234, pt=1.5)
    grid = Grid(ATLAS.hcal)
    left = deposits(events, ATLAS)
    seen = towers(events, seed=2)
    hit = grid.find(left.eta, left.phi)[seen.group]
    assert np.array_equal(grid.find(kinematics.eta(seen.momenta), kinematics.phi(seen.momenta)), hit)
    low, width, _, _ = grid.box(hit)
    inside = (kinematics.eta(seen.momenta) - low) / width
    assert inside.mean() == pytest.approx(0.5, abs=4 * 0.289 / math.sqrt(len(inside)))
    assert inside.std() == pytest.approx(1 / math.sqrt(12), rel=0.05)


def test_towers_of_real_events(collisions):
    seen = towers(collisions, seed=3)
    assert len(seen) == len(collisions)
    assert np.array_equal(seen.columns["number"], np.arange(len(collisions)))
    assert np.abs(kinematics.mass2(seen.momenta) / seen.momenta[:, 3] ** 2).max() < 1e-12
    assert (faults(seen.momenta) == "").all()
    assert seen.momenta[:, 3].min() >= 0.5
    grid = Grid(ATLAS.hcal)
    cell = grid.find(kinematics.eta(seen.momenta), kinematics.phi(seen.momenta))
    assert len(np.unique(seen.group * len(grid) + cell)) == len(cell)


def test_events_never_mix(collisions, perfect):
    whole = towers(collisions, 1, perfect)
    order = np.random.default_rng(4).permutation(len(collisions))
    shuffled = towers(collisions[order], 1, perfect)
    assert np.array_equal(shuffled.momenta, whole[order].momenta)
    assert np.array_equal(shuffled.offsets, whole[order].offsets)
    halves = concatenate([towers(collisions[:60], 1, perfect), towers(collisions[60:], 1, perfect)])
    assert np.array_equal(halves.momenta, whole.momenta)


@pytest.mark.parametrize("level", ["towers", "pflow"])
def test_the_seed_decides(collisions, level):
    first, again, other = (simulate(collisions, level, seed) for seed in (1, 1, 2))
    assert np.array_equal(first.momenta, again.momenta)
    assert np.array_equal(first.offsets, again.offsets)
    assert len(first.momenta) != len(other.momenta) or not np.array_equal(first.momenta, other.momenta)
    assert len(simulate(collisions, level, [1, 2, 3]).momenta)


@pytest.mark.parametrize("level", ["particles", "towers", "pflow"])
def test_columns_and_ragged_rows_travel_along(gun, level):
    photons = gun(22, 0.3, energy=20.0, count=3)
    rows = Ragged(np.arange(4.0)[:, None], np.array([0, 1, 1, 4]))
    events = Events(photons.momenta, photons.offsets, photons.columns, photons.particles, {"truth": rows})
    seen = simulate(events, level, 1)
    assert seen.columns["number"].tolist() == [0, 1, 2]
    assert seen.ragged["truth"] is rows


def test_particle_level_changes_nothing(collisions):
    assert simulate(collisions, "particles", 1) is collisions


@pytest.mark.parametrize("level", ["towers", "pflow"])
def test_empty_events_stay(level, gun):
    muons = gun(13, 3.0, energy=50.0, count=2)
    nothing = Events(np.empty((0, 4)), np.array([0, 0, 0]), particles={"pdgid": np.empty(0, dtype=np.int32)})
    for events in (muons, nothing):
        seen = simulate(events, level, 1)
        assert np.array_equal(seen.multiplicity, [0, 0])
    assert not len(simulate(nothing[:0], level, 1))


def test_bad_input_is_named(gun):
    photon = gun(22, 0.0, energy=10.0, count=2)
    with pytest.raises(SettingsError, match="no level 'tower'; choose one of: particles, towers, pflow"):
        simulate(photon, "tower", 1)
    with pytest.raises(BadJetError, match="no particle column 'pdgid'"):
        simulate(Events(photon.momenta, photon.offsets), "towers", 1)
    broken = photon.momenta.copy()
    broken[1, 0] = np.nan
    with pytest.raises(BadJetError, match="event 1, particle 0: NaN in"):
        simulate(Events(broken, photon.offsets, {}, photon.particles), "pflow", 1)


def test_resolution_changes_at_the_edges_of_its_regions():
    eta = np.array([1.7, 1.75, 3.2, 3.25, 4.9])
    expected = [spread(terms, 50.0) for terms in (HCAL_BARREL, *[HCAL_ENDCAP] * 2, *[HCAL_FORWARD] * 2)]
    np.testing.assert_allclose(sigma(ATLAS.hcal, -eta, np.full(5, 50.0)), expected, rtol=1e-12)


pts = st.sampled_from([0.0, 1e-300, 1e-20, 1e-3, 0.1, 0.345, 1.0]) | st.floats(0, 1e3) | st.floats(0, 1e90)
nasty = st.tuples(
    pts, st.floats(-8, 8), st.floats(-np.pi, np.pi), st.sampled_from([22, 211, -211, 130, 11, 13, 3122, 1000020040])
)


@settings(max_examples=60)
@given(st.lists(st.lists(nasty, max_size=6), max_size=4), st.integers(0, 2**32))
def test_nasty_particles_give_good_towers_and_flow(groups, seed):
    rows = [row for group in groups for row in group]
    momenta = np.array([kinematics.from_ptetaphim(pt, eta, phi, 0.14) for pt, eta, phi, _ in rows]).reshape(-1, 4)
    momenta[::3, :2] = 0.0  # along the beam, and at rest
    offsets = np.cumsum([0, *(len(group) for group in groups)])
    events = Events(momenta, offsets, particles={"pdgid": np.array([row[3] for row in rows], dtype=np.int32)})
    for level in (towers, pflow):
        seen = level(events, seed)
        assert len(seen) == len(events)
        assert (faults(seen.momenta) == "").all()
        assert (seen.multiplicity <= 2 * events.multiplicity).all()
