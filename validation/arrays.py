"""Frozen numbers in NumPy's `.npz` files: no code runs, and a wrong file is told apart."""

from __future__ import annotations

import zipfile
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from jetgram.boundary import parsing
from jetgram.errors import DatasetError


def read_npz(path: Path, *needed: str) -> dict[str, NDArray[Any]]:
    """The arrays of a file, all of them numbers, or a `DatasetError` that says what is wrong with it.

    Args:
        path: the file.
        needed: names of arrays that it must have.
    """
    if not path.is_file():
        raise DatasetError(f"{path}: no such file")
    if not zipfile.is_zipfile(path):
        raise DatasetError(f"{path} is not a complete .npz file")
    with (
        parsing(path, what="is damaged, or holds more than arrays of numbers"),
        np.load(path, allow_pickle=False) as archive,
    ):
        everything = {name: archive[name] for name in archive.files}
    arrays = {name: array for name, array in everything.items() if array.dtype.kind in "biuf"}
    missing = [name for name in needed if name not in arrays]
    if missing:
        found = ", ".join([*list(arrays)[:8], *(["..."] if len(arrays) > 8 else [])]) or "nothing"
        raise DatasetError(f"{path} has no numbers {', '.join(missing)}; found {found}; expected {', '.join(needed)}")
    strange = next((name for name in everything if name not in arrays), None)
    if strange is not None:
        raise DatasetError(f"{path}: {strange} is of type {everything[strange].dtype}; expected numbers")
    return arrays
