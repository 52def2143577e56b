"""The jet explorer: pick a jet, switch the topology, and see which branches and particles matter to a network."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from html import escape
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from jetgram.classes import CLASSES, NO_LABEL, class_name
from jetgram.evaluation.scores import Scores
from jetgram.evaluation.selection import Window
from jetgram.joining import concatenate
from jetgram.models.model import JetModel
from jetgram.momenta import Jets
from jetgram.plots.layout import FOOT, SCALES
from jetgram.report.explorer_data import Catalogue, catalogue_jets
from jetgram.report.html import asset, embedded_json
from jetgram.storage.dataset import Dataset
from jetgram.trees.topologies import TOPOLOGIES

OF_LABEL = ("label", CLASSES)  # the column of the class, and the words for its numbers
SHADES = 9  # colours between which the page interpolates


def explorer(
    jets: Jets,
    models: Mapping[str, JetModel],
    scores: Mapping[str, ArrayLike],
    numbers: Sequence[int] | None = None,
    topologies: Sequence[str] = tuple(TOPOLOGIES),
    classes: Sequence[str] | None = None,
) -> str:
    """Jets to explore: a list, the tree in each topology, and the constituents next to it.

    Nodes are coloured by their importance (`jetgram.models.importance.node_importance`) for a model that reads the
    topology, or by their fraction of the jet's pT where there is none; the legend says which.

    Args:
        jets: two dozen or so: a jet of sixty constituents takes some 20 kB in six topologies.
        models: by name; those that do not read single trees are only asked for their preprocessing.
        scores: of the jets, by the name of the model, each `(jets,)`; the list shows those of the model in view.
        numbers: of the jets in their dataset; 0, 1, 2, ... by default.
        topologies: those to switch between.
        classes: the class of each jet, in words; by default what the column `label` says.

    Returns:
        HTML for `jetgram.report.html.section`; one on a page.
    """
    catalogue = Catalogue.of(models, topologies)
    data = {
        "topologies": [
            {"name": name, "title": TOPOLOGIES[name].title, "colourings": catalogue.colourings(name)}
            for name in topologies
        ],
        "start": catalogue.start,
        "foot": FOOT,
        "scale": SCALES["mass"][1],
        "frames": catalogue.frames,
        "shades": _shades(),
        "jets": catalogue_jets(
            catalogue,
            jets,
            scores,
            range(len(jets)) if numbers is None else numbers,
            _in_words(jets, *OF_LABEL) if classes is None else classes,
        ),
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
    dataset: Dataset,
    models: Mapping[str, JetModel],
    scores: Mapping[str, Scores],
    window: Window,
    classes: tuple[str, Sequence[str]] = OF_LABEL,
) -> str:
    """Test jets of a dataset to explore, of both classes, from the most to the least signal-like.

    Args:
        dataset: of jets.
        models: by name.
        scores: of the test split, by the name of the model; the first one's decide which jets are taken.
        window: the jets to take them from.
        classes: the column of the class, and the words for its numbers.

    Returns:
        HTML for `jetgram.report.html.section`; one on a page.
    """
    first = next(iter(scores.values()))
    inside = np.flatnonzero(window.contains(first.pt, first.mass))
    chosen = inside[choose_jets(first[inside])]
    numbers = first.jet[chosen]
    jets = numbered_jets(dataset, numbers)
    column, words = classes
    return explorer(
        jets,
        models,
        {name: each.score[chosen] for name, each in scores.items()},
        numbers.tolist(),
        classes=_in_words(jets, column, words),
    )


def _in_words(jets: Jets, column: str, words: Sequence[str]) -> list[str]:
    """The class of each jet, from a column with the numbers of classes."""
    labels = jets.columns.get(column, np.full(len(jets), NO_LABEL)).astype(np.int64).tolist()
    return [class_name(label, words) for label in labels]


def numbered_jets(dataset: Dataset, numbers: NDArray[np.int64]) -> Jets:
    """The jets of the test split with these numbers, in this order; each shard is read at most once."""
    parts, places, first = [], [], 0
    for shard in dataset.shards("test"):
        inside = np.flatnonzero((numbers >= first) & (numbers < first + shard.rows))
        if len(inside):
            rows = dataset.read_shard(shard)
            parts.append(rows[numbers[inside] - first])
            places.append(inside)
        first += shard.rows
    jets = concatenate(parts)[np.argsort(np.concatenate(places))]
    assert isinstance(jets, Jets)
    return jets


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

    from jetgram.plots.style import colour_scale

    def pick(colours: Any, low: float, high: float) -> list[str]:
        return [to_hex(colours(value)) for value in np.linspace(low, high, SHADES)]

    light = colour_scale(np.ones(1))[0]
    return {"light": pick(light, 0.0, 1.0), "dark": pick(matplotlib.colormaps["magma"], 0.34, 0.98)}
