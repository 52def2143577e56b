"""Scores of a stored dataset by a trained model, shard by shard."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np

from jetgram import backend
from jetgram.errors import DatasetError
from jetgram.evaluation.scores import SCORE, Provenance, Scores, concatenate_scores
from jetgram.fanout import read_ahead
from jetgram.models.model import JetModel
from jetgram.momenta import Jets
from jetgram.ragged import offsets_of
from jetgram.storage.dataset import Dataset
from jetgram.validity import require_good


def predict_dataset(
    model: JetModel,
    dataset: Dataset,
    split: str = "test",
    name: str = "",
    advance: Callable[[int], None] | None = None,
) -> Scores:
    """What a model says of the jets of a dataset; memory holds a few shards at a time.

    Args:
        model: a classifier, whose `score` is the probability of signal, or a regressor.
        dataset: of jets.
        split: the split to score.
        name: of the model; by default its cell and topology.
        advance: is told how many jets are scored since the last call.
    """
    if dataset.kind != "jets":
        raise DatasetError(f"{dataset.path} holds {dataset.kind}; this model scores jets")
    provenance = describe(model, dataset, split, name)
    names = (SCORE,) if model.settings.head == "classifier" else model.settings.targets
    shards = dataset.shards(split)
    first_jets = offsets_of(np.array([shard.rows for shard in shards]))

    def score(number: int) -> Scores:
        jets = dataset.read_shard(shards[number])
        assert isinstance(jets, Jets)
        require_good(jets, f"{dataset.path / shards[number].file}: jet")
        first = int(first_jets[number])
        outputs = dict(zip(names, model.predict(jets, first).T, strict=True))
        return Scores.from_jets(outputs, jets, provenance, first)

    parts = []
    for scores in read_ahead(score, range(len(shards)), backend.threads()):
        parts.append(scores)
        if advance:
            advance(len(scores))
    return concatenate_scores(parts)


def describe(model: JetModel, dataset: Dataset, split: str, name: str = "") -> Provenance:
    """Where the scores come from."""
    training = model.record.get("training") or {}
    return Provenance(
        model=name or f"{model.settings.cell} {model.settings.topology}",
        seed=training.get("seed"),
        model_digest=str(model.record.get("digest", "")),
        dataset=Path(dataset.path).resolve().name,
        dataset_digest=dataset.digest,
        split=split,
    )
