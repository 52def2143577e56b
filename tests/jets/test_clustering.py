import fastjet
import numpy as np
import pytest

from jetgram import kinematics
from jetgram.errors import BadJetError, SettingsError
from jetgram.jets.clustering import ALGORITHMS, find_jets, jet_definition
from jetgram.jets.soft import SoftParticles, add_soft, soft_momenta
from jetgram.joining import concatenate
from jetgram.momenta import Events, Jets


def one_by_one(momenta: np.ndarray, algorithm: str, radius: float = 1.0) -> list[list[int]]:
    """Constituents of the jets of one event by falling pT, through FastJet's plain interface."""
    particles = [fastjet.PseudoJet(*map(float, p)) for p in momenta]
    for number, particle in enumerate(particles):
        particle.set_user_index(number)
    sequence = fastjet.ClusterSequence(particles, jet_definition(algorithm, radius))
    jets = sorted(sequence.inclusive_jets(), key=lambda jet: -jet.pt())
    return [sorted(c.user_index() for c in jet.constituents()) for jet in jets]


@pytest.mark.parametrize("algorithm", ALGORITHMS)
def test_jets_are_those_of_fastjet_one_event_at_a_time(qcd_events, algorithm):
    events = qcd_events[:25]
    jets = find_jets(events, algorithm=algorithm, hardest=None)
    for number in range(len(events)):
        own = jets[jets.columns["event"] == number]
        expected = [events[number][rows] for rows in one_by_one(events[number], algorithm)]
        assert len(own) == len(expected)
        for jet, constituents in zip(range(len(own)), expected, strict=True):
            np.testing.assert_array_equal(own[jet], constituents)


@pytest.mark.parametrize(("hardest", "min_pt"), [(1, 0.0), (3, 0.0), (50, 0.0), (4, 30.0), (None, 100.0)])
def test_the_hardest_are_the_first_of_all(qcd_events, hardest, min_pt):
    everything = find_jets(qcd_events, hardest=None)
    jets = find_jets(qcd_events, hardest=hardest, min_pt=min_pt)
    first = np.searchsorted(everything.columns["event"], everything.columns["event"])
    rank = np.arange(len(everything)) - first
    chosen = everything[(everything.pt >= min_pt) & (rank < (hardest or len(rank)))]
    np.testing.assert_array_equal(jets.momenta, chosen.momenta)
    np.testing.assert_array_equal(jets.offsets, chosen.offsets)
    np.testing.assert_array_equal(jets.columns["event"], chosen.columns["event"])


def test_pt_falls_within_each_event_and_nothing_is_lost(qcd_events):
    jets = find_jets(qcd_events, hardest=None)
    same_event = np.diff(jets.columns["event"]) == 0
    assert np.all(np.diff(jets.pt)[same_event] <= 0)
    assert len(jets.momenta) == len(qcd_events.momenta)


def test_columns_travel_along(qcd_events):
    events = qcd_events.with_columns(weight=np.arange(len(qcd_events)) * 0.5)
    jets = find_jets(events, hardest=2)
    np.testing.assert_array_equal(jets.columns["weight"], 0.5 * jets.columns["event"])
    photons = jets.momenta[jets.particles["pdgid"] == 22]
    assert len(photons) > 1000
    assert kinematics.mass(photons).max() < 0.01


def test_an_empty_event_has_no_jets():
    one = kinematics.from_ptetaphim([5.0], [0.0], [0.0])
    jets = find_jets(Events(one, np.array([0, 0, 1, 1])), soft=SoftParticles())
    np.testing.assert_array_equal(jets.columns["event"], [1])


@pytest.mark.parametrize("groups", [0, 3])
def test_without_particles_there_are_no_jets_but_all_columns(groups):
    nothing = find_jets(Events(np.empty((0, 4)), np.zeros(groups + 1, dtype=np.int64)), soft=SoftParticles())
    assert len(nothing) == 0
    some = find_jets(Events(np.array([[1.0, 0.0, 0.0, 1.0]]), np.array([0, 1])), soft=SoftParticles())
    assert len(concatenate([nothing, some])) == 1


@pytest.mark.parametrize("bad", [np.nan, np.inf, -1.0])
def test_a_bad_particle_is_named_before_fastjet_sees_it(bad):
    events = Events(np.array([[1.0, 0.0, 0.0, 1.0], [1.0, 0.0, 0.0, bad]]), np.array([0, 1, 2]))
    with pytest.raises(BadJetError, match="event 1, particle 0"):
        find_jets(events)


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"algorithm": "cone"}, "'cone'; there are: antikt, kt, ca"),
        ({"radius": 0.0}, "radius = 0.0; expected a positive number"),
        ({"hardest": 0}, "hardest = 0; expected at least 1"),
    ],
)
def test_wrong_settings_are_refused(qcd_events, settings, message):
    with pytest.raises(SettingsError, match=message):
        find_jets(qcd_events, **settings)


def test_the_banner_stays_silent(qcd_events, capfd):
    find_jets(qcd_events[:1])
    assert capfd.readouterr().out == ""


def test_soft_particles_change_no_jet(qcd_events):
    plain = find_jets(qcd_events, hardest=3)
    with_soft = find_jets(qcd_events, hardest=3, soft=SoftParticles())
    np.testing.assert_array_equal(plain.momenta, with_soft.momenta)
    np.testing.assert_array_equal(plain.offsets, with_soft.offsets)


@pytest.mark.parametrize("algorithm", ALGORITHMS)
def test_soft_particles_are_those_that_fastjet_puts_into_the_jet(qcd_events, algorithm):
    events, soft = qcd_events[:20], SoftParticles()
    jets = find_jets(events, algorithm=algorithm, soft=soft, seed=5)
    drawn = soft.draw(len(events), 5)
    crowded = add_soft(events, drawn)
    for number in range(len(events)):
        n = events.multiplicity[number]
        np.testing.assert_array_equal(crowded[number][:n], events[number])
        np.testing.assert_array_equal(crowded[number][n:], soft_momenta(drawn[number]))
        hardest = np.array(one_by_one(crowded[number], algorithm)[0])
        np.testing.assert_array_equal(crowded[number][hardest[hardest < n]], jets[number])
        np.testing.assert_array_equal(jets.ragged["soft"][number], drawn[number][hardest[hardest >= n] - n])


def test_soft_particles_fill_the_area_of_the_jet(qcd_events):
    jets = find_jets(qcd_events, soft=SoftParticles(count=400))
    area = jets.ragged["soft"].counts.mean() / 400 * (10 * 2 * np.pi)
    assert area == pytest.approx(np.pi, rel=0.05)


def test_soft_particles_of_an_event_depend_on_its_number_only(qcd_events):
    whole = find_jets(qcd_events, soft=SoftParticles(), seed=3)
    part = find_jets(qcd_events[:7], soft=SoftParticles(), seed=3)
    assert isinstance(part, Jets)
    np.testing.assert_array_equal(part.ragged["soft"].values, whole[:7].ragged["soft"].values)
    other = find_jets(qcd_events[:7], soft=SoftParticles(), seed=[3, 1])
    assert not np.array_equal(other.ragged["soft"].values, part.ragged["soft"].values)
