"""The files of a conversion: patterns become files, each with its split and, if it is named, its class."""

from __future__ import annotations

import dataclasses
import hashlib
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from jetgram.errors import SettingsError
from jetgram.readers.options import ReadOptions

Patterns = str | Path | Sequence[str | Path] | Mapping[str, str | Path | Sequence[str | Path]]
ENDS = 1 << 20  # bytes at both ends of a file that tell it from others


@dataclasses.dataclass(frozen=True)
class Input:
    """A file to read.

    Args:
        path: the file.
        split: where all its rows belong; None if they are shared out.
        name: of the class of all its rows; None if the file tells.
    """

    path: Path
    split: str | None = None
    name: str | None = None

    def fingerprint(self) -> dict[str, Any]:
        """What tells the file from another one of its name: its size, and a SHA-256 of its two ends."""
        size = self.path.stat().st_size
        with self.path.open("rb") as file:
            digest = hashlib.sha256(file.read(ENDS))
            file.seek(max(0, size - ENDS))
            digest.update(file.read(ENDS))
        return {"file": self.path.name, "size": size, "ends_sha256": digest.hexdigest()}


def expand(patterns: Patterns, split: str | None = None) -> list[Input]:
    """The files that patterns mean, in the order of the patterns, those of each sorted by name.

    Args:
        patterns: files or globs; `NAME=PATTERN`, or a mapping from names to patterns, names the class of the files.
        split: where they belong.
    """
    named: list[tuple[str | None, str]]
    if isinstance(patterns, Mapping):
        named = [(name, each) for name, some in patterns.items() for each in _listed(some)]
    else:
        named = [_named(each) for each in _listed(patterns)]
    found = [Input(path, split, name) for name, pattern in named for path in _files(pattern)]
    unnamed = next((each for each in found if each.name is None), None)
    if unnamed is not None and any(each.name is not None for each in found):
        raise SettingsError(f"{unnamed.path} has no class, but others have; name the class of all files, or of none")
    return found


def given_classes(inputs: Sequence[Input]) -> tuple[str, ...]:
    """The names that were given to classes, in the order they were given; none if the files tell."""
    return tuple(dict.fromkeys(each.name for each in inputs if each.name is not None))


def options_for(inputs: Sequence[Input], options: ReadOptions) -> ReadOptions:
    """How to read the inputs: where the user names their classes, columns of classes are columns like others."""
    named = options.label is None and bool(given_classes(inputs))
    return options.model_copy(update={"label": ""}) if named else options


def _listed(patterns: str | Path | Sequence[str | Path]) -> list[str]:
    return [str(patterns)] if isinstance(patterns, str | Path) else [str(each) for each in patterns]


def _named(text: str) -> tuple[str | None, str]:
    """`top=ttbar*.root` is the class `top`, unless a file has that very name."""
    name, equals, pattern = text.partition("=")
    if not equals or "/" in name or Path(text).exists():
        return None, text
    return name, pattern


def _files(pattern: str) -> list[Path]:
    path = Path(pattern).expanduser()
    if path.is_file():
        return [path]
    if path.is_dir():
        raise SettingsError(f"{pattern} is a folder; name its files, e.g. '{path}/*.root'")
    found = sorted(each for each in Path(path.anchor).glob(str(path.relative_to(path.anchor))) if each.is_file())
    if not found:
        is_glob = any(sign in pattern for sign in "*?[")
        raise SettingsError(f"{pattern}: {'no file has such a name' if is_glob else 'no such file'}")
    return found
