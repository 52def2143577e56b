"""Names of folders, as tables and pictures call what is in them."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from jetgram.errors import SettingsError


def by_name(folders: Sequence[Path]) -> dict[str, Path]:
    """Folders by their last name, or by their path where two have the same.

    Example:
        >>> by_name([Path("runs/gated"), Path("a/simple"), Path("b/simple")])
        {'gated': PosixPath('runs/gated'), 'a/simple': PosixPath('a/simple'), 'b/simple': PosixPath('b/simple')}
    """
    places = [folder.resolve() for folder in folders]
    twice = next((folder for folder, place in zip(folders, places, strict=True) if places.count(place) > 1), None)
    if twice is not None:
        raise SettingsError(f"{twice} is given more than once")
    names = [place.name for place in places]
    return {
        name if names.count(name) == 1 else str(folder): folder for name, folder in zip(names, folders, strict=True)
    }
