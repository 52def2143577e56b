"""Jets in NumPy's `.npz` files: no code runs, and a wrong file is told apart."""

from __future__ import annotations

import zipfile
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from jetgram.boundary import parsing
from jetgram.errors import BadJetError, DatasetError
from jetgram.momenta import Jets


def read_npz(path: Path, *needed: str) -> dict[str, NDArray[Any]]:
    """The arrays of a file, all of them numbers, or a `DatasetError` that says what is wrong with it.

    Args:
        path: the file.
        needed: names of arrays that it must have.
    """
    if not path.is_file():
        raise DatasetError(f"{path}: no such file")
    if not zipfile.is_zipfile(path):
        hint = "" if path.suffix == ".npz" else "; for other files: jetgram convert"
        raise DatasetError(f"{path} is not a complete .npz file{hint}")
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
        raise DatasetError(
            f"{path}: {strange} is of type {everything[strange].dtype}; expected numbers; "
            "for names of classes: jetgram convert"
        )
    return arrays


def jets_from_npz(path: Path | str) -> Jets:
    """Jets of an `.npz` file with the arrays `p4 (n, 4)` and `offsets (jets + 1,)`.

    Other arrays are kept by their length: with one entry per jet (`label`, `weight`) as columns, with one per momentum
    as particle columns; an array of another length is an error. The jets are not checked here.
    """
    path = Path(path)
    arrays = read_npz(path, "p4", "offsets")
    p4, offsets = arrays.pop("p4"), arrays.pop("offsets")
    jets, rows = offsets.size - 1, p4.shape[:1]
    columns = {name: array for name, array in arrays.items() if array.shape[:1] == (jets,)}
    particles = {name: array for name, array in arrays.items() if name not in columns and array.shape == rows}
    strange = sorted(arrays.keys() - columns.keys() - particles.keys())
    if strange:
        shape, momenta = arrays[strange[0]].shape, rows[0] if rows else 0
        raise DatasetError(
            f"{path}: {strange[0]} has shape {shape}; expected {jets} entries (jets) or {momenta} (momenta)"
        )
    try:
        return Jets(p4, offsets, columns, particles)
    except BadJetError as error:
        raise BadJetError(f"{path}: {error}") from None
