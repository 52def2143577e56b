"""The settings of a model by their flat names, as in `JetTagger(topology="kt", cell="gated")` and on the command line.

Settings are nested: `input`, `network` and `head`, each of one kind with the settings of that kind alone. Flat names
are unique among all kinds. `input` and `event` choose the kind of input, and with it the network, or `network` one of
several that read the same, and with it the input; `head` that of the head. Models are saved, and digests computed, by
the flat names in their canonical order.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from jetgram.errors import SettingsError, require_known
from jetgram.inputs.declusterings import DeclusteringInput
from jetgram.inputs.events import EventJetsInput, JetMomentaInput, ParticlesInput
from jetgram.inputs.images import ImageInput
from jetgram.inputs.particles import ParticleSetInput
from jetgram.inputs.representation import InputSettings
from jetgram.inputs.trees import PixelInput, TreeInput
from jetgram.networks.classification import ClassifierSettings
from jetgram.networks.families import PEERS, CellSettings, GruSettings, family_of
from jetgram.networks.family import NetworkSettings
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


def nested(values: Mapping[str, Any]) -> dict[str, dict[str, Any]]:
    """Settings by their flat names as the settings of input, network and head.

    Example:
        >>> nested({"cell": "gated", "topology": "ca"})["network"]
        {'kind': 'recursive', 'cell': 'gated'}
        >>> nested({"input": "image", "cell": "gated"})
        Traceback (most recent call last):
        jetgram.errors.SettingsError: found cell with input = image; the MaxOut network has none, ...
    """
    rest = unalias(values)
    for name in rest:
        require_known("there is no setting", name, DEFAULTS)
    given, read, network = _families(rest)
    head = _chosen("head", rest.pop("head", "classifier"), HEADS)
    parts = {
        "input": {"kind": _kind(read), **_take(rest, read)},
        "network": {"kind": _kind(network), **_take(rest, network)},
        "head": {"kind": _kind(head), **_take(rest, head)},
    }
    if read is EventJetsInput:
        parts["input"]["jets"] = _take(rest, TreeInput)
        parts["network"]["jets"] = _take(rest, CellSettings)
    for name, value in rest.items():
        _refuse(name, value, read, given)
    return parts


def _families(rest: dict[str, Any]) -> tuple[str, type[InputSettings], type[NetworkSettings]]:
    """What was said to choose input and network, taken out of the values, and both."""
    form, event, network = rest.pop("input", None), rest.pop("event", None), rest.pop("network", None)
    if network is not None:
        family = _chosen("network", network, PEERS)
        if event is not None or (form is not None and JET_INPUTS.get(form) is not family.reads):
            found = f"input = {form}" if event is None else f"event = {event}"
            raise _wrong(f"found network = {network} with {found}; it reads a {_kind(family.reads)}, leave that out")
        return f"network = {network}", family.reads, family
    form = form or "constituents"
    given, read = f"input = {form}", _chosen("input", form, JET_INPUTS)
    if event is not None:
        if form != "constituents":
            raise _wrong(f"found event = {event} with input = {form}; models of events read constituents")
        given, read = f"event = {event}", _chosen("event", event, EVENT_INPUTS)
    return given, read, family_of(read)


def _chosen(name: str, value: Any, among: Mapping[str, Any]) -> Any:
    if value not in among:
        *others, last = map(repr, among)
        raise SettingsError(f"{name} = {value!r}: Input should be {', '.join(others)} or {last}")
    return among[value]


def _kind(settings: type[Settings]) -> str:
    return str(settings.model_fields["kind"].default)


def _take(values: dict[str, Any], settings: type[Settings]) -> dict[str, Any]:
    """Those of the values that the settings have, taken out."""
    return {name: values.pop(name) for name in list(values) if name in settings.model_fields and name != "jets"}


def _refuse(name: str, value: Any, read: type[InputSettings], given: str) -> None:
    """Raise if a setting that nothing here has is not as it would be anyway."""
    images = read in (ImageInput, PixelInput)
    if value == (False if name == "preprocess" and images else DEFAULTS[name]):
        return
    if name == "classes":
        raise _wrong("a regressor has no classes; leave them out, or set head to classifier")
    if name == "image_chain":
        raise _wrong(f"found image_chain = {value} without images; set input to image or pixels")
    if name == "leading":
        raise _wrong(f"found leading = {value} without sets of particles; set network to one that reads them")
    if name in EVENT_NAMES and not issubclass(read, tuple(EVENT_INPUTS.values())):
        raise _wrong(f"{name} is a setting of models of events; set event to jets, or leave it out")
    if name == "preprocess" and images:
        reason = "images are rotated and reflected already"
    elif read is ImageInput:
        reason = "the MaxOut network has none"
    elif given.startswith("network"):
        reason = "this network has none"
    else:
        reason = "this model finds no jets" if name in JET_NAMES else "this model reads no trees"
    raise _wrong(f"found {name} with {given}; {reason}, leave it out")


def _wrong(message: str) -> SettingsError:
    return SettingsError(message)
