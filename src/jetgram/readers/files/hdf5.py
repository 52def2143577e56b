"""HDF5 files through h5py: plain arrays, structured arrays, and data frames that pandas wrote.

A table is a group (the root is ``), a structured array or a data frame. The names of a data frame's columns are
pickled; they are read from the opcodes of the pickle, and nothing is ever unpickled.
"""

from __future__ import annotations

import contextlib
import math
import pickletools
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from jetgram.columns import Column, Jagged
from jetgram.errors import DatasetError, SettingsError
from jetgram.extras import install_command
from jetgram.ragged import offsets_of
from jetgram.readers.files.table_file import Shape, Span, TableFile, require_package

ROOT = ""
NUMBERS = "biuf"
FRAMES = (b"frame", b"frame_table")
_TEXT = {"UNICODE", "BINUNICODE", "SHORT_BINUNICODE", "BINUNICODE8", "STRING", "BINSTRING", "SHORT_BINSTRING"}
_LIST = {"PROTO", "FRAME", "MARK", "LIST", "EMPTY_LIST", "APPEND", "APPENDS", "PUT", "BINPUT", "MEMOIZE", "STOP"}


class ColumnPlace(NamedTuple):
    """Where a column is: an array, a field in it if it is structured, and a column of that if it is a block.

    Pandas writes a word of its own for text that is `missing`, and numbers for text that `is_coded` as a category.
    """

    array: Any
    field: str | None = None
    column: int | None = None
    missing: bytes | None = None
    is_coded: bool = False

    @property
    def block(self) -> int:
        """Tells its array from others; h5py's own names are slow."""
        return id(self.array)

    @property
    def dtype(self) -> np.dtype[Any]:
        """The type of its values."""
        dtype: np.dtype[Any] = self.array.dtype if self.field is None else self.array.dtype[self.field]
        return dtype.base


Places = dict[str, ColumnPlace]


class Hdf5File(TableFile):
    """An HDF5 file; see `TableFile`."""

    format = "HDF5"

    def __init__(self, path: Path) -> None:
        super().__init__(path)
        self._h5py = require_package("h5py", path)
        with contextlib.suppress(ImportError):
            import hdf5plugin  # noqa: F401 - registers the compressions that PyTables has and h5py has not
        with self._readable():
            self._file = self._h5py.File(path, "r")
        self._known: dict[str, Places] = {}
        self._shapes: dict[str, Mapping[str, Shape]] = {}

    def tables(self) -> list[str]:
        """Groups with arrays, structured arrays and data frames."""
        found: list[str] = []
        self._list_arrays(self._file, ROOT, found)
        return found

    def columns(self, table: str) -> Mapping[str, Shape]:
        """Names and shapes of a table's columns."""
        if table not in self._shapes:  # asked for often, and slow for the thousand columns of a data frame
            places, rows = self._places(table).items(), self.rows(table)
            fits = {id(array): len(array) == rows for array in self._arrays(table)}
            self._shapes[table] = {
                name: _shape(place.dtype) if fits[place.block] and not place.is_coded else "other"
                for name, place in places
            }
        return self._shapes[table]

    def rows(self, table: str) -> int:
        """Rows of a table: those of its largest array, as momenta are."""
        return max((array.shape for array in self._arrays(table)), key=math.prod, default=(0,))[0]

    def stream(self, table: str, names: Sequence[str], chunks: Sequence[Span]) -> Iterator[dict[str, Column]]:
        """Some columns of the chunks; the columns of a pattern are cut out of their block at once."""
        for span in chunks:
            yield self._read(table, names, span)

    def _read(self, table: str, names: Sequence[str], span: Span) -> dict[str, Column]:
        places = self._places(table)
        blocks: dict[int, NDArray[Any]] = {}
        found: dict[str, Column] = {}
        with self._readable():
            for name in names:
                some = [places[each] for each in (self.members(table, name) if "*" in name else (name,))]
                for key, array in {place.block: place.array for place in some}.items():
                    if key not in blocks:
                        blocks[key] = array[slice(*span)]
                if "*" in name:
                    found[name] = _stacked(blocks, some)
                else:
                    values = _named(_values(blocks, some[0]), some[0].missing)
                    found[name] = _lists(values, some[0].dtype) if _is_list(some[0].dtype) else _text(values)
        return found

    def close(self) -> None:
        """Close the file."""
        self._file.close()

    def _list_arrays(self, group: Any, name: str, found: list[str]) -> None:
        """Names of all tables below a group."""
        if "pandas_type" in group.attrs:
            if bytes(group.attrs["pandas_type"]) in FRAMES:
                found.append(name)
            return
        children = {key: group[key] for key in group}
        if any(self._is_array(child) and child.dtype.names is None for child in children.values()):
            found.append(name)
        for key, child in children.items():
            inner = f"{name}/{key}" if name else key
            if not self._is_array(child):
                self._list_arrays(child, inner, found)
            elif child.dtype.names is not None:
                found.append(inner)

    def _is_array(self, item: Any) -> bool:
        return isinstance(item, self._h5py.Dataset)

    def _places(self, table: str) -> Places:
        """Where each column is."""
        if table not in self._known:
            self._known[table] = self._find(table)
        return self._known[table]

    def _arrays(self, table: str) -> list[Any]:
        """The arrays that hold its columns, each once."""
        return list({place.block: place.array for place in self._places(table).values()}.values())

    def _find(self, table: str) -> Places:
        if table not in self.tables() and not (table in self._file and "pandas_type" in self._file[table].attrs):
            known = ", ".join(name or "(the root)" for name in self.tables())
            raise SettingsError(f"{self.path} has no table {table!r}; it has: {known or 'none'}")
        item = self._file[table] if table else self._file
        if self._is_array(item):
            return {name: ColumnPlace(item, name) for name in item.dtype.names}
        kind = bytes(item.attrs.get("pandas_type", b""))
        if kind == b"frame_table":
            return _frame_table(item["table"], self.path)
        if kind == b"frame":
            return _fixed_frame(item, self.path)
        if kind:
            raise DatasetError(f"{self.path}: {table} is a {kind.decode()} of pandas; expected a data frame")
        arrays = {name: item[name] for name in item if self._is_array(item[name]) and item[name].shape}
        arrays = {name: array for name, array in arrays.items() if array.dtype.names is None}
        return {name: ColumnPlace(array) for name, array in arrays.items()}

    @contextlib.contextmanager
    def _readable(self) -> Iterator[None]:
        try:
            yield
        except OSError as error:
            text = str(error)
            if "plugin" in text or "filter" in text:
                how = f"it is compressed in a way that HDF5 alone cannot read: {install_command('readers')}"
                raise DatasetError(f"{self.path}: {how}") from error
            raise DatasetError(f"{self.path} is no HDF5 file, or is cut off or damaged: {error}") from error


def _frame_table(table: Any, path: Path) -> Places:
    """Columns of a data frame in pandas' format `table`: blocks of columns of one type in a structured array."""
    places: Places = {}
    for field in table.dtype.names:
        if field != "index":
            names = pickled_names(bytes(table.attrs[f"{field}_kind"]), f"{path}: {table.name}")
            block = bool(table.dtype[field].shape)
            missing = bytes(table.attrs[f"{field}_nan_rep"]) if f"{field}_nan_rep" in table.attrs else None
            is_coded = bytes(table.attrs.get(f"{field}_meta", b"")) == b"category"
            places |= {
                name: ColumnPlace(table, field, number if block else None, missing, is_coded)
                for number, name in enumerate(names)
            }
    return places


def _fixed_frame(group: Any, path: Path) -> Places:
    """Columns of a data frame in pandas' format `fixed`: an array per type; text is pickled, and not read."""
    places: Places = {}
    for block in range(int(group.attrs["nblocks"])):
        values = group[f"block{block}_values"]
        if "shape" in values.attrs:  # so pandas marks what is empty
            raise DatasetError(f"{path}: {group.name.strip('/')} is a data frame without rows")
        names = enumerate(group[f"block{block}_items"][:])
        places |= {
            name.decode(): ColumnPlace(values, None, number if values.ndim == 2 else None) for number, name in names
        }
    return places


def pickled_names(content: bytes, where: str) -> list[str]:
    """The strings of a pickled list of strings, without unpickling: anything else in it is an error.

    Example:
        >>> import pickle
        >>> pickled_names(pickle.dumps(["E_0", "PX_0"], protocol=0), "here")
        ['E_0', 'PX_0']
    """
    names = []
    try:
        for opcode, argument, _ in pickletools.genops(content):
            if opcode.name in _TEXT:
                names.append(str(argument))
            elif opcode.name not in _LIST:
                raise DatasetError(f"{where}: the names of the columns are no list of strings ({opcode.name})")
    except ValueError as error:
        raise DatasetError(f"{where}: the names of the columns are damaged: {error}") from error
    return names


def _values(blocks: Mapping[int, NDArray[Any]], place: ColumnPlace, column: Any = None) -> NDArray[Any]:
    """What was read of one place, or of other columns of its block."""
    block = blocks[place.block]
    values = block if place.field is None else block[place.field]
    column = place.column if column is None else column
    return values if column is None else values[:, column]


def _named(values: NDArray[Any], missing: bytes | None) -> NDArray[Any]:
    """Text with nothing where it was missing; anything else as it is."""
    if missing is None or values.dtype.kind != "S":
        return values
    return np.where(values == missing, b"", values)


def _stacked(blocks: Mapping[int, NDArray[Any]], places: Sequence[ColumnPlace]) -> NDArray[Any]:
    """Several columns as one array `(rows, columns)`; without a copy where they lie at equal distances in one block."""
    first = places[0]
    block = (first.block, first.field)
    numbers = [p.column for p in places if p.column is not None and (p.block, p.field) == block]
    if len(numbers) < len(places):
        return np.stack([_values(blocks, place) for place in places], axis=1)
    step = numbers[1] - numbers[0] if len(numbers) > 1 else 1
    regular = step > 0 and numbers == list(range(numbers[0], numbers[-1] + 1, step))
    return _values(blocks, first, slice(numbers[0], numbers[-1] + 1, step) if regular else numbers)


def _shape(dtype: np.dtype[Any]) -> Shape:
    if _is_list(dtype):
        return "list"
    if dtype.kind in "SU" or _is_text(dtype):
        return "text"
    return "row" if dtype.kind in NUMBERS else "other"


def _is_list(dtype: np.dtype[Any]) -> bool:
    """Whether a value is an array of numbers, of any length."""
    inner = _inner(dtype)
    return isinstance(inner, np.dtype) and inner.kind in NUMBERS


def _inner(dtype: np.dtype[Any]) -> Any:
    """What values of any length consist of; None where all have one length."""
    metadata: Mapping[str, Any] = dtype.metadata or {}
    return metadata.get("vlen") if dtype.kind == "O" else None


def _is_text(dtype: np.dtype[Any]) -> bool:
    return _inner(dtype) in (str, bytes)


def _lists(values: NDArray[Any], dtype: np.dtype[Any]) -> Jagged:
    """Arrays of any length one after the other."""
    flat = np.concatenate([np.empty(0, dtype=_inner(dtype)), *values])
    return Jagged(flat, offsets_of(np.array([len(value) for value in values], dtype=np.int64)))


def _text(values: NDArray[Any]) -> NDArray[Any]:
    """Strings of fixed length instead of objects and bytes."""
    if values.dtype.kind == "O":
        return np.array([x.decode() if isinstance(x, bytes) else x for x in values], dtype=str)
    return np.char.decode(values, "utf-8") if values.dtype.kind == "S" else values
