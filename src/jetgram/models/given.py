"""Settings as somebody wrote them down: on the command line, and in the tables `[model]` and `[training]` of a file."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from jetgram.errors import SettingsError, require_known
from jetgram.jets.perturb import COLLINEAR
from jetgram.models.flat import unalias
from jetgram.models.merging import over, require_read
from jetgram.models.recipes import TrainingSettings, with_recipe
from jetgram.models.settings import TABLES, ModelSettings, make_settings
from jetgram.settings import read_toml


def given_settings(
    given: Mapping[str, Any], defaults: Mapping[str, Any] | None = None, taught: bool = True
) -> tuple[ModelSettings, TrainingSettings]:
    """Model and training settings from what somebody wrote down: all of it must be of use.

    Unlike in `make_settings`, where a setting may be put back to its default, one that the model does not have is an
    error, whatever its value.

    Args:
        given: by their flat names; `recipe` too.
        defaults: of what is not given, instead of the recipe's; left out where the model has no such setting.
        taught: whether there may be a teacher.

    Example:
        >>> given_settings({"cell": "simple"}, {"event": "jets"})[0].title
        '2 jets, simple kt'
        >>> given_settings({"cell": "simple", "event": "particles"})
        Traceback (most recent call last):
        jetgram.errors.SettingsError: found cell with event = particles; this model reads no trees, leave it out
    """
    values = with_recipe(over(defaults or {}, unalias(given)))
    require_read(values)
    model, training = make_settings(**{**values, "recipe": "paper"})
    _require_effect(unalias(given), model, training, taught)
    return model, training


def _require_effect(given: Mapping[str, Any], model: ModelSettings, training: TrainingSettings, taught: bool) -> None:
    """Raise if something was written down that changes nothing next to the other settings."""
    idle = {
        "decay": (training.schedule != "exponential", f"the schedule is {training.schedule}"),
        "copies": (not COLLINEAR.keys() & set(training.augment), "augment names no collinear splits"),
        "teacher_weight": (not taught, "there is no teacher (--teacher MODEL)"),
        "tree_seed": ("random" not in model.input.topologies, "no tree is random"),
    }
    for name, (is_idle, why) in idle.items():
        if name in given and is_idle:
            raise SettingsError(f"{name} = {given[name]!r} has no effect: {why}; leave it out")


def read_settings(
    path: Path | str, defaults: Mapping[str, Any] | None = None, taught: bool = True, **overrides: Any
) -> tuple[ModelSettings, TrainingSettings]:
    """Model and training settings from the tables `[model]` and `[training]` of a TOML file; see `given_settings`.

    Args:
        path: the file.
        defaults: of what is not in the file.
        taught: whether there may be a teacher.
        overrides: win over what is.
    """
    return given_settings({**_file_values(path), **unalias(overrides)}, defaults, taught)


def _file_values(path: Path | str) -> dict[str, Any]:
    """What a file says; only names are checked, since values may be possible with others from elsewhere alone."""
    values: dict[str, Any] = {}
    for name, table in read_toml(path).items():
        if name not in TABLES or not isinstance(table, dict):
            raise SettingsError(f"{path}: found {name!r} at the top; expected the tables [model] and [training]")
        for setting, value in unalias(table).items():
            other = next((other for other, names in TABLES.items() if other != name and setting in names), None)
            if other is not None:
                raise SettingsError(f"{path}: there is no setting {setting!r} in [{name}]; move it to [{other}]")
            require_known(f"{path}: there is no setting", setting, TABLES[name])
            values[setting] = value
    return values


def parse_setting(text: str) -> tuple[str, Any]:
    """Name and value of `name=value`, the value as in TOML; what is no TOML value is a string.

    Example:
        >>> parse_setting("hidden=64"), parse_setting("topology=desc-pt"), parse_setting("class_weight=[1, 2]")
        (('hidden', 64), ('topology', 'desc-pt'), ('class_weight', [1, 2]))
    """
    name, equals, value = text.partition("=")
    if not equals or not name.strip():
        raise SettingsError(f"found {text!r}; expected name=value")
    try:
        return name.strip(), tomllib.loads(f"value = {value}")["value"]
    except RecursionError:
        raise SettingsError(f"the value of {name.strip()} is nested too deep") from None
    except tomllib.TOMLDecodeError:
        return name.strip(), value.strip()
