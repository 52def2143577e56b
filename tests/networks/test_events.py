"""The event network: its size, ragged events, and that both of its parts learn."""

import numpy as np
import pytest
import torch
from random_trees import fall_of_loss, random_schedule, relative

from jetgram.errors import BadJetError
from jetgram.inputs.sequences import EventSchedule
from jetgram.networks.engine import native_engine
from jetgram.networks.network import TrainingStep, event_classifier
from jetgram.ragged import offsets_of


def random_events(lengths, seed=0):
    """Events with so many jets each, of 1 to 12 particles."""
    rng = np.random.default_rng(seed)
    jets = sum(lengths)
    trees = random_schedule(rng.integers(1, 13, jets).tolist())
    return EventSchedule(rng.normal(size=(jets, 4)).astype(np.float32), offsets_of(np.array(lengths)), trees)


def test_the_published_number_of_parameters():
    assert sum(weight.numel() for weight in event_classifier().parameters()) == 18681


@pytest.mark.parametrize("cell", ["simple", "gated", "blend"])
def test_the_engines_agree(cell):
    events = random_events([3, 1, 2, 3, 1])
    found = []
    for engine in ("auto", "torch"):
        network = event_classifier(cell, hidden=8, state=6, seed=1, engine=engine)
        step = TrainingStep(network)
        loss = step(events, [4, 0, 2], [1.0, 0.0, 1.0])
        found.append((loss, step.parameters.gradient, network.predict(events)))
    assert found[0][0] == pytest.approx(found[1][0], rel=1e-5)
    assert relative(found[0][1], found[1][1]) < 1e-4
    np.testing.assert_allclose(found[0][2], found[1][2], rtol=1e-5, atol=1e-5)


def test_an_event_does_not_see_its_neighbours():
    events = random_events([3, 1, 2, 5])
    network = event_classifier(hidden=8, state=6, seed=1)
    alone = np.concatenate([network.predict(events[[number]]) for number in range(4)])
    np.testing.assert_allclose(network.predict(events), alone, rtol=1e-5, atol=1e-6)
    np.testing.assert_allclose(network.predict(events, [3, 0, 3]), alone[[3, 0, 3]], rtol=1e-5, atol=1e-6)


def test_with_autograd_all_jets_of_a_batch_are_embedded_in_one_call(monkeypatch):
    calls = []
    embed = native_engine.embed
    monkeypatch.setattr(native_engine, "embed", lambda *given: calls.append(len(given[2])) or embed(*given))
    event_classifier()(random_events([2, 1, 2]))
    assert calls == [5]


def test_every_parameter_gets_a_gradient():
    step = TrainingStep(event_classifier(hidden=8, state=6, seed=1))
    step(random_events([2] * 40), None, np.arange(40) % 2)
    gradients = {name: weight.grad.abs().max() for name, weight in step.network.named_parameters()}
    assert all(gradients.values()), gradients


def test_training_learns_what_only_the_softer_jet_tells():
    """Large trees against small ones in the second jet."""
    rng = np.random.default_rng(1)
    y = rng.integers(0, 2, 128)
    leaves = np.stack([np.full(128, 6), np.where(y, 12, 3)], axis=1).reshape(-1)
    momenta = rng.normal(size=(256, 4)).astype(np.float32)
    events = EventSchedule(momenta, 2 * np.arange(129), random_schedule(leaves.tolist(), features=3))
    network = event_classifier(features=3, hidden=8, state=8, seed=1)
    assert fall_of_loss(network, events, y, steps=80, rng=rng) < 0.3


def test_trees_are_needed():
    with pytest.raises(BadJetError, match="reads the trees of jets; these events have none"):
        event_classifier().predict(EventSchedule(np.zeros((2, 4), dtype=np.float32), np.array([0, 2])))


def test_gradients_reach_the_jets_through_the_gru():
    events = random_events([2, 2])
    embedding = event_classifier(hidden=8, seed=1).embedding
    embedding(events).sum().backward()
    assert embedding.jets.cell.W_u.grad.abs().max() > 0
    assert torch.isfinite(embedding.gru.W_hh.grad).all()
