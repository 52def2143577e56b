"""What networks read of events: the right jets, their own trees, and faults by the number of the event."""

import numpy as np
import pytest

from jetgram import kinematics
from jetgram.collisions.detector import simulate
from jetgram.errors import BadJetError, SettingsError
from jetgram.inputs.representation import concatenate
from jetgram.inputs.sequences import EventSchedule
from jetgram.jets.clustering import find_jets
from jetgram.kinematics import from_ptetaphim
from jetgram.models.settings import ModelSettings
from jetgram.momenta import Events, Jets

TWO = ModelSettings(event="jets", hardest=2)


def assert_same(found: EventSchedule, expected: EventSchedule) -> None:
    left, right = found.to_arrays(), expected.to_arrays()
    assert left.keys() == right.keys()
    for name in left:
        np.testing.assert_array_equal(left[name], right[name])


@pytest.mark.parametrize("topology", ["kt", "desc-pt", "kt+desc-pt"])
def test_each_jet_is_read_as_a_jet(qcd_events, topology):
    settings = ModelSettings(event="jets", hardest=2, topology=topology)
    found = settings.read(qcd_events[:20]).inputs
    jets = find_jets(qcd_events[:20], hardest=2)
    alone = ModelSettings(topology=topology).read(Jets(jets.momenta, jets.offsets)).inputs
    assert_same(found, EventSchedule(found.momenta, 2 * np.arange(21), alone))
    expected = np.stack([jets.phi, jets.eta, jets.pt, jets.mass], axis=1)
    np.testing.assert_allclose(found.momenta, expected, rtol=1e-6)
    np.testing.assert_allclose(found.hardest, expected[::2, 2:], rtol=1e-6)


@pytest.mark.parametrize("settings", [{"topology": "random"}, {"hardest": "all", "min_pt": 5.0}, {"cell": "gated"}])
def test_an_event_is_read_the_same_alone(qcd_events, settings):
    settings = ModelSettings(event="jets", **settings)
    together = settings.read(qcd_events[:6]).inputs
    alone = [settings.read(qcd_events[[number]]).inputs for number in range(6)]
    assert_same(together, concatenate(alone))


def test_without_trees(qcd_events):
    found = ModelSettings(event="jet-momenta", hardest=3, min_pt=10.0).read(qcd_events[:20]).inputs
    assert found.trees is None
    jets = find_jets(qcd_events[:20], hardest=3, min_pt=10.0)
    np.testing.assert_allclose(found.momenta[:, 2], jets.pt, rtol=1e-6)


@pytest.mark.parametrize("hardest", [1, 50, 100_000, "all"])
def test_the_hardest_particles(qcd_events, hardest):
    events = qcd_events[:5]
    found = ModelSettings(event="particles", hardest=hardest).read(events).inputs
    for number in range(5):
        pt = np.sort(kinematics.pt(events[number]))[::-1]
        pt = pt if hardest == "all" else pt[:hardest]
        np.testing.assert_allclose(found[number].momenta[:, 2], pt, rtol=1e-6)


def test_events_with_few_jets_and_few_particles():
    """One particle is a jet; an event of one jet is an event."""
    one = from_ptetaphim([50.0], [0.0], [0.0])
    pair = from_ptetaphim([50.0, 40.0, 30.0], [0.0, 0.1, 0.0], [0.0, 0.0, 3.0])
    found = TWO.read(Events.from_lists([one, pair])).inputs
    assert np.diff(found.offsets).tolist() == [1, 2]
    assert np.diff(found.trees.offsets).tolist() == [1, 3, 1]


def test_faults_name_the_event():
    good, nan = from_ptetaphim([50.0], [0.0], [0.0]), np.full((1, 4), np.nan)
    with pytest.raises(BadJetError, match="event 1 is empty"):
        TWO.read(Events.from_lists([good, np.empty((0, 4))]))
    with pytest.raises(BadJetError, match="event 1, particle 0: NaN"):
        TWO.read(Events.from_lists([good, nan]))
    with pytest.raises(BadJetError, match="event 11 has no jet; 1 of 2 such events"):
        TWO.changed(min_pt=20.0).read(Events.from_lists([good, good / 10]), 10)
    with pytest.raises(BadJetError, match="event 11: its momenta are too large for single precision"):
        TWO.read(Events.from_lists([good, good * 1e60]), 10)


def test_jets_are_not_events(qcd_events, qcd_jets):
    with pytest.raises(BadJetError, match="found events; this model reads jets"):
        ModelSettings().read(qcd_events[:2])
    with pytest.raises(BadJetError, match="found jets; this model reads events"):
        TWO.read(qcd_jets[:2])


@pytest.mark.parametrize(
    "settings", [TWO, ModelSettings(event="jets", topology="kt+ca"), ModelSettings(event="particles", hardest=50)]
)
def test_scaling_and_storing(qcd_events, settings):
    events = settings.read(qcd_events[:30]).inputs
    scaler = events.fit_scaler()
    assert len(scaler.center) == len(settings.input.columns)
    scaled = events.scaled(scaler)
    low, middle, high = np.percentile(scaled.momenta, (25, 50, 75), axis=0)
    np.testing.assert_allclose(middle, 0, atol=1e-6)
    np.testing.assert_allclose(high - low, 1, rtol=1e-5)
    if events.trees is not None:
        np.testing.assert_allclose(np.median(scaled.trees.features, axis=0)[:2], 0, atol=0.5)
    assert_same(EventSchedule.from_arrays(events.to_arrays()), events)


def test_what_is_read_decides_what_can_be_shared():
    assert ModelSettings(cell="gated", event="jets").reading == ModelSettings(event="jets", state=7).reading
    assert ModelSettings(event="jets").reading != ModelSettings(event="jets", hardest=3).reading
    assert ModelSettings(event="jets").reading != ModelSettings().reading
    particles = ModelSettings(event="particles", hardest=50)
    assert particles.reading == particles.changed(state=7, engine="torch").reading


def test_settings_of_events_are_for_events():
    with pytest.raises(SettingsError, match="hardest is a setting of models of events"):
        ModelSettings.create(hardest=5)
    with pytest.raises(SettingsError, match="hardest"):
        ModelSettings.create(event="jets", hardest=0)
    assert "hardest" not in ModelSettings().dump()
    assert ModelSettings.create(**ModelSettings(event="jets").dump()) == ModelSettings(event="jets")


def test_jets_of_events_know_the_class_of_their_particles(qcd_events):
    seen = simulate(qcd_events[:10], "pflow", seed=1)
    found = ModelSettings(event="jets", features="paper+pclass").read(seen).inputs
    jets = find_jets(seen, hardest=2)
    alone = ModelSettings(features="paper+pclass").read(jets).inputs
    assert_same(found, EventSchedule(found.momenta, found.offsets, alone))
    with pytest.raises(BadJetError, match="reads the pclass of particles"):
        ModelSettings(event="jets", features="paper+pclass").read(qcd_events[:10])


def test_masses_that_are_rounding_are_not_blown_up(qcd_events):
    """Massless particles have masses of some 1e-7 GeV; those of hadrons and photons are spread by that of the pion."""
    p = qcd_events.momenta
    massless = from_ptetaphim(kinematics.pt(p), kinematics.eta(p), kinematics.phi(p))
    read = ModelSettings(event="particles", hardest=50).read
    noise = read(Events(massless, qcd_events.offsets)).inputs
    assert 0 < np.ptp(noise.momenta[:, 3]) < 1e-3
    assert np.abs(noise.scaled(noise.fit_scaler()).momenta[:, 3]).max() < 1e-3
    particles = read(qcd_events).inputs
    low, high = np.percentile(particles.momenta[:, 3], (25, 75))
    assert particles.fit_scaler().scale[3] == high - low > 0.13
