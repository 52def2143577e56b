"""All layouts, and which of them a file has.

A layout is a class over `jetgram.readers.source.Source` (or `jetgram.readers.tables.TableSource`, for files with named
columns) in a file of its own, and a line in `LAYOUTS`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path

from jetgram.boundary import UNREADABLE, parsing
from jetgram.errors import DatasetError, JetgramError, require_known
from jetgram.readers.delphes import Delphes
from jetgram.readers.energyflow import EnergyFlow
from jetgram.readers.files import open_table_file
from jetgram.readers.files.table_file import TableFile
from jetgram.readers.hepmc import HepMC
from jetgram.readers.jetclass import JetClass, Weaver
from jetgram.readers.jetgram_npz import JetgramNpz
from jetgram.readers.jetnet import JetNet
from jetgram.readers.named_columns import NamedColumns
from jetgram.readers.options import ReadOptions
from jetgram.readers.pfnano import PFNano
from jetgram.readers.source import OtherFormatError, Source
from jetgram.readers.top_tagging import TopTagging

# In the order in which they are tried.
LAYOUTS: dict[str, type[Source]] = {
    kind.layout: kind
    for kind in (
        TopTagging,
        EnergyFlow,
        JetClass,
        Weaver,
        Delphes,
        HepMC,
        PFNano,
        JetNet,
        JetgramNpz,
        NamedColumns,
    )
}


def open_source(path: Path, options: ReadOptions | None = None, layout: str | None = None) -> Source:
    """A file, opened in its layout.

    Args:
        path: the file.
        options: how to read it.
        layout: a name in `LAYOUTS`; found out by default.
    """
    options = options or ReadOptions()
    if layout is not None:
        require_known("no layout", layout, LAYOUTS)
    with parsing(path, what=UNREADABLE):
        file = open_table_file(path)
        try:
            kind = LAYOUTS[layout] if layout is not None else _detect(path, file, options)
            return _open(kind, path, file, options)
        except BaseException:
            if file is not None:
                file.close()
            raise


def open_each(paths: Iterable[Path], options: ReadOptions, layout: str | None = None) -> Iterator[Source]:
    """The files one after the other, each opened while its turn lasts: there may be more of them than can be open."""
    for path in paths:
        with open_source(path, options, layout) as source:
            yield source


def _detect(path: Path, file: TableFile | None, options: ReadOptions) -> type[Source]:
    if options.map:
        return NamedColumns
    guess_last = sorted(LAYOUTS.values(), key=lambda kind: kind is NamedColumns)  # layouts may have been registered
    found = next((kind for kind in guess_last if kind.detects(path, file)), None)
    if found is None:
        known = f"it fits none of the known layouts: {', '.join(LAYOUTS)}"
        advice = "name its columns (--map px=NAME,py=NAME,...), or see `jetgram convert --layouts`"
        raise DatasetError(f"{path}: {_describe(file)}; {known}; {advice}")
    return found


def _open(kind: type[Source], path: Path, file: TableFile | None, options: ReadOptions) -> Source:
    try:
        return kind(path, file, options)
    except OtherFormatError:
        raise DatasetError(f"{path}: {_describe(file)}; expected {kind.title}") from None
    except JetgramError as error:
        raise error if str(path) in str(error) else type(error)(f"{path}: {error}") from None


def _describe(file: TableFile | None) -> str:
    """What is in a file, in a few words."""
    if file is None:
        return "it is neither ROOT, HDF5, Parquet, Arrow, npz nor HepMC"
    tables = []
    for table in file.tables():
        columns = list(file.columns(table))
        shown = ", ".join([*columns[:12], *(["..."] if len(columns) > 12 else [])])
        tables.append(f"{table + ': ' if table else ''}{shown}")
    return f"{file.format} with {'; '.join(tables) or 'no tables'}"
