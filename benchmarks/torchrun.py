"""How much faster are two processes than one: `torchrun` with 64 jets per process, against one process with 64.

The same dataset and network; jets per second as the histories of the trainings give them, the first epoch left out. One
and two processes in turn, one thread each; the ratios are medians over the rounds. The first needs two idle cores. The
second, of processor times, does not: it is what the first one would be if no process ever waited for the other.

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


def speed(dataset: Path, out: Path, processes: int, options: argparse.Namespace) -> Speed:
    """Medians over the epochs of a training, without the first."""
    launcher = ["-m", "torch.distributed.run", "--nproc-per-node", str(processes), "--standalone", "-m", "jetgram"]
    chosen = ["--recipe", options.recipe, *(["--cell", options.cell] if options.recipe == "paper" else [])]
    settings = ["--epochs", str(options.epochs), "--set", f"batch={PER_PROCESS * processes}", "--set", "validation=200"]
    subprocess.run(
        [sys.executable, *launcher, "train", str(dataset), "--out", str(out), *chosen, *settings],
        env={**os.environ, "JETGRAM_THREADS": "1", "OMP_NUM_THREADS": "1"},
        check=True,
        capture_output=True,
    )
    epochs = read_history(out)[1:]
    jets = [line["jets_per_second"] * line["seconds"] for line in epochs]
    processor = [number / line["cpu_seconds"] for number, line in zip(jets, epochs, strict=True)]
    return Speed(statistics.median(line["jets_per_second"] for line in epochs), statistics.median(processor))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--epochs", type=int, default=6)
    parser.add_argument("--recipe", choices=("paper", "modern"), default="paper")
    parser.add_argument("--cell", choices=("simple", "gated"), default="simple")
    options = parser.parse_args()
    rows = []
    with tempfile.TemporaryDirectory() as folder:
        dataset = labelled_jets(Path(folder) / "jets")
        for number in range(options.rounds):
            rows.append([speed(dataset.path, Path(folder) / f"{number}-{n}", n, options) for n in (1, 2)])
    title = f"{PER_PROCESS} jets per process and step"
    table = Table("jets/s", "one process", "two", "ratio", "ratio of processor times", title=title)
    for number, (one, two) in enumerate(rows):
        ratios = (f"{a / b:.2f}" for a, b in zip(two, one, strict=True))
        table.add_row(str(number), f"{one.time:,.0f}", f"{two.time:,.0f}", *ratios)
    Console().print(table)
    ratio, processor = (statistics.median(two[i] / one[i] for one, two in rows) for i in range(2))
    load = os.getloadavg()[0]
    print(f"median ratio {ratio:.2f}, goal {GOAL}; of processor times {processor:.2f}; load {load:.1f}")


if __name__ == "__main__":
    main()
