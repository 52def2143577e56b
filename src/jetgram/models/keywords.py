"""Settings of a model and of its training together: from keywords, from a TOML file, from the command line.

A file has the tables `[model]` and `[training]`. No name is in both, so that one list of keywords is enough.
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from jetgram.errors import SettingsError, require_known
from jetgram.models.recipe import TrainingSettings
from jetgram.models.settings import ModelSettings
from jetgram.settings import Settings

TABLES: dict[str, type[Settings]] = {"model": ModelSettings, "training": TrainingSettings}


def make_settings(**values: Any) -> tuple[ModelSettings, TrainingSettings]:
    """Model and training settings from one list of keywords.

    Example:
        >>> model, training = make_settings(cell="gated", epochs=5)
        >>> model.cell, training.epochs, training.rate
        ('gated', 5, 0.0005)
        >>> make_settings(epoch=5)
        Traceback (most recent call last):
        jetgram.errors.SettingsError: there is no setting 'epoch'; did you mean 'epochs'?
    """
    homes = {name: table for table, settings in TABLES.items() for name in settings.model_fields}
    sorted_values: dict[str, dict[str, Any]] = {table: {} for table in TABLES}
    for name, value in values.items():
        require_known("there is no setting", name, homes)
        sorted_values[homes[name]][name] = value
    return ModelSettings.create(**sorted_values["model"]), TrainingSettings.create(**sorted_values["training"])


def read_settings(
    path: Path | str, usual: Mapping[str, Any] | None = None, **overrides: Any
) -> tuple[ModelSettings, TrainingSettings]:
    """Model and training settings from the tables `[model]` and `[training]` of a TOML file.

    Args:
        path: the file.
        usual: what is not in the file.
        overrides: win over what is.
    """
    try:
        tables = tomllib.loads(Path(path).read_text())
    except (OSError, ValueError) as error:
        raise SettingsError(f"{path}: {error}") from error
    values: dict[str, Any] = {}
    for name, table in tables.items():
        if name not in TABLES or not isinstance(table, dict):
            raise SettingsError(f"{path}: found {name!r} at the top; expected the tables [model] and [training]")
        TABLES[name].create(**table)  # a name in the wrong table is an error too
        values.update(table)
    return make_settings(**{**(usual or {}), **values, **overrides})


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
    except tomllib.TOMLDecodeError:
        return name.strip(), value.strip()
