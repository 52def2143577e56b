"""`dataset.json`: the names, counts and hashes of a dataset's shards, sealed with a digest."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Literal

import pydantic

from jetgram.errors import DatasetError
from jetgram.storage import parquet, tables
from jetgram.storage.sealed import Form, read_regular, sha256_of

MANIFEST = "dataset.json"
Kind = Literal["jets", "events"]
ADVICE = "make the dataset again, or copy it again"
FORM = Form("a dataset of jetgram", ("jets", "events"), (tables.FORMAT,), DatasetError, ADVICE)


class Shard(pydantic.BaseModel):
    """One file of a dataset."""

    model_config = pydantic.ConfigDict(frozen=True, extra="forbid")

    file: str
    split: str
    rows: int = pydantic.Field(ge=0)
    size: int = pydantic.Field(ge=0)
    sha256: str

    @classmethod
    def of(cls, content: bytes, file: str, split: str) -> Shard:
        """The entry for a shard with these bytes, fresh from `parquet.encode`."""
        rows = tables.count_rows(content, file)
        return cls(file=file, split=split, rows=rows, size=len(content), sha256=sha256_of(content))

    @classmethod
    def describe(cls, path: Path, split: str) -> Shard:
        """The entry for a shard on disk; parsing it whole checks every page."""
        content = read_file(path)
        parquet.decode(content, path)
        return cls.of(content, path.name, split)

    def read(self, folder: Path) -> bytes:
        """The bytes of the shard, if they are those that were written."""
        path = folder / self.file
        if path.is_file() and path.stat().st_size != self.size:
            raise DatasetError(
                f"{path} has {path.stat().st_size} bytes; {self.size} were written: it is cut off or was exchanged"
            )
        return FORM.read_named(path, self.sha256, MANIFEST)


class Manifest(pydantic.BaseModel):
    """The contents of `dataset.json`; `digest` seals all the rest."""

    model_config = pydantic.ConfigDict(frozen=True, extra="forbid")

    format: Literal[1] = tables.FORMAT
    kind: Kind
    shards: tuple[Shard, ...]
    provenance: dict[str, Any]
    digest: str = ""

    @classmethod
    def seal(cls, folder: Path, kind: Kind, shards: Sequence[Shard], provenance: Mapping[str, Any]) -> None:
        """Write `dataset.json`: from now on the folder is a dataset."""
        manifest = cls(kind=kind, shards=tuple(shards), provenance=dict(provenance))
        FORM.write(folder / MANIFEST, manifest.model_dump(mode="json", exclude={"digest"}))

    def verify(self, folder: Path) -> None:
        """Read every byte of every shard once; raise a `DatasetError` at the first that differs."""
        for shard in self.shards:
            shard.read(folder)


def read_manifest(path: Path) -> Manifest:
    """The manifest in a folder, or a `DatasetError` that says why there is none to trust."""
    if not path.is_dir():
        hint = "; `jetgram convert` makes one of a file" if path.is_file() else ""
        raise DatasetError(f"{path} is not a folder; a dataset is a folder with a {MANIFEST}{hint}")
    file = path / MANIFEST
    if not file.is_file():
        unfinished = any(path.glob("*.parquet"))
        hint = "it was not finished: run the same command again" if unfinished else "no dataset here"
        raise DatasetError(f"{path} has no {MANIFEST}: {hint}")
    manifest = FORM.read_as(Manifest, file)
    for shard in manifest.shards:
        if Path(shard.file).name != shard.file or not shard.file:
            raise DatasetError(f"{file} names {shard.file!r}, which is not a plain file name")
    return manifest


def read_file(path: Path) -> bytes:
    """The bytes of a file that must be there."""
    return read_regular(path, DatasetError)
