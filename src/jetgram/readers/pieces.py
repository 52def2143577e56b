"""The unit of work of a conversion: a piece of a file, and the shards it becomes.

A shard holds the rows of one chunk of one file that belong to one split. So its bytes depend on the file and on the
options alone, and any worker can make it.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Collection, Iterator, Mapping, Sequence
from concurrent.futures import FIRST_COMPLETED, Executor, Future, wait
from pathlib import Path
from typing import Any, NamedTuple

from jetgram.progress import Advance
from jetgram.readers.cleaning import Tally
from jetgram.readers.files.table_file import Span
from jetgram.readers.opening import open_source
from jetgram.readers.options import ReadOptions
from jetgram.readers.rows import Shares, read_chunks, require_alike
from jetgram.storage import atomic, parquet
from jetgram.storage.manifest import Shard
from jetgram.storage.writer import shard_file

SECONDS = 1.0  # between two looks at what is done
LEFT_OUT = "left_out"  # in the provenance of a chunk's first shard: what was left out of the chunk


@dataclasses.dataclass(frozen=True)
class Piece:
    """A piece of a file: enough to make its shards anywhere.

    Args:
        path: the file.
        layout: its layout.
        options: how to read it.
        shares: of the splits.
        seed: of the choice of rows for each split.
        classes: names of classes.
        code: the class of all rows, if the file does not tell.
        columns: that its first rows have, as all rows must; see `column_kinds`.
        chunks: rows of the file, each with the number of its shards.
        out: the folder of the dataset.
        provenance: of the shards, without their own place in the file.
    """

    path: Path
    layout: str
    options: ReadOptions
    shares: Shares
    seed: tuple[int, ...]
    classes: tuple[str, ...] | None
    code: int | None
    columns: Mapping[str, str]
    chunks: tuple[tuple[int, Span], ...]
    out: Path
    provenance: Mapping[str, Any]

    def shards(self) -> dict[str, dict[str, Any]]:
        """File names of the shards, each with its provenance."""
        return {
            shard_file(split, number): {**self.provenance, "shard": self._place(split, number, span)}
            for number, span in self.chunks
            for split in self.shares
        }

    @property
    def rows(self) -> int:
        """Rows of the file."""
        return sum(end - begin for _, (begin, end) in self.chunks)

    def written_rows(self) -> int:
        """Rows of the file whose shards are in the folder."""
        return sum(
            end - begin
            for number, (begin, end) in self.chunks
            if all((self.out / shard_file(split, number)).exists() for split in self.shares)
        )

    @staticmethod
    def _place(split: str, number: int, span: Span) -> dict[str, Any]:
        return {"split": split, "number": number, "rows": list(span)}


class Made(NamedTuple):
    """The shards of a piece that were written, and what was left out of them."""

    shards: list[Shard]
    tally: Tally


def make_piece(piece: Piece, wanted: Collection[str]) -> Made:
    """Write the wanted shards of a piece; none of a chunk with bad rows, if these must not be left out."""
    made, total = [], Tally()
    strict = piece.options.on_bad == "raise"
    shards = piece.shards()
    with open_source(piece.path, piece.options, piece.layout) as source:
        spans = [span for _, span in piece.chunks]
        chunks = read_chunks(source, spans, piece.shares, piece.seed, piece.classes, piece.code)
        for (number, _), (splits, tally) in zip(piece.chunks, chunks, strict=True):
            files = {split: shard_file(split, number) for split in splits}
            first = next(iter(files.values()))
            if first in wanted:  # otherwise an interrupted run counted it
                total.add(tally)
            if strict and tally.bad_rows:
                continue
            for split, rows in splits.items():
                require_alike(piece.columns, rows, str(piece.path), str(piece.path))
                file = files[split]
                if file in wanted:
                    more = {LEFT_OUT: dataclasses.asdict(tally)} if file == first else {}
                    content = parquet.encode(rows, {**shards[file], **more})
                    atomic.write_bytes(piece.out / file, content)
                    made.append(Shard.of(content, file, split))
    return Made(made, total)


def make_pieces(
    pieces: Sequence[Piece], missing: Collection[str], executor: Executor | None, advance: Advance
) -> Iterator[Made]:
    """The missing shards of all pieces, in any order.

    Args:
        pieces: of all files.
        missing: files of the shards to make.
        executor: where to work; here if it is None.
        advance: is told how many rows are done since the last call.
    """
    wanted = [frozenset(file for file in piece.shards() if file in missing) for piece in pieces]
    if executor is None:
        for piece, some in zip(pieces, wanted, strict=True):
            yield make_piece(piece, some)
            advance(piece.rows)
        return
    futures = {executor.submit(make_piece, *each): each[0] for each in zip(pieces, wanted, strict=True)}
    try:
        yield from _as_they_come(futures, advance)
    except Exception:
        wait([future for future in futures if not future.cancel()])  # none may write once the folder is given back
        raise


def _as_they_come(futures: Mapping[Future[Made], Piece], advance: Advance) -> Iterator[Made]:
    """What the workers have made, in any order."""
    reported, pending = dict.fromkeys(futures, 0), set(futures)
    while pending:
        done, pending = wait(pending, SECONDS, FIRST_COMPLETED)
        for future, piece in futures.items():
            if future in done:
                rows = piece.rows
            elif future in pending and len(piece.chunks) > 1:
                rows = piece.written_rows()
            else:
                continue
            advance(rows - reported[future])
            reported[future] = rows
        for future in done:
            yield future.result()
