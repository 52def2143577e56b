"""Prepared jets in files, for datasets larger than memory and for many trainings at once.

    FOLDER/
      prepared.json            what was prepared, and the SHA-256 of each file; written last
      columns.safetensors      targets and weights of all jets
      block-000000.safetensors trees of 1,024 jets: features (float32), inner or leaf, rows of each jet;
                               of 1,024 events: the same of all their jets, jets of each event, (phi, eta, pT, m)

A block is checked against its hash when it is first read.
"""

from __future__ import annotations

import hashlib
from pathlib import Path
from typing import Any, Literal

import numpy as np
import pydantic
import safetensors
import safetensors.numpy
from numpy.typing import NDArray

from jetgram.errors import DatasetError
from jetgram.inputs.sequences import Inputs
from jetgram.models.inputs import from_arrays, input_bytes, to_arrays
from jetgram.models.settings import ModelSettings
from jetgram.ragged import offsets_of
from jetgram.storage import atomic
from jetgram.storage.dataset import Dataset
from jetgram.storage.digest import digest_of
from jetgram.training.prepare import dataset_blocks, preparation
from jetgram.training.prepared import Advance, Block, counted

MANIFEST, COLUMNS = "prepared.json", "columns.safetensors"
FORMAT: Literal[1] = 1

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

    format: Literal[1]
    source: dict[str, Any]
    blocks: tuple[_Piece, ...]
    columns: str


class PreparedFiles:
    """Prepared jets in a folder; see `jetgram.training.prepared.Prepared`.

    Args:
        path: the folder.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self._manifest = _read_manifest(path / MANIFEST)
        columns = _read(path / COLUMNS, self._manifest.columns)
        self.targets, self.weights = columns["targets"], columns["weights"]
        self.starts = offsets_of(np.array([piece.jets for piece in self._manifest.blocks]))
        self.nbytes = sum(piece.nbytes for piece in self._manifest.blocks)
        self.digest = digest_of(self._manifest.source)
        self._checked: set[int] = set()

    def block(self, number: int) -> Inputs:
        """The trees, or events, of one block."""
        piece = self._manifest.blocks[number]
        arrays = _read(self.path / piece.file, None if number in self._checked else piece.sha256)
        self._checked.add(number)
        return from_arrays(arrays)


def prepare_files(
    folder: Path,
    dataset: Dataset,
    split: str,
    settings: ModelSettings,
    weight: str | None = None,
    advance: Advance | None = None,
) -> PreparedFiles:
    """The jets of a dataset, prepared in a subfolder of `folder`; those that are there already are used.

    The name of the subfolder follows from the dataset's digest and from the settings. What an interrupted preparation
    left is made again.
    """
    source = preparation(dataset, split, settings, weight)
    path = folder / digest_of(source)[:16]
    if (path / MANIFEST).exists():
        return PreparedFiles(path)
    path.mkdir(parents=True, exist_ok=True)
    atomic.remove_leftovers(path)
    pieces, targets, weights = [], [], []
    blocks = counted(dataset_blocks(dataset, split, settings, weight), advance)
    for number, block in enumerate(blocks):
        pieces.append(_write_block(path / f"block-{number:06d}.safetensors", block))
        targets.append(block.targets)
        weights.append(block.weights)
    columns = safetensors.numpy.save({"targets": np.concatenate(targets), "weights": np.concatenate(weights)})
    atomic.write_bytes(path / COLUMNS, columns)
    manifest = _Manifest(
        format=FORMAT, source=source, blocks=tuple(pieces), columns=hashlib.sha256(columns).hexdigest()
    )
    atomic.write_bytes(path / MANIFEST, (manifest.model_dump_json(indent=1) + "\n").encode())
    return PreparedFiles(path)


def _write_block(file: Path, block: Block) -> _Piece:
    content = safetensors.numpy.save(to_arrays(block.trees))
    atomic.write_bytes(file, content)
    digest = hashlib.sha256(content).hexdigest()
    return _Piece(file=file.name, jets=len(block.trees), nbytes=input_bytes(block.trees), sha256=digest)


def _read_manifest(file: Path) -> _Manifest:
    try:
        manifest = _Manifest.model_validate_json(file.read_bytes())
    except (OSError, pydantic.ValidationError) as error:
        raise DatasetError(
            f"{file} is missing, damaged or of another version; remove {file.parent}: {error}"
        ) from error
    for piece in manifest.blocks:
        if Path(piece.file).name != piece.file:
            raise DatasetError(f"{file} names {piece.file!r}, which is not a plain file name")
    return manifest


def _read(file: Path, sha256: str | None) -> Arrays:
    """The arrays of a file, checked against its hash if there is one."""
    try:
        content = file.read_bytes()
        if sha256 is not None and hashlib.sha256(content).hexdigest() != sha256:
            raise DatasetError(f"{file} is damaged: its SHA-256 is not the one in {MANIFEST}; remove {file.parent}")
        return safetensors.numpy.load(content)
    except (OSError, safetensors.SafetensorError) as error:
        raise DatasetError(f"{file} is missing or damaged; remove {file.parent}: {error}") from error
