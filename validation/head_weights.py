"""Does it matter how small the head's first weights are?

The published program begins with Glorot's weights times 0.1 in the head too, which the paper does not say. The simple
network on kt trees is trained with both, each seed with the same numbers up to that factor, and judged on the same
test jets: those in the paper's window by pT and mass as they were found, and all of them. The difference is paired,
seed by seed.

    python validation/head_weights.py DATASET --out head-weights --seeds 3

A training that is there is not repeated.
"""

from __future__ import annotations

import argparse
import contextlib
from collections.abc import Iterator
from pathlib import Path

import numpy as np
from same_jets import in_window, judge

from jetgram.cli.progress import progress
from jetgram.evaluation.predict import predict_dataset
from jetgram.models.settings import make_settings
from jetgram.models.store import load_model
from jetgram.networks.heads import Head
from jetgram.storage.dataset import Dataset
from jetgram.training.ensemble import train_alone
from jetgram.training.job import Job

SCALES = (0.1, 1.0)


@contextlib.contextmanager
def head_scale(scale: float) -> Iterator[None]:
    """New heads begin with Glorot's weights times this."""
    published = Head.weight_scale
    Head.weight_scale = scale
    try:
        yield
    finally:
        Head.weight_scale = published


def trained(dataset: Path, out: Path, scale: float, seed: int) -> Path:
    """The folder of a model, which is trained unless it is there."""
    job = Job(
        dataset,
        out / f"scale-{scale:g}" / f"seed-{seed}",
        *make_settings(recipe="paper", seed=seed),
        cache=out / "jets",
    )
    with head_scale(scale):
        train_alone(job)
    return job.out


def main() -> None:
    """Train what is missing, and print AUC and R of both, and their difference."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("dataset", type=Path)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--seeds", type=int, default=3)
    arguments = parser.parse_args()
    dataset = Dataset(arguments.dataset)
    window, labels = in_window(dataset)
    found = np.empty((len(SCALES), arguments.seeds, 4))
    for seed in range(1, arguments.seeds + 1):
        for i, scale in enumerate(SCALES):
            model = load_model(trained(arguments.dataset, arguments.out, scale, seed))
            with progress("scoring", len(labels), "jets") as advance:
                scores = predict_dataset(model, dataset, "test", advance=advance).outputs["score"]
            everything = np.ones_like(window)
            found[i, seed - 1] = *judge(scores, labels, window), *judge(scores, labels, everything)
            print(
                f"head x {scale:g}, seed {seed}: AUC, R in the window, of all:",
                *found[i, seed - 1].round(4),
                flush=True,
            )
    for scale, of_scale in zip(SCALES, found, strict=True):
        print(f"head x {scale:g}: mean", *of_scale.mean(axis=0).round(4))
    difference = found[1] - found[0]
    error = difference.std(axis=0, ddof=1) / np.sqrt(arguments.seeds) if arguments.seeds > 1 else np.full(4, np.nan)
    print(
        "difference:",
        *(f"{mean:+.4f} ± {spread:.4f}" for mean, spread in zip(difference.mean(axis=0), error, strict=True)),
    )


if __name__ == "__main__":
    main()
