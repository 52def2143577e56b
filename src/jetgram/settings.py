"""The base of every settings model: frozen, with real defaults, and no unknown key.

The same model is filled from Python, from a TOML file and from the command line.
"""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Any, ClassVar, Self

import pydantic
from pydantic_core import PydanticSerializationError

from jetgram.boundary import parsing
from jetgram.errors import SettingsError, require_known


class Settings(pydantic.BaseModel):
    """Frozen settings; a wrong name or value is a `SettingsError` that says which and what would be right.

    Example:
        >>> class Cone(Settings):
        ...     radius: float = 1.0
        >>> Cone.create(radus=0.8)
        Traceback (most recent call last):
        jetgram.errors.SettingsError: there is no setting 'radus'; did you mean 'radius'?
    """

    model_config = pydantic.ConfigDict(frozen=True, extra="forbid", validate_default=True)

    @classmethod
    def create(cls, **values: Any) -> Self:
        """The settings with these values, or a `SettingsError`."""
        for name in values:
            require_known("there is no setting", name, cls.model_fields)
        try:
            return cls(**values)
        except pydantic.ValidationError as error:
            first = error.errors()[0]
            where = ".".join(str(part) for part in first["loc"])
            found = f"{where} = {first['input']!r}: " if where else ""
            raise SettingsError(f"{found}{first['msg'].removeprefix('Value error, ')}") from None

    @classmethod
    def from_toml(cls, path: Path | str, **overrides: Any) -> Self:
        """The settings of a TOML file; `overrides` win over the file."""
        return cls.create(**{**read_toml(path), **overrides})


class GrownSettings(Settings):
    """Settings that got fields after files had been sealed with them: those in `later` are dumped unless default.

    So the dump, and every digest over it, stays what it was before the field was there.

    Example:
        >>> class Cone(GrownSettings):
        ...     later: ClassVar[tuple[str, ...]] = ("depth",)
        ...     radius: float = 1.0
        ...     depth: int | None = None
        >>> Cone().model_dump(), Cone(depth=2).model_dump()
        ({'radius': 1.0}, {'radius': 1.0, 'depth': 2})
    """

    later: ClassVar[tuple[str, ...]] = ()

    @pydantic.model_serializer(mode="wrap")
    def _without_new_defaults(self, dump: pydantic.SerializerFunctionWrapHandler) -> dict[str, Any]:
        unchanged = {name for name in self.later if getattr(self, name) == type(self).model_fields[name].default}
        return {name: value for name, value in dump(self).items() if name not in unchanged}

    def model_dump(self, **options: Any) -> dict[str, Any]:
        """As in pydantic, which makes an error of its own of a Ctrl-C that comes while the method above runs."""
        try:
            return super().model_dump(**options)
        except PydanticSerializationError as error:
            if "KeyboardInterrupt" in str(error):
                raise KeyboardInterrupt from error
            raise


def read_toml(path: Path | str) -> dict[str, Any]:
    """The tables of a TOML file in UTF-8, or a `SettingsError` that names the file."""
    with parsing(path, SettingsError, "cannot be read"):
        return tomllib.loads(Path(path).read_text(encoding="utf-8"))
