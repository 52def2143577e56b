"""Parquet files that know what they are: a header with kind, format and provenance, and a checksum on every page.

Each column says in its metadata which role it plays. The same content always gives the same bytes.
"""

from __future__ import annotations

import hashlib
import itertools
import json
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, BinaryIO, Literal, NamedTuple

import pyarrow as pa
import pyarrow.parquet as pq

from jetgram.boundary import parsing
from jetgram.errors import DatasetError
from jetgram.storage.sealed import DIGEST, digest_of, sha256_of

FORMAT: Literal[1] = 1
ROW_GROUP = 2**17  # rows of a streamed table that are held in memory

_WRITING = {"compression": "zstd", "write_page_checksum": True, "store_schema": True}

_METADATA = b"jetgram"
_ROLE = b"role"
_NO_PARQUET = "is no Parquet file, or is cut off or damaged"


class Column(NamedTuple):
    """A column to be stored: its name, its role and its values."""

    name: str
    role: str
    values: pa.Array


def encode_table(
    columns: Sequence[Column],
    kind: str,
    provenance: Mapping[str, Any],
    marks: Mapping[str, Any] | None = None,
    **options: Any,
) -> bytes:
    """The bytes of a Parquet file whose digest a manifest will name.

    Args:
        columns: what it holds.
        kind: what a row is.
        provenance: how it was made.
        marks: more entries of the header.
        options: of `pyarrow.parquet.write_table`.
    """
    header = _header(kind, provenance, marks or {})
    schema = _schema(columns).with_metadata({_METADATA: json.dumps(header, sort_keys=True)})
    sink = pa.BufferOutputStream()
    pq.write_table(_table(columns, schema), sink, **_WRITING, **options)
    return bytes(sink.getvalue())


def stream_table(sink: BinaryIO, parts: Iterable[Sequence[Column]], kind: str, provenance: Mapping[str, Any]) -> int:
    """Write a file that no manifest names, part by part, with the digest of header and columns in its header.

    Memory holds one group of rows, whose size does not depend on that of the parts: nor do the bytes of the file.

    Args:
        sink: where the bytes go.
        parts: at least one; consecutive rows of the same columns.
        kind: what a row is.
        provenance: how it was made.

    Returns:
        the number of rows.
    """
    parts = iter(parts)
    first = next(parts)
    schema, roles = _schema(first), {column.name: column.role for column in first}
    hashes = {column.name: hashlib.sha256() for column in first}
    rows = 0
    with pq.ParquetWriter(sink, schema, **_WRITING) as writer:
        for group in _groups((_table(columns, schema) for columns in itertools.chain([first], parts)), ROW_GROUP):
            for name, found in hashes.items():
                found.update(_numbers(group.column(name)))
            writer.write_table(group, row_group_size=ROW_GROUP)
            rows += len(group)
        columns = {name: [roles[name], str(schema.field(name).type), hashes[name].hexdigest()] for name in roles}
        header = _header(kind, provenance, {})
        header[DIGEST] = _digest(header, columns)
        writer.add_key_value_metadata({_METADATA: json.dumps(header, sort_keys=True).encode()})
    return rows


def _groups(tables: Iterable[pa.Table], rows: int) -> Iterator[pa.Table]:
    """The same rows in tables of `rows` each; only the last one has fewer, or none if there are none at all."""
    waiting = next(tables := iter(tables))
    for table in tables:
        while len(waiting) >= rows:
            yield waiting.slice(0, rows)
            waiting = waiting.slice(rows)
        waiting = pa.concat_tables([waiting, table])
    for begin in range(0, max(len(waiting), 1), rows):
        yield waiting.slice(begin, rows)


def _header(kind: str, provenance: Mapping[str, Any], marks: Mapping[str, Any]) -> dict[str, Any]:
    return {"format": FORMAT, "kind": kind, "provenance": provenance, **marks}


def _schema(columns: Sequence[Column]) -> pa.Schema:
    return pa.schema([pa.field(name, values.type, metadata={_ROLE: role}) for name, role, values in columns])


def _table(columns: Sequence[Column], schema: pa.Schema) -> pa.Table:
    return pa.table([column.values for column in columns], schema=schema)


def open_table(content: bytes, source: object, kinds: Collection[str]) -> tuple[dict[str, Any], dict[str, str]]:
    """Header of a file and the roles of its columns, or a `DatasetError` that says why it is not what was expected.

    Args:
        content: the bytes of the file.
        source: what to call the file in an error.
        kinds: the kinds that are expected.
    """
    with parsing(source, what=_NO_PARQUET):
        footer = pq.read_metadata(pa.BufferReader(content))
        schema, entries = footer.schema.to_arrow_schema(), footer.metadata or {}
    if _METADATA not in entries:
        raise DatasetError(f"{source} is a Parquet file, but not one of jetgram's")
    with parsing(source, what="has a damaged header"):
        header = json.loads(entries[_METADATA])
        roles = {field.name: (field.metadata or {}).get(_ROLE, b"").decode() for field in schema}
    if not isinstance(header, dict) or not isinstance(header.get("provenance"), dict):
        raise DatasetError(f"{source} has a damaged header: it does not say how the file was made")
    if len(roles) < len(schema):
        twice = next(name for name in roles if len(schema.get_all_field_indices(name)) > 1)
        raise DatasetError(f"{source} has more than one column {twice!r}")
    if header.get("format") != FORMAT or header.get("kind") not in list(kinds):
        raise DatasetError(
            f"{source} has format {header.get('format')!r} and kind {header.get('kind')!r}; "
            f"expected here are format {FORMAT} and the kinds {', '.join(kinds)}"
        )
    return header, roles


def require_seal(
    header: Mapping[str, Any], roles: Mapping[str, str], arrays: Mapping[str, pa.Array], source: object
) -> None:
    """Raise unless header and columns are those that were sealed; files written before there were seals have none.

    Args:
        header: of the file.
        roles: of its columns.
        arrays: all its columns.
        source: what to call the file in an error.
    """
    strange = sorted(header.keys() - {"format", "kind", "provenance", DIGEST})
    if strange:  # a flipped bit must not turn the seal into something else
        raise DatasetError(f"{source} has a damaged header: found {strange[0]!r}")
    columns = {name: [roles[name], str(array.type), sha256_of(_numbers(array))] for name, array in arrays.items()}
    if DIGEST in header and header[DIGEST] != _digest(header, columns):
        raise DatasetError(f"{source} was changed after it was written: its digest does not fit its content")


def _digest(header: Mapping[str, Any], columns: Mapping[str, Sequence[str]]) -> str:
    """Over all entries of the header but the digest itself, and role, type and hash of the numbers of each column."""
    return digest_of({**{name: value for name, value in header.items() if name != DIGEST}, "columns": columns})


def _numbers(values: pa.Array | pa.ChunkedArray) -> bytes:
    numbers: bytes = values.to_numpy(zero_copy_only=False).tobytes()
    return numbers


def is_marked(path: Path) -> bool:
    """Whether a file is a Parquet file with such a header."""
    try:
        with parsing(path):
            return _METADATA in (pq.read_metadata(path).metadata or {})
    except DatasetError:
        return False


def count_rows(content: bytes, source: object) -> int:
    """Rows of a file, as its footer says."""
    with parsing(source, what=_NO_PARQUET):
        rows: int = pq.read_metadata(pa.BufferReader(content)).num_rows
    return rows


def read_columns(content: bytes, source: object, names: list[str], checked: bool = False) -> dict[str, pa.Array]:
    """The named columns, every page checked against its checksum.

    Arrow's thread pools stay asleep: once awake, they abort one process in sixty at its end on a busy machine.

    Args:
        content: the bytes of the file.
        source: what to call the file in an error.
        names: of columns that are there.
        checked: the bytes are known to be those that were written; the checksums of pages would not say more.
    """
    with parsing(source):
        file = pq.ParquetFile(pa.BufferReader(content), page_checksum_verification=not checked, pre_buffer=False)
        table = file.read(columns=names, use_threads=False)
        arrays = {name: _whole(table.column(name)) for name in names}
    for name, array in arrays.items():
        _require_values(array, f"{source}: column {name!r}")
    return arrays


def _whole(column: pa.ChunkedArray) -> pa.Array:
    """A column in one piece; one that is in one piece already is not copied."""
    return column.chunk(0) if column.num_chunks == 1 else column.combine_chunks()


def _require_values(array: pa.Array, what: str) -> None:
    """Raise if a value is missing, in a row or in a list of it."""
    if array.null_count:
        raise DatasetError(f"{what} has no value in {array.null_count} of {len(array)} places; expected one in each")
    if pa.types.is_list(array.type) or pa.types.is_large_list(array.type) or pa.types.is_fixed_size_list(array.type):
        _require_values(array.flatten(), what)
