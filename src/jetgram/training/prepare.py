"""Jets become trees with features once, before the first epoch, block by block.

Prepared jets are in memory (`PreparedMemory`) or in files (`jetgram.training.blocks`). Their features are not scaled:
the scaler depends on which jets are for validation, so that many trainings can share what is prepared.
"""

from __future__ import annotations

import dataclasses
import hashlib
import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from jetgram.errors import DatasetError
from jetgram.fanout import read_ahead
from jetgram.models.event_inputs import read_rows
from jetgram.models.inputs import concatenate_schedules, input_bytes
from jetgram.models.sequences import Inputs
from jetgram.models.settings import ModelSettings
from jetgram.momenta import M, Momenta, concatenate
from jetgram.ragged import offsets_of
from jetgram.storage.dataset import Dataset
from jetgram.storage.manifest import Shard
from jetgram.training.targets import compute_targets, needed_columns, number_column
from jetgram.validity import require_good

Array = NDArray[np.float64]
Advance = Callable[[int], None]

BLOCK = 1024  # jets


class Block(NamedTuple):
    """Some prepared jets (or events): unscaled inputs, targets `(jets, outputs)` and weights `(jets,)`."""

    trees: Inputs
    targets: Array
    weights: Array


class Prepared(Protocol):
    """Prepared jets in blocks."""

    @property
    def starts(self) -> NDArray[np.int64]:
        """The number of the first jet of each block, and the end, `(blocks + 1,)`."""
        ...

    @property
    def targets(self) -> Array:
        """Of all jets, `(jets, outputs)`."""
        ...

    @property
    def weights(self) -> Array:
        """Of all jets, `(jets,)`."""
        ...

    @property
    def digest(self) -> str:
        """Tells data and settings of the preparation from others."""
        ...

    @property
    def nbytes(self) -> int:
        """What the trees of all jets take in memory."""
        ...

    def block(self, number: int) -> Inputs:
        """The trees, or events, of one block."""
        ...


@dataclasses.dataclass(frozen=True, eq=False)
class PreparedMemory:
    """Prepared jets in memory; see `Prepared`."""

    blocks: Sequence[Inputs]
    targets: Array
    weights: Array
    digest: str

    @classmethod
    def of(cls, blocks: Iterable[Block], digest: str) -> PreparedMemory:
        """All blocks together."""
        trees, targets, weights = zip(*blocks, strict=True)
        return cls(trees, np.concatenate(targets), np.concatenate(weights), digest)

    @property
    def starts(self) -> NDArray[np.int64]:
        """First jet of each block, and the end."""
        return offsets_of(np.array([len(block) for block in self.blocks]))

    @property
    def nbytes(self) -> int:
        """Bytes of all trees."""
        return sum(input_bytes(block) for block in self.blocks)

    def block(self, number: int) -> Inputs:
        """The trees, or events, of one block."""
        return self.blocks[number]


def prepare_jets(
    jets: Momenta, targets: Array, weights: Array, settings: ModelSettings, advance: Advance | None = None
) -> PreparedMemory:
    """Jets (or events) in memory, prepared in memory.

    Args:
        jets: as they were found; or events.
        targets: `(jets, outputs)`.
        weights: `(jets,)`.
        settings: of the model.
        advance: is told how many jets are ready since the last call.
    """
    digest = hashlib.sha256(repr(settings.reading).encode())
    for array in (jets.momenta, jets.offsets, targets, weights):
        digest.update(np.ascontiguousarray(array).data)

    def blocks() -> Iterator[Block]:
        for begin in range(0, len(jets), BLOCK):
            some = slice(begin, begin + BLOCK)
            block = Block(read_rows(jets[some], settings, begin), targets[some], weights[some])
            yield block
            if advance:
                advance(len(block.trees))

    return PreparedMemory.of(blocks(), digest.hexdigest())


def dataset_blocks(dataset: Dataset, split: str, settings: ModelSettings, weight: str | None) -> Iterator[Block]:
    """The jets, or events, of a stored dataset, prepared block by block; memory holds a shard and a block.

    Args:
        dataset: of what the settings say.
        split: the split to read.
        settings: of the model.
        weight: the column with the weights of the jets; None for 1.
    """
    if dataset.kind != settings.rows:
        raise DatasetError(f"{dataset.path} holds {dataset.kind}; this model learns from {settings.rows}")
    columns = needed_columns(settings.targets) | ({weight} if weight else set())

    def prepare(first: int, rows: Momenta) -> Block:
        weights = number_column(rows, weight) if weight else np.ones(len(rows))
        return Block(read_rows(rows, settings, first), compute_targets(rows, settings.targets), weights)

    # While one block is handed out, the next is in the native core, and another shard is decoded.
    parts = read_ahead(lambda shard: _good_rows(dataset, shard, columns), dataset.shards(split))
    numbered = ((BLOCK * number, jets) for number, jets in enumerate(rechunk(parts)))
    yield from read_ahead(lambda chunk: prepare(*chunk), numbered)


def prepare_dataset(
    dataset: Dataset, split: str, settings: ModelSettings, weight: str | None = None, advance: Advance | None = None
) -> PreparedMemory:
    """The jets of a stored dataset, prepared in memory; the arguments are those of `dataset_blocks`."""

    def blocks() -> Iterator[Block]:
        for block in dataset_blocks(dataset, split, settings, weight):
            yield block
            if advance:
                advance(len(block.trees))

    return PreparedMemory.of(blocks(), digest_of(preparation(dataset, split, settings, weight)))


def preparation(dataset: Dataset, split: str, settings: ModelSettings, weight: str | None) -> dict[str, Any]:
    """What decides the prepared jets: where it is equal, they are equal."""
    return {
        "dataset": dataset.digest,
        "split": split,
        "reading": settings.reading,
        "targets": list(settings.targets),
        "weight": weight,
    }


def digest_of(content: Mapping[str, Any]) -> str:
    """SHA-256 of anything that JSON can hold."""
    return hashlib.sha256(json.dumps(content, sort_keys=True).encode()).hexdigest()


def _good_rows(dataset: Dataset, shard: Shard, columns: set[str]) -> Momenta:
    rows = dataset.read_shard(shard, columns)
    require_good(rows, f"{dataset.path / shard.file}: {dataset.kind.removesuffix('s')}")
    return rows


def rechunk(parts: Iterable[M], size: int = BLOCK) -> Iterator[M]:
    """The same jets, or events, in collections of `size`, the last one smaller.

    Example:
        >>> from jetgram.momenta import Jets
        >>> one = Jets(np.ones((3, 4)) * [0, 0, 0, 1], np.arange(4))
        >>> [len(chunk) for chunk in rechunk([one, one, one], size=4)]
        [4, 4, 1]
    """
    rest: list[M] = []
    for part in parts:
        jets = concatenate([*rest, part])
        whole = len(jets) - len(jets) % size
        for begin in range(0, whole, size):
            yield jets[begin : begin + size]
        rest = [jets[whole:]] if whole < len(jets) else []
    yield from rest


def collect(prepared: Prepared, *choices: NDArray[np.int64]) -> list[Inputs]:
    """The trees of chosen jets (or chosen events), one schedule for each choice; every block is read once.

    Args:
        prepared: the jets.
        choices: rising numbers of jets.
    """
    parts: list[list[Inputs]] = [[] for _ in choices]
    for number, (begin, end) in enumerate(zip(prepared.starts, prepared.starts[1:], strict=False)):
        block = prepared.block(number)
        for some, chosen in zip(parts, choices, strict=True):
            inside = chosen[np.searchsorted(chosen, begin) : np.searchsorted(chosen, end)]
            if len(inside):
                some.append(block[inside - begin])
    return [concatenate_schedules(some) for some in parts]
