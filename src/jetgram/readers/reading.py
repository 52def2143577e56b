"""Any file, or many, in memory."""

from __future__ import annotations

from collections.abc import Collection
from pathlib import Path
from typing import Any

from jetgram.errors import DatasetError, SettingsError
from jetgram.joining import concatenate
from jetgram.momenta import Momenta
from jetgram.readers.cleaning import Tally, require_gev, tell_left_out
from jetgram.readers.inputs import Input, Patterns, expand, given_classes, options_for
from jetgram.readers.labels import ordered_classes
from jetgram.readers.opening import open_each
from jetgram.readers.options import OnBad, ReadOptions
from jetgram.readers.rows import Alike, pieces_of, read_chunks
from jetgram.storage import dataset
from jetgram.storage.tables import is_marked


def read(
    source: Patterns,
    split: str | None = None,
    columns: Collection[str] | None = None,
    on_bad: OnBad = "raise",
    layout: str | None = None,
    **options: Any,
) -> Momenta:
    """Jets, or events, of a stored dataset or of files in any layout of `jetgram.readers.opening.LAYOUTS`.

    Args:
        source: a dataset's folder or one of its shards; or a file, a glob, or a list of them; a mapping from classes to
            files gives these the labels 0, 1, ... in its order.
        split: of a dataset: `train`, `val` or `test`; everything by default.
        columns: columns to read besides the momenta (of files also patterns, `jet_*`); all by default.
        on_bad: what to do with unphysical jets: `raise` an error, `drop` them, or `clip` what can be repaired.
        layout: of files; found out by default.
        options: of files, see `jetgram.readers.options.ReadOptions`.

    Example:
        >>> import tempfile
        >>> import numpy as np
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     X = np.array([[[50.0, 0.1, 0.2, 211], [0, 0, 0, 0]], [[40.0, 0.1, 0.2, 22], [9.0, 0.2, 0.3, 130]]])
        ...     np.savez(f"{folder}/QG_jets.npz", X=X, y=[1, 0])
        ...     jets = read(f"{folder}/QG_jets.npz")
        >>> jets, jets.particles["pdgid"]
        (<Jets: 2 with 3 momenta, columns: label>, array([211.,  22., 130.]))
    """
    stored = Path(source) if isinstance(source, str | Path) else None
    if stored is not None and (stored.is_dir() or is_marked(stored)):
        if layout is not None or options:
            name = next(iter(options), "layout")
            raise SettingsError(f"{stored} is stored by jetgram; {name} is an option for other files")
        what_to_do = ReadOptions.create(on_bad=on_bad).on_bad
        if what_to_do == "clip":
            raise SettingsError(f"{stored} is stored by jetgram, so nothing is left to clip; give on_bad raise or drop")
        return dataset.read(stored, split, columns, what_to_do)
    if split is not None:
        raise DatasetError(f"{source} is no dataset, so it has no split {split!r}; `jetgram convert` makes one of it")
    wish = {} if columns is None else {"columns": tuple(columns)}
    return read_files(expand(source), ReadOptions.create(on_bad=on_bad, **wish, **options), layout)


def read_files(inputs: list[Input], options: ReadOptions, layout: str | None = None) -> Momenta:
    """The good rows of all files, one after the other; what is left out is told by a `SuspiciousJetsWarning`."""
    if not inputs:
        raise SettingsError("there is nothing to read: name files")
    paths, options = [each.path for each in inputs], options_for(inputs, options)
    classes = ordered_classes(given_classes(inputs), open_each(paths, options, layout), options)
    alike, tally, parts, left_out = Alike(), Tally(), list[Momenta](), dict[str, str]()
    for each, source in zip(inputs, open_each(paths, options, layout), strict=True):
        kind = alike.require_kind(source)
        code = None if each.name is None or classes is None else classes.index(each.name)
        first = True
        for piece in pieces_of(source):
            for splits, more in read_chunks(source, piece, {"all": 1.0}, classes=classes, code=code):
                if first:
                    require_gev(splits["all"], options, source.path)
                    first = False
                alike.require_columns(source, splits["all"])
                parts.append(splits["all"])
                tally.add(more)
        left_out |= source.left_out
    if not parts:
        raise DatasetError(f"{paths[0]} has no {kind}" + (f", nor have the {len(paths) - 1} others" * (len(paths) > 1)))
    if options.on_bad == "raise" and tally.bad_rows:
        raise tally.error(kind)
    tell_left_out(tally, kind, left_out)
    return concatenate(parts)
