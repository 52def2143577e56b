"""Settings from several places: what is named counts, and defaults give the rest, as far as the model has it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from jetgram.models.flat import DEFAULTS, JET_INPUTS
from jetgram.models.kinds import Kinds, refusal, take_kinds
from jetgram.networks.families import PEERS
from jetgram.settings import Settings


def over(defaults: Mapping[str, Any], values: Mapping[str, Any]) -> dict[str, Any]:
    """Settings over defaults; of these, what the model does not have that both together choose is left out.

    Args:
        defaults: such as those of a recipe.
        values: what is named, by the names of the project.

    Example:
        >>> over({"cell": "blend", "rate": 0.005}, {"event": "particles"})
        {'rate': 0.005, 'event': 'particles'}
    """
    names = _kinds({**defaults, **values}).names
    had = {name: value for name, value in defaults.items() if name in names or name not in DEFAULTS}
    return {**had, **values}


def require_read(values: Mapping[str, Any]) -> None:
    """Raise for a setting that the model does not have, even where it says what is the default elsewhere.

    None says that there is nothing, which is true of such a setting.

    Example:
        >>> require_read({"event": "particles", "cell": "simple"})
        Traceback (most recent call last):
        jetgram.errors.SettingsError: found cell with event = particles; this model reads no trees, leave it out
    """
    kinds = _kinds(values)
    for name, value in values.items():
        if name not in DEFAULTS or name in kinds.names or value is None or (kinds.has_frame(name) and value is False):
            continue
        raise refusal(name, value, kinds)


def flat_names(values: Mapping[str, Any]) -> dict[str, Any]:
    """Settings by their flat names; of parts that are given as a whole, what chooses their kinds."""
    names = {name: value for name, value in values.items() if not isinstance(value, Settings | Mapping)}
    given = {name: dict(value) for name, value in values.items() if name not in names}
    if given.get("network", {}).get("kind") in PEERS:
        names["network"] = given["network"]["kind"]
    elif "input" in given:
        names |= _kind_of_input(given["input"])
    if "head" in given:
        names["head"] = given["head"].get("kind", "classifier")
    return names


def _kind_of_input(values: Mapping[str, Any]) -> dict[str, Any]:
    """The flat names that choose the kind of an input, so that the network that reads it is taken."""
    kind = values.get("kind", "trees")
    name = "constituents" if kind == "trees" else kind
    return {"input": name} if name in JET_INPUTS else {"event": kind}


def _kinds(values: Mapping[str, Any]) -> Kinds:
    return take_kinds(flat_names(values))
