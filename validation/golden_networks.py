"""The frozen numbers of the published networks: scores, embeddings, loss and the gradient of every parameter."""

from __future__ import annotations

import functools
from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
import torch
from comparison import Golden, Part, Row, relative_row
from numpy.typing import NDArray

from jetgram import backend
from jetgram.inputs.representation import Representation
from jetgram.inputs.schedule import Schedule
from jetgram.networks.cells import CELLS
from jetgram.networks.classification import Binary
from jetgram.networks.engine.capability import EngineName
from jetgram.networks.network import JetNetwork, TrainingStep, jet_classifier
from jetgram.ragged import offsets_of
from jetgram.trees.trees import Trees

TREES = ("n_leaves", "children_hardest_first", "node_momenta", "features", "center", "scale")

# Each engine with the precisions it works in, and how close it must come; the native one only where it was built.
ENGINES: list[tuple[EngineName, type[np.floating], float]] = [("torch", np.float64, 1e-10), ("torch", np.float32, 1e-5)]
if backend.load()[0] is not None:
    ENGINES.append(("native", np.float32, 1e-5))


def head_names() -> dict[str, str]:
    """The name in the file of each parameter of the head."""
    kinds = {"weight": "W", "bias": "b"}
    layers = range(len(Binary(1).layers))
    return {f"head.layers.{n}.{kind}": f"{kinds[kind]}_clf{n + 1}" for n in layers for kind in kinds}


def cell_names(cell: str, prefix: str = "embedding.cell") -> dict[str, str]:
    """The name in the file of each parameter of a cell."""
    return {f"{prefix}.{name}": name for name in CELLS[cell].roles}


class Published(NamedTuple):
    """A network of the file.

    Args:
        prefix: with which the names of its arrays begin.
        names: the name in the file of each parameter.
        y: the name of its labels.
    """

    prefix: str
    names: dict[str, str]
    y: str

    @property
    def needs(self) -> tuple[str, ...]:
        """All arrays that it is compared with, or needs for it."""
        weights = (f"{kind}_{name}" for kind in ("param", "grad") for name in self.names.values())
        return (*TREES, self.y, *(f"{self.prefix}_{name}" for name in ("loss", "score", "embedding", *weights)))

    def fill(self, network: JetNetwork, golden: Golden) -> None:
        """Give the network the weights of the file."""
        with torch.no_grad():
            for name, weight in network.named_parameters():
                weight.copy_(torch.from_numpy(golden[f"{self.prefix}_param_{self.names[name]}"]).view(weight.shape))

    def misshapen(self, golden: Golden, tolerance: float) -> list[Row]:
        """A failed row if the file's features cannot be those of its nodes: then nothing else can be compared."""
        nodes = (len(golden["node_momenta"]), golden[f"{self.prefix}_param_W_u"].shape[1])
        found = golden["features"]
        if found.shape == nodes:
            return []
        return [relative_row(f"{self.prefix}: features", found, np.zeros(nodes), tolerance)]

    def compare(
        self, golden: Golden, network: JetNetwork, inputs: Representation, how: str, tolerance: float
    ) -> Iterator[Row]:
        """Loss, scores, embeddings and all gradients."""

        def row(quantity: str, found: NDArray[np.floating], name: str) -> Row:
            expected = golden[f"{self.prefix}_{name}"]
            label = f"{self.prefix} {how}: {quantity}"
            return relative_row(label, found.reshape(expected.shape), expected, tolerance)

        yield row("loss", np.array(TrainingStep(network)(inputs, None, golden[self.y])), "loss")
        yield row("scores", 1 / (1 + np.exp(-network.predict(inputs))), "score")
        yield row("embeddings", network.embedding(inputs).detach().numpy(), "embedding")
        for name, weight in network.named_parameters():
            assert weight.grad is not None
            yield row(f"dL/d{self.names[name]}", weight.grad.numpy(), f"grad_{self.names[name]}")


CELLS_OF_THE_PAPER = ("simple", "gated")
JETS = {cell: Published(cell, cell_names(cell) | head_names(), "y") for cell in CELLS_OF_THE_PAPER}


def golden_schedule(golden: Golden, dtype: type[np.floating]) -> Schedule:
    """The trees of the file with their scaled features."""
    offsets = offsets_of(2 * golden["n_leaves"] - 1)
    trees = Trees(golden["node_momenta"], golden["children_hardest_first"].astype(np.int32), offsets)
    return Schedule.from_trees(trees, (golden["features"] - golden["center"]) / golden["scale"], dtype)


def compare_network(
    golden: Golden, cell: str, engine: EngineName, dtype: type[np.floating], tolerance: float
) -> Iterator[Row]:
    """One cell by one engine in one precision."""
    how = f"{engine} {dtype.__name__}"
    if broken := JETS[cell].misshapen(golden, tolerance):
        yield from broken
        return
    hidden, features = golden[f"{cell}_param_W_u"].shape
    network = jet_classifier(cell, features, hidden, engine=engine).to(getattr(torch, dtype.__name__))
    JETS[cell].fill(network, golden)
    yield from JETS[cell].compare(golden, network, golden_schedule(golden, dtype), how, tolerance)


def _part(cell: str, engine: EngineName, dtype: type[np.floating], tolerance: float) -> Part:
    return Part(
        f"{cell} by the {engine} engine",
        JETS[cell].needs,
        functools.partial(compare_network, cell=cell, engine=engine, dtype=dtype, tolerance=tolerance),
    )


PARTS = tuple(_part(cell, *engine) for cell in JETS for engine in ENGINES)
