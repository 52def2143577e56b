"""A dataset: a folder of shards and a `dataset.json` that names, counts and seals them.

    DATASET/
      dataset.json          kind, splits, shards with their SHA-256, provenance, digest
      train-00000.parquet   one shard; see `jetgram.storage.parquet`
      test-00003.parquet

A shard belongs to one split, so training and test jets never come from one shard. Each shard's bytes are checked
against the recorded hash before they are parsed: a flipped bit, a cut-off or exchanged file is an error with its name.
"""

from __future__ import annotations

import warnings
from collections.abc import Collection, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Literal

import numpy as np

from jetgram.errors import DatasetError, SuspiciousJetsWarning
from jetgram.joining import concatenate
from jetgram.momenta import Momenta
from jetgram.storage import parquet
from jetgram.storage.manifest import MANIFEST, Kind, Shard, read_file, read_manifest
from jetgram.storage.writer import DatasetWriter
from jetgram.validity import drop_bad, require_classes_and_weights, require_good

OnBadJet = Literal["raise", "drop"]


def generation_recipe(provenance: Mapping[str, Any]) -> Mapping[str, Any]:
    """The settings that `jetgram generate` made a dataset with; empty for people's own jets, whatever they note.

    Example:
        >>> generation_recipe({"recipe": {"sample": {"name": "w-vs-qcd"}, "level": "towers"}})["level"]
        'towers'
        >>> generation_recipe({"recipe": "by hand"})
        {}
    """
    recipe = provenance.get("recipe")
    return recipe if isinstance(recipe, Mapping) and isinstance(recipe.get("sample", {}), Mapping) else {}


class Dataset:
    """A stored dataset; opening it reads `dataset.json` alone.

    Args:
        path: the folder.
    """

    def __init__(self, path: Path | str) -> None:
        self.path = Path(path)
        self.manifest = read_manifest(self.path)

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
    def recipe(self) -> Mapping[str, Any]:
        """The settings that it was generated with; empty for people's own jets."""
        return generation_recipe(self.provenance)

    @property
    def sample(self) -> str:
        """The name of the generated sample; empty for people's own jets."""
        return str(self.recipe.get("sample", {}).get("name", ""))

    @property
    def level(self) -> str | None:
        """What a momentum is: `particles`, `towers`, `pflow`; None where the dataset was not generated."""
        level = self.recipe.get("level")
        return level if isinstance(level, str) else None

    def class_names(self, column: str = "label") -> tuple[str, ...]:
        """The names of the classes in a column, in the order of their numbers; empty where they have none.

        Args:
            column: with the numbers; it is those of `label` that have names.
        """
        found = self.provenance.get("classes") if column == "label" else None
        if not isinstance(found, list) or not all(isinstance(name, str) for name in found):
            return ()
        return tuple(found) if len(set(found)) == len(found) else ()  # equal names would make one class of two

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
        """The shards of one split, or of several (`train+val`) one after the other, or all."""
        if split is None:
            return list(self.manifest.shards)
        names = split.split("+")
        for name in names:
            if name not in self.splits:
                raise DatasetError(f"{self.path} has no split {name!r}; it has: {', '.join(self.splits)}")
        return [shard for name in names for shard in self.manifest.shards if shard.split == name]

    def rows(self, split: str | None = None) -> int:
        """How many jets, or events, one split holds, or all together."""
        return sum(shard.rows for shard in self.shards(split))

    def stream(self, split: str | None = None, columns: Collection[str] | None = None) -> Iterator[Momenta]:
        """The dataset shard by shard: memory holds one shard at a time.

        Args:
            split: `train` or `test`; all shards by default.
            columns: columns to read besides the momenta; all by default.
        """
        for shard in self.shards(split):
            yield self.read_shard(shard, columns)

    def read_shard(self, shard: Shard, columns: Collection[str] | None = None, strict: bool = True) -> Momenta:
        """One shard, checked against its hash.

        Args:
            shard: one of `shards`.
            columns: columns to read besides the momenta; all by default.
            strict: a column that is not there is an error; else it is left out.
        """
        rows = parquet.decode(shard.read(self.path), self.path / shard.file, columns, strict, checked=True)
        if len(rows) != shard.rows or _kind(rows) != self.kind:
            found = f"{self.path / shard.file} has {len(rows)} rows of {_kind(rows)}"
            raise DatasetError(f"{found}; {MANIFEST} says {shard.rows} of {self.kind}")
        return rows

    def read(self, split: str | None = None, columns: Collection[str] | None = None) -> Momenta:
        """One split, or the whole dataset, in memory."""
        return self._together(list(self.stream(split, columns)))

    def first(self, count: int, split: str | None = None, columns: Collection[str] | None = None) -> Momenta:
        """The first `count` rows, or as many as there are, reading no shard beyond them; see `stream`."""
        found: list[Momenta] = []
        for rows in self.stream(split, columns):
            found.append(rows[: max(count, 0)])
            count -= len(rows)
            if count <= 0:
                break
        return self._together(found)

    def _together(self, parts: Sequence[Momenta]) -> Momenta:
        if not parts:
            raise DatasetError(f"{self.path} holds no {self.kind}")
        return concatenate(parts)

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
        content = shard.read(self.path)
        return parquet.decode(content, self.path / shard.file)[[index]]

    def column(self, name: str, split: str | None = None) -> np.ndarray[Any, Any]:
        """One column with a value per row, without reading momenta."""
        parts = []
        for shard in self.shards(split):
            content = shard.read(self.path)
            parts.append(parquet.decode_column(content, self.path / shard.file, name))
        if not parts:
            raise DatasetError(f"{self.path} holds no {self.kind}")
        return np.concatenate(parts)

    def verify(self) -> None:
        """Read every byte of every shard once; raise a `DatasetError` at the first that differs."""
        self.manifest.verify(self.path)


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
        on_bad_jet: `raise` an error that names the first unphysical jet, or `drop` such jets.
    """
    path = Path(path)
    if path.is_dir():
        collection = Dataset(path).read(split, columns)
    elif split is not None:
        raise DatasetError(f"{path} is a single file without splits; leave out split={split!r}")
    else:
        collection = parquet.decode(read_file(path), path, columns)
    if on_bad_jet == "drop":
        good, dropped = drop_bad(collection)
        if dropped:
            what = type(collection).__name__.lower()
            told = f"{path}: left out {dropped:,} of {len(collection):,} {what}, which are not physical"
            warnings.warn(told, SuspiciousJetsWarning, stacklevel=2)
        return good
    require_good(collection, what=f"{path}: {type(collection).__name__.lower().removesuffix('s')}")
    return collection


def save(
    path: Path | str,
    collection: Momenta | Mapping[str, Momenta],
    provenance: Mapping[str, Any],
    split: str = "train",
) -> Dataset:
    """Store a collection as a dataset, e.g. your own jets; or one collection per split.

    Args:
        path: the folder, made if missing; it must not hold a dataset yet.
        collection: the jets or events, or a mapping of splits to them; checked before anything is written.
        provenance: where they come from, in your own words.
        split: the split of a single collection.

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
    splits = collection if isinstance(collection, Mapping) else {split: collection}
    kinds = {_kind(part) for part in splits.values()}
    if len(kinds) != 1:
        raise DatasetError(f"{path}: a dataset holds jets or events; found {', '.join(sorted(kinds)) or 'nothing'}")
    for name, part in splits.items():
        require_good(part, f"{name}: {_kind(part)[:-1]}")
        require_classes_and_weights(part, f"{name}: {_kind(part)[:-1]}")
    with DatasetWriter(path, kinds.pop(), provenance) as writer:
        for name, part in splits.items():
            writer.add(part, name)
    return Dataset(path)


def _kind(collection: Momenta) -> Kind:
    return "events" if isinstance(collection, parquet.KINDS["events"]) else "jets"
