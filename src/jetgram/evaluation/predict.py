"""Scores of a stored dataset by a trained model, shard by shard."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from jetgram import backend
from jetgram.classes import NO_LABEL, require_whole
from jetgram.errors import DatasetError, SettingsError, SuspiciousJetsWarning
from jetgram.evaluation.scores import Provenance, Scores, concatenate_scores
from jetgram.fanout import read_ahead
from jetgram.joining import chunks
from jetgram.models.ensemble import Scoring
from jetgram.models.model import CHUNK, JetModel
from jetgram.momenta import Events, Jets, Momenta
from jetgram.progress import Advance
from jetgram.ragged import offsets_of
from jetgram.storage.dataset import Dataset
from jetgram.storage.found_jets import with_found_jets
from jetgram.storage.sealed import digest_of
from jetgram.validity import NEEDED, require_good

Array = NDArray[np.float64]


def predict_dataset(
    model: Scoring,
    dataset: Dataset,
    split: str = "test",
    *,
    name: str = "",
    advance: Advance | None = None,
    change: Callable[[Jets, int], Jets] | None = None,
) -> Scores:
    """What a model says of the jets, or events, of a dataset; memory holds a few shards at a time.

    The pT and mass that windows and weights go by, next to the scores, are those of the jet as the network reads it:
    trimmed, in its own frame, or the sum of the pixels of its image. Of an event they are its hardest jet's, as found.

    Args:
        model: a classifier, whose `score` is the probability of signal (one per class, where there are several), or a
            regressor, or an `Ensemble`; on other trees or jets than those of its training with `JetModel.with_topology`
            and `JetModel.with_trim`.
        dataset: of what the model reads, jets or events.
        split: the split to score.
        name: of the model; by default what it reads, its cell and topology.
        advance: is told how many jets are scored since the last call.
        change: what is done to some jets, of which the first has the given number, before they are read. Only for a
            dataset of jets.
    """
    return predict_models([model], dataset, split, name=name, advance=advance, change=change)[0]


def predict_models(
    models: Sequence[Scoring],
    dataset: Dataset,
    split: str = "test",
    *,
    name: str = "",
    advance: Advance | None = None,
    change: Callable[[Jets, int], Jets] | None = None,
) -> list[Scores]:
    """What the seeds of one model say: the same as `predict_dataset` of each, but the dataset is read once.

    Jets are found in events and read once too, which takes longer than a network takes to score them.

    Args:
        models: at least one; all read jets, or events, alike.
        dataset: as for `predict_dataset`, like all that follows.
        split: the split to score.
        name: of the models.
        advance: is told how many jets are scored since the last call.
        change: what is done to jets before they are read.
    """
    parts = list(score_shards(models, dataset, split, name=name, advance=advance, change=change))
    return [concatenate_scores(of_model) for of_model in zip(*parts, strict=True)]


def score_shards(
    models: Sequence[Scoring],
    dataset: Dataset,
    split: str = "test",
    *,
    name: str = "",
    advance: Advance | None = None,
    change: Callable[[Jets, int], Jets] | None = None,
) -> Iterator[list[Scores]]:
    """What the models say of one shard after the other: for more scores than memory holds.

    Args:
        models: as for `predict_models`, like all that follows.
        dataset: of what the models read.
        split: the split to score.
        name: of the models.
        advance: is told how many jets are scored since the last call.
        change: what is done to jets before they are read.
    """
    first_model = models[0]
    if dataset.kind != first_model.settings.rows:
        raise DatasetError(f"{dataset.path} holds {dataset.kind}; this model scores {first_model.settings.rows}")
    warn_of_other_level(first_model, dataset)
    if change is not None:
        require_jets(dataset)
    if any(model.reading.reading != first_model.reading.reading for model in models):
        raise SettingsError(f"these models do not read {dataset.kind} alike; score them one by one")
    radius = first_model.settings.input.jet_radius
    shards = dataset.shards(split)
    firsts = offsets_of(np.array([shard.rows for shard in shards]))
    sources = [describe(model, dataset, split, name) for model in models]
    columns = _columns(models, dataset, split) if change is None else None  # a change may want any column
    renumbered = [_renumbering(model, dataset) for model in models]

    def score(number: int) -> list[Scores]:
        rows, first = dataset.read_shard(shards[number], columns, strict=False), int(firsts[number])
        require_good(rows, f"{dataset.path / shards[number].file}: {dataset.kind.removesuffix('s')}")
        seen: Momenta = rows
        if isinstance(rows, Jets) and change is not None:
            seen = change(rows, first)
        elif radius is not None and isinstance(rows, Events):
            seen = with_found_jets(dataset, shards[number], rows, radius)
        answers, pt, mass = _answers(models, seen, first, checked=seen is rows)
        return [
            Scores.from_rows(model.named(outputs), renumber(rows), pt, mass, source, first, _class_column(model))
            for model, outputs, source, renumber in zip(models, answers, sources, renumbered, strict=True)
        ]

    workers, numbers = backend.threads(), range(len(shards))
    for scores in read_ahead(score, numbers, workers) if workers > 1 else map(score, numbers):
        yield scores
        if advance:
            advance(len(scores[0]))


def _columns(models: Sequence[Scoring], dataset: Dataset, split: str) -> set[str]:
    """What the models and their scores need besides the momenta; labels and weights may be missing."""
    members = [member for model in models for member in model.members]
    read = {name for member in members for name in member.settings.input.particle_columns}
    if read and dataset.rows(split):
        first = dataset.row(0, split)
        for member in members:
            member.settings.input.require_particles(first)
    return {*NEEDED, *read, *map(_class_column, models)}


def _renumbering(model: Scoring, dataset: Dataset) -> Callable[[Momenta], Momenta]:
    """Gives rows the model's numbers of classes, by their names; -1 for those it does not know.

    Where it knows none of the names, they were given new ones for its training, and the numbers count.
    """
    known, column = model.settings.head.labels, _class_column(model)
    names = dataset.class_names(column)
    if not names or names == known or not set(names) & set(known):
        return lambda rows: rows
    strange = [name for name in names if name not in known]
    if strange:
        warnings.warn(
            f"{dataset.path} has the classes {', '.join(names)}, this model {', '.join(map(str, known))}: "
            f"{', '.join(strange)} counts as unknown",
            SuspiciousJetsWarning,
            stacklevel=3,
        )
    number = np.array([known.index(name) if name in known else NO_LABEL for name in names])

    def renumber(rows: Momenta) -> Momenta:
        label = rows.columns.get(column)
        if label is None:
            return rows
        require_whole(label, column, dataset.kind.removesuffix("s"))
        named = (label >= 0) & (label < len(number))
        return rows.with_columns(
            **{column: np.where(named, number[np.where(named, label, 0).astype(np.int64)], NO_LABEL)}
        )

    return renumber


def _class_column(model: Scoring) -> str:
    """The column with the classes: what a classifier learned, whatever its name."""
    return model.settings.head.label_column


def _answers(
    models: Sequence[Scoring], rows: Momenta, first: int, checked: bool = False
) -> tuple[list[Array], Array, Array]:
    """What each model says of the rows, `(rows, outputs)`, and pT and mass of what they read of them, `(rows,)`."""
    answers: list[list[Array]] = [[] for _ in models]
    kinematics = []
    alone = models[0] if len(models) == 1 and isinstance(models[0], JetModel) else None
    for begin, part in chunks(rows, CHUNK):
        reading = models[0].reading.read(part, first + begin, alone.scaler if alone else None, checked)
        kinematics.append(np.stack(reading.pt_and_mass))
        if alone:
            answers[0].append(alone.predict_scaled(reading.inputs, first + begin, part))
            continue
        for model, parts in zip(models, answers, strict=True):
            parts.append(model.predict_inputs(reading.inputs, first + begin, part))
    pt, mass = np.concatenate(kinematics, axis=1)
    return [np.concatenate(parts) for parts in answers], pt, mass


def require_jets(dataset: Dataset) -> None:
    """Raise a `DatasetError` if there are no jets to change: soft particles and splits have no meaning for an event."""
    if dataset.kind != "jets":
        raise DatasetError(
            f"{dataset.path} holds {dataset.kind}, but soft particles and collinear splits are put into jets; "
            "take a dataset of jets, such as those of `jetgram generate w-vs-qcd`, and a model that scores jets"
        )


def describe(model: Scoring, dataset: Dataset, split: str, name: str = "") -> Provenance:
    """Where the scores come from."""
    training = model.record.get("training") or {}
    trained = (model.record.get("data") or {}).get("level")
    other_level = {"level": f"{trained}, scored on {dataset.level}"} if _differ(trained, dataset.level) else {}
    return Provenance.of_dataset(
        dataset,
        split,
        name or model.title,
        rows=model.settings.rows,
        seed=training.get("seed"),
        model_digest=model.digest,
        training=training_digest(model),
        details={**model.other, **other_level},
    )


def training_digest(model: Scoring) -> str:
    """The digest of a model's settings, its training and its jets, of an ensemble those of all members; not of seeds.

    Empty where a model does not know its training. How jets are read other than in training counts too.
    """
    found = [_training(member) for member in model.members]
    return digest_of({"trainings": found}) if all(found) else ""


def _training(model: JetModel) -> dict[str, Any]:
    training, data = model.record.get("training"), model.record.get("data") or {}
    if not training:
        return {}
    return {
        "model": {name: value for name, value in model.settings.dump().items() if name != "engine"},  # engines agree
        "training": {name: value for name, value in training.items() if name != "seed"},
        "jets": {name: data.get(name) for name in ("digest", "split")},
        "taught": "teacher" in data,
        **({"begun": "with a model"} if "start_from" in data else {}),
        "read otherwise": dict(model.other),
    }


def _differ(trained: str | None, scored: str | None) -> bool:
    return trained is not None and scored is not None and trained != scored


def warn_of_other_level(model: Scoring, dataset: Dataset) -> None:
    """Warn if the momenta of a dataset are other things than those that the model was trained on."""
    trained = (model.record.get("data") or {}).get("level")
    if _differ(trained, dataset.level):
        warnings.warn(
            f"this model was trained on {trained}; {dataset.path} holds {dataset.level}: its scores say how the model "
            "carries over, not how good it is; they record this",
            SuspiciousJetsWarning,
            stacklevel=3,
        )
