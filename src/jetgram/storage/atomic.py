"""Files that are either whole or not there: written under a temporary name, flushed to disk, renamed."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO

from jetgram.errors import DatasetError


def write_bytes(path: Path, content: bytes) -> None:
    """Write `content` to `path` so that a crash at any moment leaves the old file or the new one, never a part."""
    with writing(path) as file:
        file.write(content)


@contextmanager
def writing(path: Path) -> Iterator[BinaryIO]:
    """A file to write into, which is `path` as soon as the block ends; an exception in it leaves everything as it was.

    Only a regular file is ever replaced: a folder, a pipe or a device under that name is an error.
    """
    if path.exists() and not path.is_file():
        raise DatasetError(f"{path} is not a regular file; jetgram does not write there")
    descriptor, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.", suffix=".part")
    try:
        with os.fdopen(descriptor, "wb") as file:
            yield file
            file.flush()
            os.fsync(file.fileno())
        Path(name).chmod(0o644)
        Path(name).replace(path)
    except BaseException:
        Path(name).unlink(missing_ok=True)
        raise
    _sync_folder(path.parent)


def remove_leftovers(folder: Path) -> None:
    """Remove what killed writers left behind."""
    for leftover in folder.glob(".*.part"):
        leftover.unlink(missing_ok=True)


def _sync_folder(folder: Path) -> None:
    """Make the renaming itself survive a power cut."""
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
