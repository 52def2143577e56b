"""Parquet files that know what they are: a header with kind, format and provenance, and a checksum on every page.

Each column says in its metadata which role it plays. The same content always gives the same bytes.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Mapping, Sequence
from typing import Any, Literal, NamedTuple

import pyarrow as pa
import pyarrow.parquet as pq

from jetgram.errors import DatasetError

FORMAT: Literal[1] = 1

_METADATA = b"jetgram"
_ROLE = b"role"


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
    """The bytes of a Parquet file.

    Args:
        columns: what it holds.
        kind: what a row is.
        provenance: how it was made.
        marks: more entries of the header.
        options: of `pyarrow.parquet.write_table`.
    """
    header = json.dumps({"format": FORMAT, "kind": kind, "provenance": provenance, **(marks or {})}, sort_keys=True)
    fields = [pa.field(name, values.type, metadata={_ROLE: role}) for name, role, values in columns]
    table = pa.table([column.values for column in columns], schema=pa.schema(fields, metadata={_METADATA: header}))
    sink = pa.BufferOutputStream()
    pq.write_table(table, sink, compression="zstd", write_page_checksum=True, store_schema=True, **options)
    return bytes(sink.getvalue())


def open_table(content: bytes, source: object, kinds: Collection[str]) -> tuple[dict[str, Any], dict[str, str]]:
    """Header of a file and the roles of its columns, or a `DatasetError` that says why it is not what was expected.

    Args:
        content: the bytes of the file.
        source: what to call the file in an error.
        kinds: the kinds that are expected.
    """
    try:
        schema = pq.read_schema(pa.BufferReader(content))
    except (OSError, pa.ArrowException) as error:
        raise DatasetError(f"{source} is no Parquet file, or is cut off or damaged: {error}") from error
    if _METADATA not in (schema.metadata or {}):
        raise DatasetError(f"{source} is a Parquet file, but not one of jetgram's")
    try:
        header = json.loads(schema.metadata[_METADATA])
    except ValueError as error:
        raise DatasetError(f"{source} has a damaged header: {error}") from error
    if header.get("format") != FORMAT or header.get("kind") not in kinds:
        raise DatasetError(
            f"{source} has format {header.get('format')!r} and kind {header.get('kind')!r}; "
            f"expected here are format {FORMAT} and the kinds {', '.join(kinds)}"
        )
    return header, {field.name: (field.metadata or {}).get(_ROLE, b"").decode() for field in schema}


def count_rows(content: bytes, source: object) -> int:
    """Rows of a file, as its footer says."""
    try:
        rows: int = pq.read_metadata(pa.BufferReader(content)).num_rows
    except (OSError, pa.ArrowException) as error:
        raise DatasetError(f"{source} is no Parquet file, or is cut off or damaged: {error}") from error
    return rows


def read_columns(content: bytes, source: object, names: list[str]) -> dict[str, pa.Array]:
    """The named columns, every page checked against its checksum.

    Arrow's thread pools stay asleep: once awake, they abort one process in sixty at its end on a busy machine.
    """
    try:
        file = pq.ParquetFile(pa.BufferReader(content), page_checksum_verification=True, pre_buffer=False)
        table = file.read(columns=names, use_threads=False)
    except (OSError, pa.ArrowException) as error:
        raise DatasetError(f"{source} is damaged: {error}") from error
    return {name: table.column(name).combine_chunks() for name in names}
