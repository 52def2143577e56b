"""What a core can do at best, and how much of it a network needs."""

from __future__ import annotations

from typing import Literal

import numpy as np
import torch
from numpy.typing import NDArray

from jetgram.bench.clock import clocked, using_threads
from jetgram.inputs.schedule import Schedule
from jetgram.networks.network import JetNetwork
from jetgram.networks.recursive import RecursiveEmbedding

Mode = Literal["training", "inference"]
MODES: tuple[Mode, ...] = ("training", "inference")

SIZE = 768  # rows of the matrices: large enough for the peak, three of them are 7 MB


def sgemm_peak() -> float:
    """Multiply-adds a second of a product of large square matrices in single precision, on one thread."""
    a, b, out = (torch.ones(SIZE, SIZE) for _ in range(3))
    with using_threads(1):
        torch.mm(a, b, out=out)  # the first product meets cold caches
        return SIZE**3 / clocked(lambda: torch.mm(a, b, out=out)).thread


def multiply_adds(network: JetNetwork, trees: Schedule, jets: NDArray[np.int64], mode: Mode) -> int:
    r"""Multiply-adds of the matrix products of one batch; everything else a network does counts as nothing.

    Each weight of $W_u$ is used once a node, each one of the recursion once an inner node, each one of the head once a
    jet. Training needs every product three times: forward, for the gradient of its input and for that of its weights;
    the features get no gradient, so that $W_u$ counts twice.

    Args:
        network: of one tree a jet.
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
