"""The numbers of one network and seed, and how they are measured."""

from __future__ import annotations

import dataclasses
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pydantic

import jetgram
from jetgram.errors import DatasetError, EvaluationError
from jetgram.evaluation.evaluate import evaluate
from jetgram.evaluation.predict import predict_dataset
from jetgram.evaluation.score_files import read_scores, write_scores
from jetgram.evaluation.scores import Scores
from jetgram.evaluation.selection import Window
from jetgram.models.history import read_history
from jetgram.models.model import CHUNK, JetModel
from jetgram.models.store import load_model
from jetgram.momenta import Jets
from jetgram.networks.device import using_threads
from jetgram.settings import Settings
from jetgram.storage.dataset import Dataset
from jetgram.studies.records import append_records, read_records
from jetgram.studies.seeds import DIGITS, Digest, Positive
from jetgram.training.train import Job

SCORES = "scores.parquet"
EFFICIENCIES = (0.5, 0.3)
SHORTEST = 0.1  # CPU-seconds of a measurement of speed, at least
ROUNDS = 3
WHAT = "file of a comparison"


class Record(Settings):
    """One training of a network, judged on the test jets.

    Args:
        network: its name.
        seed: of the training.
        parameters: weights of the network.
        rate: the learning rate that was chosen.
        epochs: of the training.
        validation_loss: of the best epoch.
        auc: area under the ROC curve, in the window of the sample; see `judge`.
        auc_error: its statistical error (bootstrap, test sample).
        r50: background rejection at a signal efficiency of 50 %.
        r50_error: its statistical error; None where no background passes.
        r50_is_bound: no background passes, and `r50` is a lower bound.
        r30: background rejection at a signal efficiency of 30 %.
        auc_all: area under the ROC curve of all test jets, not weighted.
        r50_all: background rejection at 50 % of all test jets, not weighted.
        cpu_seconds: of training, validation included; on one thread.
        network_jets_per_second: inference per core, from inputs that are ready.
        jets_per_second: inference per core, from jets as they were found.
        dataset: digest of the dataset.
        settings: digest of model and training.
        version: of jetgram.
    """

    network: str = pydantic.Field(min_length=1)
    seed: int = pydantic.Field(ge=0)
    parameters: int = pydantic.Field(ge=1)
    rate: float = pydantic.Field(gt=0)
    epochs: int = pydantic.Field(ge=1)
    validation_loss: float
    auc: float = pydantic.Field(ge=0, le=1)
    auc_error: Positive
    r50: Positive
    r50_error: Positive | None
    r50_is_bound: bool
    r30: Positive
    auc_all: float = pydantic.Field(ge=0, le=1)
    r50_all: Positive
    cpu_seconds: Positive
    network_jets_per_second: Positive
    jets_per_second: Positive
    dataset: Digest
    settings: Digest
    version: str

    @pydantic.field_validator("r50_error", mode="before")
    @classmethod
    def _empty_is_none(cls, value: object) -> object:
        return None if value == "" else value


def known_records(file: Path) -> list[Record]:
    """The records of a file that can be read; none where there is no file."""
    lines = read_records(file, Record, WHAT) if file.exists() else []
    return [record for _, record in lines if isinstance(record, Record)]


def append_record(file: Path, record: Record) -> None:
    """Add a record to a file, made if missing."""
    append_records(file, Record, [record], WHAT)


def measure(job: Job, network: str, settings: str) -> Record:
    """Score the test jets with a trained network, unless that is done, and judge scores and speed; on one thread.

    Args:
        job: the training.
        network: its name.
        settings: digest of model and training.
    """
    with using_threads(1):
        model, dataset, file = load_model(job.out), Dataset(job.dataset), job.out / SCORES
        if not file.exists():
            write_scores(file, score_as_found(model, dataset, network))
        scores = read_scores(file)
        if scores.provenance.dataset_digest != dataset.digest:
            raise EvaluationError(
                f"{file} holds scores of another dataset than {job.dataset}; remove it to score again"
            )
        ready, found = speeds(model, some_jets(dataset))
    judged, everything = (
        evaluate([scores], window, EFFICIENCIES, replicas).seeds[0]
        for window, replicas in ((None, 200), (Window.everything(), 0))
    )
    assert judged.errors is not None
    error = judged.errors.rejection[0]
    history = read_history(job.out)
    return Record(
        network=network,
        seed=job.training.seed,
        parameters=sum(weight.numel() for weight in model.network.parameters()),
        rate=job.training.rate,
        epochs=len(history),
        validation_loss=round(float(model.record["metrics"]["validation_loss"]), 6),
        auc=round(judged.auc, 6),
        auc_error=round(judged.errors.auc, 6),
        r50=round(judged.rejection[0].value, 3),
        r50_error=None if error is None else round(error, 3),
        r50_is_bound=judged.rejection[0].is_bound,
        r30=round(judged.rejection[1].value, 3),
        auc_all=round(everything.auc, 6),
        r50_all=round(everything.rejection[0].value, 3),
        cpu_seconds=round(sum(epoch.get("cpu_seconds", epoch["seconds"]) for epoch in history), 4),
        network_jets_per_second=round(ready, 1),
        jets_per_second=round(found, 1),
        dataset=dataset.digest[:DIGITS],
        settings=settings,
        version=jetgram.__version__,
    )


def score_as_found(model: JetModel, dataset: Dataset, name: str) -> Scores:
    """Scores of the test jets with the pT and mass of the jets as they were found: the same for all networks.

    What a network is given of a jet has its own pT and mass (cleaned, preprocessed); windows by these would hold other
    jets for each.
    """
    scores = predict_dataset(model, dataset, "test", name)
    pt, mass = zip(*((jets.pt, jets.mass) for jets in dataset.stream("test") if isinstance(jets, Jets)), strict=True)
    return dataclasses.replace(scores, pt=np.concatenate(pt), mass=np.concatenate(mass))


def some_jets(dataset: Dataset) -> Jets:
    """The first test jets, as many as a model reads at a time."""
    jets = next(iter(dataset.stream("test")))
    if not isinstance(jets, Jets):
        raise DatasetError(f"{dataset.path} holds {dataset.kind}; networks are compared on jets")
    return jets[:CHUNK]


def speeds(model: JetModel, jets: Jets) -> tuple[float, float]:
    """Jets per CPU-second of inference: from inputs that are ready, and from jets as they were found."""
    inputs = model.read(jets)
    reading = cpu_seconds(lambda: model.read(jets))
    scoring = cpu_seconds(lambda: model.network.predict(inputs))
    return len(jets) / scoring, len(jets) / (reading + scoring)


def cpu_seconds(work: Callable[[], object]) -> float:
    """Processor time of one call, the shortest of a few rounds: what others do on the machine only makes it longer."""
    work()
    times = []
    for _ in range(ROUNDS):
        calls, begin = 0, time.process_time()
        while calls == 0 or time.process_time() - begin < SHORTEST / ROUNDS:
            work()
            calls += 1
        times.append((time.process_time() - begin) / calls)
    return max(min(times), 1e-9)
