"""What the networks of others cost: processor time of training per jet and epoch, and inference per core.

Real jets, in batches of 256, with inputs that are ready. A step is forward, loss, backward and Adam, on one thread.
Every round runs all networks once; the shortest of the rounds counts, by the clock of the thread, so that other work on
the machine makes it longer by little.

    python benchmarks/peers.py DATASET [--jets 512] [--rounds 8] [--only pfn ...]
"""

from __future__ import annotations

import argparse
import os
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
import torch

from jetgram.bench.sample import first_jets, largest_split
from jetgram.models.model import JetModel
from jetgram.models.settings import make_settings
from jetgram.momenta import Jets
from jetgram.networks.engine.parameters import Adam
from jetgram.networks.network import TrainingStep
from jetgram.storage.dataset import Dataset

NETWORKS = ("modern", "pfn", "efn", "lundnet", "particlenet", "part")
BATCH = 256


def seconds(work: Callable[[], object]) -> float:
    """Processor time of a call."""
    begin = time.thread_time()
    work()
    return time.thread_time() - begin


def cases(name: str, jets: Jets) -> tuple[Callable[[], None], Callable[[], object]]:
    """An epoch of training, and the scores, of a network with the settings of its recipe."""
    settings, training = make_settings(recipe=name)
    model = JetModel.untrained(settings, jets, seed=1)
    inputs, step = model.read(jets), TrainingStep(model.network)
    adam = Adam(step.parameters, training.rate, weight_decay=training.weight_decay, clip=training.clip)
    order = np.random.default_rng(1).permutation(len(jets))

    def train() -> None:
        for begin in range(0, len(order), BATCH):
            batch = order[begin : begin + BATCH]
            step(inputs, batch, batch % 2)
            adam.step()

    return train, lambda: model.network.predict(inputs)


def main() -> None:
    """Measure and print a table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("dataset", type=Path)
    parser.add_argument("--jets", type=int, default=512)
    parser.add_argument("--rounds", type=int, default=8)
    parser.add_argument("--only", nargs="+", default=NETWORKS, choices=NETWORKS)
    arguments = parser.parse_args()
    os.environ["JETGRAM_THREADS"] = "1"
    torch.set_num_threads(1)
    dataset = Dataset(arguments.dataset)
    jets = first_jets(dataset, largest_split(dataset), arguments.jets)
    works = {name: cases(name, jets) for name in arguments.only}
    times: dict[str, list[tuple[float, float]]] = {name: [] for name in works}
    for _ in range(arguments.rounds):
        for name, (train, predict) in works.items():
            times[name].append((seconds(train), seconds(predict)))
    print("network      training, CPU-ms per jet and epoch  inference, jets/s")
    for name, found in times.items():
        train, predict = (min(column) for column in zip(*found, strict=True))
        print(f"{name:12}{1e3 * train / len(jets):36.3f}{len(jets) / predict:19,.0f}")


if __name__ == "__main__":
    main()
