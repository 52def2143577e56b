"""The settings of a model by their flat names, as in `JetTagger(topology="kt", cell="gated")` and on the command line.

Settings are nested: `input`, `network` and `head`, each of one kind with the settings of that kind alone. Flat names
are unique among all kinds. `input` and `event` choose the kind of input, and with it the network, or `network` one of
several that read the same, and with it the input; `head` that of the head. Models are saved, and digests computed, by
the flat names in their canonical order.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from jetgram.errors import SettingsError
from jetgram.inputs.declusterings import DeclusteringInput
from jetgram.inputs.events import EventJetsInput, JetMomentaInput, ParticlesInput
from jetgram.inputs.images import ImageInput
from jetgram.inputs.particles import ParticleSetInput
from jetgram.inputs.representation import InputSettings
from jetgram.inputs.trees import PixelInput, TreeInput
from jetgram.networks.classification import ClassifierSettings
from jetgram.networks.families import CellSettings, GruSettings
from jetgram.networks.heads import HeadSettings
from jetgram.networks.regression import RegressorSettings
from jetgram.settings import Settings

JET_INPUTS: dict[str, type[InputSettings]] = {
    "constituents": TreeInput,
    "pixels": PixelInput,
    "image": ImageInput,
    "particle-set": ParticleSetInput,
    "declusterings": DeclusteringInput,
}
EVENT_INPUTS: dict[str, type[InputSettings]] = {
    "jets": EventJetsInput,
    "jet-momenta": JetMomentaInput,
    "particles": ParticlesInput,
}
HEADS: dict[str, type[HeadSettings]] = {"classifier": ClassifierSettings, "regressor": RegressorSettings}

CHOICES = ("input", "event", "network", "head")  # settings that choose kinds

# The names that people type, for those of the project.
ALIASES = {
    "lr": "rate",
    "learning_rate": "rate",
    "batch_size": "batch",
    "max_epochs": "epochs",
    "random_state": "seed",
    "hidden_size": "hidden",
}


def _defaults(settings: type[Settings]) -> dict[str, Any]:
    return settings().model_dump(mode="json", exclude={"kind", "jets"})


_ANY = {
    "input": "constituents",
    "event": None,
    "network": None,
    "head": "classifier",
    **_defaults(ParticleSetInput),
    **_defaults(PixelInput),
    **_defaults(TreeInput),
    **_defaults(CellSettings),
    **_defaults(JetMomentaInput),
    **_defaults(GruSettings),
    **_defaults(ClassifierSettings),
}
_ORDER = (
    *(
        "input",
        "network",
        "leading",
        "cell",
        "topology",
        "hidden",
        "features",
        "preprocess",
        "trim",
        "image_chain",
        "tree_seed",
        "readout",
    ),
    *("head", "classes", "targets", "loss", "initialisation", "engine"),
    *("event", "hardest", "radius", "min_pt", "state"),
)

# Every flat name with its default, in the canonical order.
DEFAULTS: dict[str, Any] = {name: _ANY[name] for name in _ORDER}
TREE_NAMES = {*TreeInput.model_fields, *CellSettings.model_fields} - {"kind"}
JET_NAMES = {"radius", "min_pt"}
EVENT_NAMES = {"hardest", "state", *JET_NAMES}
_WRITTEN_FOR_EVENTS = TREE_NAMES - {"readout"} | JET_NAMES  # by all models of events, whether they read it or not


def unalias(values: Mapping[str, Any]) -> dict[str, Any]:
    """The same settings by the names of the project.

    Example:
        >>> unalias({"lr": 0.001, "hidden": 20})
        {'rate': 0.001, 'hidden': 20}
    """
    found: dict[str, Any] = {}
    for name, value in values.items():
        known = ALIASES.get(name, name)
        if known in found:
            raise SettingsError(f"found {name} and {known}, which are the same setting; leave one out")
        found[known] = value
    return found


def canonical(parts: Mapping[str, Any]) -> dict[str, Any]:
    """Flat settings in their order; what models of events do not read is said all the same, the default readout not."""
    values = dict(parts)
    if "event" in values:
        values = {**{name: DEFAULTS[name] for name in _WRITTEN_FOR_EVENTS}, **values}
    if values.get("readout") == DEFAULTS["readout"]:
        del values["readout"]
    return {name: values[name] for name in DEFAULTS if name in values}
