"""`model.onnx`: one file that scores any jet or event, and `model.preprocess.json` next to it: what it reads.

The graph takes features as `jetgram` computes them and scales them itself. Trees come level by level: the roots of all
jets, then their children in pairs (left, right), and so on down; see `onnx_inputs`.
"""

from __future__ import annotations

import functools
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from torch import nn

import jetgram
from jetgram.errors import SettingsError
from jetgram.export.description import describe
from jetgram.export.graph import FLOAT, OPSET, Graph
from jetgram.export.networks import add_gru, add_head, add_image, add_trees
from jetgram.extras import needed_for
from jetgram.inputs.images import ALL_PIXELS, SparseImages
from jetgram.inputs.representation import Representation
from jetgram.inputs.scaler import Scaler
from jetgram.inputs.schedule import Schedule
from jetgram.inputs.sequences import COLUMNS, EventSchedule
from jetgram.models.model import JetModel
from jetgram.models.settings import ModelSettings
from jetgram.momenta import Momenta
from jetgram.networks.events import EventEmbedding
from jetgram.networks.maxout import ImageEmbedding
from jetgram.networks.network import JetNetwork
from jetgram.networks.recursive import Embedding, RecursiveEmbedding, StereoEmbedding
from jetgram.storage.atomic import write_bytes

with needed_for("ONNX"):
    import onnx
    from onnx import TensorProto, helper

IR_VERSION = 9  # that of the opset's time
PREPROCESS = ".preprocess.json"
OUTPUT = "scores"
NO_FORM = "has no ONNX form; recursive networks, MaxOut and networks of events have one"


def export_onnx(model: JetModel, path: Path | str) -> Path:
    """Write a model as ONNX, and next to `model.onnx` a description `model.preprocess.json`; returns the path.

    Args:
        model: of jets or events.
        path: of the file, such as `model.onnx`.
    """
    graph = Graph()
    inputs: dict[str, tuple[int, list[str | int]]] = {}
    found = _embedded(model.title, model.network, graph, model.scaler, inputs)
    graph.nodes.append(helper.make_node("Identity", [add_head(graph, model.network.head, found)], [OUTPUT]))
    head = model.network.head
    proto = helper.make_graph(
        graph.nodes,
        "jetgram",
        [helper.make_tensor_value_info(name, kind, shape) for name, (kind, shape) in inputs.items()],
        [helper.make_tensor_value_info(OUTPUT, FLOAT, ["rows", head.outputs])],
        graph.constants,
    )
    file = helper.make_model(proto, opset_imports=[helper.make_opsetid("", OPSET)], producer_name="jetgram")
    file.ir_version, file.producer_version = IR_VERSION, jetgram.__version__
    file.doc_string = model.title
    onnx.checker.check_model(file, full_check=True)
    path = Path(path)
    write_bytes(path, file.SerializeToString())
    description = json.dumps(describe(model, inputs, OUTPUT), indent=2) + "\n"
    write_bytes(description_of(path), description.encode())
    return path


def description_of(path: Path) -> Path:
    """The file next to `tagger.onnx` that says what it reads: `tagger.preprocess.json`."""
    return path.with_suffix(PREPROCESS)


def require_onnx(settings: ModelSettings) -> None:
    """Raise a `SettingsError` if a model with these settings has no ONNX form: to be asked before it is trained."""
    ones = np.ones(len(settings.input.columns))
    _embedded(settings.title, settings.build(), Graph(), Scaler(0 * ones, ones), {})


def _embedded(title: str, network: JetNetwork, graph: Graph, scaler: Scaler, inputs: dict[str, Any]) -> str:
    """The operators of a network's embedding; an error names the model."""
    try:
        return _add_embedding(network.embedding, graph, scaler, inputs)
    except SettingsError as error:
        raise SettingsError(f"{title}: {error}") from None


def onnx_inputs(model: JetModel, rows: Momenta) -> dict[str, NDArray[Any]]:
    """What the exported model is to be given for jets or events: arrays by the names of its inputs.

    Args:
        model: that was exported.
        rows: `Jets` as they were found, or `Events`.
    """
    return _arrays(model.reading.read(rows).inputs)


@functools.singledispatch
def _arrays(inputs: Representation) -> dict[str, NDArray[Any]]:
    """What the exported model reads of a representation; a new one has a function of its own here."""
    raise SettingsError(f"what this model reads {NO_FORM}")


@_arrays.register
def _(inputs: SparseImages) -> dict[str, NDArray[Any]]:
    return {"pixels": inputs.dense().reshape(len(inputs), -1)}


@_arrays.register
def _(inputs: EventSchedule) -> dict[str, NDArray[Any]]:
    trees = _arrays(inputs.trees) if inputs.trees is not None else {}
    return {"momenta": inputs.momenta.astype(np.float32), "order": _reading_order(inputs), **trees}


@_arrays.register
def _(inputs: Schedule) -> dict[str, NDArray[Any]]:
    arrays = {}
    for number, view in enumerate(inputs.views):
        levels = list(view.levels())
        order = np.concatenate([level.rows for level in levels]) if levels else np.zeros(0, dtype=np.int64)
        ending = f"_{number}" if number else ""
        arrays["features" + ending] = view.features[order]
        arrays["inner" + ending] = view.inner[order]
        arrays["levels" + ending] = np.array([len(level.rows) for level in levels] or [0], dtype=np.int64)
    return arrays


def _reading_order(events: EventSchedule) -> NDArray[np.int64]:
    """The jet that each event reads at each step, the hardest last, `(events, steps)`; -1 for none."""
    counts = np.diff(events.offsets)
    steps = int(counts.max(initial=0))
    rank = np.arange(steps)[::-1]
    order: NDArray[np.int64] = np.where(rank < counts[:, None], events.offsets[:-1, None] + rank, -1)
    return order


@functools.singledispatch
def _add_embedding(embedding: Embedding, graph: Graph, scaler: Scaler, inputs: dict[str, Any]) -> str:
    """The operators of an embedding; the inputs that they read are added to `inputs`."""
    raise SettingsError(f"this network {NO_FORM}")


@_add_embedding.register
def _(embedding: ImageEmbedding, graph: Graph, scaler: Scaler, inputs: dict[str, Any]) -> str:
    inputs["pixels"] = (FLOAT, ["rows", ALL_PIXELS])
    return add_image(graph, embedding, _scaled(graph, "pixels", scaler))


@_add_embedding.register
def _(embedding: EventEmbedding, graph: Graph, scaler: Scaler, inputs: dict[str, Any]) -> str:
    inputs["momenta"] = (FLOAT, ["jets", len(COLUMNS)])
    inputs["order"] = (TensorProto.INT64, ["rows", "steps"])
    x = _scaled(graph, "momenta", scaler[-len(COLUMNS) :])
    if embedding.jets is not None:
        jets = _add_embedding(embedding.jets, graph, scaler[: -len(COLUMNS)], inputs)
        x = graph.add("Concat", x, jets, axis=1)
    return add_gru(graph, embedding.gru, x, "order")


@_add_embedding.register
def _(embedding: RecursiveEmbedding, graph: Graph, scaler: Scaler, inputs: dict[str, Any]) -> str:
    return _add_trees([embedding], graph, scaler, inputs)


@_add_embedding.register
def _(embedding: StereoEmbedding, graph: Graph, scaler: Scaler, inputs: dict[str, Any]) -> str:
    return _add_trees(list(embedding.parts), graph, scaler, inputs)


def _add_trees(parts: Sequence[nn.Module], graph: Graph, scaler: Scaler, inputs: dict[str, Any]) -> str:
    """The embeddings of one tree of each jet, or of several side by side."""
    found = []
    for number, part in enumerate(parts):
        if not isinstance(part, RecursiveEmbedding):
            raise SettingsError(f"this network {NO_FORM}")
        ending = f"_{number}" if number else ""
        features, inner, levels = (name + ending for name in ("features", "inner", "levels"))
        inputs[features] = (FLOAT, ["nodes" + ending, part.cell.features])
        inputs[inner] = (TensorProto.BOOL, ["nodes" + ending])
        inputs[levels] = (TensorProto.INT64, ["levels" + ending])
        scaled = _scaled(graph, features, scaler)
        found.append(add_trees(graph, part, scaled, inner, levels, f"level{ending}"))
    return found[0] if len(found) == 1 else str(graph.add("Concat", *found, axis=1))


def _scaled(graph: Graph, x: str, scaler: Scaler) -> str:
    """The columns as the network reads them; see `jetgram.inputs.scaler`."""
    centred = graph.add("Sub", x, graph.constant(scaler.center))
    scaled = graph.add("Div", centred, graph.constant(scaler.scale))
    if not np.isfinite(scaler.limit).any():
        return str(scaled)
    there = graph.add("Where", graph.add("IsNaN", scaled), graph.constant(0.0), scaled)
    below = graph.add("Min", there, graph.constant(scaler.limit))
    return str(graph.add("Max", below, graph.constant(-scaler.limit)))
