r"""Which jet of an event, and which node of its tree, matters for the score.

$\lVert \partial f / \partial x_j \rVert_2$ is how fast the network's output $f$ (a classifier's logit) would change if
what the recurrent unit reads of jet $j$ were moved, its scaled momentum and its embedding; with the nodes' states in
the place of $x_j$ it is the same for every branching.
"""

from __future__ import annotations

import dataclasses

import numpy as np
import torch
from numpy.typing import NDArray

from jetgram.errors import SettingsError
from jetgram.inputs.events import EventJetsInput, jet_columns
from jetgram.inputs.schedule import Schedule, breadth_first
from jetgram.inputs.sequences import COLUMNS
from jetgram.models.model import JetModel
from jetgram.momenta import Events, Jets
from jetgram.networks.engine import torch_engine
from jetgram.networks.events import EventEmbedding
from jetgram.networks.network import JetNetwork
from jetgram.networks.recursive import RecursiveEmbedding
from jetgram.trees.trees import Trees

Array = NDArray[np.float64]


@dataclasses.dataclass(frozen=True, eq=False)
class EventImportance:
    """The jets of an event, their trees as a model reads them, and how much they matter.

    Args:
        jets: as they were found, hardest first.
        trees: of these jets, after the model's preprocessing.
        of_jets: the importance of each jet, `(jets,)`.
        of_nodes: that of every node of their trees, `(nodes,)`.
    """

    jets: Jets
    trees: Trees
    of_jets: Array
    of_nodes: Array


def event_importance(model: JetModel, event: Events, number: int = 0) -> EventImportance:
    """The importance of the jets of one event, and of their nodes, for a model's first output.

    Args:
        model: of events, with the trees of one topology.
        event: a single one.
        number: of the event; for messages.

    Example:
        >>> from jetgram.kinematics import from_ptetaphim
        >>> from jetgram.models.settings import ModelSettings
        >>> event = Events.from_lists([from_ptetaphim([50.0, 40.0, 30.0], [0.0, 0.3, 0.2], [0.0, 0.1, 3.0])])
        >>> found = event_importance(JetModel.untrained(ModelSettings(event="jets"), event), event)
        >>> found.of_jets.shape, found.of_nodes.shape
        ((2,), (4,))
    """
    settings = model.reading
    read = settings.input
    if not isinstance(read, EventJetsInput) or len(read.topologies) > 1:
        raise SettingsError(f"importance is of jets with one tree each; this model reads {settings.title}")
    if len(event) != 1:
        raise SettingsError(f"importance is of one event at a time; found {len(event)}")
    jets, offsets = read.find(event, number)
    trees, features = next(read.jets.trees(jets))
    schedule = Schedule.from_trees(trees, features).scaled(model.scaler[: -len(COLUMNS)])
    momenta = model.scaler[-len(COLUMNS) :].transform(jet_columns(jets.total, offsets, number))
    of_jets, of_rows = _gradient_norms(model.network, schedule, momenta)
    order, _ = breadth_first(trees)
    of_nodes = np.empty(len(order))
    of_nodes[order] = of_rows
    return EventImportance(jets, trees, of_jets, of_nodes)


def _gradient_norms(network: JetNetwork, schedule: Schedule, momenta: NDArray[np.float32]) -> tuple[Array, Array]:
    """Norms of the gradients with respect to the inputs of each jet, `(jets,)`, and to each row's state, `(rows,)`."""
    embedding = network.embedding
    assert isinstance(embedding, EventEmbedding)
    assert isinstance(embedding.jets, RecursiveEmbedding)
    cell = embedding.jets.cell
    weight = next(cell.parameters())
    shift = weight.new_zeros(len(schedule.inner), cell.hidden, requires_grad=True)
    embedded = torch_engine.embed(cell, schedule, shift=shift, readout=embedding.jets.readout)
    x = torch.cat([torch.from_numpy(momenta).to(weight), embedded], dim=1)
    output = network.head(embedding.gru(x.flip(0), [1] * len(x)))[0, 0]  # softest first
    norms = [gradient.norm(dim=1).double().cpu().numpy() for gradient in torch.autograd.grad(output, (x, shift))]
    return norms[0], norms[1]
