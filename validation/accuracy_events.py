"""Taggers of events beside the numbers of the paper's Table 3: its three kinds of input, each with several seeds.

Trains what is missing with the paper's recipe (killed, it goes on), scores the test split, and writes the models, the
scores and `accuracy.csv` into a folder. `--rows` takes the first so many of the models below.

    jetgram generate wprime-vs-qcd --events 100000 --seed 1 --out events
    python validation/accuracy_events.py events --out event-accuracy [--seeds 3] [--workers 2]
"""

from __future__ import annotations

import argparse
import csv
from pathlib import Path

from accuracy import number, scores_of
from rich.console import Console
from rich.table import Table

from jetgram.cli.progress import progress
from jetgram.cli.training import EnsembleDisplay
from jetgram.evaluation.evaluate import ModelResult, evaluate
from jetgram.fanout import open_executor
from jetgram.models.recipe import TrainingSettings
from jetgram.models.settings import ModelSettings
from jetgram.models.store import read_history
from jetgram.storage.dataset import Dataset
from jetgram.training.ensemble import train_all
from jetgram.training.train import Job

# AUC and R at 80 %: Table 3 of arXiv:1702.00748. What is read of an event, how much of it, and the trees of its jets.
PAPER = {
    ("jet-momenta", 1, ""): ("0.8909 ± 0.0007", "5.6 ± 0.0"),
    ("jets", 1, "kt"): ("0.9602 ± 0.0004", "26.7 ± 0.7"),
    ("jets", 1, "desc-pt"): ("0.9594 ± 0.0010", "25.6 ± 1.4"),
    ("jet-momenta", 2, ""): ("0.9606 ± 0.0011", "21.1 ± 1.1"),
    ("jets", 2, "kt"): ("0.9866 ± 0.0007", "156.9 ± 14.8"),
    ("jets", 2, "desc-pt"): ("0.9875 ± 0.0006", "174.5 ± 14.0"),
    ("jet-momenta", 5, ""): ("0.9576 ± 0.0019", "20.3 ± 0.9"),
    ("jets", 5, "kt"): ("0.9867 ± 0.0004", "152.8 ± 10.4"),
    ("jets", 5, "desc-pt"): ("0.9872 ± 0.0003", "167.8 ± 9.5"),
    ("particles", 1, ""): ("0.6501 ± 0.0023", "1.7 ± 0.0"),
    ("particles", 50, ""): ("0.8925 ± 0.0079", "5.6 ± 0.5"),
    ("particles", 100, ""): ("0.8781 ± 0.0180", "4.9 ± 0.6"),
    ("particles", 200, ""): ("0.8846 ± 0.0091", "5.2 ± 0.5"),
    ("particles", 400, ""): ("0.8780 ± 0.0132", "4.9 ± 0.5"),
}
Key = tuple[str, int, str]


def settings_of(key: Key) -> ModelSettings:
    """The model of a line of the table."""
    event, hardest, topology = key
    return ModelSettings.create(event=event, hardest=hardest, topology=topology or "kt")


def jobs_of(dataset: Path, out: Path, seeds: int, keys: list[Key]) -> dict[Key, list[Job]]:
    """The trainings of each line; seeds share what is prepared."""
    return {
        key: [
            Job(
                dataset,
                out / f"{'-'.join(map(str, filter(None, key)))}-{seed}",
                settings_of(key),
                TrainingSettings(seed=seed),
                cache=out / "prepared",
            )
            for seed in range(1, seeds + 1)
        ]
        for key in keys
    }


def row(key: Key, result: ModelResult, jobs: list[Job]) -> dict[str, str]:
    """A line of the table."""
    seconds = [sum(epoch["seconds"] for epoch in read_history(job.out)) for job in jobs]
    auc, rejection = PAPER[key]
    errors = result.errors
    assert errors is not None
    return {
        "model": settings_of(key).title,
        "AUC": number(result.auc, 4),
        "test events ±": f"{errors.auc:.4f}",
        "paper's AUC": auc,
        "R80": number(result.rejection[0], 1),
        "test events ± ": "" if errors.rejection[0] is None else f"{errors.rejection[0]:.1f}",
        "paper's R80": rejection,
        "minutes": f"{sum(seconds) / len(seconds) / 60:.1f}",
    }


def main() -> None:
    """Train, score, print and write."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("dataset", type=Path)
    parser.add_argument("--out", type=Path, default=Path("event-accuracy"))
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--rows", type=int, default=len(PAPER))
    given = parser.parse_args()
    dataset, jobs = Dataset(given.dataset), jobs_of(given.dataset, given.out, given.seeds, list(PAPER)[: given.rows])
    flat = [job for some in jobs.values() for job in some]
    epochs = sum(job.training.epochs for job in flat)
    with EnsembleDisplay(epochs, rows="events") as display, open_executor(given.workers) as executor:
        failed = [result for result in train_all(flat, executor, display) if result.error]
    if failed:
        raise SystemExit("; ".join(f"{result.folder}: {result.error}" for result in failed))
    with progress("scoring", len(flat), "models") as advance:
        scores = []
        for job in flat:
            scores.append(scores_of(job, dataset))
            advance(1)
    report = evaluate(scores)
    lines = [row(key, result, jobs[key]) for key, result in zip(jobs, report.models, strict=True)]
    table = Table(*lines[0], title=f"{dataset.splits['train']:,} training and {dataset.splits['test']:,} test events")
    for line in lines:
        table.add_row(*line.values())
    Console(width=150).print(table)
    with (given.out / "accuracy.csv").open("w", newline="") as file:
        writer = csv.DictWriter(file, list(lines[0]))
        writer.writeheader()
        writer.writerows(lines)


if __name__ == "__main__":
    main()
