"""The base of every settings model: frozen, with real defaults, and no unknown key.

The same model is filled from Python, from a TOML file and from the command line.
"""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Any, Self

import pydantic

from jetgram.errors import SettingsError, require_known


class Settings(pydantic.BaseModel):
    """Frozen settings; a wrong name or value is a `SettingsError` that says which and what would be right.

    Example:
        >>> class Cone(Settings):
        ...     radius: float = 1.0
        >>> Cone.create(radus=0.8)
        Traceback (most recent call last):
        jetgram.errors.SettingsError: Cone has no setting 'radus'; did you mean 'radius'?
    """

    model_config = pydantic.ConfigDict(frozen=True, extra="forbid", validate_default=True)

    @classmethod
    def create(cls, **values: Any) -> Self:
        """The settings with these values, or a `SettingsError`."""
        for name in values:
            require_known(f"{cls.__name__} has no setting", name, cls.model_fields)
        try:
            return cls(**values)
        except pydantic.ValidationError as error:
            first = error.errors()[0]
            where = ".".join(str(part) for part in first["loc"])
            found = f"{cls.__name__}.{where} = {first['input']!r}" if where else cls.__name__
            raise SettingsError(f"{found}: {first['msg'].removeprefix('Value error, ')}") from None

    @classmethod
    def from_toml(cls, path: Path | str, **overrides: Any) -> Self:
        """The settings of a TOML file; `overrides` win over the file."""
        try:
            values = tomllib.loads(Path(path).read_text())
        except (OSError, tomllib.TOMLDecodeError) as error:
            raise SettingsError(f"{path}: {error}") from error
        return cls.create(**{**values, **overrides})
