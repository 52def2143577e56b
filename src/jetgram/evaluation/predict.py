"""Scores of a stored dataset by a trained model, shard by shard."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from jetgram.errors import DatasetError
from jetgram.evaluation.scores import SCORE, Provenance, Scores, concatenate_scores
from jetgram.models.model import JetModel
from jetgram.momenta import Jets
from jetgram.storage.dataset import Dataset
from jetgram.validity import require_good


def predict_dataset(
    model: JetModel,
    dataset: Dataset,
    split: str = "test",
    name: str = "",
    advance: Callable[[int], None] | None = None,
) -> Scores:
    """What a model says of the jets of a dataset; momenta are in memory one shard at a time.

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
    parts, first = [], 0
    for shard, jets in zip(dataset.shards(split), dataset.stream(split), strict=True):
        assert isinstance(jets, Jets)
        require_good(jets, f"{dataset.path / shard.file}: jet")
        outputs = dict(zip(names, model.predict(jets, first).T, strict=True))
        parts.append(Scores.from_jets(outputs, jets, provenance, first))
        first += len(jets)
        if advance:
            advance(len(jets))
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
