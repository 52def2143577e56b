"""The kinds of input, network and head that flat settings choose, and the settings of each."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from typing import Any

from jetgram.errors import SettingsError, require_known
from jetgram.inputs.events import EventJetsInput
from jetgram.inputs.images import ImageInput
from jetgram.inputs.representation import InputSettings
from jetgram.inputs.trees import PixelInput, TreeInput
from jetgram.models.flat import CHOICES, DEFAULTS, EVENT_INPUTS, EVENT_NAMES, HEADS, JET_INPUTS, JET_NAMES, unalias
from jetgram.networks.families import PEERS, CellSettings, family_of
from jetgram.networks.family import NetworkSettings
from jetgram.networks.heads import HeadSettings
from jetgram.settings import Settings


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
    kinds = take_kinds(rest)
    read = kinds.read
    parts = {
        "input": {"kind": _kind(read), **_take(rest, read)},
        "network": {"kind": _kind(kinds.network), **_take(rest, kinds.network)},
        "head": {"kind": _kind(kinds.head), **_take(rest, kinds.head)},
    }
    if read is EventJetsInput:
        parts["input"]["jets"] = _take(rest, TreeInput)
        parts["network"]["jets"] = _take(rest, CellSettings)
    for name, value in rest.items():
        if value != (False if kinds.has_frame(name) else DEFAULTS[name]):
            raise refusal(name, value, kinds)
    return parts


@dataclasses.dataclass(frozen=True)
class Kinds:
    """The kinds of input, network and head that settings choose.

    Args:
        given: what was said to choose them, for messages.
        read: the input.
        network: the network that reads it.
        head: what is given.
    """

    given: str
    read: type[InputSettings]
    network: type[NetworkSettings]
    head: type[HeadSettings]

    @property
    def names(self) -> set[str]:
        """The flat names of the settings that these have."""
        parts = [self.read, self.network, self.head]
        parts += [TreeInput, CellSettings] if self.read is EventJetsInput else []
        return {*CHOICES, *(name for part in parts for name in part.model_fields)} & DEFAULTS.keys()

    def has_frame(self, name: str) -> bool:
        """Whether the setting is `preprocess` of images, which have a frame of their own: False says nothing new."""
        return name == "preprocess" and self.read in (ImageInput, PixelInput)


def take_kinds(rest: dict[str, Any]) -> Kinds:
    """The kinds that settings choose; what was said to choose them is taken out."""
    return Kinds(*_families(rest), _chosen("head", rest.pop("head", "classifier"), HEADS))


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


def refusal(name: str, value: Any, kinds: Kinds) -> SettingsError:
    """The error for a setting that nothing here has."""
    read = kinds.read
    if name == "classes":
        return _wrong("a regressor has no classes; leave them out, or set head to classifier")
    if name == "image_chain":
        return _wrong(f"found image_chain = {value} without images; set input to image or pixels")
    if name == "leading":
        return _wrong(f"found leading = {value} without sets of particles; set network to one that reads them")
    if name in EVENT_NAMES and not issubclass(read, tuple(EVENT_INPUTS.values())):
        return _wrong(f"{name} is a setting of models of events; set event to jets, or leave it out")
    if kinds.has_frame(name):
        reason = "images are rotated and reflected already"
    elif read is ImageInput:
        reason = "the MaxOut network has none"
    elif kinds.given.startswith("network"):
        reason = "this network has none"
    else:
        reason = "this model finds no jets" if name in JET_NAMES else "this model reads no trees"
    return _wrong(f"found {name} with {kinds.given}; {reason}, leave it out")


def _wrong(message: str) -> SettingsError:
    return SettingsError(message)
