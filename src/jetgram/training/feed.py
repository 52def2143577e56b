"""Batches of prepared jets, epoch by epoch: from memory, or from files with the next window read in the background."""

from __future__ import annotations

import contextlib
import itertools
from collections.abc import Iterator
from typing import NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from jetgram.fanout import read_ahead
from jetgram.inputs.scaler import Scaler
from jetgram.inputs.sequences import Inputs
from jetgram.models.inputs import concatenate_schedules, scale
from jetgram.ragged import offsets_of
from jetgram.training.order import Numbers, cuts, windows
from jetgram.training.prepared import Prepared


class Batch(NamedTuple):
    """The jets of one step: which of `trees`, with targets `(jets, outputs)` and weights `(jets,)`."""

    trees: Inputs
    jets: Numbers
    targets: NDArray[np.float32]
    weights: NDArray[np.float32]


class Source(Protocol):
    """Where trees come from."""

    def load(self, blocks: Numbers) -> Inputs:
        """The trees, or events, of these blocks, scaled; maybe others too."""
        ...

    def first(self, blocks: Numbers) -> Numbers:
        """Where in that schedule the trees of each block begin."""
        ...


class Resident:
    """All trees, in memory.

    Args:
        prepared: the jets.
        scaler: of their features.
    """

    def __init__(self, prepared: Prepared, scaler: Scaler) -> None:
        self._starts = prepared.starts
        blocks = range(len(prepared.starts) - 1)
        self._trees = concatenate_schedules([scale(prepared.block(number), scaler) for number in blocks])

    def load(self, blocks: Numbers) -> Inputs:
        """All trees."""
        return self._trees

    def first(self, blocks: Numbers) -> Numbers:
        """The first tree of each block."""
        return self._starts[blocks]


class Streamed:
    """Trees that are read when they are needed; the arguments are those of `Resident`."""

    def __init__(self, prepared: Prepared, scaler: Scaler) -> None:
        self._prepared, self._scaler = prepared, scaler

    def load(self, blocks: Numbers) -> Inputs:
        """The trees of these blocks, one block after the other."""
        return concatenate_schedules([scale(self._prepared.block(int(number)), self._scaler) for number in blocks])

    def first(self, blocks: Numbers) -> Numbers:
        """The first tree of each block."""
        return offsets_of(np.diff(self._prepared.starts)[blocks])[:-1]


class _Part(NamedTuple):
    """A window in the order of an epoch: its blocks, the positions of its jets in them, their numbers, and the cuts."""

    blocks: Numbers
    trees: Numbers
    jets: Numbers
    cuts: Numbers


class Feed:
    """The batches of a training: every jet once an epoch, in an order that follows from seed and epoch alone.

    Args:
        source: the trees.
        starts: first jet of each block, and the end, `(blocks + 1,)`.
        jets: rising numbers of the jets to train with.
        targets: of all jets, `(jets, outputs)`, as the network is to give them.
        weights: of all jets, `(jets,)`.
        batch: jets in a step.
        seed: of the order.
    """

    def __init__(
        self,
        source: Source,
        starts: Numbers,
        jets: Numbers,
        targets: NDArray[np.float32],
        weights: NDArray[np.float32],
        batch: int,
        seed: int,
    ) -> None:
        self._source, self._starts, self._jets = source, starts, jets
        self._targets, self._weights = targets, weights
        self._batch, self._seed = batch, seed

    def __len__(self) -> int:
        return len(self._jets)

    def batches(self, epoch: int, start: int = 0) -> Iterator[Batch]:
        """The batches of an epoch, without the first `start` of them."""
        parts = list(self._parts(epoch, start))
        with contextlib.closing(read_ahead(self._source.load, [part.blocks for part in parts])) as schedules:
            for part, trees in zip(parts, schedules, strict=True):
                for begin, end in itertools.pairwise(part.cuts):
                    jets = part.jets[begin:end]
                    yield Batch(trees, part.trees[begin:end], self._targets[jets], self._weights[jets])

    def _parts(self, epoch: int, start: int) -> Iterator[_Part]:
        """The windows of an epoch with the batches that are left after the first `start`."""
        for number, blocks in enumerate(windows(len(self._starts) - 1, self._seed, epoch)):
            members = [self._members(block) for block in blocks]
            shift = np.repeat(self._source.first(blocks) - self._starts[blocks], [len(some) for some in members])
            jets = np.concatenate(members)
            order = np.random.default_rng([self._seed, epoch, number]).permutation(len(jets))
            batches = cuts(len(jets), self._batch)
            skipped = min(start, len(batches) - 1)
            start -= skipped
            if skipped < len(batches) - 1:
                yield _Part(blocks, (jets + shift)[order], jets[order], batches[skipped:])

    def _members(self, block: int) -> Numbers:
        """The jets of a block to train with."""
        begin, end = np.searchsorted(self._jets, self._starts[block : block + 2])
        return self._jets[begin:end]
