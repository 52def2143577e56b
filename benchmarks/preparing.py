"""How fast do jets become what a network reads, and scores? One core, by its own clock, everything in turns.

The way of the paper's recipe (frame of the subjets, kt tree, seven features) and of the modern one (clean jets, C/A
tree, Lund features): in one pass of the native core, as `jetgram train` and `predict` go, next to the single steps of
the public functions; and next to FastJet, which clusters the constituents once, and computes nothing else. Then file to
score: `predict_dataset` of untrained models on a stored dataset. Speeds are medians over the rounds, ratios
medians of the ratios within a round.

    python benchmarks/preparing.py --jets 2000 --rounds 9
    python benchmarks/preparing.py --dataset w-vs-qcd --jets 1000 --rounds 40  # test jets, with all columns they have
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
import torch

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "validation"))
from fastjet_shim import histories
from pythia_jets import pythia_jets

from jetgram.evaluation.predict import predict_dataset
from jetgram.inputs.scaler import Scaler
from jetgram.inputs.schedule import Schedule
from jetgram.inputs.trees import TreeInput
from jetgram.models.model import JetModel
from jetgram.models.settings import make_settings
from jetgram.momenta import Jets
from jetgram.storage.dataset import Dataset, save
from jetgram.trees.topologies import build_trees

RECIPES = ("paper", "modern")
Work = Callable[[], object]


def inputs_of(recipe: str) -> TreeInput:
    found = make_settings(recipe=recipe)[0].input
    assert isinstance(found, TreeInput)
    return found


def step_by_step(jets: Jets, settings: TreeInput, scaler: Scaler) -> Schedule:
    """The public functions one after the other."""
    (trees, features), *_ = settings.trees(jets)
    return Schedule.from_trees(trees, features).scaled(scaler)


def contestants(recipe: str, jets: Jets, dataset: Dataset) -> dict[str, Work]:
    """What is compared for one recipe."""
    settings, model = inputs_of(recipe), JetModel.untrained(make_settings(recipe=recipe)[0], jets)
    read = model.read(jets)
    return {
        "prepare": lambda: model.read(jets),
        "prepare, step by step": lambda: step_by_step(jets, settings, model.scaler),
        "FastJet, one tree": lambda: histories(jets.momenta, jets.offsets, settings.topology),
        "jetgram, one tree": lambda: build_trees(jets, settings.topology),
        "network": lambda: model.network.predict(read),
        "file to score": lambda: predict_dataset(model, dataset),
    }


def seconds(work: Work) -> float:
    """Of the processor, for all threads of this process: predict_dataset works in a thread of its own."""
    start = time.process_time()
    work()
    return time.process_time() - start


def measure(tasks: dict[str, Work], rounds: int) -> dict[str, np.ndarray]:
    """Seconds of each contestant in each round, after one round to warm up."""
    times = [{name: seconds(work) for name, work in tasks.items()} for _ in range(rounds + 1)][1:]
    return {name: np.array([row[name] for row in times]) for name in tasks}


def summary(times: dict[str, np.ndarray], jets: int) -> dict[str, dict[str, float]]:
    """Jets per second, and how many times as fast as preparing step by step."""
    steps = times["prepare, step by step"]
    return {
        name: {"jets_per_second": jets / float(np.median(found)), "ratio": float(np.median(steps / found))}
        for name, found in times.items()
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--jets", type=int, default=1000)
    parser.add_argument("--rounds", type=int, default=9)
    parser.add_argument("--dataset", type=Dataset, help="whose first test jets are taken; by default new ones")
    parser.add_argument("--json", action="store_true", help="print numbers for a program")
    arguments = parser.parse_args()
    os.environ["JETGRAM_THREADS"] = "1"
    torch.set_num_threads(1)
    jets = arguments.dataset.first(arguments.jets, "test") if arguments.dataset else pythia_jets(arguments.jets)
    with tempfile.TemporaryDirectory() as folder:
        dataset = save(Path(folder) / "jets", jets, {"source": "benchmarks/preparing.py"}, split="test")
        result = {
            recipe: summary(measure(contestants(recipe, jets, dataset), arguments.rounds), len(jets))
            for recipe in RECIPES
        }
    if arguments.json:
        print(json.dumps({"jets": len(jets), "particles": len(jets.momenta), "speeds": result}, indent=2))
        return
    print(f"{len(jets):,} jets of {np.mean(jets.multiplicity):.0f} particles, one core")
    for recipe, speeds in result.items():
        print(f"recipe {recipe}")
        for name, found in speeds.items():
            speed = found["jets_per_second"]
            print(f"  {name:24}{speed:9,.0f} jets/s {1e6 / speed:7.1f} us/jet {found['ratio']:6.2f} x step by step")


if __name__ == "__main__":
    main()
