"""How much faster are two processes than one: `torchrun` with 64 jets per process, against one process with 64.

The same dataset and network; jets per second as the histories of the trainings give them, the first epoch left out. One
and two processes in turn, one thread each; the ratios are medians over the rounds. The first needs two idle cores. Next
to it stands what there was to gain: two trainings at the same moment that know nothing of each other, over one. The
last, of processor times, needs no idle cores: it is what the first would be if no process ever waited for the other.

    python benchmarks/torchrun.py [--rounds 3] [--epochs 6] [--recipe paper] [--cell simple]
"""

from __future__ import annotations

import argparse
import os
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import NamedTuple

import numpy as np
from rich.console import Console
from rich.table import Table

from jetgram.bench.sample import SPLIT, is_kept, kept_folder, make_sample, sample_settings
from jetgram.fanout import open_executor
from jetgram.models.history import read_history
from jetgram.momenta import Jets
from jetgram.storage.dataset import Dataset, save

PER_PROCESS = 64
GOAL = 1.6


def labelled_jets(folder: Path) -> Dataset:
    """Real jets, hard against soft; generated once and kept."""
    wanted = sample_settings()
    with open_executor(2, same_bits=True) as executor:
        kept = Dataset(kept_folder(wanted)) if is_kept(wanted) else make_sample(wanted, executor)
    jets = kept.read(SPLIT)
    label = (jets.pt > np.median(jets.pt)).astype(np.int8)
    return save(folder, Jets(jets.momenta, jets.offsets, {"label": label}), {"source": "benchmark"})


class Speed(NamedTuple):
    """Jets per second of time, and per second of the processor time of the first process."""

    time: float
    processor: float


def start(dataset: Path, out: Path, processes: int, options: argparse.Namespace) -> subprocess.Popen[bytes]:
    """Begin a training."""
    launcher = ["-m", "torch.distributed.run", "--nproc-per-node", str(processes), "--standalone", "-m", "jetgram"]
    chosen = ["--recipe", options.recipe, *(["--cell", options.cell] if options.recipe == "paper" else [])]
    settings = ["--epochs", str(options.epochs), "--set", f"batch={PER_PROCESS * processes}", "--set", "validation=200"]
    return subprocess.Popen(
        [sys.executable, *launcher, "train", str(dataset), "--out", str(out), *chosen, *settings],
        env={**os.environ, "JETGRAM_THREADS": "1", "OMP_NUM_THREADS": "1"},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )


def finish(training: subprocess.Popen[bytes], out: Path) -> Speed:
    """Medians over the epochs of a training, without the first."""
    if training.wait():
        raise SystemExit(f"a training failed with status {training.returncode}")
    epochs = read_history(out)[1:]
    jets = [line["jets_per_second"] * line["seconds"] for line in epochs]
    processor = [number / line["cpu_seconds"] for number, line in zip(jets, epochs, strict=True)]
    return Speed(statistics.median(line["jets_per_second"] for line in epochs), statistics.median(processor))


class Round(NamedTuple):
    """One process, two, and the sum of two trainings of one process each at the same moment."""

    one: Speed
    two: Speed
    copies: float


def one_round(dataset: Path, folder: Path, options: argparse.Namespace) -> Round:
    """Measure all three, one after the other."""
    one, two = (finish(start(dataset, folder / str(n), n, options), folder / str(n)) for n in (1, 2))
    outs = [folder / "left", folder / "right"]
    copies = [start(dataset, out, 1, options) for out in outs]
    return Round(one, two, sum(finish(copy, out).time for copy, out in zip(copies, outs, strict=True)))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--epochs", type=int, default=6)
    parser.add_argument("--recipe", choices=("paper", "modern"), default="paper")
    parser.add_argument("--cell", choices=("simple", "gated"), default="simple")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        dataset = labelled_jets(Path(folder) / "jets")
        rounds = [one_round(dataset.path, Path(folder) / str(n), options) for n in range(options.rounds)]
    title = f"{PER_PROCESS} jets per process and step"
    table = Table("jets/s", "one process", "two", "ratio", "cores allow", "ratio of processor times", title=title)
    rows = [(two.time / one.time, copies / one.time, two.processor / one.processor) for one, two, copies in rounds]
    for number, (row, ratios) in enumerate(zip(rounds, rows, strict=True)):
        speeds = (f"{speed.time:,.0f}" for speed in (row.one, row.two))
        table.add_row(str(number), *speeds, *(f"{ratio:.2f}" for ratio in ratios))
    Console().print(table)
    ratio, allowed, processor = (statistics.median(column) for column in zip(*rows, strict=True))
    print(
        f"median ratio {ratio:.2f}, goal {GOAL}; cores allow {allowed:.2f}; of processor times {processor:.2f}; "
        f"load {os.getloadavg()[0]:.1f}"
    )


if __name__ == "__main__":
    main()
