"""The frozen numbers of the published networks: scores, embeddings, loss and the gradient of every parameter."""

from __future__ import annotations

import functools
from collections.abc import Iterator

import numpy as np
import torch
from comparison import Golden, Part, Row, relative_row
from numpy.typing import NDArray

from jetgram import backend
from jetgram.engine.dispatch import EngineName
from jetgram.engine.schedule import Schedule
from jetgram.models.cells import CELLS
from jetgram.models.heads import Classifier
from jetgram.models.network import JetNetwork, TrainingStep, jet_classifier
from jetgram.ragged import offsets_of
from jetgram.trees.trees import Trees

TREES = ("n_leaves", "children_hardest_first", "node_momenta", "features", "center", "scale", "y")

# Each engine with the precisions it works in, and how close it must come; the native one only where it was built.
ENGINES: list[tuple[EngineName, type[np.floating], float]] = [("torch", np.float64, 1e-10), ("torch", np.float32, 1e-5)]
if backend.load()[0] is not None:
    ENGINES.append(("native", np.float32, 1e-5))


def published_names(cell: str) -> dict[str, str]:
    """The name in the file of each parameter of the network."""
    names = {f"embedding.cell.{name}": name for name in CELLS[cell].roles}
    for layer in range(len(Classifier(1).layers)):
        names[f"head.layers.{layer}.weight"] = f"W_clf{layer + 1}"
        names[f"head.layers.{layer}.bias"] = f"b_clf{layer + 1}"
    return names


def golden_schedule(golden: Golden, dtype: type[np.floating]) -> Schedule:
    """The trees of the file with their scaled features."""
    offsets = offsets_of(2 * golden["n_leaves"] - 1)
    trees = Trees(golden["node_momenta"], golden["children_hardest_first"].astype(np.int32), offsets)
    return Schedule.from_trees(trees, (golden["features"] - golden["center"]) / golden["scale"], dtype)


def golden_network(golden: Golden, cell: str, engine: EngineName, dtype: type[np.floating]) -> JetNetwork:
    """The network with the weights of the file."""
    hidden, features = golden[f"{cell}_param_W_u"].shape
    network = jet_classifier(cell, features, hidden, engine=engine).to(getattr(torch, dtype.__name__))
    names = published_names(cell)
    with torch.no_grad():
        for name, weight in network.named_parameters():
            weight.copy_(torch.from_numpy(golden[f"{cell}_param_{names[name]}"]).view(weight.shape))
    return network


def compare_network(
    golden: Golden, cell: str, engine: EngineName, dtype: type[np.floating], tolerance: float
) -> Iterator[Row]:
    """One cell by one engine in one precision."""
    label = f"{cell} {engine} {dtype.__name__}"
    nodes = (len(golden["node_momenta"]), golden[f"{cell}_param_W_u"].shape[1])
    if golden["features"].shape != nodes:
        yield relative_row(f"{label}: features", golden["features"], np.zeros(nodes), tolerance)
        return
    trees = golden_schedule(golden, dtype)
    network = golden_network(golden, cell, engine, dtype)
    step = TrainingStep(network)

    def row(quantity: str, found: NDArray[np.floating], name: str) -> Row:
        expected = golden[f"{cell}_{name}"]
        return relative_row(f"{label}: {quantity}", found.reshape(expected.shape), expected, tolerance)

    yield row("loss", np.array(step(trees, None, golden["y"])), "loss")
    yield row("scores", 1 / (1 + np.exp(-network.predict(trees))), "score")
    yield row("embeddings", network.embedding(trees).detach().numpy(), "embedding")
    names = published_names(cell)
    for name, weight in network.named_parameters():
        assert weight.grad is not None
        yield row(f"dL/d{names[name]}", weight.grad.numpy(), f"grad_{names[name]}")


def _part(cell: str, engine: EngineName, dtype: type[np.floating], tolerance: float) -> Part:
    kinds = ("param", "grad")
    needs = tuple(f"{cell}_{kind}_{name}" for kind in kinds for name in published_names(cell).values())
    return Part(
        f"{cell} by the {engine} engine",
        (*TREES, f"{cell}_loss", f"{cell}_score", f"{cell}_embedding", *needs),
        functools.partial(compare_network, cell=cell, engine=engine, dtype=dtype, tolerance=tolerance),
    )


PARTS = tuple(_part(cell, *engine) for cell in CELLS for engine in ENGINES)
