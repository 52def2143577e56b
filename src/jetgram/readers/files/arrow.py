"""Parquet and Arrow (Feather) files through pyarrow: one table, nested fields by dotted names."""

from __future__ import annotations

import abc
import contextlib
import itertools
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from jetgram.columns import Column, count_rows, cut, join
from jetgram.errors import DatasetError
from jetgram.interchange import awkward_columns
from jetgram.readers.files.table_file import Shape, Span, TableFile, together

TABLE = ""  # there is one, and it has no name
BUFFER = 1 << 20  # bytes per column that are read ahead: a row group may be as large as the file


class _ArrowFile(TableFile):
    """A file with an Arrow schema whose rows come as record batches."""

    _schema: Any

    def tables(self) -> list[str]:
        """The one table."""
        return [TABLE]

    def columns(self, table: str) -> Mapping[str, Shape]:
        """Names and shapes of the columns."""
        found = [column for field in self._schema for column in _columns(field.type, field.name)]
        names = [name for name, _ in found]
        twice = next((name for number, name in enumerate(names) if name in names[:number]), None)
        if twice is not None:
            raise DatasetError(f"{self.path} has more than one column {twice!r}; expected each name once")
        return dict(found)

    def _read(self, table: str, names: Sequence[str], span: Span) -> dict[str, Column]:
        return next(self._stream(table, names, [span]))

    def _stream(self, table: str, names: Sequence[str], chunks: Sequence[Span]) -> Iterator[dict[str, Column]]:
        with self._readable():
            first, batches = self._batches(sorted({self._top(name) for name in names}), chunks)
            tables = (_some(awkward_columns(_awkward(batch), missing="nan"), names) for batch in batches)
            yield from recut(tables, first, chunks)

    @abc.abstractmethod
    def _batches(self, fields: Sequence[str], chunks: Sequence[Span]) -> tuple[int, Iterable[Any]]:
        """The number of the first row, and record batches that cover the chunks."""

    def _top(self, name: str) -> str:
        """The field of the schema that holds a column."""
        fields: list[str] = self._schema.names
        return name if name in fields else next(field for field in fields if name.startswith(f"{field}."))

    @contextlib.contextmanager
    def _readable(self) -> Iterator[None]:
        try:
            yield
        except (OSError, pa.ArrowException) as error:
            raise DatasetError(f"{self.path} is cut off or damaged: {error}") from error


class ParquetFile(_ArrowFile):
    """A Parquet file; see `TableFile`."""

    format = "Parquet"

    def __init__(self, path: Path) -> None:
        super().__init__(path)
        with self._readable():
            self._file = pq.ParquetFile(path, buffer_size=BUFFER, pre_buffer=False)
        self._schema = self._file.schema_arrow

    def rows(self, table: str) -> int:
        """Rows of the file."""
        return int(self._file.metadata.num_rows)

    def pieces(self, table: str, step: int) -> list[list[Span]]:
        """Whole row groups: what is inside one is read from its beginning."""
        return together(self._groups(), step)

    def _groups(self) -> list[Span]:
        edges = [0]
        for number in range(self._file.num_row_groups):
            edges.append(edges[-1] + self._file.metadata.row_group(number).num_rows)
        return list(itertools.pairwise(edges))

    def _batches(self, fields: Sequence[str], chunks: Sequence[Span]) -> tuple[int, Iterable[Any]]:
        groups = self._groups()
        inside = [i for i, (begin, end) in enumerate(groups) if begin < chunks[-1][1] and end > chunks[0][0]]
        size = max((end - begin for begin, end in chunks), default=1)
        return groups[inside[0]][0], self._file.iter_batches(size, inside, list(fields), use_threads=False)

    def close(self) -> None:
        """Close the file."""
        self._file.close()


class FeatherFile(_ArrowFile):
    """An Arrow file, as Feather and `ak.to_feather` write it; see `TableFile`."""

    format = "Arrow"

    def __init__(self, path: Path) -> None:
        super().__init__(path)
        with self._readable():
            self._source = pa.memory_map(str(path))
            self._file = pa.ipc.open_file(self._source)
            self._edges = self._batch_edges()
        self._schema = self._file.schema

    def rows(self, table: str) -> int:
        """Rows of the file."""
        return self._edges[-1]

    def pieces(self, table: str, step: int) -> list[list[Span]]:
        """Whole record batches."""
        return together(list(itertools.pairwise(self._edges)), step)

    def _batch_edges(self) -> list[int]:
        edges = [0]
        for number in range(self._file.num_record_batches):
            edges.append(edges[-1] + self._file.get_batch(number).num_rows)
        return edges

    def _batches(self, fields: Sequence[str], chunks: Sequence[Span]) -> tuple[int, Iterable[Any]]:
        edges = self._edges
        inside = [i for i, begin in enumerate(edges[:-1]) if begin < chunks[-1][1] and edges[i + 1] > chunks[0][0]]
        return edges[inside[0]], (self._file.get_batch(i).select(list(fields)) for i in inside)

    def close(self) -> None:
        """Close the file."""
        self._source.close()


def recut(tables: Iterable[dict[str, Column]], first: int, chunks: Sequence[Span]) -> Iterator[dict[str, Column]]:
    """Tables of any lengths, the first of which begins with row `first`, cut into chunks that follow each other."""
    source = iter(tables)
    parts: list[dict[str, Column]] = []
    start = stop = first
    for begin, end in chunks:
        while stop < end:
            parts.append(next(source))
            stop += _length(parts[-1])
            if stop <= begin:
                parts, start = [], stop
        whole = {name: join([part[name] for part in parts]) for name in parts[0]}
        yield {name: cut(column, begin - start, end - start) for name, column in whole.items()}
        parts = [{name: cut(column, end - start, stop - start) for name, column in whole.items()}]
        start = end


def _length(table: Mapping[str, Column]) -> int:
    return count_rows(next(iter(table.values())))


def _awkward(batch: Any) -> Any:
    """A batch as Awkward array; text in dictionaries, as of categories, as the text itself."""
    import awkward as ak

    plain = pa.schema([field.with_type(_plain(field.type)) for field in batch.schema])
    return ak.from_arrow(batch if plain == batch.schema else batch.cast(plain))


def _plain(kind: Any) -> Any:
    """The type of the same values without dictionaries and views."""
    if pa.types.is_dictionary(kind):
        return _plain(kind.value_type)
    if pa.types.is_string_view(kind):
        return pa.large_string()
    if pa.types.is_struct(kind):
        return pa.struct([field.with_type(_plain(field.type)) for field in kind])
    if pa.types.is_large_list(kind):
        return pa.large_list(kind.value_field.with_type(_plain(kind.value_type)))
    if pa.types.is_list(kind):
        return pa.list_(kind.value_field.with_type(_plain(kind.value_type)))
    return kind


def _some(table: Mapping[str, Column], names: Sequence[str]) -> dict[str, Column]:
    return {name: table[name] for name in names}


def _columns(kind: Any, name: str) -> Iterator[tuple[str, Shape]]:
    """Names and shapes of the columns that a field of the schema holds."""
    kind = _plain(kind)
    if pa.types.is_struct(kind):
        for field in kind:
            yield from _columns(field.type, f"{name}.{field.name}")
    elif _is_list(kind):
        for inner, shape in _columns(kind.value_type, name):
            yield inner, "list" if shape == "row" else shape if shape == "text" else "other"
    elif pa.types.is_fixed_size_list(kind):
        yield name, "row" if _is_number(kind.value_type) else "other"
    else:
        yield name, "row" if _is_number(kind) else "text" if _is_text(kind) else "other"


def _is_list(kind: Any) -> bool:
    return bool(pa.types.is_list(kind) or pa.types.is_large_list(kind))


def _is_number(kind: Any) -> bool:
    return bool(pa.types.is_integer(kind) or pa.types.is_floating(kind) or pa.types.is_boolean(kind))


def _is_text(kind: Any) -> bool:
    return bool(pa.types.is_string(kind) or pa.types.is_large_string(kind))
