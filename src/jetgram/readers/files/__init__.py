"""The kinds of files that hold tables of named columns: ROOT, HDF5, Parquet, Arrow (Feather) and NumPy's npz.

A new kind is a class over `TableFile` in a file of its own, and a line in `FORMATS`.
"""

from __future__ import annotations

import importlib
from collections.abc import Mapping
from pathlib import Path

from jetgram.errors import DatasetError
from jetgram.readers.files.table_file import TableFile

# How a file begins -> the class that reads it; each module is imported when such a file is opened.
FORMATS: Mapping[bytes, str] = {
    b"root": "jetgram.readers.files.root:RootFile",
    b"\x89HDF": "jetgram.readers.files.hdf5:Hdf5File",
    b"PAR1": "jetgram.readers.files.arrow:ParquetFile",
    b"ARROW1": "jetgram.readers.files.arrow:FeatherFile",
    b"PK": "jetgram.readers.files.npz:NpzFile",
}


def open_table_file(path: Path) -> TableFile | None:
    """The file, opened by what it begins with; None if it is none of `FORMATS`."""
    if not path.is_file():
        raise DatasetError(f"{path}: no such file")
    with path.open("rb") as file:
        beginning = file.read(8)
    if not beginning:
        raise DatasetError(f"{path} is empty")
    for magic, home in FORMATS.items():
        if beginning.startswith(magic):
            module, _, name = home.partition(":")
            opened: TableFile = getattr(importlib.import_module(module), name)(path)
            return opened
    return None
