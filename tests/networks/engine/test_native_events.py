"""The native engine for events beside PyTorch: any lengths, any path, any number of threads."""

import numpy as np
import pytest
import torch
from random_trees import random_schedule, relative

from jetgram import backend
from jetgram.errors import BadJetError, SettingsError
from jetgram.inputs.sequences import EventSchedule
from jetgram.models.settings import ModelSettings
from jetgram.networks.cells import Simple
from jetgram.networks.engine.native_engine import FusedEvents, flat_vector
from jetgram.networks.network import TrainingStep
from jetgram.ragged import offsets_of

if backend.load()[0] is None:
    pytest.skip("the native core is not built", allow_module_level=True)

RNG = np.random.default_rng(1)
LENGTHS = [2, 1, 7, 3, 2, 2, 1, 40, 2, 5, 1, 1, 2]
Y = np.arange(len(LENGTHS)) % 2


def events_with(trees):
    jets = sum(LENGTHS)
    momenta = RNG.normal(size=(jets, 4)).astype(np.float32)
    forest = random_schedule(RNG.integers(1, 20, jets).tolist()) if trees else None
    return EventSchedule(momenta, offsets_of(np.array(LENGTHS)), forest)


def network_of(event, engine, **settings):
    return ModelSettings(event=event, engine=engine, **settings).build(seed=3)


@pytest.mark.parametrize(
    ("event", "sizes"),
    [
        ("jets", {}),
        ("jets", {"hidden": 5, "state": 11}),
        ("jets", {"cell": "gated", "hidden": 9, "state": 3}),
        ("jets", {"readout": "children"}),
        ("jets", {"readout": "mean", "cell": "blend", "hidden": 16}),
        ("jets", {"readout": "children", "cell": "gated", "hidden": 9, "state": 3}),
        ("jet-momenta", {}),
        ("jet-momenta", {"state": 11}),
        ("jet-momenta", {"state": 3}),
    ],
)
@pytest.mark.parametrize("chosen", [None, [7, 0, 3, 3], [2], []])
def test_it_agrees_with_pytorch(event, sizes, chosen):
    events = events_with(event == "jets")
    y = Y if chosen is None else Y[chosen]
    found = []
    for engine in ("native", "torch"):
        network = network_of(event, engine, **sizes)
        assert network.engine(events) == engine
        step = TrainingStep(network)
        loss = step(events, chosen, y, np.linspace(0.5, 2, len(y)))
        found.append((loss, step.parameters.gradient, network.predict(events, chosen)))
    (loss, gradient, outputs), (expected_loss, expected_gradient, expected_outputs) = found
    assert loss == pytest.approx(expected_loss, rel=1e-5)
    torch.testing.assert_close(gradient, expected_gradient, rtol=1e-3, atol=1e-5)
    np.testing.assert_allclose(outputs, expected_outputs, rtol=1e-4, atol=1e-5)


def test_parameters_stand_in_the_order_of_the_module():
    for event, sizes in (
        ("jets", {"hidden": 5, "state": 6}),
        ("jets", {"hidden": 5, "state": 6, "readout": "children"}),
        ("jet-momenta", {"state": 6}),
    ):
        network = network_of(event, "native", **sizes)
        shapes = [tuple(weight.shape) for weight in network.parameters()]
        assert network.fused().parameter_shapes == shapes


@pytest.mark.parametrize("loss", ["squared", "huber"])
def test_regression(loss):
    events, gradients = events_with(True), []
    for engine in ("native", "torch"):
        settings = {"head": "regressor", "targets": ("a", "b"), "loss": loss, "state": 6}
        step = TrainingStep(network_of("jets", engine, **settings))
        step(events, None, RNG.normal(size=(len(LENGTHS), 2)) * 0 + np.arange(2))
        gradients.append(step.parameters.gradient)
    assert relative(*gradients) < 1e-4


def arguments(events):
    trees = events.trees
    return trees.features, trees.inner, trees.offsets, events.momenta, events.offsets


def test_threads_and_paths(monkeypatch):
    """The same bits with 1 and 2 threads, and with AVX2 and AVX-512; the portable path to rounding."""
    events = events_with(True)
    network = network_of("jets", "native")
    flat, chosen = flat_vector(network.parameters()), np.arange(len(LENGTHS))
    gradients = []
    narrower = "auto" if backend.native_core().cpu_path() == "portable" else "avx2"
    for path, threads in (("auto", 1), ("auto", 2), (narrower, 1), ("portable", 2)):
        engine = backend.native_core().EventEngine("simple", 7, 40, 40, [40, 40, 40, 1], path)
        gradient = np.empty_like(flat)
        y, w = Y[:, None].astype(np.float32), np.ones(len(Y), dtype=np.float32)
        engine.step(flat, *arguments(events), chosen, y, w, "logistic", threads, gradient)
        gradients.append(gradient)
    np.testing.assert_array_equal(gradients[0], gradients[1])
    np.testing.assert_array_equal(gradients[0], gradients[2])
    np.testing.assert_allclose(gradients[3], gradients[0], rtol=1e-3, atol=1e-5)


@pytest.mark.parametrize("chunk", [1, 7, 4096])
def test_a_unit_alone_gives_the_same_in_chunks_of_any_size(chunk):
    """What threads share is for speed: losses and gradients are those of any other division, to rounding."""
    lengths = RNG.integers(1, 300, 50)
    momenta = RNG.normal(size=(lengths.sum(), 4)).astype(np.float32)
    none = np.zeros((0, 0), dtype=np.float32), np.zeros(0, dtype=np.bool_), np.zeros(1, dtype=np.int64)
    found = []
    for sizes, threads in (({}, 1), ({}, 3), ({"chunk": chunk}, 2)):
        engine = backend.native_core().EventEngine("", 0, 0, 11, [11, 1], **sizes)
        flat = np.linspace(-0.2, 0.2, sum(int(np.prod(shape)) for _, shape in engine.parameters), dtype=np.float32)
        gradient, y = np.empty_like(flat), (np.arange(50) % 2)[:, None].astype(np.float32)
        events = momenta, offsets_of(lengths), np.arange(50)
        loss = engine.step(flat, *none, *events, y, np.ones(50, dtype=np.float32), "logistic", threads, gradient)
        found.append((loss, gradient))
    (loss, gradient), (same_loss, same_gradient), (other_loss, other_gradient) = found
    assert loss == same_loss == pytest.approx(other_loss, rel=1e-6)
    np.testing.assert_array_equal(gradient, same_gradient)
    assert relative(gradient, other_gradient) < 1e-5


def test_what_does_not_fit_is_refused():
    events = events_with(True)
    network = network_of("jets", "native")
    flat, fused = flat_vector(network.parameters()), network.fused()
    with pytest.raises(ValueError, match="event 13 is not among the 13 events"):
        fused.predict(flat, events, [13])
    with pytest.raises(ValueError, match="number of parameters: found 3, expected 18681"):
        fused.predict(flat[:3], events)
    with pytest.raises(BadJetError, match="reads the trees of jets; these events have none"):
        fused.predict(flat, EventSchedule(events.momenta, events.offsets))
    other = FusedEvents(Simple(5, 40), 40, (40, 40, 40, 1))
    fewer = np.zeros(sum(int(np.prod(shape)) for shape in other.parameter_shapes), dtype=np.float32)
    with pytest.raises(ValueError, match="the trees have 7 features; expected 5"):
        other.predict(fewer, events)


def test_the_native_engine_must_be_able_to(monkeypatch):
    assert network_of("jets", "native", topology="kt+ca").fused() is None  # its parts run natively
    assert network_of("jet-momenta", "auto").double().fused() is None
    with pytest.raises(SettingsError, match="it needs weights in float32 on the CPU; found torch.float64"):
        network_of("jet-momenta", "native").double().fused()
    monkeypatch.setattr(backend, "native_core", lambda: None)
    assert network_of("jet-momenta", "auto").fused() is None
