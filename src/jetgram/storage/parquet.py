"""One shard: a collection of jets or events as the bytes of one Parquet file.

A row is a group. `px, py, pz, E` and the particle columns are lists, group columns are scalars (or lists of fixed
length), ragged columns are lists of fixed-length lists. Each field says in its metadata which of these it is, so the
file alone is enough to rebuild the collection; the file's metadata hold its kind, its format and its provenance.
Every page carries a checksum, and the same collection always gives the same bytes.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Mapping
from typing import Any, Literal

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from jetgram.errors import DatasetError
from jetgram.kinematics import COLUMNS
from jetgram.momenta import Events, Jets, Momenta
from jetgram.ragged import Ragged

FORMAT: Literal[1] = 1
KINDS: Mapping[str, type[Momenta]] = {"jets": Jets, "events": Events}

_METADATA = b"jetgram"
_ROLE = b"role"


def encode(collection: Momenta, provenance: Mapping[str, Any]) -> bytes:
    """The collection as the bytes of a Parquet file."""
    kind = next(name for name, cls in KINDS.items() if isinstance(collection, cls))
    offsets = pa.array(collection.offsets.astype(np.int32))
    fields: list[tuple[str, str, pa.Array]] = []
    for i, name in enumerate(COLUMNS):
        fields.append((name, "momentum", _lists(offsets, collection.momenta[:, i])))
    for name, values in collection.particles.items():
        fields.append((name, "particle", _lists(offsets, values)))
    for name, values in collection.columns.items():
        fields.append((name, "column", _flat(values)))
    for name, ragged in collection.ragged.items():
        fields.append((name, "ragged", _lists(pa.array(ragged.offsets.astype(np.int32)), ragged.values)))
    header = json.dumps({"format": FORMAT, "kind": kind, "provenance": provenance}, sort_keys=True)
    schema = pa.schema(
        [pa.field(name, array.type, metadata={_ROLE: role}) for name, role, array in fields],
        metadata={_METADATA: header},
    )
    sink = pa.BufferOutputStream()
    pq.write_table(
        pa.table([array for _, _, array in fields], schema=schema),
        sink,
        compression="zstd",
        use_dictionary=[f"{name}.list.element" for name in collection.particles],
        column_encoding={f"{name}.list.element": "BYTE_STREAM_SPLIT" for name in COLUMNS},
        write_page_checksum=True,
        store_schema=True,
    )
    return bytes(sink.getvalue())


def decode(content: bytes, source: object, columns: Collection[str] | None = None) -> Momenta:
    """The collection in a file's bytes; `source` is the name that errors give.

    Args:
        content: the bytes of the file.
        source: what to call the file in an error.
        columns: names of particle, group and ragged columns to read besides the momenta; all of them by default.
    """
    header, schema = _open(content, source)
    roles = {field.name: (field.metadata or {}).get(_ROLE, b"").decode() for field in schema}
    if columns is not None:
        unknown = sorted(set(columns) - set(roles))
        if unknown:
            raise DatasetError(f"{source} has no column {unknown[0]!r}; it has: {', '.join(roles)}")
    chosen = [name for name, role in roles.items() if role == "momentum" or columns is None or name in columns]
    arrays = _read(content, source, chosen)
    offsets = _offsets(arrays["px"])
    named = {role: {n: a for n, a in arrays.items() if roles[n] == role} for role in ("particle", "column", "ragged")}
    return KINDS[header["kind"]](
        np.stack([_numpy(arrays[name].flatten()) for name in COLUMNS], axis=-1),
        offsets,
        columns={name: _numpy(array) for name, array in named["column"].items()},
        particles={name: _numpy(array.flatten()) for name, array in named["particle"].items()},
        ragged={name: Ragged(_numpy(array.flatten()), _offsets(array)) for name, array in named["ragged"].items()},
    )


def decode_column(content: bytes, source: object, name: str) -> np.ndarray[Any, Any]:
    """One group column alone, without the momenta."""
    schema = _open(content, source)[1]
    found = [field.name for field in schema if (field.metadata or {}).get(_ROLE) == b"column"]
    if name not in found:
        raise DatasetError(f"{source} has no column {name!r} with one value a row; it has: {', '.join(found)}")
    return _numpy(_read(content, source, [name])[name])


def provenance(content: bytes, source: object) -> dict[str, Any]:
    """What the file says of its own making."""
    record: dict[str, Any] = _open(content, source)[0]["provenance"]
    return record


def _open(content: bytes, source: object) -> tuple[dict[str, Any], pa.Schema]:
    """Header and schema of a file, or a `DatasetError` that says why it is none of ours."""
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
    if header.get("format") != FORMAT or header.get("kind") not in KINDS:
        raise DatasetError(
            f"{source} has format {header.get('format')!r} and kind {header.get('kind')!r}; "
            f"this version of jetgram reads format {FORMAT} and the kinds {', '.join(KINDS)}"
        )
    return header, schema


def _read(content: bytes, source: object, names: list[str]) -> dict[str, pa.Array]:
    """The named columns, every page checked against its checksum."""
    try:
        table = pq.read_table(pa.BufferReader(content), columns=names, page_checksum_verification=True)
    except (OSError, pa.ArrowException) as error:
        raise DatasetError(f"{source} is damaged: {error}") from error
    return {name: table.column(name).combine_chunks() for name in names}


def _flat(values: np.ndarray[Any, Any]) -> pa.Array:
    """Scalars, or rows as fixed-size lists."""
    if values.ndim == 1:
        return pa.array(values)
    return pa.FixedSizeListArray.from_arrays(pa.array(np.ascontiguousarray(values).reshape(-1)), values.shape[1])


def _lists(offsets: pa.Array, values: np.ndarray[Any, Any]) -> pa.Array:
    return pa.ListArray.from_arrays(offsets, _flat(values))


def _offsets(array: pa.Array) -> np.ndarray[Any, np.dtype[np.int64]]:
    offsets: np.ndarray[Any, np.dtype[np.int64]] = array.offsets.to_numpy().astype(np.int64)
    offsets -= offsets[0]
    return offsets


def _numpy(array: pa.Array) -> np.ndarray[Any, Any]:
    rows = pa.types.is_fixed_size_list(array.type)
    flat: np.ndarray[Any, Any] = (array.flatten() if rows else array).to_numpy(zero_copy_only=False)
    return flat.reshape(-1, array.type.list_size) if rows else flat
