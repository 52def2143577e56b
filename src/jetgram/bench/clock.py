"""Clocks: how long one call takes, how much several threads do at once, and what a core can do at best."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Literal, NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray

from jetgram import backend
from jetgram.inputs.schedule import Schedule
from jetgram.networks.device import using_threads
from jetgram.networks.network import JetNetwork
from jetgram.networks.recursive import RecursiveEmbedding

SHORTEST = 0.03  # seconds: quicker work is repeated

Work = Callable[[], object]


class Timing(NamedTuple):
    """Seconds per call, by two clocks.

    Args:
        wall: wall-clock time, which other programs on the machine make longer.
        thread: of the processor, for the calling thread alone: without what other programs, or other threads, take.
    """

    wall: float
    thread: float


def clocked(work: Work) -> Timing:
    """Seconds for one call."""
    calls, wall, thread = 0, time.perf_counter(), time.thread_time()
    while calls == 0 or time.perf_counter() - wall < SHORTEST:
        work()
        calls += 1
    return Timing((time.perf_counter() - wall) / calls, (time.thread_time() - thread) / calls)


def rate_at_once(works: Sequence[Work]) -> float:
    """Calls per second, all works together, each in a thread of its own; they begin at the same moment.

    The works must release the GIL: what is measured is what the cores give, not Python.
    """
    start = threading.Barrier(len(works))

    def rate(work: Work) -> float:
        start.wait()
        return 1 / clocked(work).wall

    with ThreadPoolExecutor(len(works)) as pool:
        return sum(pool.map(rate, works))


Mode = Literal["training", "inference"]
MODES: tuple[Mode, ...] = ("training", "inference")

SIZE = 768  # rows of the matrices: large enough for the peak, three of them are 7 MB


def sgemm_peak() -> float:
    """Multiply-adds per second of a product of large square matrices in single precision, on one thread."""
    a, b, out = (torch.ones(SIZE, SIZE) for _ in range(3))
    with using_threads(1):
        torch.mm(a, b, out=out)  # the first product meets cold caches
        return SIZE**3 / clocked(lambda: torch.mm(a, b, out=out)).thread


ROUNDS = 100_000  # of independent multiply-adds: some tenths of a millisecond


def core_peak() -> float:
    """Multiply-adds per second that a processor's core can do: on registers alone, measured by the native core."""
    core, _ = backend.load()
    assert core is not None, "there is nothing to measure without the native core"
    count, _ = core.engine_kernels.multiply_add("auto", ROUNDS)
    return float(count / clocked(lambda: core.engine_kernels.multiply_add("auto", ROUNDS)).thread)


def multiply_adds(network: JetNetwork, trees: Schedule, jets: NDArray[np.int64], mode: Mode) -> int:
    r"""Multiply-adds of the matrix products of one batch; everything else a network does is not counted.

    Each weight of $W_u$ is used once per node, each one of the recursion once per inner node, each one of the head once
    per jet. Training needs every product three times: forward, for the gradient of its input and for that of its
    weights; the features get no gradient, so that $W_u$ counts twice.

    Args:
        network: of one tree per jet.
        trees: the trees.
        jets: the numbers of the trees in the batch.
        mode: `training` or `inference`.
    """
    assert isinstance(network.embedding, RecursiveEmbedding)
    cell = network.embedding.cell
    nodes = int(np.diff(trees.offsets)[jets].sum())
    inner = (nodes - len(jets)) // 2
    weights = {name: weight.numel() for name, weight in cell.named_parameters() if weight.ndim == 2}
    local = nodes * weights.pop("W_u")
    rest = inner * sum(weights.values())
    rest += len(jets) * sum(weight.numel() for weight in network.head.parameters() if weight.ndim == 2)
    return 2 * local + 3 * rest if mode == "training" else local + rest
