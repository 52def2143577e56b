"""The card of a model for people, `model.md`: what it reads and gives, what it learned from, how to use it, its limits.

All of it follows from `model.json`, so that the same training gives the same page, and the page can be edited or lost
without harm to the model.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import torch

from jetgram.inputs.trees import TreeInput
from jetgram.models.card import ModelCard
from jetgram.models.settings import ModelSettings
from jetgram.networks.families import RecursiveSettings
from jetgram.networks.network import JetNetwork
from jetgram.registry import registered_names
from jetgram.trees.features import FEATURE_SETS

PAGE = "model.md"
IN_MEMORY = "a model in memory"
FEW_JETS = 10_000  # with these the paper's network has an AUC of 0.904, with ten times as many 0.919
_PYTHON = {  # by what is read, and whether it is classified
    ("jets", True): ("JetTagger", "predict_proba"),
    ("jets", False): ("JetRegressor", "predict"),
    ("events", True): ("EventTagger", "predict_proba"),
    ("events", False): ("EventRegressor", "predict"),
}

Rows = Iterable[tuple[str, object]]


def card_page(card: ModelCard) -> str:
    """The page in Markdown.

    Args:
        card: of the model.
    """
    settings = ModelSettings.create(**card.settings)
    sections = {
        "What it reads": _table(_reads(settings)),
        "What it gives": _table(_gives(settings)),
        "What it learned from": _table(_data(card, settings)) + _table(_recipe(card)),
        "On validation jets": _metrics(card),
        "How to use it": _use(settings),
        "Limits": "".join(f"- {limit}\n" for limit in _limits(card, settings)) + "\n",
    }
    body = "".join(f"## {title}\n\n{text}" for title, text in sections.items() if text)
    versions = ", ".join(f"{name} {number}" for name, number in card.versions.items())
    return f"# {_plain(settings.title)}\n\n{body}---\n\nDigest of the model: `{card.digest}`. Made with {versions}.\n"


def _reads(settings: ModelSettings) -> Rows:
    read = settings.input
    yield settings.rows, "lists of constituents (px, py, pz, E) in GeV, as found in the detector"
    if read.particle_columns:
        yield "columns of constituents", ", ".join(read.particle_columns)
    values = read.flat()
    if values.get("preprocess"):
        yield "frame", "the model itself rotates, boosts and reflects each jet into the frame of its subjets"
    if values.get("trim") is not None:
        yield "trimming", f"subjets with less than {values['trim']:g} of the jet's pT are dropped"
    if read.topologies:
        yield "trees", ", ".join(read.topologies)
    columns = read.columns
    yield "features", ", ".join(columns) if len(columns) <= 40 else f"{len(columns)} numbers"


def _gives(settings: ModelSettings) -> Rows:
    network = _network(settings)
    yield "network", f"{settings.title}, {sum(weight.numel() for weight in network.parameters()):,} parameters"
    yield settings.head.kind, ", ".join(network.head.names)
    labels = settings.head.labels
    if labels:
        first, *others = ("background (0)", "signal (1)") if labels == (0, 1) else labels
        yield "classes", f"{', '.join(map(str, others))} against {first}"


def _network(settings: ModelSettings) -> JetNetwork:
    with torch.device("meta"):  # shapes without memory
        return settings.build()


def _data(card: ModelCard, settings: ModelSettings) -> Rows:
    names = {
        "dataset": "dataset",
        "split": "split",
        "level": "level",
        settings.rows: settings.rows,
        "training": f"{settings.rows} to learn from",
        "validation": f"{settings.rows} that chose the best epoch",
        "validation_split": "their split",
        "without_target": f"{settings.rows} without target",
        "digest": "digest of the data",
    }
    for name, title in names.items():
        if name in card.data:
            value = card.data[name]
            yield title, f"{value:,}" if isinstance(value, int) else value
    yield from _origins(card)


def _origins(card: ModelCard) -> Rows:
    """The models behind the training."""
    start, teachers = card.data.get("start_from"), card.data.get("teacher")
    if start is not None:
        yield "the model it began with", start or IN_MEMORY
    if teachers is not None:
        yield "its teachers", ", ".join(digest or IN_MEMORY for digest in teachers)


def _recipe(card: ModelCard) -> Rows:
    shown = ("seed", "epochs", "batch", "rate", "class_weight", "weight", "most")
    for name in shown:
        if card.training is not None and card.training.get(name) is not None:
            yield name.replace("_", " "), card.training[name]


def _metrics(card: ModelCard) -> str:
    rows = [(name.replace("_", " "), f"{value:.4g}") for name, value in card.metrics.items() if _is_number(value)]
    if not rows:
        return ""
    return f"{_table(rows)}These jets chose the best epoch: a test sample is judged with `jetgram evaluate`.\n\n"


def _use(settings: ModelSettings) -> str:
    estimator, verb = _PYTHON[settings.rows, bool(settings.head.labels)]
    rows, one_output = settings.rows, len(_network(settings).head.names) == 1
    python = f'import jetgram\n\n{rows} = jetgram.read("{rows}.parquet")  # or any other layout\n'
    python += f'scores = jetgram.{estimator}.load("model").{verb}({rows})\n'
    shell = "jetgram predict model DATASET --out scores.parquet\njetgram export model --onnx model.onnx\n"
    parts = [
        "Here `model` is the folder of this file.",
        f"```python\n{python}```",
        f"```sh\n{shell}```",
        "`model.onnx` holds the network and the scaling; `model.preprocess.json` next to it names what it reads.",
    ]
    if runs_in_cpp(settings):
        answer = "double score = tagger.score(jet)" if one_output else "std::vector<double> all = tagger.outputs(jets)"
        cpp = f'const jetgram::Tagger tagger("model");\nconst {answer};\n'
        parts += ["In C++, with `find_package(jetgram)`:", f"```cpp\n#include <jetgram/tagger.hpp>\n\n{cpp}```"]
    return "\n\n".join(parts) + "\n\n"


def runs_in_cpp(settings: ModelSettings) -> bool:
    """Whether the C++ library scores with such a model: trees of constituents, and nothing that was registered.

    Example:
        >>> runs_in_cpp(ModelSettings()), runs_in_cpp(ModelSettings(event="jets"))
        (True, False)
    """
    read = settings.input
    if not (isinstance(read, TreeInput) and isinstance(settings.network, RecursiveSettings)):
        return False
    own = registered_names()
    return read.features in FEATURE_SETS and own.isdisjoint({*read.topologies, read.features, settings.network.cell})


def _limits(card: ModelCard, settings: ModelSettings) -> Iterable[str]:
    rows = settings.rows
    stopped = card.metrics.get("stopped")
    if stopped:
        yield f"The training did not end: {_plain(stopped)}. The weights are those of its best epoch."
    found = card.data.get("training", card.data.get(rows))
    if card.training is None:
        yield "The weights are not those of a training."
    elif found is not None and found < FEW_JETS:
        yield f"It learned from {found:,} {rows}: enough to try it, hardly enough to rely on it."
    yield f"It knows {rows} like those of its training data: the same pT, detector, algorithm and radius."
    if settings.head.labels:
        yield "Probabilities assume the mixture of classes of the training data."
    yield f"Unphysical {rows} (NaN, E < |p|, no constituents) are errors; there is never a NaN score."
    if not runs_in_cpp(settings):
        yield "The C++ library does not read such a model; ONNX runtimes do."


def _table(rows: Rows) -> str:
    lines = [f"| {_plain(name)} | {_plain(value)} |\n" for name, value in rows]
    return "".join(["| | |\n", "|---|---|\n", *lines, "\n"]) if lines else ""


def _plain(text: object) -> str:
    """In one line, without what would end the cell of a table or begin something else."""
    line = " ".join(str(text).split())
    return "".join(f"\\{letter}" if letter in "\\|<`*[" else letter for letter in line)


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float)
