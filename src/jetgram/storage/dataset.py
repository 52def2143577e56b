"""A dataset: a folder of shards and a `dataset.json` that names, counts and seals them.

    DATASET/
      dataset.json          kind, splits, shards with their SHA-256, provenance, digest
      train-00000.parquet   one shard; see `jetgram.storage.parquet`
      test-00003.parquet

A shard belongs to one split, so training and test jets never come from one shard. Each shard's bytes are checked
against the recorded hash before they are parsed: a flipped bit, a cut-off or exchanged file is an error with its name.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Collection, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Literal

import numpy as np
import pydantic

from jetgram.errors import DatasetError
from jetgram.momenta import Momenta, concatenate
from jetgram.storage import atomic, parquet
from jetgram.validity import drop_bad, require_good

MANIFEST = "dataset.json"
OnBadJet = Literal["raise", "drop"]


class Shard(pydantic.BaseModel):
    """One file of a dataset."""

    model_config = pydantic.ConfigDict(frozen=True, extra="forbid")

    file: str
    split: str
    rows: int
    bytes: int
    sha256: str


class Manifest(pydantic.BaseModel):
    """The contents of `dataset.json`; `digest` seals all the rest."""

    model_config = pydantic.ConfigDict(frozen=True, extra="forbid")

    format: Literal[1] = parquet.FORMAT
    kind: Literal["jets", "events"]
    shards: tuple[Shard, ...]
    provenance: dict[str, Any]
    digest: str = ""

    def seal(self) -> str:
        """SHA-256 over everything but the digest itself."""
        content = self.model_dump(mode="json", exclude={"digest"})
        return hashlib.sha256(json.dumps(content, sort_keys=True).encode()).hexdigest()


class Dataset:
    """A stored dataset, opened; nothing but `dataset.json` is read until asked for.

    Args:
        path: the folder.
    """

    def __init__(self, path: Path | str) -> None:
        self.path = Path(path)
        self.manifest = _read_manifest(self.path)

    @property
    def kind(self) -> str:
        """What a row is: `jets` or `events`."""
        return self.manifest.kind

    @property
    def digest(self) -> str:
        """SHA-256 of the dataset: equal digests are equal bytes, shard by shard."""
        return self.manifest.digest

    @property
    def provenance(self) -> Mapping[str, Any]:
        """How the dataset was made: settings, seed, generator card, versions."""
        return self.manifest.provenance

    @property
    def splits(self) -> Mapping[str, int]:
        """Rows in each split."""
        rows: dict[str, int] = {}
        for shard in self.manifest.shards:
            rows[shard.split] = rows.get(shard.split, 0) + shard.rows
        return rows

    def __len__(self) -> int:
        return sum(shard.rows for shard in self.manifest.shards)

    def __repr__(self) -> str:
        splits = ", ".join(f"{rows} {split}" for split, rows in self.splits.items())
        return f"<Dataset {self.path.name}: {self.kind}, {splits}>"

    def shards(self, split: str | None = None) -> Sequence[Shard]:
        """The shards of one split, or all."""
        if split is not None and split not in self.splits:
            raise DatasetError(f"{self.path} has no split {split!r}; it has: {', '.join(self.splits)}")
        return [shard for shard in self.manifest.shards if split in (None, shard.split)]

    def stream(self, split: str | None = None, columns: Collection[str] | None = None) -> Iterator[Momenta]:
        """The dataset shard by shard: memory holds one shard at a time.

        Args:
            split: `train` or `test`; all shards by default.
            columns: columns to read besides the momenta; all by default.
        """
        for shard in self.shards(split):
            content = _verified_bytes(self.path / shard.file, shard)
            yield parquet.decode(content, self.path / shard.file, columns)

    def read(self, split: str | None = None, columns: Collection[str] | None = None) -> Momenta:
        """One split, or the whole dataset, in memory."""
        return concatenate(list(self.stream(split, columns)))

    def row(self, index: int, split: str | None = None) -> Momenta:
        """One row as a collection of one, reading its shard only; a negative index counts from the end."""
        shards = self.shards(split)
        rows = sum(shard.rows for shard in shards)
        if not -rows <= index < rows:
            raise DatasetError(f"{self.path} has {rows} {self.kind}; there is no number {index}")
        index %= rows
        for shard in shards:
            if index < shard.rows:
                break
            index -= shard.rows
        content = _verified_bytes(self.path / shard.file, shard)
        return parquet.decode(content, self.path / shard.file)[[index]]

    def column(self, name: str, split: str | None = None) -> np.ndarray[Any, Any]:
        """One column with a value a row, without reading momenta."""
        parts = []
        for shard in self.shards(split):
            content = _verified_bytes(self.path / shard.file, shard)
            parts.append(parquet.decode_column(content, self.path / shard.file, name))
        return np.concatenate(parts)

    def verify(self) -> None:
        """Read every byte of every shard once; raise a `DatasetError` at the first that differs."""
        for shard in self.manifest.shards:
            _verified_bytes(self.path / shard.file, shard)


def read(
    path: Path | str,
    split: str | None = None,
    columns: Collection[str] | None = None,
    on_bad_jet: OnBadJet = "raise",
) -> Momenta:
    """Jets (or events) of a stored dataset, or of a single shard.

    Args:
        path: a dataset's folder, or one `.parquet` shard.
        split: `train` or `test`; everything by default.
        columns: columns to read besides the momenta; all by default.
        on_bad_jet: `raise` an error that names the first jet that cannot be, or `drop` such jets.
    """
    path = Path(path)
    if path.is_dir():
        collection = Dataset(path).read(split, columns)
    elif split is not None:
        raise DatasetError(f"{path} is a single file without splits; leave out split={split!r}")
    else:
        collection = parquet.decode(_bytes(path), path, columns)
    if on_bad_jet == "drop":
        return drop_bad(collection)[0]
    require_good(collection, what=f"{path}: {type(collection).__name__.lower().removesuffix('s')}")
    return collection


def describe_shard(path: Path, split: str) -> Shard:
    """The manifest's entry for a shard on disk; parsing it whole checks every page."""
    content = _bytes(path)
    rows = len(parquet.decode(content, path))
    digest = hashlib.sha256(content).hexdigest()
    return Shard(file=path.name, split=split, rows=rows, bytes=len(content), sha256=digest)


def seal(
    path: Path, kind: Literal["jets", "events"], shards: Sequence[Shard], provenance: Mapping[str, Any]
) -> Dataset:
    """Write `dataset.json`: from now on the folder is a dataset."""
    manifest = Manifest(kind=kind, shards=tuple(shards), provenance=dict(provenance))
    manifest = manifest.model_copy(update={"digest": manifest.seal()})
    atomic.write_bytes(path / MANIFEST, (manifest.model_dump_json(indent=2) + "\n").encode())
    return Dataset(path)


def save(path: Path | str, collection: Momenta, provenance: Mapping[str, Any], split: str = "train") -> Dataset:
    """Store one collection as a dataset of one shard, e.g. jets of your own.

    Args:
        path: the folder, made if missing; it must not hold a dataset yet.
        collection: the jets or events; checked before anything is written.
        provenance: where they come from, in your own words.
        split: the split they belong to.

    Example:
        >>> import numpy as np, tempfile
        >>> from jetgram.momenta import Jets
        >>> jets = Jets(np.array([[3.0, 4.0, 0.0, 5.0]]), np.array([0, 1]), {"label": np.array([1])})
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     save(folder, jets, {"source": "by hand"})
        ...     read(folder).columns["label"]
        <Dataset ...: jets, 1 train>
        array([1])
    """
    path = Path(path)
    if (path / MANIFEST).exists():
        raise DatasetError(f"{path} holds a dataset already; choose another folder")
    require_good(collection)
    path.mkdir(parents=True, exist_ok=True)
    file = path / f"{split}-00000.parquet"
    atomic.write_bytes(file, parquet.encode(collection, provenance))
    kind: Literal["jets", "events"] = "events" if isinstance(collection, parquet.KINDS["events"]) else "jets"
    return seal(path, kind, [describe_shard(file, split)], provenance)


def _read_manifest(path: Path) -> Manifest:
    if not path.is_dir():
        raise DatasetError(f"{path} is not a folder; a dataset is a folder with a {MANIFEST}")
    file = path / MANIFEST
    if not file.is_file():
        unfinished = any(path.glob("*.parquet"))
        hint = (
            "its generation was not finished: run the same `jetgram generate` again"
            if unfinished
            else "no dataset here"
        )
        raise DatasetError(f"{path} has no {MANIFEST}: {hint}")
    try:
        content = json.loads(file.read_bytes())
    except ValueError as error:
        raise DatasetError(f"{file} is damaged: {error}") from error
    if not isinstance(content, dict) or content.get("format") != parquet.FORMAT:
        found = content.get("format") if isinstance(content, dict) else type(content).__name__
        raise DatasetError(f"{file} has format {found!r}; this version of jetgram reads format {parquet.FORMAT}")
    try:
        manifest = Manifest(**content)
    except pydantic.ValidationError as error:
        first = error.errors()[0]
        raise DatasetError(f"{file}: {'.'.join(map(str, first['loc']))}: {first['msg']}") from None
    if manifest.digest != manifest.seal():
        raise DatasetError(f"{file} was changed after it was written: its digest does not fit its content")
    for shard in manifest.shards:
        if Path(shard.file).name != shard.file:
            raise DatasetError(f"{file} names {shard.file!r}, which is not a plain file name")
    return manifest


def _bytes(path: Path) -> bytes:
    if not path.is_file():
        raise DatasetError(f"{path} is missing")
    return path.read_bytes()


def _verified_bytes(path: Path, shard: Shard) -> bytes:
    content = _bytes(path)
    if len(content) != shard.bytes:
        raise DatasetError(
            f"{path} has {len(content)} bytes; {shard.bytes} were written: it is cut off or was exchanged"
        )
    if hashlib.sha256(content).hexdigest() != shard.sha256:
        raise DatasetError(f"{path} is damaged: its SHA-256 is not the one in {MANIFEST}")
    return content
