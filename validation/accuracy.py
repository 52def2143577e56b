"""Taggers of both cells on several topologies, each with several seeds, beside the numbers of the paper's Table 1.

Trains what is missing with the paper's recipe (killed, it goes on), scores the test split, and writes the models, the
scores and `accuracy.csv` into a folder. The models are judged in the paper's window, there once more without the signal
jets that are not the boson's own, and over all jets.

    jetgram generate w-vs-qcd --jets 200000 --seed 1 --out jets
    python validation/accuracy.py jets --out accuracy [--seeds 3] [--workers 2]
"""

from __future__ import annotations

import argparse
import csv
import itertools
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from rich.console import Console
from rich.table import Table

from jetgram.cli.progress import progress
from jetgram.cli.training import EnsembleDisplay
from jetgram.evaluation.evaluate import ModelResult, Report, evaluate
from jetgram.evaluation.predict import predict_dataset
from jetgram.evaluation.score_files import read_scores, write_scores
from jetgram.evaluation.scores import Scores
from jetgram.evaluation.selection import Window
from jetgram.evaluation.uncertainty import Spread
from jetgram.fanout import open_executor
from jetgram.models.recipe import TrainingSettings
from jetgram.models.settings import ModelSettings
from jetgram.models.store import load_model, read_history
from jetgram.storage.dataset import Dataset
from jetgram.training.ensemble import train_all
from jetgram.training.train import Job

# Particles, AUC and R at 50 %: Table 1 of arXiv:1702.00748.
PAPER = {
    ("simple", "kt"): ("0.9185 ± 0.0006", "68.3 ± 1.8"),
    ("simple", "ca"): ("0.9192 ± 0.0008", "68.3 ± 3.6"),
    ("simple", "desc-pt"): ("0.9189 ± 0.0009", "70.4 ± 3.6"),
    ("gated", "kt"): ("0.9195 ± 0.0009", "74.3 ± 2.4"),
    ("gated", "ca"): ("0.9222 ± 0.0007", "81.8 ± 3.1"),
    ("gated", "desc-pt"): ("0.9212 ± 0.0005", "83.3 ± 3.1"),
}


def jobs_of(dataset: Path, out: Path, seeds: int) -> list[Job]:
    """All trainings; those of one topology share their trees."""
    return [
        Job(
            dataset,
            out / f"{cell}-{topology}-{seed}",
            ModelSettings(cell=cell, topology=topology),
            TrainingSettings(seed=seed),
            cache=out / f"prepared-{topology}",
        )
        for seed, (cell, topology) in itertools.product(range(1, seeds + 1), PAPER)
    ]


def scores_of(job: Job, dataset: Dataset) -> Scores:
    """The test jets' scores, from the file of an earlier run if there is one."""
    file = job.out.with_suffix(".parquet")
    if not file.exists():
        write_scores(file, predict_dataset(load_model(job.out), dataset))
    return read_scores(file)


def own_jets(dataset: Dataset) -> NDArray[np.bool_]:
    """Whether each test jet is background, or the boson's own: nearer to it than 1."""
    parts = dataset.stream("test", columns=("label", "boson_dr"))
    return np.concatenate([(part.columns["label"] == 0) | (part.columns["boson_dr"] < 1) for part in parts])


def number(spread: Spread, decimals: int) -> str:
    """Mean and spread over seeds."""
    error = "" if spread.deviation is None else f" ± {spread.deviation:.{decimals}f}"
    return f"{spread.mean:.{decimals}f}{error}"


def row(
    key: tuple[str, str], inside: ModelResult, own: ModelResult, everywhere: ModelResult, jobs: list[Job]
) -> dict[str, str]:
    """A line of the table."""
    seconds = [sum(epoch["seconds"] for epoch in read_history(job.out)) for job in jobs]
    auc, rejection = PAPER[key]
    errors = inside.errors
    assert errors is not None
    return {
        "cell": key[0],
        "topology": key[1],
        "AUC": number(inside.auc, 4),
        "test jets ±": f"{errors.auc:.4f}",
        "paper's AUC": auc,
        "R50": number(inside.rejection[0], 1),
        "test jets ± ": f"{errors.rejection[0]:.1f}",
        "paper's R50": rejection,
        "AUC, own jets": number(own.auc, 4),
        "R50, own jets": number(own.rejection[0], 1),
        "AUC, all jets": number(everywhere.auc, 4),
        "R50, all jets": number(everywhere.rejection[0], 1),
        "minutes": f"{sum(seconds) / len(seconds) / 60:.1f}",
    }


def rows(scores: list[Scores], own: NDArray[np.bool_], jobs: list[Job]) -> list[dict[str, str]]:
    """The lines of the table, in the order of `PAPER`."""
    reports: list[Report] = [
        evaluate(scores, Window()),
        evaluate([each[own] for each in scores], Window(), replicas=0),
        evaluate(scores, Window.everything(), replicas=0),
    ]
    found = []
    for key, *results in zip(PAPER, *(report.models for report in reports), strict=True):
        mine = [job for job in jobs if (job.model.cell, job.model.topology) == key]
        found.append(row(key, *results, mine))
    return found


def main() -> None:
    """Train, score, print and write."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("dataset", type=Path)
    parser.add_argument("--out", type=Path, default=Path("accuracy"))
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--workers", type=int, default=2)
    arguments = parser.parse_args()
    dataset, jobs = Dataset(arguments.dataset), jobs_of(arguments.dataset, arguments.out, arguments.seeds)
    epochs = sum(job.training.epochs for job in jobs)
    with EnsembleDisplay(epochs) as display, open_executor(arguments.workers) as executor:
        failed = [result for result in train_all(jobs, executor, display) if result.error]
    if failed:
        raise SystemExit("; ".join(f"{result.folder}: {result.error}" for result in failed))
    with progress("scoring", len(jobs), "models") as advance:
        scores = []
        for job in jobs:
            scores.append(scores_of(job, dataset))
            advance(1)
    lines = rows(scores, own_jets(dataset), jobs)
    table = Table(*lines[0], title=f"{dataset.splits['train']:,} training and {dataset.splits['test']:,} test jets")
    for line in lines:
        table.add_row(*line.values())
    Console(width=200).print(table)
    with (arguments.out / "accuracy.csv").open("w", newline="") as file:
        writer = csv.DictWriter(file, list(lines[0]))
        writer.writeheader()
        writer.writerows(lines)


if __name__ == "__main__":
    main()
