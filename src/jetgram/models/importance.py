r"""How much each node of a tree matters for the score.

$I_k = \lVert \partial f / \partial h_k \rVert_2$, the norm of the gradient of the output with respect to the state of
node $k$, is how fast the network's output $f$ (a classifier's logit) would change if the embedding $h_k$ of the branch
under the node were moved.
"""

from __future__ import annotations

import dataclasses

import numpy as np
import torch
from numpy.typing import NDArray

from jetgram.errors import SettingsError
from jetgram.inputs.schedule import Schedule, breadth_first
from jetgram.models.model import JetModel
from jetgram.momenta import Jets
from jetgram.networks.engine import torch_engine
from jetgram.networks.network import JetNetwork
from jetgram.networks.recursive import RecursiveEmbedding
from jetgram.trees.trees import Trees

Array = NDArray[np.float64]


@dataclasses.dataclass(frozen=True, eq=False)
class Importance:
    """Trees, as a model reads them, with the importance of their nodes.

    Args:
        trees: of the jets after the model's preprocessing.
        values: one per node, `(nodes,)`.
    """

    trees: Trees
    values: Array

    def __getitem__(self, jet: int) -> Importance:
        """One jet's tree and values."""
        first, end = self.trees.offsets[jet], self.trees.offsets[jet + 1]
        return Importance(self.trees[[jet]], self.values[first:end])


def node_importance(model: JetModel, jets: Jets, first_jet: int = 0) -> Importance:
    """The importance of every node of the jets' trees for a model's first output.

    Args:
        model: of one topology.
        jets: as they were found.
        first_jet: the number of the first jet, when `jets` is a batch out of more; for messages.

    Example:
        >>> from jetgram.kinematics import from_ptetaphim
        >>> from jetgram.models.settings import ModelSettings
        >>> jets = Jets.from_lists([from_ptetaphim([50.0, 40.0, 1.0], [0.0, 0.3, 0.2], [0.0, 0.1, 0.1])])
        >>> found = node_importance(JetModel.untrained(ModelSettings(), jets), jets)
        >>> found.values.shape, bool((found.values >= 0).all())
        ((5,), True)
    """
    settings = model.reading
    if len(settings.input.topologies) != 1:
        read = "+".join(settings.input.topologies) or "images"
        raise SettingsError(f"importance is of the nodes of one tree; this model reads {read}")
    trees, features = next(settings.tree_input.trees(jets, first_jet))
    schedule = Schedule.from_trees(trees, features).scaled(model.scaler)
    order, _ = breadth_first(trees)
    values = np.empty(len(order))
    values[order] = _gradient_norms(model.network, schedule)
    return Importance(trees, values)


def _gradient_norms(network: JetNetwork, schedule: Schedule) -> Array:
    """The norm of the gradient of each row's state, `(rows,)`; jets do not mix, so that one backward pass is enough."""
    assert isinstance(network.embedding, RecursiveEmbedding)
    cell = network.embedding.cell
    weight = next(cell.parameters())
    shift = weight.new_zeros(len(schedule.inner), cell.hidden, requires_grad=True)
    outputs = network.head(torch_engine.embed(cell, schedule, shift=shift, readout=network.embedding.readout))
    (gradient,) = torch.autograd.grad(outputs[:, 0].sum(), shift)
    norms: Array = gradient.norm(dim=1).double().cpu().numpy()
    return norms
