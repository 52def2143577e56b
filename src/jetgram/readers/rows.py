"""From a file's chunks to the rows of a dataset: cleaned, shared out between splits, clustered."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Mapping, Sequence

import numpy as np

from jetgram.boundary import UNREADABLE, parsing, parsing_each
from jetgram.errors import DatasetError, SettingsError
from jetgram.jets.clustering import find_jets
from jetgram.joining import column_kinds, different_columns
from jetgram.momenta import Events, Momenta
from jetgram.readers.cleaning import Tally, clean
from jetgram.readers.files.table_file import Span
from jetgram.readers.source import Chunk, OtherOptionsError, Source
from jetgram.storage.manifest import Kind

Shares = dict[str, float]  # from splits to their shares of the rows


def kind_of_rows(source: Source) -> Kind:
    """What the rows of a file become: jets where events are clustered."""
    return "jets" if source.options.jets is not None else source.kind


class Alike:
    """All files of a dataset hold the same kind of rows with the same columns; it is shown one after the other."""

    def __init__(self) -> None:
        self.kind: Kind | None = None
        self.columns: dict[str, str] | None = None
        self._first = ""

    def require_kind(self, source: Source) -> Kind:
        """The kind of the rows, or a `DatasetError` if it is not that of the files before."""
        kind = kind_of_rows(source)
        if source.kind == "jets" and source.options.jets is not None:
            raise SettingsError(f"{source.path} holds jets already; the option jets clusters events")
        if self.kind not in (None, kind):
            raise DatasetError(f"{source.path} holds {kind}, {self._first} holds {self.kind}; expected one of them")
        self.kind, self._first = kind, self._first or str(source.path)
        return kind

    def require_columns(self, source: Source, rows: Momenta) -> None:
        """Raise a `DatasetError` unless the rows have the columns of those before."""
        if self.columns is None:
            self.columns, self._first = column_kinds(rows), str(source.path)
        require_alike(self.columns, rows, self._first, str(source.path))


def require_alike(expected: Mapping[str, str], rows: Momenta, first: str, path: str) -> None:
    """Raise a `DatasetError` unless the rows of a file have the columns that are expected; see `column_kinds`.

    Args:
        expected: the columns of the rows before.
        rows: of the file.
        first: the file of the rows before.
        path: the file.
    """
    odd = different_columns([expected, column_kinds(rows)])
    if odd:
        where = f"{path} has" if path == first else f"{path} and {first} have"
        raise OtherOptionsError(
            f"{where} different columns: {', '.join(odd[:10])}; choose those that all rows have with the option columns"
        )


def pieces_of(source: Source, step: int | None = None) -> list[list[Span]]:
    """All rows of a file in pieces of chunks; see `Source.pieces`."""
    with parsing(source.path, what=UNREADABLE):
        return [piece for piece in source.pieces(step or source.step) if piece]


def read_chunks(
    source: Source,
    chunks: Sequence[Span],
    shares: Shares,
    seed: Sequence[int] = (1,),
    classes: Sequence[str] | None = None,
    code: int | None = None,
) -> Iterator[tuple[dict[str, Momenta], Tally]]:
    """The good rows of each chunk, split by split, and what was left out.

    Args:
        source: the file.
        chunks: rows that follow each other.
        shares: of the splits; they add up to 1.
        seed: of the choice of rows; that of a chunk depends on it and on the number of the chunk's first row.
        classes: names of the classes that the file tells.
        code: the class of all rows, if it is known from elsewhere.
    """
    for span, chunk in zip(chunks, parsing_each(source.stream(chunks), source.path), strict=True):
        yield _rows(source, chunk, span, shares, seed, classes, code)


def _rows(
    source: Source,
    chunk: Chunk,
    span: Span,
    shares: Shares,
    seed: Sequence[int],
    classes: Sequence[str] | None,
    code: int | None,
) -> tuple[dict[str, Momenta], Tally]:
    if code is not None:
        chunk = dataclasses.replace(chunk, label=None)
    rows, numbers, tally = clean(chunk, source.options, classes)
    if code is not None:
        rows = rows.with_columns(label=np.full(len(rows), code, dtype=np.int32))
    splits = _choose(span, shares, seed)
    found: dict[str, Momenta] = {}
    for number, split in enumerate(shares):
        chosen = slice(None) if len(shares) == 1 else splits[numbers - span[0]] == number
        some = rows[chosen] if len(shares) > 1 else rows
        found[split] = _cluster(source, some, numbers[chosen]) if source.options.jets is not None else some
    return found, tally


def _choose(span: Span, shares: Shares, seed: Sequence[int]) -> np.ndarray[tuple[int, ...], np.dtype[np.int64]]:
    """The number of the split of each row of the file: exact shares of every chunk, whatever its order.

    What is no whole number of rows is drawn, so that many short files together have the shares that were asked for.
    """
    count, key = span[1] - span[0], [*seed, span[0]]
    wanted = np.round(np.cumsum([0.0, *shares.values()]) * count, 9)  # without the rounding of sums
    edges = np.floor(wanted + np.random.default_rng([*key, 1]).random()).astype(np.int64)
    edges[0], edges[-1] = 0, count
    return np.random.default_rng(key).permutation(np.repeat(np.arange(len(shares)), np.diff(edges)))


def _cluster(source: Source, events: Momenta, numbers: np.ndarray[tuple[int, ...], np.dtype[np.int64]]) -> Momenta:
    """The jets of events; their column `event` is the number of the event in the file."""
    assert isinstance(events, Events)
    options = source.options
    jets = find_jets(events, options.jets or 1.0, options.algorithm, options.hardest, options.min_pt)
    return jets.with_columns(event=numbers[jets.columns["event"]])
