"""NumPy's npz files: one table of all arrays with as many rows as the first; nothing is unpickled.

An array inside the file is read row by row as it is decompressed, so that memory holds a chunk, not the array;
but all of it, where it is stored by columns.
"""

from __future__ import annotations

import contextlib
import math
import zipfile
import zlib
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import IO, Any, NamedTuple, cast

import numpy as np
from numpy.typing import NDArray

from jetgram.columns import Column
from jetgram.errors import DatasetError
from jetgram.readers.files.inflated import Inflated
from jetgram.readers.files.table_file import Shape, Span, TableFile, spans

TABLE = ""
BLOCK = 1 << 18  # bytes that are decompressed at once: they fit into a core's cache


class _Header(NamedTuple):
    shape: tuple[int, ...]
    dtype: np.dtype[Any]
    fortran: bool


class NpzFile(TableFile):
    """An npz file; see `TableFile`."""

    format = "npz"

    def __init__(self, path: Path) -> None:
        super().__init__(path)
        with self._readable():
            self._zip = zipfile.ZipFile(path)
            self.headers = {name: self._header(name) for name in self._names()}

    def tables(self) -> list[str]:
        """The one table."""
        return [TABLE]

    def columns(self, table: str) -> Mapping[str, Shape]:
        """All arrays; what has not as many rows as the largest is no column to read."""
        rows = (self.rows(table),)
        return {
            name: _shape(header.dtype) if header.shape[:1] == rows else "other" for name, header in self.headers.items()
        }

    def rows(self, table: str) -> int:
        """Rows of the largest array, as momenta are."""
        return max((header.shape for header in self.headers.values() if header.shape), key=math.prod, default=(0,))[0]

    def _read(self, table: str, names: Sequence[str], span: Span) -> dict[str, Column]:
        return next(self._stream(table, names, [span]))

    def array(self, name: str) -> NDArray[Any]:
        """One array as a whole."""
        with self._readable(), self._open(name) as file:
            found: NDArray[Any] = np.lib.format.read_array(file, allow_pickle=False)
        return found

    def pieces(self, table: str, step: int) -> list[list[Span]]:
        """One piece: what is compressed is read from its beginning."""
        return [spans(0, self.rows(table), step)]

    def _stream(self, table: str, names: Sequence[str], chunks: Sequence[Span]) -> Iterator[dict[str, Column]]:
        yield from self.stream_arrays({name: chunks for name in names})

    def stream_arrays(self, wanted: Mapping[str, Sequence[Span]]) -> Iterator[dict[str, Column]]:
        """Rows of some arrays, which may be cut in different ways; the rows of an array must follow each other."""
        with self._readable(), contextlib.ExitStack() as stack:
            whole = {name: self.array(name) for name in wanted if self._is_by_columns(name)}
            files = {name: stack.enter_context(self._open(name)) for name in wanted if name not in whole}
            for name, file in files.items():
                self._parse(file, name)
            done = dict.fromkeys(files, 0)
            for spans_ in zip(*wanted.values(), strict=True):
                found: dict[str, Column] = {}
                for name, (begin, end) in zip(wanted, spans_, strict=True):
                    if name in whole:
                        found[name] = np.ascontiguousarray(whole[name][begin:end])
                        continue
                    _skip(files[name], (begin - done[name]) * self._row_bytes(name))
                    found[name], done[name] = self._rows(files[name], name, end - begin), end
                yield found

    def close(self) -> None:
        """Close the file."""
        self._zip.close()

    def _names(self) -> list[str]:
        names = [name.removesuffix(".npy") for name in self._zip.namelist() if name.endswith(".npy")]
        if len(names) > len(set(names)):
            raise DatasetError(f"{self.path} has more than one array of a name; expected each name once")
        return names

    def _open(self, name: str) -> IO[bytes]:
        member = self._zip.getinfo(f"{name}.npy")
        if member.compress_type == zipfile.ZIP_DEFLATED:
            return cast(IO[bytes], Inflated(self.path, member))
        return self._zip.open(member)

    def _header(self, name: str) -> _Header:
        with self._open(name) as file:
            return self._parse(file, name)

    def _parse(self, file: IO[bytes], name: str) -> _Header:
        version = np.lib.format.read_magic(file)
        readers = {(1, 0): np.lib.format.read_array_header_1_0, (2, 0): np.lib.format.read_array_header_2_0}
        if version not in readers:
            raise DatasetError(f"{self.path}: {name} has version {version} of NumPy's format; expected 1.0 or 2.0")
        shape, fortran, dtype = readers[version](file)
        return _Header(shape, dtype, fortran)

    def _is_by_columns(self, name: str) -> bool:
        """Whether the last row of an array ends at the end of the file only, as of `p4[:, [1, 2, 3, 0]]`."""
        return self.headers[name].fortran and len(self.headers[name].shape) > 1

    def _row_bytes(self, name: str) -> int:
        header = self.headers[name]
        return int(np.prod(header.shape[1:], dtype=np.int64)) * header.dtype.itemsize

    def _rows(self, file: IO[bytes], name: str, rows: int) -> NDArray[Any]:
        header = self.headers[name]
        if header.dtype.hasobject:
            raise DatasetError(f"{self.path}: {name} holds Python objects, which are not read; expected numbers")
        content = np.empty((rows, *header.shape[1:]), dtype=header.dtype)
        left = content.reshape(-1).view(np.uint8)
        while len(left):
            block = np.frombuffer(file.read(min(len(left), BLOCK)), dtype=np.uint8)
            if not len(block):
                raise DatasetError(f"{self.path}: {name} is cut off")
            left[: len(block)] = block
            left = left[len(block) :]
        return content

    @contextlib.contextmanager
    def _readable(self) -> Iterator[None]:
        try:
            yield
        except (OSError, ValueError, EOFError, zipfile.BadZipFile, zlib.error) as error:
            raise DatasetError(f"{self.path} is no npz file, or is cut off or damaged: {error}") from error


def _skip(file: IO[bytes], size: int) -> None:
    while size > 0:
        size -= len(file.read(min(size, BLOCK))) or size


def _shape(dtype: np.dtype[Any]) -> Shape:
    return "row" if dtype.kind in "biuf" else "text" if dtype.kind in "US" else "other"
