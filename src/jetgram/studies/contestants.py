"""Who takes part: every network and observable of the studies, each under one key, whichever tables it appears in.

And what can be done to test jets before they are scored, the scenarios:

`nominal`
    nothing.
`collinear1`, `collinear10`, `collinear1-max`, `collinear10-max`, `soft`
    collinear splits and soft particles; see `jetgram.jets.perturb`.
`on TOPOLOGY trees`
    the network reads other trees than those it was trained on.
`on trimmed jets`, `on untrimmed jets`
    subjets below 5 % of a jet's pT are dropped before the trees are built, or nothing is, unlike in training.
"""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Sequence

from jetgram.errors import SettingsError
from jetgram.evaluation.baselines import Observable
from jetgram.evaluation.predict import predict_models
from jetgram.evaluation.safety import SCENARIOS, perturbation
from jetgram.evaluation.scores import Scores
from jetgram.models.model import JetModel
from jetgram.models.settings import ModelSettings
from jetgram.storage.dataset import Dataset
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


OTHER_TREES = re.compile(r"on (\S+) trees")
TRIM = 0.05  # of the jet's pT, as for jet images
TRIMMING = {"on trimmed jets": TRIM, "on untrimmed jets": None}


def score_scenario(models: Sequence[JetModel], dataset: Dataset, scenario: str, name: str) -> list[Scores]:
    """The scores of a test split in a scenario, with the pT and mass of what the network reads of the jets then.

    Args:
        models: the seeds of a network.
        dataset: of jets or events.
        scenario: one of those above.
        name: of the network in the scores.
    """
    if scenario in SCENARIOS:
        return predict_models(models, dataset, name=name, change=perturbation(scenario))
    return predict_models([_reading_otherwise(model, scenario) for model in models], dataset, name=name)


def _reading_otherwise(model: JetModel, scenario: str) -> JetModel:
    """The same weights, on other trees or other jets than those of the training."""
    if scenario in TRIMMING:
        return model.with_trim(TRIMMING[scenario])
    other = OTHER_TREES.fullmatch(scenario)
    if other is None:
        known = ", ".join([*SCENARIOS, "on TOPOLOGY trees", *TRIMMING])
        raise SettingsError(f"no scenario {scenario!r}; there are: {known}")
    return model.with_topology(other[1])
