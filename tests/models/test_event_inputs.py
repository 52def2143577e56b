"""What networks read of events: the right jets, their own trees, and faults by the number of the event."""

import numpy as np
import pytest

from jetgram import kinematics
from jetgram.collisions.detector import simulate
from jetgram.errors import BadJetError, SettingsError
from jetgram.inputs.sequences import EventSchedule
from jetgram.jets.clustering import find_jets
from jetgram.kinematics import from_ptetaphim
from jetgram.models.event_inputs import read_events
from jetgram.models.inputs import concatenate_schedules, fit_scaler, from_arrays, read_jets, scale, to_arrays
from jetgram.models.reading import read_rows
from jetgram.models.settings import ModelSettings
from jetgram.momenta import Events, Jets

TWO = ModelSettings(event="jets", hardest=2)


def assert_same(found: EventSchedule, expected: EventSchedule) -> None:
    left, right = to_arrays(found), to_arrays(expected)
    assert left.keys() == right.keys()
    for name in left:
        np.testing.assert_array_equal(left[name], right[name])


@pytest.mark.parametrize("topology", ["kt", "desc-pt", "kt+desc-pt"])
def test_each_jet_is_read_as_a_jet(qcd_events, topology):
    settings = ModelSettings(event="jets", hardest=2, topology=topology)
    found = read_events(qcd_events[:20], settings)
    jets = find_jets(qcd_events[:20], hardest=2)
    alone = read_jets(Jets(jets.momenta, jets.offsets), ModelSettings(topology=topology))
    assert_same(found, EventSchedule(found.momenta, 2 * np.arange(21), alone))
    expected = np.stack([jets.phi, jets.eta, jets.pt, jets.mass], axis=1)
    np.testing.assert_allclose(found.momenta, expected, rtol=1e-6)
    np.testing.assert_allclose(found.hardest, expected[::2, 2:], rtol=1e-6)


@pytest.mark.parametrize("settings", [{"topology": "random"}, {"hardest": "all", "min_pt": 5.0}, {"cell": "gated"}])
def test_an_event_is_read_the_same_alone(qcd_events, settings):
    settings = ModelSettings(event="jets", **settings)
    together = read_events(qcd_events[:6], settings)
    alone = [read_events(qcd_events[[number]], settings) for number in range(6)]
    assert_same(together, concatenate_schedules(alone))


def test_without_trees(qcd_events):
    found = read_events(qcd_events[:20], ModelSettings(event="jet-momenta", hardest=3, min_pt=10.0))
    assert found.trees is None
    jets = find_jets(qcd_events[:20], hardest=3, min_pt=10.0)
    np.testing.assert_allclose(found.momenta[:, 2], jets.pt, rtol=1e-6)


@pytest.mark.parametrize("hardest", [1, 50, 100_000, "all"])
def test_the_hardest_particles(qcd_events, hardest):
    events = qcd_events[:5]
    found = read_events(events, ModelSettings(event="particles", hardest=hardest))
    for number in range(5):
        pt = np.sort(kinematics.pt(events[number]))[::-1]
        pt = pt if hardest == "all" else pt[:hardest]
        np.testing.assert_allclose(found[number].momenta[:, 2], pt, rtol=1e-6)


def test_events_with_few_jets_and_few_particles():
    """One particle is a jet; an event of one jet is an event."""
    one = from_ptetaphim([50.0], [0.0], [0.0])
    pair = from_ptetaphim([50.0, 40.0, 30.0], [0.0, 0.1, 0.0], [0.0, 0.0, 3.0])
    found = read_events(Events.from_lists([one, pair]), TWO)
    assert np.diff(found.offsets).tolist() == [1, 2]
    assert np.diff(found.trees.offsets).tolist() == [1, 3, 1]


def test_faults_name_the_event():
    good, nan = from_ptetaphim([50.0], [0.0], [0.0]), np.full((1, 4), np.nan)
    with pytest.raises(BadJetError, match="event 1 is empty"):
        read_events(Events.from_lists([good, np.empty((0, 4))]), TWO)
    with pytest.raises(BadJetError, match="event 1, particle 0: NaN"):
        read_events(Events.from_lists([good, nan]), TWO)
    with pytest.raises(BadJetError, match="event 11 has no jet; 1 of 2 such events"):
        read_events(Events.from_lists([good, good / 10]), TWO.model_copy(update={"min_pt": 20.0}), first_event=10)
    with pytest.raises(BadJetError, match="event 11: its momenta are too large for single precision"):
        read_events(Events.from_lists([good, good * 1e60]), TWO, first_event=10)


def test_jets_are_not_events(qcd_events, qcd_jets):
    with pytest.raises(BadJetError, match="found events; this model reads jets"):
        read_rows(qcd_events[:2], ModelSettings())
    with pytest.raises(BadJetError, match="found jets; this model reads events"):
        read_rows(qcd_jets[:2], TWO)


@pytest.mark.parametrize(
    "settings", [TWO, ModelSettings(event="jets", topology="kt+ca"), ModelSettings(event="particles")]
)
def test_scaling_and_storing(qcd_events, settings):
    events = read_events(qcd_events[:30], settings)
    scaler = fit_scaler(events)
    assert len(scaler.center) == len(settings.columns)
    scaled = scale(events, scaler)
    low, middle, high = np.percentile(scaled.momenta, (25, 50, 75), axis=0)
    np.testing.assert_allclose(middle, 0, atol=1e-6)
    np.testing.assert_allclose(high - low, 1, rtol=1e-5)
    if events.trees is not None:
        np.testing.assert_allclose(np.median(scaled.trees.features, axis=0)[:2], 0, atol=0.5)
    assert_same(from_arrays(to_arrays(events)), events)


def test_what_is_read_decides_what_can_be_shared():
    assert ModelSettings(cell="gated", event="jets").reading == ModelSettings(event="jets", state=7).reading
    assert ModelSettings(event="jets").reading != ModelSettings(event="jets", hardest=3).reading
    assert ModelSettings(event="jets").reading != ModelSettings().reading
    particles = ModelSettings(event="particles", hardest=50)
    assert particles.reading == particles.model_copy(update={"topology": "ca", "radius": 0.4}).reading


def test_settings_of_events_are_for_events():
    with pytest.raises(SettingsError, match="hardest is a setting of models of events"):
        ModelSettings.create(hardest=5)
    with pytest.raises(SettingsError, match="hardest"):
        ModelSettings.create(event="jets", hardest=0)
    assert "hardest" not in ModelSettings().dump()
    assert ModelSettings.create(**ModelSettings(event="jets").dump()) == ModelSettings(event="jets")


def test_jets_of_events_know_the_class_of_their_particles(qcd_events):
    seen = simulate(qcd_events[:10], "pflow", seed=1)
    found = read_events(seen, ModelSettings(event="jets", features="paper+pclass"))
    jets = find_jets(seen, hardest=2)
    alone = read_jets(jets, ModelSettings(features="paper+pclass"))
    assert_same(found, EventSchedule(found.momenta, found.offsets, alone))
    with pytest.raises(BadJetError, match="reads the pclass of particles"):
        read_events(qcd_events[:10], ModelSettings(event="jets", features="paper+pclass"))
