"""What the jet explorer shows, as numbers: trees with their layout, and the importance of their nodes.

A *reading* is how a jet becomes a tree: constituents or pixels, preprocessing, trimming, topology and the seed of
random trees. Models that read alike share its trees. Leaves are stored once for all trees over the same constituents.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from jetgram import kinematics
from jetgram.errors import SettingsError
from jetgram.inputs.trees import AnyTreeInput
from jetgram.models.importance import node_importance
from jetgram.models.model import JetModel
from jetgram.models.settings import ModelSettings
from jetgram.momenta import Jets
from jetgram.networks.recursive import RecursiveEmbedding
from jetgram.plots.jet import unrolled_phi
from jetgram.plots.layout import (
    axis_limits,
    axis_ticks,
    heights,
    horizontal_positions,
    scale_height,
    splitting_scales,
)
from jetgram.trees.topologies import find_topology
from jetgram.trees.trees import Trees

Array = NDArray[np.float64]

DIGITS = 4  # significant ones of momenta


def _reading(settings: ModelSettings, topology: str | None = None) -> AnyTreeInput:
    """How a jet becomes a tree: as the settings say, or the same with another topology."""
    read = settings.input.tree_input or settings.tree_input  # the latter raises
    features = read.features if read.feature_set.clean else "paper"  # others have the same trees
    return read.model_copy(update={"topology": topology or read.topology, "features": features})


def _frame(reading: AnyTreeInput) -> AnyTreeInput:
    """Readings of one frame have the same leaves."""
    return reading.model_copy(update={"topology": "kt", "tree_seed": 0})


def describe_leaves(reading: AnyTreeInput) -> str:
    """What is done to a jet before its constituents are the leaves of a tree, in words.

    Example:
        >>> describe_leaves(ModelSettings(trim=0.05).tree_input)
        'trimmed, boosted, rotated and reflected'
        >>> describe_leaves(ModelSettings(preprocess=False).tree_input)
        'as found'
    """
    steps = list(reading.leaf_steps)
    return " and ".join([", ".join(steps[:-1]), steps[-1]] if len(steps) > 1 else steps) or "as found"


def has_importance(model: JetModel) -> bool:
    """Whether the nodes of a model's trees have an importance: it reads jets, each as one tree."""
    return isinstance(model.network.embedding, RecursiveEmbedding) and len(model.reading.input.topologies) == 1


@dataclasses.dataclass(frozen=True)
class Catalogue:
    """What can be shown of each jet.

    Args:
        topologies: in the order of the switch.
        readings: the trees of each jet.
        models: whose importance is known, each with its reading.
    """

    topologies: Sequence[str]
    readings: Sequence[AnyTreeInput]
    models: Mapping[str, JetModel]

    @classmethod
    def of(cls, models: Mapping[str, JetModel], topologies: Sequence[str]) -> Catalogue:
        """The trees that the models read; of topologies that none reads, trees over the first model's leaves."""
        for name in topologies:
            find_topology(name)
        if not topologies:
            raise SettingsError("no topologies to explore; expected one or more")
        shown = {name: each for name, each in models.items() if has_importance(each)}
        shown = {name: each for name, each in shown.items() if each.reading.tree_input.topology in topologies}
        lent = [each.reading for each in (*shown.values(), *models.values()) if each.reading.input.topologies]
        default = lent[0] if lent else ModelSettings(preprocess=False)
        readings = [_reading(each.reading) for each in shown.values()]
        read = {reading.topology for reading in readings}
        readings += [_reading(default, name) for name in topologies if name not in read]
        return cls(topologies, list(dict.fromkeys(readings)), shown)

    def colourings(self, topology: str) -> list[dict[str, Any]]:
        """Ways to colour the trees of a topology: by the importance for each model that reads it, then by pT."""
        trees = [i for i, reading in enumerate(self.readings) if reading.topology == topology]
        found: list[dict[str, Any]] = [
            {"model": name, "tree": self.readings.index(_reading(model.reading))}
            for name, model in self.models.items()
            if model.reading.tree_input.topology == topology
        ]
        return [*found, {"model": None, "tree": trees[0]}]

    @property
    def start(self) -> int:
        """The topology to begin with: that of the first model whose importance is known."""
        first = next(iter(self.models.values()), None)
        return 0 if first is None else self.topologies.index(first.reading.tree_input.topology)

    @property
    def frames(self) -> list[str]:
        """What is done to a jet before its constituents are the leaves, for each set of leaves, in words."""
        return [describe_leaves(frame) for frame in dict.fromkeys(map(_frame, self.readings))]

    def jet(self, jet: Jets) -> dict[str, Any]:
        """All trees of a single jet."""
        trees = [next(reading.trees(jet))[0] for reading in self.readings]
        limits = axis_limits(np.concatenate([splitting_scales(tree) for tree in trees]))
        frames = list(dict.fromkeys(_frame(reading) for reading in self.readings))
        leaves = {
            _frame(reading): tree.momenta[tree.is_leaf] for reading, tree in zip(self.readings, trees, strict=True)
        }
        ticks = axis_ticks(limits)[0]
        marks = zip(scale_height(ticks, limits), ticks, strict=True)
        return {
            "axis": [[_fixed(y, 3), f"{value:.3g}"] for y, value in marks],
            "frames": [_momenta(leaves[frame], unrolled_phi(leaves[frame])) for frame in frames],
            "trees": [
                {"frame": frames.index(_frame(reading)), **_tree(tree, limits)}
                for reading, tree in zip(self.readings, trees, strict=True)
            ],
        }


def catalogue_jets(
    catalogue: Catalogue,
    jets: Jets,
    scores: Mapping[str, ArrayLike],
    numbers: Sequence[int],
    classes: Sequence[str],
) -> list[dict[str, Any]]:
    """Each jet with what the list says of it and all that can be shown."""
    given = {name: np.asarray(values, dtype=np.float64) for name, values in scores.items()}
    for name, values in {**given, "numbers": np.asarray(numbers), "classes": np.asarray(classes)}.items():
        if values.shape != (len(jets),):
            raise SettingsError(f"{name} has shape {values.shape}; expected one value for each of {len(jets)} jets")
    importance = {name: _importance(model, jets) for name, model in catalogue.models.items()}
    return [
        {
            "number": int(number),
            "class": classes[i],
            "count": int(jets.multiplicity[i]),
            "pt": _fixed(jets.pt[i], 1),
            "mass": _fixed(jets.mass[i], 1),
            "scores": {name: _fixed(values[i], 4) for name, values in given.items()},
            **catalogue.jet(jets[[i]]),
            "importance": {name: values[i] for name, values in importance.items()},
        }
        for i, number in enumerate(numbers)
    ]


def _tree(tree: Trees, limits: tuple[float, float]) -> dict[str, Any]:
    inner = ~tree.is_leaf
    x = horizontal_positions(tree.children)
    y = heights(tree.is_leaf, splitting_scales(tree), limits)
    momenta = tree.momenta[inner]
    return {
        "children": tree.children[inner].reshape(-1).tolist(),
        "x": [_fixed(value, 2) for value in x],
        "y": [_fixed(value, 3) for value in y[inner]],
        **_momenta(momenta, kinematics.phi(momenta)),
    }


def _importance(model: JetModel, jets: Jets) -> list[list[int]]:
    """Of each jet's nodes relative to the largest in the jet, in thousandths."""
    together = node_importance(model, jets)
    found = np.split(together.values, together.trees.offsets[1:-1])
    return [[round(1000 * value) for value in (values / (values.max() or 1.0)).tolist()] for values in found]


def _momenta(momenta: Array, phi: Array) -> dict[str, list[float]]:
    """pT, eta, phi and mass; the browser finds the energy from them."""
    return {
        "pt": [float(f"{value:.{DIGITS}g}") for value in kinematics.pt(momenta).tolist()],
        "eta": [_fixed(value, 3) for value in kinematics.eta(momenta)],
        "phi": [_fixed(value, 3) for value in phi],
        "m": [float(f"{value:.{DIGITS}g}") for value in kinematics.mass(momenta).tolist()],
    }


def _fixed(value: float, decimals: int) -> float | int:
    """A number with few decimals, as an integer where there are none: `1` is shorter than `1.0`."""
    number = round(float(value), decimals)
    return int(number) if number.is_integer() else number
