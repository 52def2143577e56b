"""Any models on the same test jets: those in the paper's window by pT and mass as they were found, and all of them.

Tables of the paper judge each network in the window of the jet that it is given. To compare networks that are given
different jets (preprocessed, trimmed, clean), all must answer for the same ones.

    python validation/same_jets.py DATASET NAME=MODEL[,MODEL...] ...

Several models under one name are seeds: mean and standard deviation are printed.
"""

from __future__ import annotations

import argparse

import numpy as np
from numpy.typing import NDArray

from jetgram.cli.progress import progress
from jetgram.evaluation.predict import predict_dataset
from jetgram.models.store import load_model
from jetgram.roc import roc_curve
from jetgram.storage.dataset import Dataset

PT, MASS, EFFICIENCY = (250.0, 300.0), (50.0, 110.0), 0.5


def in_window(dataset: Dataset) -> tuple[NDArray[np.bool_], NDArray[np.int64]]:
    """Which test jets are in the window, and their labels."""
    inside, labels = [], []
    for jets in dataset.stream("test"):
        inside.append((jets.pt > PT[0]) & (jets.pt < PT[1]) & (jets.mass >= MASS[0]) & (jets.mass <= MASS[1]))
        labels.append(jets.columns["label"])
    return np.concatenate(inside), np.concatenate(labels)


def judge(scores: NDArray[np.float64], labels: NDArray[np.int64], kept: NDArray[np.bool_]) -> tuple[float, float]:
    """AUC and background rejection."""
    curve = roc_curve(scores[kept], labels[kept])
    return curve.auc, 1 / float(curve.fpr_at(EFFICIENCY))


def main() -> None:
    """Print one line per name."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("dataset")
    parser.add_argument("models", nargs="+", metavar="NAME=MODEL[,MODEL...]")
    arguments = parser.parse_args()
    dataset = Dataset(arguments.dataset)
    window, labels = in_window(dataset)
    everything = np.ones(len(labels), dtype=np.bool_)
    print(f"{window.sum():,} of {len(labels):,} test jets are in the window")
    for text in arguments.models:
        name, _, folders = text.partition("=")
        found = []
        for folder in folders.split(","):
            model = load_model(folder)
            with progress("scoring", len(labels), "jets") as advance:
                scores = predict_dataset(model, dataset, "test", advance=advance).outputs["score"]
            found.append((*judge(scores, labels, window), *judge(scores, labels, everything)))
        mean, several = np.mean(found, axis=0), len(found) > 1
        spread = np.std(found, axis=0, ddof=1) if several else np.full(4, np.nan)
        size = sum(weight.numel() for weight in model.network.parameters())
        shown = "  ".join(
            f"{value:.4f} ± {error:.4f}" if i % 2 == 0 else f"{value:5.1f} ± {error:4.1f}"
            for i, (value, error) in enumerate(zip(mean, spread, strict=True))
        )
        print(f"{name:20} {size:7,} parameters, {len(found)} seeds: {shown}", flush=True)


if __name__ == "__main__":
    main()
