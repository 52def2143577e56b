"""The jet explorer: pick a jet, switch the topology, and see which branches and particles a network listens to."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from html import escape
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from jetgram.display.layout import FOOT, SCALES
from jetgram.evaluation.scores import Scores
from jetgram.evaluation.selection import Window
from jetgram.models.model import JetModel
from jetgram.momenta import Jets, concatenate
from jetgram.report.explorer_data import Catalogue, catalogue_jets
from jetgram.report.html import asset, embedded_json
from jetgram.storage.dataset import Dataset
from jetgram.trees.topologies import TOPOLOGIES

SHADES = 9  # colours between which the page interpolates


def explorer(
    jets: Jets,
    models: Mapping[str, JetModel],
    scores: Mapping[str, ArrayLike],
    numbers: Sequence[int] | None = None,
    topologies: Sequence[str] = tuple(TOPOLOGIES),
) -> str:
    """Jets to explore: a list, the tree in each topology, and the constituents beside it.

    Nodes are coloured by their importance (`jetgram.models.importance.node_importance`) for a model that reads the
    topology, or by their share of the jet's pT where there is none; the legend says which.

    Args:
        jets: two dozen or so: a jet of sixty constituents takes some 20 kB in six topologies.
        models: by name; those that do not read single trees are only asked for their preprocessing.
        scores: of the jets, by the name of the model, each `(jets,)`; the list shows those of the model in view.
        numbers: of the jets in their dataset; 0, 1, 2, ... by default.
        topologies: those to switch between.

    Returns:
        HTML for `jetgram.report.html.section`; one on a page.
    """
    catalogue = Catalogue.of(models, topologies)
    data = {
        "topologies": [
            {"name": name, "title": TOPOLOGIES[name].title, "colourings": catalogue.colourings(name)}
            for name in topologies
        ],
        "foot": FOOT,
        "scale": SCALES["mass"][1],
        "shades": _shades(),
        "jets": catalogue_jets(catalogue, jets, scores, range(len(jets)) if numbers is None else numbers),
    }
    switches = "".join(
        f'<label><input type="radio" name="topology" value="{i}"><span>{escape(TOPOLOGIES[name].title)}</span></label>'
        for i, name in enumerate(topologies)
    )
    frame = asset("explorer.html")
    return frame.replace("<!-- topologies -->", switches).replace(
        "<!-- data -->", embedded_json(json.dumps(data, separators=(",", ":")))
    )


def explore_dataset(
    dataset: Dataset, models: Mapping[str, JetModel], scores: Mapping[str, Scores], window: Window
) -> str:
    """Test jets of a dataset to explore, of both classes, from the most to the least signal-like.

    Args:
        dataset: of jets.
        models: by name.
        scores: of the test split, by the name of the model; the first one's decide which jets are taken.
        window: the jets to take them from.

    Returns:
        HTML for `jetgram.report.html.section`; one on a page.
    """
    first = next(iter(scores.values()))
    inside = np.flatnonzero(window.contains(first.pt, first.mass))
    chosen = inside[choose_jets(first[inside])]
    numbers = first.jet[chosen].tolist()
    jets = [jet for number in numbers if isinstance(jet := dataset.row(number, "test"), Jets)]
    return explorer(concatenate(jets), models, {name: each.score[chosen] for name, each in scores.items()}, numbers)


def choose_jets(scores: Scores, count: int = 24) -> NDArray[np.int64]:
    """Jets to explore, as positions in the scores: half of each class, from the most to the least signal-like.

    Example:
        >>> pt, mass = np.full(5, 270.0), np.full(5, 80.0)
        >>> toy = Scores.create({"score": [0.9, 0.1, 0.5, 0.4, 0.6]}, [1, 1, 1, 0, 0], pt, mass)
        >>> choose_jets(toy, 4)
        array([0, 4, 3, 1])
    """
    chosen = []
    for label in (1, 0):
        members = np.flatnonzero(scores.label == label)
        ranked = members[np.argsort(-scores.score[members], kind="stable")]
        places = np.linspace(0, max(len(ranked) - 1, 0), min(count // 2, len(ranked)))
        chosen.append(ranked[places.round().astype(np.int64)])
    positions = np.concatenate(chosen)
    return positions[np.argsort(-scores.score[positions], kind="stable")]


def _shades() -> dict[str, list[str]]:
    """Colours from unimportant to important: dark on a light page, bright on a dark one."""
    import matplotlib
    from matplotlib.colors import to_hex

    from jetgram.display.style import colour_scale

    def pick(colours: Any, low: float, high: float) -> list[str]:
        return [to_hex(colours(value)) for value in np.linspace(low, high, SHADES)]

    light = colour_scale(np.ones(1))[0]
    return {"light": pick(light, 0.0, 1.0), "dark": pick(matplotlib.colormaps["magma"], 0.34, 0.98)}
