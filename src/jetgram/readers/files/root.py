"""ROOT files through uproot: a table is a TTree or an RNTuple, a column a branch or a field."""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from jetgram.columns import Column, cut
from jetgram.errors import DatasetError, SettingsError
from jetgram.interchange import awkward_columns
from jetgram.readers.files.table_file import Shape, Span, TableFile, require_package, together

_NUMBER = r"(u?int\d+_t|float|double|bool|char|unsigned char|short|int|long)"
_ROW = re.compile(rf"{_NUMBER}(\[\d+\])*")
_LIST = re.compile(rf"({_NUMBER}\[\](\[\d+\])*|std::vector<{_NUMBER}>)")
_VALUE = r"(\d+ \* )*(bool|u?int\d+|float\d+)"  # as Awkward writes types
_FIELD_ROW, _FIELD_LIST = re.compile(_VALUE), re.compile(rf"var \* {_VALUE}")
_TEXT = ("char*", "string", "TString", "std::string")
RNTUPLE = "ROOT::RNTuple"  # what uproot writes by default, as of version 5.7
TABLES = ("TTree", "TNtuple", "TNtupleD", RNTUPLE)


class RootFile(TableFile):
    """A ROOT file; see `TableFile`."""

    format = "ROOT"

    def __init__(self, path: Path) -> None:
        super().__init__(path)
        uproot = require_package("uproot", path)
        try:
            self._file = uproot.open(path)
        except (OSError, ValueError, KeyError, NotImplementedError, uproot.DeserializationError) as error:
            raise DatasetError(f"{path} is no ROOT file, or is cut off or damaged: {error}") from error
        self._branches: dict[str, dict[str, Any]] = {}

    def tables(self) -> list[str]:
        """Names of the trees and RNTuples."""
        found = self._file.classnames(recursive=True, cycle=False)
        return [name for name, kind in found.items() if kind in TABLES]

    def columns(self, table: str) -> Mapping[str, Shape]:
        """Names and shapes of a tree's branches; those of a split object by their last name, `Tower.ET`."""
        shape = _field_shape if self._is_rntuple(table) else _shape
        return {name: shape(branch) for name, branch in self._branches_of(table).items()}

    def rows(self, table: str) -> int:
        """Entries of a tree."""
        return int(self._tree(table).num_entries)

    def _read(self, table: str, names: Sequence[str], span: Span) -> dict[str, Column]:
        found: dict[str, Column] = {}
        for name in names:
            try:
                array = self._branches_of(table)[name].array(entry_start=span[0], entry_stop=span[1])
            except (OSError, ValueError, RuntimeError) as error:
                raise DatasetError(f"{self.path}: branch {name} is damaged: {error}") from error
            found[name] = awkward_columns(array, missing="nan")[""]
        return found

    def pieces(self, table: str, step: int) -> list[list[Span]]:
        """Whole clusters of baskets: a basket is decompressed as a whole, however few of its entries are wanted."""
        if self._is_rntuple(table):
            clusters = self._tree(table).cluster_summaries
            found = [(each.num_first_entry, each.num_first_entry + each.num_entries) for each in clusters]
            return together([(int(begin), int(end)) for begin, end in found], step)
        edges = [int(edge) for edge in self._tree(table).common_entry_offsets()]
        return together(list(itertools.pairwise(edges)), step)

    def _stream(self, table: str, names: Sequence[str], chunks: Sequence[Span]) -> Iterator[dict[str, Column]]:
        """The chunks of one cluster, which is read once."""
        first = chunks[0][0]
        whole = self._read(table, names, (first, chunks[-1][1]))
        for begin, end in chunks:
            yield {name: cut(column, begin - first, end - first) for name, column in whole.items()}

    def close(self) -> None:
        """Close the file."""
        self._file.close()

    def _branches_of(self, table: str) -> dict[str, Any]:
        if table not in self._branches:
            branches = self._branches[table] = {}
            for path, branch in self._tree(table).iteritems(recursive=True):
                branches.setdefault(path if self._is_rntuple(table) else branch.name, branch)
        return self._branches[table]

    def _tree(self, table: str) -> Any:
        if table not in self.tables():
            raise SettingsError(f"{self.path} has no tree {table!r}; it has: {', '.join(self.tables()) or 'none'}")
        return self._file[table]

    def _is_rntuple(self, table: str) -> bool:
        return bool(self._tree(table).classname == RNTUPLE)


def _field_shape(field: Any) -> Shape:
    """Of a field of an RNTuple, from the type of its values: those of a nested one do not tell that they are lists."""
    kind = str(field.array(entry_start=0, entry_stop=0).type.content)
    return _shape_of(kind, _FIELD_ROW, _FIELD_LIST)


def _shape(branch: Any) -> Shape:
    return _shape_of(branch.typename, _ROW, _LIST)


def _shape_of(kind: str, row: re.Pattern[str], numbers: re.Pattern[str]) -> Shape:
    if kind in _TEXT:
        return "text"
    return "row" if row.fullmatch(kind) else "list" if numbers.fullmatch(kind) else "other"
