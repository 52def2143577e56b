"""The settings of `jetgram train`: from its options, `--set`, and a file."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from jetgram.models.recipes import TrainingSettings
    from jetgram.models.settings import ModelSettings


def event_settings(dataset: Path, events: bool, jets: str | None, particles: str | None) -> dict[str, Any]:
    """The settings that say what is read of events; an error for a dataset of jets."""
    from jetgram.errors import SettingsError
    from jetgram.storage.dataset import Dataset

    given = [name for name, value in (("--jets", jets), ("--particles", particles)) if value is not None]
    if len(given) > 1:
        raise SettingsError("found --jets and --particles; an event is read as jets or as particles")
    if (events or given) and Dataset(dataset).kind == "jets":
        raise SettingsError(f"{dataset} holds jets; {' '.join(['--events'] * events + given)} is for whole events")
    hardest = jets if particles is None else particles
    number = int(hardest) if hardest is not None and hardest.isdecimal() else hardest
    return {"event": "particles" if particles is not None else None, "hardest": number}


def require_jets_read(model: ModelSettings, jets: str | None) -> None:
    """Raise if `--jets` is given, but the settings read the particles of events."""
    from jetgram.errors import SettingsError

    if jets is not None and model.reading["event"] == "particles":
        found = f"--jets {jets} with event = particles"
        raise SettingsError(f"found {found}; take --particles instead, or set event to jets or jet-momenta")


def given_values(options: Mapping[str, Any], more: Sequence[str]) -> dict[str, Any]:
    """What the command line says, by the names of the project.

    Args:
        options: settings that have an option of their own; None where it is not given.
        more: of the form `name=value`, from `--set`.
    """
    from jetgram.errors import SettingsError
    from jetgram.models.flat import unalias
    from jetgram.models.given import parse_setting

    named = {name: value for name, value in options.items() if value is not None}
    said = unalias(dict(parse_setting(text) for text in more))
    for name in said.keys() & named.keys():
        if said[name] != named[name]:
            found = f"--set {name}={said[name]} next to an option that says {name} = {named[name]}"
            raise SettingsError(f"found {found}; leave one out")
    return {**named, **said}


def train_settings(
    file: Path | None, defaults: Mapping[str, Any], values: Mapping[str, Any], taught: bool = True
) -> tuple[ModelSettings, TrainingSettings]:
    """The defaults, overridden by the settings file, overridden by the command line."""
    from jetgram.models.given import given_settings, read_settings

    if file is not None:
        return read_settings(file, defaults, taught, **values)
    return given_settings(values, defaults, taught)
