"""Who takes part: every network and observable of the studies, each under one key, whichever tables it appears in."""

from __future__ import annotations

import dataclasses

from jetgram.evaluation.baselines import Observable
from jetgram.models.settings import ModelSettings
from jetgram.trees.topologies import TOPOLOGIES

IN_TABLES = ("kt", "ca", "antikt", "asc-pt", "desc-pt", "random")  # the paper's order


@dataclasses.dataclass(frozen=True)
class Contestant:
    """Something that scores jets or events.

    Args:
        key: its name in folders and on the command line.
        title: its name in tables.
        data: the dataset that it is trained and tested on; see `jetgram.studies.scales.DATA`.
        model: settings of the network; None for an observable.
        observable: what is measured instead; None for a network.
        most: training jets at most; None for all.
        all_steps: whether so few jets are seen so often that the training has as many steps as with all jets.
    """

    key: str
    title: str
    data: str
    model: ModelSettings | None = None
    observable: Observable | None = None
    most: int | None = None
    all_steps: bool = False


def recursive(data: str, cell: str, topology: str) -> Contestant:
    """A recursive network on the constituents of jets.

    Example:
        >>> found = recursive("towers", "gated", "ca")
        >>> found.key, found.title
        ('towers-gated-ca', 'towers, C/A (gated)')
    """
    gated = " (gated)" if cell == "gated" else ""
    title = f"{data}, {TOPOLOGIES[topology].short}{gated}"
    return Contestant(f"{data}-{cell}-{topology}", title, data, ModelSettings(cell=cell, topology=topology))


def maxout() -> Contestant:
    """The network of the jet-image papers, on images of towers."""
    return Contestant("image-maxout", "towers, MaxOut", "towers", ModelSettings(input="image"))


def on_pixels(cell: str) -> Contestant:
    """A recursive network on kt trees of the pixels of images of towers.

    Example:
        >>> on_pixels("gated").key
        'pixels-gated-kt'
    """
    gated = " (gated)" if cell == "gated" else ""
    return Contestant(f"pixels-{cell}-kt", f"towers, kt{gated}", "towers", ModelSettings(input="pixels", cell=cell))


def observable(data: str, name: Observable) -> Contestant:
    """A classifier without a network, on trimmed jets.

    Example:
        >>> observable("towers", "mass + tau21").key
        'towers-mass-tau21-trimmed'
    """
    key = f"{data}-{name.replace(' + ', '-')}-trimmed"
    return Contestant(key, f"{data}, {name}, trimmed", data, observable=name)


def events(hardest: int, topology: str | None, data: str = "events") -> Contestant:
    """A network on the hardest jets of events: with their embeddings, or, without a topology, their momenta alone.

    Example:
        >>> events(2, "kt").title, events(1, None).key
        ('v(t), h(kt)', 'events-1-momenta')
        >>> events(2, "kt", "event-towers").key
        'event-towers-2-jets-kt'
    """
    if topology is None:
        model = ModelSettings(event="jet-momenta", hardest=hardest)
        return Contestant(f"{data}-{hardest}-momenta", "v(t)", data, model)
    model = ModelSettings(event="jets", hardest=hardest, topology=topology)
    return Contestant(f"{data}-{hardest}-jets-{topology}", f"v(t), h({TOPOLOGIES[topology].short})", data, model)


def event_particles(hardest: int) -> Contestant:
    """A network on the hardest particles of events, without jets."""
    title = "i = 1" if hardest == 1 else f"i = 1, ..., {hardest}"
    model = ModelSettings(event="particles", hardest=hardest)
    return Contestant(f"events-{hardest}-particles", title, "events", model)


def fewer(contestant: Contestant, most: int, all_steps: bool = False) -> Contestant:
    """The same network, trained with fewer jets: in as many epochs, or in as many steps.

    Example:
        >>> fewer(recursive("particles", "simple", "kt"), 1_000).title
        'particles, kt, 1,000 jets'
        >>> fewer(recursive("particles", "simple", "kt"), 1_000, all_steps=True).title
        'particles, kt, 1,000 jets, as many steps'
    """
    key, title = f"{contestant.key}-{most}", f"{contestant.title}, {most:,} jets"
    if all_steps:
        key, title = f"{key}-steps", f"{title}, as many steps"
    return dataclasses.replace(contestant, key=key, title=title, most=most, all_steps=all_steps)


def all_topologies(data: str, cell: str) -> list[Contestant]:
    """One network for each of the six trees, in the order of the paper's tables."""
    return [recursive(data, cell, topology) for topology in IN_TABLES]
