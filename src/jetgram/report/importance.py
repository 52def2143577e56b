"""A jet as a model sees it: its tree, coloured by how much each node matters for the score."""

from __future__ import annotations

from typing import TYPE_CHECKING

from jetgram.display.page import draw_jet
from jetgram.models.importance import node_importance
from jetgram.models.model import JetModel
from jetgram.momenta import Jets

if TYPE_CHECKING:
    from matplotlib.figure import Figure

LABEL = "importance, relative to the jet's largest"


def draw_importance(model: JetModel, jet: Jets, number: int = 0, scale: str = "mass") -> Figure:
    """Draw one jet after the model's preprocessing beside its tree, dark where the score depends on a branch.

    Args:
        model: of one topology.
        jet: a single jet, as it was found.
        number: the jet's number in its dataset; for the headline.
        scale: the height of a branching: `mass`, `kt` or `angle`.
    """
    found = node_importance(model, jet, number)
    labels = {"label": jet.columns["label"]} if "label" in jet.columns else {}
    seen = Jets.from_lists([found.trees.momenta[found.trees.is_leaf]]).with_columns(**labels)
    return draw_jet(
        seen,
        0,
        found.trees.topology,
        scale=scale,
        seed=model.settings.tree_seed,
        colour=found.values / (found.values.max() or 1.0),
        colour_label=LABEL,
        number=number,
    )
