"""Jets or events out of named columns: which of them make the momenta, and where the others belong.

A table is a mapping of names to columns of equally many rows. A column is an array with one value (or row of values)
per row, or `Jagged`: any number of values per row. Momenta are jagged columns `px, py, pz, E` or other coordinates (see
`jetgram.coordinates`), or padded arrays `(rows, m)`, or one padded array `(rows, m, k)` with all coordinates.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from jetgram.coordinates import canonical, momentum_names, parse_order, to_momenta
from jetgram.errors import BadJetError, SettingsError
from jetgram.ragged import Offsets, Ragged, offsets_of

Array = NDArray[np.float64]
BLOCK = 1 << 12  # particles that are taken out of a padded array at once: they fit into a core's cache


class Jagged(NamedTuple):
    """Row `i` has the values `values[offsets[i]:offsets[i + 1]]`; values of any type, shape `(n,)` or `(n, k)`."""

    values: NDArray[Any]
    offsets: Offsets

    def kept(self, chosen: NDArray[np.bool_]) -> Jagged:
        """Without the values that are not chosen, `(n,)`."""
        counts = np.add.reduceat(np.append(chosen, False), self.offsets[:-1]) * (np.diff(self.offsets) > 0)
        return Jagged(self.values[chosen], offsets_of(counts))


Column = NDArray[Any] | Jagged
Table = Mapping[str, Column]


@dataclasses.dataclass(frozen=True, eq=False)
class Assembled:
    """What `Jets` and `Events` are made of, and the coordinates as they were found.

    Args:
        momenta: `(n, 4)`.
        offsets: `(rows + 1,)`.
        columns: one value per row.
        particles: one value per momentum.
        ragged: any number of values per row.
        found: the coordinates of the momenta under the names they were found with, `(n,)` each.
        left_out: names of columns that are none of these, with the reason.
    """

    momenta: Array
    offsets: Offsets
    columns: dict[str, NDArray[Any]]
    particles: dict[str, NDArray[Any]]
    ragged: dict[str, Ragged]
    found: dict[str, NDArray[Any]]
    left_out: dict[str, str]


def assemble(
    table: Table,
    momentum: Mapping[str, str],
    rename: Mapping[str, str] | None = None,
    outside: Table | None = None,
    absolute: Callable[[Mapping[str, NDArray[Any]], Offsets], Mapping[str, NDArray[Any]]] | None = None,
    gev: float = 1.0,
) -> Assembled:
    """Momenta out of some columns of a table; the others by their shape, under new names where there are some.

    Args:
        table: the columns.
        momentum: from coordinates to names of columns, e.g. `{"px": "part_px", ...}`; or from one order of coordinates
            to the name of a padded array, `{"Epxpypz": "constituents"}`.
        rename: from names in the table to new ones.
        outside: columns that do not belong to the particles, whatever their shape.
        absolute: makes absolute coordinates out of those in the table, flat, with the offsets of the rows.
        gev: one GeV in the unit of the momenta, which stay in it.
    """
    require_columns(table, momentum.values())
    if len(momentum) == 1:
        ((order, name),) = momentum.items()
        flat, layout = unpad(table[name], parse_order(order), name)
        coordinates = {key: key for key in flat}
    else:
        coordinates = {canonical(key) or key: name for key, name in momentum.items()}
        flat, layout = _jagged_columns({key: table[name] for key, name in coordinates.items()}, coordinates)
    names = momentum_names(list(flat)) or ()
    others = {key: values for key, values in flat.items() if key not in names or key == "pdgid"}
    result = Assembled(
        momenta=to_momenta(flat if absolute is None else absolute(flat, layout.offsets), gev),
        offsets=layout.offsets,
        columns={},
        particles={key: values.copy() for key, values in others.items() if key != "mask"},
        ragged={},
        found={coordinates[name]: flat[name] for name in names},
        left_out={},
    )
    for name, column in table.items():
        if name not in momentum.values():
            _sort_in(result, layout, (rename or {}).get(name, name), column)
    for name, column in (outside or {}).items():
        _sort_in(result, None, name, column)
    return result


class Layout(NamedTuple):
    """Where the particles are.

    Args:
        offsets: of the particles of each row.
        present: which places hold one, `(rows, m)` of padded columns, `(n,)` of lists; None where all places do.
        lists: offsets of the places, where they are lists and not all hold one.
    """

    offsets: Offsets
    present: NDArray[np.bool_] | None = None
    lists: Offsets | None = None

    @property
    def padded_shape(self) -> tuple[int, ...] | None:
        """The shape `(rows, m)` of padded columns that belong to the particles; None where they are lists."""
        return None if self.present is None or self.lists is not None else self.present.shape

    @property
    def places(self) -> Offsets:
        """Of lists that belong to the particles."""
        return self.offsets if self.lists is None else self.lists


def unpad(
    array: Column, order: Sequence[str], name: str = "the array", mask: NDArray[Any] | None = None
) -> tuple[dict[str, NDArray[Any]], Layout]:
    """The particles of a padded array `(rows, m, k)`, as one flat array per column.

    A place holds no particle where it is masked, where its column `mask` is zero, or where its momentum is zero.

    Args:
        array: the array; NumPy's masked arrays are understood.
        order: names of its k columns.
        name: what to call the array in an error.
        mask: which places hold a particle, `(rows, m)`.
    """
    if isinstance(array, Jagged) or array.ndim != 3 or array.shape[2] != len(order):
        found = "jagged" if isinstance(array, Jagged) else f"of shape {array.shape}"
        raise BadJetError(f"{name} is {found}; expected (jets, particles, {len(order)}) with {', '.join(order)}")
    masked = np.ma.getmaskarray(array).any(axis=2) if np.ma.isMaskedArray(array) else None
    data = np.ma.getdata(array)
    columns = {key: data[..., i] for i, key in enumerate(order)}
    present = _present(columns)
    if mask is not None:
        if mask.shape != data.shape[:2]:
            raise BadJetError(f"the mask has shape {mask.shape}; expected {data.shape[:2]}")
        present = present & mask.astype(bool)
    if masked is not None:
        present = present & ~masked
    offsets = offsets_of(np.count_nonzero(present, axis=1))
    return dict(zip(order, _take_columns(data, np.flatnonzero(present)), strict=True)), Layout(offsets, present)


def _take_columns(padded: NDArray[Any], places: NDArray[np.int64]) -> NDArray[Any]:
    """The columns `(k, n)` of the particles at n places of a padded array `(rows, m, k)`.

    The array is much larger than what it holds: it is read once, whole particles at a time, instead of k times.
    """
    particles = padded.reshape(-1, padded.shape[2])
    columns = np.empty((padded.shape[2], len(places)), dtype=padded.dtype)
    for begin in range(0, len(places), BLOCK):
        columns[:, begin : begin + BLOCK] = particles.take(places[begin : begin + BLOCK], axis=0).T
    return columns


def _present(columns: Mapping[str, NDArray[Any]]) -> NDArray[np.bool_]:
    """Where padded columns `(rows, m)` hold a particle."""
    present: NDArray[np.bool_]
    if "mask" in columns:
        present = columns["mask"] > 0.5
    elif "pt" in columns:
        present = columns["pt"] != 0
    else:
        present = np.logical_or.reduce([columns[name] != 0 for name in ("E", "px", "py", "pz") if name in columns])
    return present


def _jagged_columns(columns: Mapping[str, Column], names: Mapping[str, str]) -> tuple[dict[str, NDArray[Any]], Layout]:
    """Flat coordinates out of jagged or padded columns, which must agree."""
    first = next(iter(columns))
    reference = columns[first]
    for key, column in columns.items():
        if not same_layout(reference, column):
            raise BadJetError(f"{names[key]} has other numbers of particles per row than {names[first]}")
    if isinstance(reference, Jagged):
        lists = {key: column for key, column in columns.items() if isinstance(column, Jagged)}
        if "mask" not in lists:
            return {key: column.values for key, column in lists.items()}, Layout(reference.offsets)
        chosen = lists["mask"].values > 0.5
        flat = {key: column.values[chosen] for key, column in lists.items()}
        return flat, Layout(reference.kept(chosen).offsets, chosen, reference.offsets)
    if reference.ndim != 2:
        raise BadJetError(f"{names[first]} has shape {reference.shape}; expected a list per row, or (rows, particles)")
    padded = {key: np.ma.getdata(column) for key, column in columns.items()}
    present = _present(padded)
    flat = {key: values[present] for key, values in padded.items()}
    return flat, Layout(offsets_of(np.count_nonzero(present, axis=1)), present)


def same_layout(first: Column, other: Column) -> bool:
    """Whether two columns have a value for each of the same particles."""
    if isinstance(first, Jagged) and isinstance(other, Jagged):
        return first.offsets is other.offsets or np.array_equal(first.offsets, other.offsets)
    return not isinstance(first, Jagged) and not isinstance(other, Jagged) and first.shape[:2] == other.shape[:2]


def _sort_in(result: Assembled, layout: Layout | None, name: str, column: Column) -> None:
    """Put a column where its shape says; without a layout it is none of the particles'."""
    values = column.values if isinstance(column, Jagged) else column
    if values.dtype.kind not in "biufUS":
        result.left_out[name] = f"its type is {values.dtype}"
    elif isinstance(column, Jagged):
        if layout is not None and np.array_equal(column.offsets, layout.places):
            result.particles[name] = values if layout.lists is None else values[layout.present]
        elif values.dtype.kind in "biuf" and values.ndim <= 2:
            result.ragged[name] = Ragged(values if values.ndim == 2 else values[:, None], column.offsets)
        else:
            result.left_out[name] = "it is no number per row or particle"
    elif layout is not None and column.shape[:2] == layout.padded_shape:
        result.particles[name] = column[layout.present]
    elif column.ndim <= 2:
        result.columns[name] = column
    else:
        result.left_out[name] = f"its shape is {column.shape}"


def one_per_row(column: Column, name: str) -> NDArray[Any]:
    """The values of a column that has one in each row: as they are, as lists of one value, or as an array `(rows, 1)`.

    Example:
        >>> one_per_row(np.array([[3], [4]]), "label")
        array([3, 4])
        >>> one_per_row(Jagged(np.array([3, 4, 5]), np.array([0, 1, 3])), "label")
        Traceback (most recent call last):
        jetgram.errors.SettingsError: label has lists of values; expected one value per row
    """
    if not isinstance(column, Jagged):
        return column[:, 0] if column.ndim == 2 and column.shape[1] == 1 else column
    if column.values.ndim > 1 or (np.diff(column.offsets) != 1).any():
        raise SettingsError(f"{name} has lists of values; expected one value per row")
    return column.values


def require_columns(table: Mapping[str, Any], names: Sequence[str] | Any) -> None:
    """Raise a `SettingsError` that lists what there is, unless all names are there."""
    missing = [name for name in names if name not in table]
    if missing:
        shown = [*list(table)[:30], *(["..."] if len(table) > 30 else [])]
        raise SettingsError(f"there is no column {missing[0]!r}; found: {', '.join(shown) or 'nothing'}")


def guess_momentum(names: Sequence[str]) -> list[dict[str, str]]:
    """From coordinates to names, once for each beginning of names that makes momenta; with their mask if there is one.

    Example:
        >>> guess_momentum(["part_px", "part_py", "part_pz", "part_energy", "part_charge", "jet_pt"])
        [{'px': 'part_px', 'py': 'part_py', 'pz': 'part_pz', 'E': 'part_energy'}]
    """
    beginnings: dict[str, dict[str, str]] = {}
    for name in names:
        for spelling_length in range(1, len(name) + 1):
            start, ending = name[:-spelling_length], name[-spelling_length:]
            meaning = canonical(ending)
            if meaning and (not start or not start[-1].isalnum()):
                beginnings.setdefault(start, {}).setdefault(meaning, name)
    found = []
    for columns in beginnings.values():
        needed = momentum_names(list(columns))
        if needed:
            found.append({key: columns[key] for key in (*needed, "mask") if key in columns})
    return found


def cut(column: Column, begin: int, end: int) -> Column:
    """The rows from `begin` to `end` of a column."""
    if not isinstance(column, Jagged):
        return column[begin:end]
    offsets = column.offsets[begin : end + 1]
    return Jagged(column.values[offsets[0] : offsets[-1]], offsets - offsets[0])


def count_rows(column: Column) -> int:
    """Rows of a column."""
    return len(column.offsets) - 1 if isinstance(column, Jagged) else len(column)


def join(columns: Sequence[Column]) -> Column:
    """Columns one after the other."""
    if len(columns) == 1:
        return columns[0]
    jagged = [column for column in columns if isinstance(column, Jagged)]
    if not jagged:
        return np.concatenate([column for column in columns if not isinstance(column, Jagged)])
    counts = np.concatenate([np.diff(column.offsets) for column in jagged])
    return Jagged(np.concatenate([column.values for column in jagged]), offsets_of(counts))
