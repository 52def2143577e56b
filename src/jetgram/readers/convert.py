"""Datasets out of people's files: one task per piece of a file, shards of bounded size, resumable."""

from __future__ import annotations

import contextlib
import dataclasses
import os
import warnings
from collections.abc import Sequence
from concurrent.futures import Executor
from importlib import metadata
from pathlib import Path
from typing import Any

from jetgram.errors import BadJetError, DatasetError, SettingsError, SuspiciousJetsWarning
from jetgram.fanout import cluster_executor
from jetgram.progress import Advance, silent
from jetgram.readers.cleaning import Tally, require_gev, tell_left_out
from jetgram.readers.inputs import Input, Patterns, expand, given_classes, options_for
from jetgram.readers.labels import ordered_classes
from jetgram.readers.opening import open_each
from jetgram.readers.options import ReadOptions
from jetgram.readers.pieces import LEFT_OUT, Piece, make_pieces
from jetgram.readers.rows import Alike, Shares, pieces_of, read_chunks
from jetgram.readers.source import OtherOptionsError, Source
from jetgram.storage.dataset import Dataset
from jetgram.storage.manifest import Kind
from jetgram.storage.writer import DatasetWriter

REVISION = 4  # raised when the same files and options give other bytes
FIRST_ROWS = 200  # of each file, that are looked at before the conversion begins


def convert(
    sources: Patterns | None,
    out: Path | str,
    *,
    train: Patterns | None = None,
    val: Patterns | None = None,
    test: Patterns | None = None,
    layout: str | None = None,
    test_share: float = 0.0,
    seed: int = 1,
    rows: int | None = None,
    executor: Executor | None = None,
    on_plan: Advance = silent,
    on_rows: Advance = silent,
    **options: Any,
) -> Dataset:
    """Store the jets, or events, of any files as a dataset.

    Args:
        sources: files, globs, or a mapping from classes to them; their rows go to `train` and `test`.
        out: the folder of the dataset; new, or left by an interrupted run of the same conversion.
        train: files whose rows all go to this split.
        val: likewise.
        test: likewise.
        layout: of the files, a name in `jetgram.readers.opening.LAYOUTS`; found out by default.
        test_share: the fraction of the rows of `sources` that go to `test`.
        seed: which ones.
        rows: rows of a file per shard; by default 10,000 jets, or 1,000 events (500 of HepMC).
        executor: where to work, one task per piece of a file; by default on the `jetgram.cluster` around, or here. Its
            workers must see the files and the folder under the same names.
        on_plan: is told the number of rows to read.
        on_rows: is told how many rows are done since the last call.
        options: see `jetgram.readers.options.ReadOptions`.

    Example:
        >>> import tempfile
        >>> import numpy as np
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     np.savez(f"{folder}/jets.npz", p4=np.ones((2, 4)) * [3, 4, 0, 5], offsets=[0, 1, 2], label=[1, 0])
        ...     convert(f"{folder}/jets.npz", f"{folder}/dataset", test_share=0.5)
        <Dataset dataset: jets, 1 test, 1 train>
    """
    if not 0 <= test_share <= 1:
        raise SettingsError(f"test_share = {test_share}; expected a number from 0 to 1")
    if seed < 0:
        raise SettingsError(f"seed = {seed}; expected 0 or more")
    require_place(Path(out))
    chosen = ReadOptions.create(**options)
    inputs = expand(sources) if sources else []
    for split, patterns in (("train", train), ("val", val), ("test", test)):
        inputs += expand(patterns, split) if patterns else []
    shares = {split: share for split, share in (("train", 1 - test_share), ("test", test_share)) if share > 0}
    kind, pieces = plan(inputs, Path(out), chosen, layout, shares, seed, rows)
    on_plan(sum(piece.rows for piece in pieces))
    return run(Path(out), kind, pieces, inputs, executor or cluster_executor(), on_rows)


def require_place(out: Path) -> None:
    """Raise a `SettingsError`, before any file is read, if no folder of this name can be made or written in."""
    if out.exists() and not out.is_dir():
        raise SettingsError(f"{out} is a file; expected the folder of a dataset, or a new name")
    place = next(each for each in (out, *out.absolute().parents) if each.exists())
    if not place.is_dir():
        raise SettingsError(f"{out} cannot be written: {place} is a file, not a folder")
    if not os.access(place, os.W_OK):
        raise SettingsError(f"{out} cannot be written: you may not write in {place}")


def plan(
    inputs: Sequence[Input],
    out: Path,
    options: ReadOptions,
    layout: str | None,
    shares: Shares,
    seed: int,
    rows: int | None,
) -> tuple[Kind, list[Piece]]:
    """What the rows become, and the pieces of all files; every file is opened, and its first rows are looked at."""
    if not inputs:
        raise SettingsError("there is nothing to convert: name files")
    paths, options = [each.path for each in inputs], options_for(inputs, options)
    classes = ordered_classes(given_classes(inputs), open_each(paths, options, layout), options)
    alike, pieces, number = Alike(), list[Piece](), 0
    for index, (each, source) in enumerate(zip(inputs, open_each(paths, options, layout), strict=True)):
        kind = alike.require_kind(source)
        code = None if each.name is None or classes is None else classes.index(each.name)
        _look_at_first(source, alike, classes, code)
        base = {**_provenance(source, classes, shares, seed), "source": each.fingerprint()}
        own = shares if each.split is None else {each.split: 1.0}
        for spans in pieces_of(source, rows):
            chunks = tuple(enumerate(spans, start=number))
            number += len(spans)
            place = (own, (seed, index), classes, code, alike.columns or {}, chunks, out, base)
            pieces.append(Piece(each.path, source.layout, options, *place))
    if not pieces:
        raise DatasetError(f"{paths[0]} has no {kind}" + (f", nor have the {len(paths) - 1} others" * (len(paths) > 1)))
    return kind, pieces


def _look_at_first(source: Source, alike: Alike, classes: tuple[str, ...] | None, code: int | None) -> None:
    """Fail at once where all rows would: momenta in MeV, or files whose columns differ."""
    first = [(0, min(FIRST_ROWS, source.rows))] if source.rows else []
    for found, _ in read_chunks(source, first, {"train": 1.0}, classes=classes, code=code):
        require_gev(found["train"], source.options, source.path)
        alike.require_columns(source, found["train"])


def _provenance(source: Source, classes: tuple[str, ...] | None, shares: Shares, seed: int) -> dict[str, Any]:
    packages = ("numpy", "pyarrow", *(("fastjet",) if source.options.jets is not None else ()))
    return {
        "conversion": {"layout": source.layout, "options": source.options.changed(), "splits": shares, "seed": seed},
        "classes": list(classes) if classes else None,
        "columns_left_out": source.left_out,
        "versions": {"readers": REVISION, **{name: metadata.version(name) for name in packages}},
    }


def run(
    out: Path, kind: Kind, pieces: Sequence[Piece], inputs: Sequence[Input], executor: Executor | None, on_rows: Advance
) -> Dataset:
    """Make all shards that are missing, and seal the dataset."""
    shards = {file: provenance for piece in pieces for file, provenance in piece.shards().items()}
    whole = {
        **{name: value for name, value in pieces[0].provenance.items() if name != "source"},
        "sources": [each.fingerprint() | {"split": each.split, "class": each.name} for each in inputs],
    }
    tally, strict = Tally(), pieces[0].options.on_bad == "raise"
    with contextlib.closing(DatasetWriter(out, kind, whole, plan=shards)) as writer:
        for provenance in writer.kept.values():
            tally.add(Tally(**provenance.get(LEFT_OUT, {})))
        missing = [piece for piece in pieces if any(file in writer.missing for file in piece.shards())]
        on_rows(sum(piece.rows for piece in pieces) - sum(piece.rows for piece in missing))
        try:
            for made in make_pieces(missing, writer.missing, executor, on_rows):
                for shard in made.shards:
                    writer.register(shard)
                if strict and made.tally.bad_rows and not tally.bad_rows:
                    told = f"{made.tally.first_bad_row}; counting the others"
                    warnings.warn(told, SuspiciousJetsWarning, stacklevel=3)
                tally.add(made.tally)
            if strict and tally.bad_rows:
                raise tally.error(kind)
        except (BadJetError, SettingsError, OtherOptionsError):
            writer.discard()  # with the options that the error asks for, the shards are others
            raise
        writer.seal({**whole, LEFT_OUT: dataclasses.asdict(tally)})
    tell_left_out(tally, kind, whole["columns_left_out"])
    return Dataset(out)
