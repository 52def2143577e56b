"""Training and inference by both engines, on one thread and on more: every case in turn, round after round.

Real jets at the paper's sizes: 7 features, 40 hidden units; and the modern recipe, with the blend cell. A training step
is forward, loss, backward and Adam.
"""

from __future__ import annotations

import dataclasses
import itertools
from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from jetgram.bench.clock import (
    MODES,
    Mode,
    Timing,
    Work,
    clocked,
    core_peak,
    multiply_adds,
    rate_at_once,
    sgemm_peak,
)
from jetgram.inputs.schedule import Schedule
from jetgram.models.settings import ModelSettings, make_settings
from jetgram.momenta import Jets
from jetgram.networks.device import using_threads
from jetgram.networks.engine.capability import EngineName
from jetgram.networks.engine.parameters import Adam
from jetgram.networks.network import TrainingStep

# The trees that each cell is measured on, and what else its network has.
TOPOLOGIES = {"simple": ("kt", "desc-pt"), "gated": ("kt", "desc-pt"), "blend": ("ca",)}
RECIPE = {"simple": "paper", "gated": "paper", "blend": "modern"}
CELLS = tuple(TOPOLOGIES)
ENGINES: tuple[EngineName, ...] = ("native", "torch")


class Case(NamedTuple):
    """What is measured."""

    cell: str
    topology: str
    batch: int
    mode: Mode


def all_cases(batches: Sequence[int]) -> list[Case]:
    """Every cell with every topology, batch and mode."""
    networks = [(cell, topology) for cell in CELLS for topology in TOPOLOGIES[cell]]
    return [Case(*network, batch, mode) for network in networks for batch in batches for mode in MODES]


def cell_settings(cell: str, topology: str, engine: EngineName = "auto") -> ModelSettings:
    """The network of a cell."""
    return make_settings(recipe=RECIPE[cell], cell=cell, topology=topology, engine=engine)[0]


@dataclasses.dataclass(frozen=True)
class OneThread:
    """A case on one thread, by the thread's own clock.

    Args:
        native: jets per second by the native engine.
        torch: jets per second by the torch engine.
        native_over_torch: their ratio.
        peak: multiply-adds per second of a large matrix product, measured just before.
        share: multiply-adds of the native engine as a fraction of the peak.
        core: multiply-adds per second that the core can do, measured just before.
    """

    native: float
    torch: float
    native_over_torch: float
    peak: float
    share: float
    core: float


@dataclasses.dataclass(frozen=True)
class MoreThreads:
    """A case on several threads, by the wall clock.

    Args:
        native: jets per second by the native engine.
        torch: jets per second by the torch engine.
        native_gain: the native engine's speed as a multiple of its speed on one thread.
        torch_gain: the same for the torch engine.
        ceiling: the same for as many independent copies of the native work at once, one thread each: what the cores
            give at that moment, however the work is shared out.
    """

    native: float
    torch: float
    native_gain: float
    torch_gain: float
    ceiling: float


class Speeds(NamedTuple):
    """All of a case in one round; without the second part where there is only one thread."""

    one: OneThread
    more: MoreThreads | None


class Subject:
    """A network, and what trains it.

    Args:
        cell: `simple`, `gated` or `blend`.
        engine: `native` or `torch`.
    """

    def __init__(self, cell: str, engine: EngineName) -> None:
        self.network = cell_settings(cell, TOPOLOGIES[cell][0], engine).build(seed=1)
        self._step = TrainingStep(self.network)
        self._adam = Adam(self._step.parameters, rate=1e-6)  # the same work with (almost) the same weights every time

    def work(self, mode: Mode, trees: Schedule, jets: NDArray[np.int64]) -> Work:
        """One training step, or one prediction."""
        labels = (jets % 2).astype(np.float32)

        def train() -> None:
            self._step(trees, jets, labels)
            self._adam.step()

        return train if mode == "training" else lambda: self.network.predict(trees, jets)


class EngineBench:
    """All cases; each round measures every one of them once.

    Args:
        jets: as many as the largest batch, or more.
        batches: sizes of batches.
        threads: compared with one.
    """

    def __init__(self, jets: Jets, batches: Sequence[int], threads: int) -> None:
        self.cases = all_cases(batches)
        self._threads = threads
        self._subjects = {case: Subject(*case) for case in itertools.product(CELLS, ENGINES)}
        self._copies = {cell: [Subject(cell, "native") for _ in range(threads)] for cell in CELLS}
        networks = {(RECIPE[case.cell], case.topology): case for case in self.cases}
        self._trees = {key: scaled_trees(jets, case.cell, case.topology) for key, case in networks.items()}
        self._random = np.random.default_rng(1)

    def round(self) -> Iterator[tuple[Case, Speeds]]:
        """Each case once, on other jets every time."""
        for case in self.cases:
            trees = self._trees[RECIPE[case.cell], case.topology]
            jets = self._random.permutation(len(trees))[: case.batch]
            yield case, self._measure(case, trees, jets)

    def _measure(self, case: Case, trees: Schedule, jets: NDArray[np.int64]) -> Speeds:
        """What belongs to one ratio is measured side by side."""
        native, torch = (self._subjects[case.cell, engine] for engine in ENGINES)
        products = multiply_adds(native.network, trees, jets, case.mode)
        core, peak = core_peak(), sgemm_peak()
        native_alone, native_together = self._clock(native.work(case.mode, trees, jets))
        copies = self._copies_at_once(case, trees, jets)
        torch_alone, torch_together = self._clock(torch.work(case.mode, trees, jets))
        one = OneThread(
            native=len(jets) / native_alone.thread,
            torch=len(jets) / torch_alone.thread,
            native_over_torch=torch_alone.thread / native_alone.thread,
            peak=peak,
            share=products / native_alone.thread / peak,
            core=core,
        )
        if self._threads == 1:
            return Speeds(one, None)
        more = MoreThreads(
            native=len(jets) / native_together.wall,
            torch=len(jets) / torch_together.wall,
            native_gain=native_alone.wall / native_together.wall,
            torch_gain=torch_alone.wall / torch_together.wall,
            ceiling=native_alone.wall * copies,
        )
        return Speeds(one, more)

    def _clock(self, work: Work) -> tuple[Timing, Timing]:
        """On one thread and on all; the same where one is all."""
        with using_threads(1):
            alone = clocked(work)
        if self._threads == 1:
            return alone, alone
        with using_threads(self._threads):
            return alone, clocked(work)

    def _copies_at_once(self, case: Case, trees: Schedule, jets: NDArray[np.int64]) -> float:
        """Batches per second by independent native networks, one per thread."""
        with using_threads(1):
            return rate_at_once([subject.work(case.mode, trees, jets) for subject in self._copies[case.cell]])


def scaled_trees(jets: Jets, cell: str, topology: str) -> Schedule:
    """What a network of this cell and topology reads of the jets."""
    settings = cell_settings(cell, topology)
    trees = settings.read(jets).inputs
    assert isinstance(trees, Schedule)
    return trees.scaled(trees.fit_scaler(settings.input.scaling))
