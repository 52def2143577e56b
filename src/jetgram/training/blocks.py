"""Prepared jets in files, for datasets larger than memory and for many trainings at once.

    FOLDER/
      prepared.json            what was prepared, and the SHA-256 of each file; written last
      columns.safetensors      targets and weights of all jets
      block-000000.safetensors trees of 1,024 jets: features (float32), inner or leaf, rows of each jet;
                               of 1,024 events: the same of all their jets, jets of each event, (phi, eta, pT, m)

A block is checked against its hash when it is first read.
"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any, Literal

import numpy as np
import pydantic
import safetensors
import safetensors.numpy
from numpy.typing import NDArray

from jetgram.errors import DatasetError
from jetgram.inputs.representation import Representation
from jetgram.progress import Advance
from jetgram.ragged import offsets_of
from jetgram.storage import atomic
from jetgram.storage.lock import FolderLock
from jetgram.storage.sealed import Form, digest_of, read_regular, sha256_of
from jetgram.training.prepare import Preparation
from jetgram.training.prepared import Block, counted

MANIFEST, COLUMNS = "prepared.json", "columns.safetensors"
KIND: Literal["jetgram prepared jets"] = "jetgram prepared jets"
FORMAT: Literal[2] = 2
FORM = Form("prepared jets", (KIND,), (FORMAT,), DatasetError, "remove its folder: they are prepared again")

Arrays = dict[str, NDArray[Any]]


class _Piece(pydantic.BaseModel):
    """One block."""

    model_config = pydantic.ConfigDict(frozen=True, extra="forbid")

    file: str
    jets: int
    nbytes: int
    sha256: str


class _Manifest(pydantic.BaseModel):
    """The contents of `prepared.json`."""

    model_config = pydantic.ConfigDict(frozen=True, extra="forbid")

    kind: Literal["jetgram prepared jets"]
    format: Literal[2]
    source: dict[str, Any]
    blocks: tuple[_Piece, ...]
    columns: str
    digest: str = ""


class PreparedFiles:
    """Prepared jets in a folder; see `jetgram.training.prepared.Prepared`.

    Args:
        path: the folder.
        kind: of what is in the blocks.
    """

    def __init__(self, path: Path, kind: type[Representation]) -> None:
        self.path, self._kind = path, kind
        self._manifest = _read_manifest(path / MANIFEST)
        columns = _read(path / COLUMNS, self._manifest.columns)
        self.targets, self.weights = columns["targets"], columns["weights"]
        self.starts = offsets_of(np.array([piece.jets for piece in self._manifest.blocks]))
        self.nbytes = sum(piece.nbytes for piece in self._manifest.blocks)
        self._checked: set[int] = set()

    def block(self, number: int) -> Representation:
        """The trees, or events, of one block."""
        piece = self._manifest.blocks[number]
        arrays = _read(self.path / piece.file, None if number in self._checked else piece.sha256)
        self._checked.add(number)
        return self._kind.from_arrays(arrays)


def prepare_files(folder: Path, preparation: Preparation, advance: Advance | None = None) -> PreparedFiles:
    """The jets of a dataset, prepared in a subfolder of `folder`; those that are there already are used.

    The name of the subfolder follows from the dataset's digest and from the settings. What an interrupted preparation
    left is prepared anew.
    """
    source = preparation.identity
    path = folder / digest_of({"format": FORMAT, **source})[:16]
    if not (path / MANIFEST).exists():
        with FolderLock(path, DatasetError, wait=True):  # whoever comes second takes what the first one prepared
            if not (path / MANIFEST).exists():
                _write(path, source, counted(preparation.blocks(), advance))
    return PreparedFiles(path, preparation.settings.input.representation)


def _write(path: Path, source: dict[str, Any], blocks: Iterable[Block]) -> None:
    """Write all blocks, and then the manifest, into a locked folder."""
    atomic.remove_leftovers(path)
    pieces, targets, weights = [], [], []
    for number, block in enumerate(blocks):
        pieces.append(_write_block(path / f"block-{number:06d}.safetensors", block))
        targets.append(block.targets)
        weights.append(block.weights)
    columns = safetensors.numpy.save({"targets": np.concatenate(targets), "weights": np.concatenate(weights)})
    atomic.write_bytes(path / COLUMNS, columns)
    manifest = _Manifest(kind=KIND, format=FORMAT, source=source, blocks=tuple(pieces), columns=sha256_of(columns))
    FORM.write(path / MANIFEST, manifest.model_dump(mode="json", exclude={"digest"}))


def _write_block(file: Path, block: Block) -> _Piece:
    content = safetensors.numpy.save(block.trees.to_arrays())
    atomic.write_bytes(file, content)
    return _Piece(file=file.name, jets=len(block.trees), nbytes=block.trees.nbytes, sha256=sha256_of(content))


def _read_manifest(file: Path) -> _Manifest:
    manifest = FORM.read_as(_Manifest, file)
    for piece in manifest.blocks:
        if Path(piece.file).name != piece.file:
            raise DatasetError(f"{file} names {piece.file!r}, which is not a plain file name")
    return manifest


def _read(file: Path, sha256: str | None) -> Arrays:
    """The arrays of a file, checked against its hash if there is one."""
    content = read_regular(file, DatasetError) if sha256 is None else FORM.read_named(file, sha256, MANIFEST)
    try:
        return safetensors.numpy.load(content)
    except safetensors.SafetensorError as error:
        raise DatasetError(f"{file} is damaged: {error}; {FORM.advice}") from None
