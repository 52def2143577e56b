"""One writer for every dataset: shards of bounded size, each whole or not there, sealed at the end.

Rows come in two ways. `DatasetWriter.add` takes collections as a stream and cuts them into shards; memory holds one
shard per split. `DatasetWriter.put` takes the bytes of a numbered shard that was made elsewhere, on another core or
machine, in any order. Either way a run that was interrupted is finished by the same run: what it left behind is
verified and kept.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path
from types import TracebackType
from typing import Any, Self

import numpy as np

from jetgram.errors import DatasetError
from jetgram.joining import concatenate
from jetgram.momenta import Momenta
from jetgram.storage import atomic, parquet
from jetgram.storage.lock import FolderLock
from jetgram.storage.manifest import MANIFEST, Kind, Manifest, Shard, read_file, read_manifest

ROWS = 10_000  # of a shard at most
PARTICLES = 1_000_000  # of a shard at most, unless a single row has more: 32 MB of momenta


SPLIT = r"[A-Za-z0-9_-]+"  # how the name of a split looks


def shard_file(split: str, number: int) -> str:
    """The name of a shard.

    Example:
        >>> shard_file("train", 7)
        'train-00007.parquet'
    """
    return f"{split}-{number:05d}.parquet"


def split_of(file: str) -> str:
    """The split in the name of a shard."""
    return file.rpartition("-")[0]


class DatasetWriter:
    """A dataset in the making; in a `with` block it is sealed at the end, unless an exception leaves the block.

    Args:
        path: the folder; new, or left by an interrupted run with the same provenance.
        kind: `jets` or `events`.
        provenance: how the dataset is made; nothing that changes from run to run.
        plan: the shards that will be `put`, by file name, each with its own provenance; None for rows that are added.
        rows: of a shard at most, for rows that are added.

    Example:
        >>> import numpy as np, tempfile
        >>> from jetgram.momenta import Jets
        >>> jets = Jets(np.ones((6, 4)) * [3.0, 4.0, 0.0, 5.0], np.arange(7))
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     with DatasetWriter(folder, "jets", {"source": "by hand"}, rows=4) as writer:
        ...         for part in (jets[:3], jets[3:]):
        ...             writer.add(part)
        ...     [(shard.file, shard.rows) for shard in writer.shards]
        [('train-00000.parquet', 4), ('train-00001.parquet', 2)]
    """

    def __init__(
        self,
        path: Path | str,
        kind: Kind,
        provenance: Mapping[str, Any],
        plan: Mapping[str, Mapping[str, Any]] | None = None,
        rows: int = ROWS,
    ) -> None:
        self.path, self._kind, self._provenance, self._plan, self._rows = Path(path), kind, provenance, plan, rows
        self._shards: dict[str, Shard] = {}
        self._waiting: dict[str, list[Momenta]] = {}
        self._lock = None if (self.path / MANIFEST).exists() else FolderLock(self.path, DatasetError)
        try:
            if self._lock is not None:
                atomic.remove_leftovers(self.path)
            self.finished = self._is_finished()
            self.kept = self._look_around()
            self.missing: frozenset[str] = frozenset() if self.finished else self._keep_planned()
        except BaseException:
            self.close()
            raise

    @property
    def shards(self) -> list[Shard]:
        """The shards that are written, by number."""
        return sorted(self._shards.values(), key=lambda shard: (shard.file.rpartition("-")[2], shard.file))

    def put(self, file: str, content: bytes) -> None:
        """Write a shard of the plan: the bytes that `parquet.encode` gave for it, here or elsewhere."""
        self._require_planned(file)
        atomic.write_bytes(self.path / file, content)
        self.register(Shard.of(content, file, split_of(file)))

    def register(self, shard: Shard) -> None:
        """List a shard of the plan that a worker has written into the folder itself."""
        self._require_planned(shard.file)
        if not (self.path / shard.file).is_file():
            raise DatasetError(
                f"{self.path / shard.file} was written elsewhere; the folder must be the same for all workers"
            )
        self._shards[shard.file] = shard

    def add(self, rows: Momenta, split: str = "train") -> None:
        """Append rows to a split; full shards are written at once, the last one when the dataset is sealed."""
        if not re.fullmatch(SPLIT, split):
            raise DatasetError(f"found the split {split!r}; expected letters, digits, - and _")
        waiting = concatenate([*self._waiting.pop(split, []), rows])
        begin = 0
        while (end := _shard_end(waiting, begin, self._rows)) < len(waiting):
            self._write_next(waiting[begin:end], split)
            begin = end
        self._waiting[split] = [waiting[begin:]]

    def seal(self, provenance: Mapping[str, Any] | None = None, repeat: int = 1) -> None:
        """Write what is left and `dataset.json`: from now on the folder is a dataset.

        Planned shards that came out empty are not listed.

        Args:
            provenance: of the whole dataset, where more is known at the end than at the beginning.
            repeat: list every shard so often, for measurements with more rows than there are.
        """
        for split in list(self._waiting):
            for rows in self._waiting.pop(split):
                self._write_next(rows, split)
        if self.finished:
            return
        self._require_complete()
        filled = [shard for shard in self.shards if shard.rows or self._plan is None]
        listed = [shard for shard in filled or self.shards[:1] for _ in range(repeat)]
        Manifest.seal(self.path, self._kind, listed, self._provenance if provenance is None else provenance)
        for file in self._shards.keys() - {shard.file for shard in listed}:
            (self.path / file).unlink()
        self.finished = True
        self.close()

    def close(self) -> None:
        """Let others write in the folder; what is not sealed stays unfinished."""
        if self._lock is not None:
            self._lock.release()

    def discard(self) -> None:
        """Remove the shards of a dataset that is not to be finished as it was begun, those of stopped workers too."""
        if not self.finished:
            for file in self._shards.keys() | (self._plan or {}).keys():
                (self.path / file).unlink(missing_ok=True)
            self._shards.clear()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        try:
            if kind is None:
                self.seal()
        finally:
            self.close()

    def _is_finished(self) -> bool:
        """Whether the folder holds this dataset already; another one, or a damaged one, is an error."""
        if not (self.path / MANIFEST).exists():
            return False
        found = read_manifest(self.path)
        if not _agrees(found.provenance, self._provenance) or found.kind != self._kind:
            raise DatasetError(
                f"{self.path} holds a dataset made with other settings or versions; choose another folder"
            )
        found.verify(self.path)
        return True

    def _look_around(self) -> dict[str, Mapping[str, Any]]:
        """The shards that an interrupted run left here with their provenance; one of other settings is an error."""
        found: dict[str, Mapping[str, Any]] = {}
        left = sorted(file.name for file in self.path.glob("*.parquet") if not self.finished)
        for file in left:
            expected = self._provenance if self._plan is None else self._plan.get(file)
            if expected is None:
                raise DatasetError(f"{self.path / file} does not belong to this dataset; choose another folder")
            found[file] = made = parquet.provenance((self.path / file).read_bytes(), self.path / file)
            if not _agrees(made, expected):
                raise DatasetError(
                    f"{self.path / file} was made with other settings or versions, for a dataset that is not finished: "
                    f"finish it with these, choose another folder, or remove its shards ({len(left)} files *.parquet)"
                )
        return found

    def _keep_planned(self) -> frozenset[str]:
        """The planned shards that are not there yet; those that are get listed, every page of them checked."""
        for file in self.kept if self._plan is not None else ():
            self._shards[file] = Shard.describe(self.path / file, split_of(file))
        return frozenset(self._plan or ()) - self._shards.keys()

    def _write_next(self, rows: Momenta, split: str) -> None:
        """The next shard of a stream; where an interrupted run wrote it, it must have written the same."""
        file = shard_file(split, len(self._shards))
        content = parquet.encode(rows, self._provenance)
        if file not in self.kept and not self.finished:
            atomic.write_bytes(self.path / file, content)
        elif read_file(self.path / file) != content:
            raise DatasetError(f"{self.path / file} was written from other rows; choose another folder, or remove it")
        self._shards[file] = Shard.of(content, file, split)

    def _require_planned(self, file: str) -> None:
        if self._plan is None or file not in self._plan:
            raise DatasetError(f"{self.path}: {file} is not among the shards that were planned")

    def _require_complete(self) -> None:
        missing = sorted(set(self._plan or ()) - self._shards.keys())
        if missing:
            raise DatasetError(f"{self.path}: {len(missing)} shards are missing, {missing[0]} for one")
        foreign = sorted(self.kept.keys() - self._shards.keys())
        if foreign:
            raise DatasetError(f"{self.path / foreign[0]} does not belong to this dataset; remove it")


def _shard_end(rows: Momenta, begin: int, most: int) -> int:
    """Where the shard from row `begin` ends: after `most` rows, or before it has more than `PARTICLES`."""
    within = int(np.searchsorted(rows.offsets, rows.offsets[begin] + PARTICLES, side="right")) - 1
    return min(begin + most, max(within, begin + 1), len(rows))


def _agrees(found: Mapping[str, Any], expected: Mapping[str, Any]) -> bool:
    """Whether a provenance says all that is expected; it may say more, such as what was counted on the way."""
    return {name: found.get(name) for name in expected} == dict(expected)
