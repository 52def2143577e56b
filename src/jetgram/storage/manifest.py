"""`dataset.json`: the names, counts and hashes of a dataset's shards, sealed with a digest."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Literal

import pydantic

from jetgram.errors import DatasetError
from jetgram.storage import atomic, parquet, tables
from jetgram.storage.digest import digest_of

MANIFEST = "dataset.json"
Kind = Literal["jets", "events"]


class Shard(pydantic.BaseModel):
    """One file of a dataset."""

    model_config = pydantic.ConfigDict(frozen=True, extra="forbid")

    file: str
    split: str
    rows: int
    size: int
    sha256: str

    @classmethod
    def of(cls, content: bytes, file: str, split: str) -> Shard:
        """The entry for a shard with these bytes, fresh from `parquet.encode`."""
        sha256 = hashlib.sha256(content).hexdigest()
        return cls(file=file, split=split, rows=tables.count_rows(content, file), size=len(content), sha256=sha256)

    @classmethod
    def describe(cls, path: Path, split: str) -> Shard:
        """The entry for a shard on disk; parsing it whole checks every page."""
        content = read_file(path)
        parquet.decode(content, path)
        return cls.of(content, path.name, split)

    def read(self, folder: Path) -> bytes:
        """The bytes of the shard, if they are those that were written."""
        path = folder / self.file
        content = read_file(path)
        if len(content) != self.size:
            raise DatasetError(
                f"{path} has {len(content)} bytes; {self.size} were written: it is cut off or was exchanged"
            )
        if hashlib.sha256(content).hexdigest() != self.sha256:
            raise DatasetError(f"{path} is damaged: its SHA-256 is not the one in {MANIFEST}")
        return content


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
        manifest = manifest.model_copy(update={"digest": manifest.content_digest()})
        atomic.write_bytes(folder / MANIFEST, (manifest.model_dump_json(indent=2) + "\n").encode())

    def verify(self, folder: Path) -> None:
        """Read every byte of every shard once; raise a `DatasetError` at the first that differs."""
        for shard in self.shards:
            shard.read(folder)

    def content_digest(self) -> str:
        """SHA-256 over everything but the digest itself."""
        return digest_of(self.model_dump(mode="json", exclude={"digest"}))


def read_manifest(path: Path) -> Manifest:
    """The manifest in a folder, or a `DatasetError` that says why there is none to trust."""
    if not path.is_dir():
        raise DatasetError(f"{path} is not a folder; a dataset is a folder with a {MANIFEST}")
    file = path / MANIFEST
    if not file.is_file():
        unfinished = any(path.glob("*.parquet"))
        hint = "it was not finished: run the same command again" if unfinished else "no dataset here"
        raise DatasetError(f"{path} has no {MANIFEST}: {hint}")
    try:
        content = json.loads(file.read_bytes())
    except ValueError as error:
        raise DatasetError(f"{file} is damaged: {error}") from error
    if not isinstance(content, dict) or content.get("format") != tables.FORMAT:
        found = content.get("format") if isinstance(content, dict) else type(content).__name__
        raise DatasetError(f"{file} has format {found!r}; this version of jetgram reads format {tables.FORMAT}")
    try:
        manifest = Manifest(**content)
    except pydantic.ValidationError as error:
        first = error.errors()[0]
        raise DatasetError(f"{file}: {'.'.join(map(str, first['loc']))}: {first['msg']}") from None
    if manifest.digest != manifest.content_digest():
        raise DatasetError(f"{file} was changed after it was written: its digest does not fit its content")
    for shard in manifest.shards:
        if Path(shard.file).name != shard.file:
            raise DatasetError(f"{file} names {shard.file!r}, which is not a plain file name")
    return manifest


def read_file(path: Path) -> bytes:
    """The bytes of a file that must be there."""
    if not path.is_file():
        raise DatasetError(f"{path} is missing")
    return path.read_bytes()
