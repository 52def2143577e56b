"""How the numbers of a trial, and of a network and seed, are measured."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

import jetgram
from jetgram import backend
from jetgram.errors import DatasetError
from jetgram.evaluation.evaluate import common_window, evaluate
from jetgram.evaluation.predict import predict_dataset
from jetgram.evaluation.safety import score_perturbed
from jetgram.evaluation.score_files import read_scores, write_scores
from jetgram.evaluation.scores import Scores
from jetgram.evaluation.selection import Window, select
from jetgram.evaluation.uncertainty import errors_of
from jetgram.models.card import read_card
from jetgram.models.history import read_history
from jetgram.models.model import JetModel
from jetgram.models.store import load_model
from jetgram.momenta import Jets
from jetgram.networks.device import using_threads
from jetgram.storage.dataset import Dataset
from jetgram.studies.belonging import require_own_scores, stamped
from jetgram.studies.compare.comparison import EFFICIENCIES, job_digest
from jetgram.studies.compare.record import Record, Trial
from jetgram.studies.compare.replicas import AUC_UNIT, FPR_UNIT, Replicas, pack
from jetgram.studies.compare.speed import first_jets, speeds
from jetgram.studies.digests import provenance_digest
from jetgram.studies.records import DIGITS
from jetgram.training.job import Job

SCORES = "scores.parquet"


def measure_trial(job: Job, network: str) -> Trial:
    """What a finished training tells of its rate.

    Args:
        job: the training.
        network: its name.
    """
    metrics = read_card(job.out).metrics
    return Trial(
        network=network,
        rate=job.training.rate,
        epochs=job.training.epochs,
        validation_loss=math.inf if metrics.get("stopped") else round(float(metrics["validation_loss"]), 6),
        cpu_seconds=_training_time(job.out),
        **_belonging(job, network),
    )


def measure(job: Job, network: str, teachers: Sequence[Path] = ()) -> Record:
    """Score the test jets with a trained network, unless that is done, and judge scores and speed; on one thread.

    Args:
        job: the training.
        network: its name.
        teachers: the folders of all networks that were trained to teach it.
    """
    with using_threads(1):
        model, dataset, file = load_model(job.out), Dataset(job.dataset), job.out / SCORES
        settings = job_digest(job, network)
        if not file.exists():
            write_scores(file, stamped(score_as_found(model, dataset, network), settings))
        scores = read_scores(file)
        require_own_scores(scores, dataset, settings, job)
        ready, found = speeds(model, first_jets(dataset))
    return Record(
        network=network,
        seed=job.training.seed,
        members="",
        sample=dataset.sample or job.dataset.resolve().name,
        training_jets=min(dataset.rows(job.split), job.training.most or dataset.rows(job.split)),
        parameters=sum(weight.numel() for weight in model.network.parameters()),
        rate=job.training.rate,
        epochs=len(read_history(job.out)),
        validation_loss=round(float(model.record["metrics"]["validation_loss"]), 6),
        cpu_seconds=_training_time(job.out),
        teacher_cpu_seconds=sum(map(_training_time, teachers)) if teachers else None,
        network_jets_per_second=round(ready, 1),
        jets_per_second=round(found, 1),
        processor=f"{backend.processor()} ({backend.cpu_path()})",
        **judged(scores),
        **_belonging(job, network),
    )


def require_judgeable(dataset: Dataset) -> None:
    """Refuse test jets that no scores could be judged on: negative weights, other labels, a class without jets."""
    if dataset.kind != "jets":
        raise DatasetError(
            f"{dataset.path} holds {dataset.kind}; expected a dataset of jets, which these networks read"
        )
    scores = score_perturbed(lambda jets: np.zeros(len(jets)), dataset, name="test jets")
    select(scores, common_window([scores]))


def judged(scores: Scores) -> dict[str, Any]:
    """AUC and R in the window of the sample with statistical errors and replicas, and of all test jets."""
    inside, everything = (
        evaluate([scores], window, EFFICIENCIES, replicas=0).seeds[0] for window in (None, Window.everything())
    )
    replicas = Replicas.of(select(scores, common_window([scores])), scores.provenance.dataset_digest, EFFICIENCIES[0])
    r50 = inside.rejection[0]
    errors = errors_of([0.0 if r50.is_bound else 1 / r50.value], replicas.auc, replicas.fpr[:, None])
    return {
        "auc": round(inside.auc, 6),
        "auc_error": round(errors.auc, 6),
        "r50": round(r50.value, 3),
        "r50_error": None if errors.rejection[0] is None else round(errors.rejection[0], 3),
        "r50_is_bound": r50.is_bound,
        "r30": round(inside.rejection[1].value, 3),
        "r30_is_bound": inside.rejection[1].is_bound,
        "auc_all": round(everything.auc, 6),
        "r50_all": round(everything.rejection[0].value, 3),
        "r50_all_is_bound": everything.rejection[0].is_bound,
        "signal": inside.signal,
        "background": inside.background,
        "auc_replicas": pack(replicas.auc, AUC_UNIT),
        "fpr_replicas": pack(replicas.fpr, FPR_UNIT),
    }


def _training_time(folder: Path) -> float:
    return round(sum(float(epoch.get("cpu_seconds", epoch["seconds"])) for epoch in read_history(folder)), 4)


def _belonging(job: Job, network: str) -> Mapping[str, Any]:
    """What tells where the numbers of a training belong."""
    dataset = Dataset(job.dataset)
    return {
        "dataset": dataset.digest[:DIGITS],
        "recipe": provenance_digest(dataset.provenance)[:DIGITS],
        "settings": job_digest(job, network),
        "version": jetgram.__version__,
    }


def score_as_found(model: JetModel, dataset: Dataset, name: str) -> Scores:
    """Scores of the test jets with the pT and mass of the jets as they were found: the same for all networks.

    What a network is given of a jet has its own pT and mass (cleaned, preprocessed); windows by these would hold other
    jets for each.
    """
    scores = predict_dataset(model, dataset, "test", name=name)
    pt, mass = zip(*((jets.pt, jets.mass) for jets in dataset.stream("test") if isinstance(jets, Jets)), strict=True)
    return dataclasses.replace(scores, pt=np.concatenate(pt), mass=np.concatenate(mass))
