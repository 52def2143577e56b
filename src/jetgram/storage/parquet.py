"""One shard: a collection of jets or events as the bytes of one Parquet file.

A row is a group. `px, py, pz, E` and the particle columns are lists, group columns are scalars (or lists of fixed
length), ragged columns are lists of fixed-length lists. Each field says in its metadata which of these it is, so the
file alone is enough to rebuild the collection; the file's metadata hold its kind, its format and its provenance.
Every page carries a checksum, and the same collection always gives the same bytes.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from typing import Any

import numpy as np
import pyarrow as pa

from jetgram.errors import DatasetError
from jetgram.kinematics import COLUMNS
from jetgram.momenta import Events, Jets, Momenta, Preprocessed
from jetgram.ragged import Ragged
from jetgram.storage.tables import Column, encode_table, open_table, read_columns

RESERVED = "@"  # begins names of columns that the package itself adds in memory: those in a file are not read
KINDS: Mapping[str, type[Momenta]] = {"jets": Jets, "events": Events}


def encode(collection: Momenta, provenance: Mapping[str, Any]) -> bytes:
    """The collection as the bytes of a Parquet file."""
    kind = next(name for name, cls in KINDS.items() if isinstance(collection, cls))
    particles = {name: values for name, values in collection.particles.items() if not name.startswith(RESERVED)}
    for name, values in collection.columns.items():
        _require_storable(name, values)
    _require_different([*COLUMNS, *particles, *collection.columns, *collection.ragged])
    offsets = pa.array(collection.offsets.astype(np.int32))
    columns = [Column(name, "momentum", _lists(offsets, collection.momenta[:, i])) for i, name in enumerate(COLUMNS)]
    columns += [Column(name, "particle", _lists(offsets, values)) for name, values in particles.items()]
    columns += [Column(name, "column", _flat(values)) for name, values in collection.columns.items()]
    for name, ragged in collection.ragged.items():
        columns.append(Column(name, "ragged", _lists(pa.array(ragged.offsets.astype(np.int32)), ragged.values)))
    return encode_table(
        columns,
        kind,
        provenance,
        _mark(collection.preprocessed),
        use_dictionary=[f"{name}.list.element" for name in particles],
        column_encoding={f"{name}.list.element": "BYTE_STREAM_SPLIT" for name in COLUMNS},
    )


def decode(
    content: bytes,
    source: object,
    columns: Collection[str] | None = None,
    strict: bool = True,
    checked: bool = False,
) -> Momenta:
    """The collection in a file's bytes; `source` is the name that errors give.

    Args:
        content: the bytes of the file.
        source: what to call the file in an error.
        columns: names of particle, group and ragged columns to read besides the momenta; all of them by default.
        strict: a column that is not there is an error; else it is left out.
        checked: the bytes were compared with a hash of the file already.
    """
    header, roles = open_table(content, source, KINDS)
    roles = {name: role for name, role in roles.items() if not name.startswith(RESERVED)}
    if columns is not None and strict:
        unknown = sorted(set(columns) - set(roles))
        if unknown:
            raise DatasetError(f"{source} has no column {unknown[0]!r}; it has: {', '.join(roles)}")
    chosen = [name for name, role in roles.items() if role == "momentum" or columns is None or name in columns]
    arrays = read_columns(content, source, chosen, checked)
    offsets = _require_layout(arrays, roles, source)
    named = {role: {n: a for n, a in arrays.items() if roles[n] == role} for role in ("particle", "column", "ragged")}
    return KINDS[header["kind"]](
        np.stack([_numpy(arrays[name].flatten()) for name in COLUMNS], axis=-1),
        offsets,
        columns={name: _numpy(array) for name, array in named["column"].items()},
        particles={name: _numpy(array.flatten()) for name, array in named["particle"].items()},
        ragged={name: Ragged(_numpy(array.flatten()), _offsets(array)) for name, array in named["ragged"].items()},
        preprocessed=_preprocessed(header, source),
    )


def _require_layout(
    arrays: Mapping[str, pa.Array], roles: Mapping[str, str], source: object
) -> np.ndarray[Any, np.dtype[np.int64]]:
    """The offsets of the momenta, if all columns are what their roles say and all lists are cut alike."""
    for name in COLUMNS:
        if roles.get(name) != "momentum":
            raise DatasetError(f"{source} has no momenta {name!r}; it has: {', '.join(roles) or 'no columns'}")
    offsets = None
    for name, array in arrays.items():
        expected = _TYPES.get(roles[name])
        if expected is None or not expected[0](array.type):
            wanted = "no role of this name" if expected is None else expected[1]
            raise DatasetError(f"{source}: column {name!r} ({roles[name]}) holds {array.type}; expected {wanted}")
        if roles[name] in ("momentum", "particle"):
            cuts = _offsets(array)
            offsets = cuts if offsets is None else offsets
            if not np.array_equal(cuts, offsets):
                raise DatasetError(f"{source}: the lists of {name!r} have other lengths than those of the momenta")
    assert offsets is not None
    return offsets


def _is_number(kind: pa.DataType) -> bool:
    return bool(pa.types.is_integer(kind) or pa.types.is_floating(kind) or pa.types.is_boolean(kind))


def _is_plain(kind: pa.DataType) -> bool:
    """Numbers, or rows of them; text too, which is kept but never computed with."""
    inner = kind.value_type if pa.types.is_fixed_size_list(kind) else kind
    return _is_number(inner) or bool(pa.types.is_string(inner))


_TYPES: Mapping[str, tuple[Callable[[pa.DataType], bool], str]] = {
    "momentum": (lambda kind: pa.types.is_list(kind) and pa.types.is_floating(kind.value_type), "lists of numbers"),
    "particle": (lambda kind: pa.types.is_list(kind) and _is_plain(kind.value_type), "lists of numbers"),
    "ragged": (lambda kind: pa.types.is_list(kind) and _is_plain(kind.value_type), "lists of rows"),
    "column": (_is_plain, "one value per row"),
}


def decode_column(content: bytes, source: object, name: str) -> np.ndarray[Any, Any]:
    """One group column alone, without the momenta."""
    roles = open_table(content, source, KINDS)[1]
    found = [column for column, role in roles.items() if role == "column"]
    if name not in found:
        raise DatasetError(f"{source} has no column {name!r} with one value per row; it has: {', '.join(found)}")
    return _numpy(read_columns(content, source, [name])[name])


def provenance(content: bytes, source: object) -> dict[str, Any]:
    """What the file says of its own making."""
    record: dict[str, Any] = open_table(content, source, KINDS)[0]["provenance"]
    return record


def _require_different(names: Sequence[str]) -> None:
    """Raise a `DatasetError` for two columns of one name: such a file could not be read again."""
    if len(set(names)) < len(names):
        twice = next(name for name in names if names.count(name) > 1)
        raise DatasetError(f"there is more than one column {twice!r}; {', '.join(COLUMNS)} are the momenta: rename it")


def _require_storable(name: str, values: np.ndarray[Any, Any]) -> None:
    """Raise a `DatasetError` for a column that Parquet has no form for."""
    if values.ndim > 2 or 0 in values.shape[1:] or (values.dtype.itemsize > 8 and values.dtype.kind in "fc"):
        raise DatasetError(
            f"column {name!r} has shape {values.shape} and type {values.dtype}; expected a number or a row of numbers"
        )


def _mark(preprocessed: Preprocessed | None) -> dict[str, Any]:
    """What the header says of preprocessing: nothing of jets as they were found."""
    return {} if preprocessed is None else {"preprocessed": {"trim": preprocessed.trim}}


def _preprocessed(header: Mapping[str, Any], source: object) -> Preprocessed | None:
    found = header.get("preprocessed")
    if found is None:
        return None
    trim = found.get("trim", -1) if isinstance(found, dict) and len(found) == 1 else -1
    if trim is not None and not (isinstance(trim, float) and 0 <= trim < 1):
        raise DatasetError(f"{source} has a damaged header: preprocessed is {found!r}")
    return Preprocessed(trim)


def _flat(values: np.ndarray[Any, Any]) -> pa.Array:
    """Scalars, or rows as fixed-size lists."""
    values = values.astype(values.dtype.newbyteorder("="), copy=False)  # Arrow has no swapped bytes
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
