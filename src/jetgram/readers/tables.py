"""Layouts that are a table: some columns make the momenta, one the class, and all others travel along."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from jetgram.columns import Assembled, Column, Table, assemble, one_per_row, require_columns
from jetgram.coordinates import canonical, parse_order
from jetgram.errors import DatasetError, JetgramError, SettingsError
from jetgram.readers.class_columns import class_columns, columns_by_class, common_start, stacked
from jetgram.readers.files.table_file import Span, TableFile
from jetgram.readers.options import ReadOptions
from jetgram.readers.source import Chunk, OtherFormatError, Source
from jetgram.storage.manifest import Kind

NO_COLUMN = {"other": "it is no number per row or particle", "text": "it is text"}  # what is not carried along


class TableSource(Source):
    """A table with jets in its rows; a layout says which columns mean what."""

    special = frozenset({"label", "weight"})
    momentum: ClassVar[Mapping[str, str]] = {}  # from coordinates to columns
    label: ClassVar[str | None] = None  # the column, or the pattern of one column per class; besides those of `USUAL`
    weight: ClassVar[str | None] = None

    def __init__(self, path: Path, file: TableFile | None, options: ReadOptions) -> None:
        super().__init__(path, file, options)
        if file is None:
            raise OtherFormatError
        self.file = file
        try:
            self.table = self._table()
            self.columns = file.columns(self.table)
            self._momentum, self._rename = self._mapping()
            require_columns(self.columns, [name for name in self._momentum.values() if not self._members(name)])
            self._require_equal_members()
            self._label = class_columns(self.columns, options, self.label)
            self._weight = self._one_column(options.weight, None if self.weight in self._label else self.weight)
            self._require_readable([*self._label, *([self._weight] if self._weight else [])])
            self._require_lists([member for name in self._momentum.values() for member in self._members(name)])
            self._names = self._to_read()
        except JetgramError as error:
            raise self._within(error) from None

    @classmethod
    def detects(cls, path: Path, file: TableFile | None) -> bool:
        """Whether a table of the file has the columns."""
        return file is not None and any(cls.fits(file, table) for table in file.tables())

    @classmethod
    def fits(cls, file: TableFile, table: str) -> bool:
        """Whether a table has the columns of the momenta."""
        columns = file.columns(table)
        return all(file.members(table, name) if "*" in name else name in columns for name in cls.momentum.values())

    @property
    def kind(self) -> Kind:
        """Jets."""
        return "jets"

    @property
    def rows(self) -> int:
        """Rows of the table."""
        return self.file.rows(self.table)

    def pieces(self, step: int) -> list[list[Span]]:
        """See `Source.pieces`."""
        return self.file.pieces(self.table, step)

    def stream(self, chunks: Sequence[Span]) -> Iterator[Chunk]:
        """See `Source.stream`."""
        for (begin, end), table in zip(chunks, self.file.stream(self.table, self._names, chunks), strict=True):
            try:
                yield self._chunk(table, np.arange(begin, end))
            except JetgramError as error:
                raise self._within(error) from None

    def classes(self) -> tuple[str, ...] | None:
        """The names of the columns of one-hot classes, without what they have in common."""
        return tuple(columns_by_class(self._label)) or None

    def label_names(self) -> Iterator[NDArray[np.str_]] | None:
        """The classes of all rows, if they are names."""
        if len(self._label) != 1 or not self.rows:
            return None
        return self._stream_labels() if self.columns[self._label[0]] == "text" else None

    def _stream_labels(self) -> Iterator[NDArray[np.str_]]:
        for piece in self.pieces(self.step):
            for found in self.file.stream(self.table, self._label, piece):
                yield np.asarray(one_per_row(found[self._label[0]], self._label[0]), dtype=str)

    def close(self) -> None:
        """Close the file."""
        self.file.close()

    def _table(self) -> str:
        """The table to read: the one that was named, or the only one."""
        if self.options.table is not None:
            return self.options.table
        tables = self.file.tables()
        fitting = [table for table in tables if self.fits(self.file, table)] or tables
        if len(fitting) != 1:
            raise SettingsError(f"found the tables {', '.join(fitting) or '(none)'}; name the one to read: table=NAME")
        return fitting[0]

    def _mapping(self) -> tuple[dict[str, str], dict[str, str]]:
        """From coordinates to columns, and from columns to new names."""
        return dict(self.momentum), self._without_start(self.momentum)

    def _without_start(self, momentum: Mapping[str, str]) -> dict[str, str]:
        """`part_charge` is `charge` where the momenta are `part_px`, ...: particle columns lose what these share."""
        start = common_start(list(momentum.values()))
        short = {name: name.removeprefix(start) for name in self.columns if start and name.startswith(start)}
        return {name: "pdgid" if canonical(new) == "pdgid" else new for name, new in short.items()}

    def _members(self, name: str) -> tuple[str, ...]:
        """The columns that a name or a pattern means."""
        if "*" in name:
            return self.file.members(self.table, name)
        return (name,) if name in self.columns else ()

    def _require_equal_members(self) -> None:
        """Raise a `SettingsError` unless the patterns of the momenta, `E_*, PX_*, ...`, have the same numbers."""
        patterns = [name for name in self._momentum.values() if "*" in name]
        for pattern, other in itertools.permutations(patterns, 2):
            start, _, end = other.partition("*")
            numbers = (name.removeprefix(start).removesuffix(end) for name in self._members(other))
            require_columns(self.columns, [pattern.replace("*", number) for number in numbers])

    def _require_readable(self, names: Sequence[str]) -> None:
        """Raise for a class or weight that is there but is a coordinate, or would be left out."""
        momenta = {member for name in self._momentum.values() for member in self._members(name)}
        taken = next((name for name in names if name in momenta), None)
        if taken is not None:
            raise SettingsError(f"{taken} is a coordinate of the momenta; expected a column with one value per row")
        strange = next((name for name in names if self.columns[name] == "other"), None)
        if strange is not None:
            raise DatasetError(
                f"{strange} has no number or text per row: it has another length than the momenta, or holds "
                "Python objects (text of a data frame can be read if it is saved with format='table')"
            )

    def _require_lists(self, names: Sequence[str]) -> None:
        """Raise a `DatasetError` for momenta that are there but hold no numbers."""
        strange = next((name for name in names if self.columns[name] in ("text", "other")), None)
        if strange is not None:
            raise DatasetError(f"{strange} holds no numbers per particle, or has another length than the others")

    def _one_column(self, wish: str | None, default: str | None) -> str | None:
        if wish:
            require_columns(self.columns, [wish])
            return wish
        return default if wish is None and default in self.columns else None

    def _to_read(self) -> list[str]:
        """Momenta, labels and weights, what the user named, and the columns that are carried along."""
        needed = [*self._momentum.values(), *self._label, *([self._weight] if self._weight else [])]
        renamed = [name for name in split_map(self.options.map)[1] if name not in needed]
        require_columns(self.columns, [name for name in (*needed, *renamed) if not self._members(name)])
        used = {member for name in (*needed, *renamed) for member in self._members(name)}
        others = [name for name in self.columns if name not in used and self.options.carries(name)]
        wanted = [*renamed, *others]
        self.left_out |= {name: NO_COLUMN[shape] for name in wanted if (shape := self.columns.get(name)) in NO_COLUMN}
        return [*needed, *(name for name in wanted if name not in self.left_out)]

    def _chunk(self, table: Table, numbers: NDArray[np.int64]) -> Chunk:
        apart = {*self._label, *([self._weight] if self._weight else [])}
        made = self._assemble({name: column for name, column in table.items() if name not in apart})
        self.left_out |= made.left_out
        if self._weight is not None:
            made.columns["weight"] = one_per_row(table[self._weight], self._weight)
        label = stacked(table, self._label)
        return Chunk(self._collection(made), numbers, f"{self.path.name}: {self.kind[:-1]} {{}}", made.found, label)

    def _assemble(self, table: Mapping[str, Column]) -> Assembled:
        return assemble(table, self._momentum, self._rename, gev=self.options.gev)


def split_map(wish: Mapping[str, str]) -> tuple[dict[str, str], dict[str, str]]:
    """What of a user's map are the momenta, and what are new names of columns.

    Example:
        >>> split_map({"px": "a", "py": "b", "pz": "c", "charge": "q"})
        ({'px': 'a', 'py': 'b', 'pz': 'c'}, {'q': 'charge'})
        >>> split_map({"Epxpypz": "constituents"})
        ({'Epxpypz': 'constituents'}, {})
    """
    momentum = {canonical(name) or name: column for name, column in wish.items() if canonical(name)}
    orders = {name: column for name, column in wish.items() if name not in momentum and _is_order(name)}
    if orders and momentum:
        raise SettingsError(f"the map has both {next(iter(orders))} and {next(iter(momentum))}; expected one of them")
    if len(orders) > 1:
        raise SettingsError(f"the map has several arrays of momenta: {', '.join(orders)}; expected one")
    renamed = {column: name for name, column in wish.items() if canonical(name) is None and name not in orders}
    return momentum or orders, renamed


def _is_order(name: str) -> bool:
    try:
        return len(parse_order(name)) > 1
    except SettingsError:
        return False
