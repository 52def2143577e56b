"""The frozen numbers of the published event network: the recursion over jets, and a GRU over the jets of an event."""

from __future__ import annotations

import functools
from collections.abc import Iterator

import numpy as np
import torch
from comparison import Golden, Part, Row
from golden_networks import ENGINES, Published, cell_names, golden_schedule, head_names

from jetgram.inputs.sequences import EventSchedule
from jetgram.networks.engine.capability import EngineName
from jetgram.networks.gru import GRU
from jetgram.networks.network import event_classifier

GRU_NAMES = {f"embedding.gru.{name}": f"rnn_{name}" for name in GRU.roles}
EVENTS = Published("event", cell_names("simple", "embedding.jets.cell") | GRU_NAMES | head_names(), "event_y")


def golden_events(golden: Golden, dtype: type[np.floating]) -> EventSchedule:
    """The events of the file: their jets with the trees, hardest first."""
    index, momenta = golden["event_jet_index"], golden["event_jet_input"]
    offsets = np.arange(len(index) + 1) * index.shape[1]
    trees = golden_schedule(golden, dtype)[index.reshape(-1)]
    return EventSchedule(momenta.reshape(-1, momenta.shape[-1]).astype(dtype), offsets, trees)


def compare_events(golden: Golden, engine: EngineName, dtype: type[np.floating], tolerance: float) -> Iterator[Row]:
    """The event network with one engine for its jets, in one precision."""
    if broken := EVENTS.misshapen(golden, tolerance):
        yield from broken
        return
    hidden, features = golden["event_param_W_u"].shape
    network = event_classifier("simple", features, hidden, state=len(golden["event_param_rnn_b_h"]), engine=engine)
    network.to(getattr(torch, dtype.__name__))
    EVENTS.fill(network, golden)
    yield from EVENTS.compare(golden, network, golden_events(golden, dtype), f"{engine} {dtype.__name__}", tolerance)


def _part(engine: EngineName, dtype: type[np.floating], tolerance: float) -> Part:
    compare = functools.partial(compare_events, engine=engine, dtype=dtype, tolerance=tolerance)
    needs = (*EVENTS.needs, "event_jet_index", "event_jet_input")
    return Part(f"events by the {engine} engine", needs, compare)


PARTS = tuple(_part(*engine) for engine in ENGINES)
