"""How fast, and in how much memory, does training read jets that do not fit into memory?

Real jets (QCD, pT-hat above 180 GeV, leading anti-kt R = 1 jet, some 60 particles) are prepared and repeated until the
files hold as many as asked for: 3.5 GB a million. Then two trainings of the same network take turns of a few hundred
steps: one reads the files again and again, the other has a window of them in memory. The ratio is the median over the
turns, so that a busy machine does not favour either. Memory is that of the first one alone.

    python benchmarks/large_datasets.py --jets 2000000 --cell simple
"""

from __future__ import annotations

import argparse
import itertools
import json
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import psutil

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "validation"))
from pythia_jets import pythia_jets

from jetgram.cli.progress import progress
from jetgram.models.recipes import TrainingSettings
from jetgram.models.settings import ModelSettings
from jetgram.momenta import Jets
from jetgram.storage.dataset import Dataset, save
from jetgram.storage.manifest import Manifest, Shard
from jetgram.training.blocks import prepare_files
from jetgram.training.loop import Trainer
from jetgram.training.prepare import Preparation, prepare_dataset
from jetgram.training.start import set_up

TURN = 300  # steps
DIFFERENT = 1000  # jets; the others are repetitions
FITTING = 60_000  # jets of the dataset that fits into memory


def repeated(dataset: Dataset, jets: int, folder: Path) -> Dataset:
    """A dataset that lists the shard of another again and again."""
    folder.mkdir()
    (folder / "train-00000.parquet").hardlink_to(dataset.path / "train-00000.parquet")
    shard = Shard.describe(folder / "train-00000.parquet", "train")
    Manifest.seal(folder, "jets", [shard] * -(-jets // len(dataset)), {"source": "benchmark"})
    return Dataset(folder)


class Memory:
    """The largest resident memory of this process, looked at every 20 ms by a thread."""

    def __init__(self) -> None:
        self.largest, self._end = 0, threading.Event()
        self._thread = threading.Thread(target=self._watch, daemon=True)
        self._thread.start()

    def _watch(self) -> None:
        process = psutil.Process()
        while not self._end.wait(0.02):
            self.largest = max(self.largest, process.memory_info().rss)

    def stop(self) -> float:
        """GiB at most, until now."""
        self._end.set()
        self._thread.join()
        return self.largest / 2**30


def turns(trainer: Trainer) -> Iterator[float]:
    """Jets a second of one turn after the other, epoch after epoch."""
    batches = itertools.chain.from_iterable(trainer.setup.feed.batches(epoch) for epoch in itertools.count())
    while True:
        start, jets = time.perf_counter(), 0
        for batch in itertools.islice(batches, TURN):
            trainer.step(*batch)
            trainer.adam.step()
            jets += len(batch.jets)
        yield jets / (time.perf_counter() - start)


def measure(few: Dataset, many: Dataset, cache: Path, cell: str, rounds: int) -> dict[str, float]:
    model, training = ModelSettings(cell=cell), TrainingSettings()
    memory = Memory()
    with progress("preparing", len(many), "jets") as advance:
        prepared = prepare_files(cache, Preparation(many, "train", model), advance)
    files = turns(Trainer(set_up(prepared, model, training, stream=True), training))
    for _ in range(rounds):  # several windows
        next(files)
    gib = memory.stop()
    resident = turns(Trainer(set_up(prepare_dataset(Preparation(few, "train", model)), model, training), training))
    next(resident)
    rates = np.array([(next(files), next(resident)) for _ in range(rounds)])
    return {
        "jets": len(many),
        "gib_on_disk": prepared.nbytes / 2**30,
        "gib_in_memory": gib,
        "jets_per_second_from_files": float(np.median(rates[:, 0])),
        "jets_per_second_from_memory": float(np.median(rates[:, 1])),
        "ratio": float(np.median(rates[:, 0] / rates[:, 1])),
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--jets", type=int, default=200_000)
    parser.add_argument("--cell", default="simple")
    parser.add_argument("--rounds", type=int, default=15)
    parser.add_argument("--cache", type=Path, help="keep the prepared jets here, for the next time")
    parser.add_argument("--json", action="store_true")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary)
        real = pythia_jets(DIFFERENT)
        label = (real.mass > np.median(real.mass)).astype(np.int8)
        one = save(folder / "one", Jets(real.momenta, real.offsets, {"label": label}), {"source": "benchmark"})
        few, many = (repeated(one, jets, folder / str(jets)) for jets in (FITTING, arguments.jets))
        result = measure(few, many, arguments.cache or folder / "prepared", arguments.cell, arguments.rounds)
    if arguments.json:
        print(json.dumps(result, indent=2))
        return
    print(
        f"{result['jets']:,} jets, {result['gib_on_disk']:.2f} GiB on disk, {result['gib_in_memory']:.2f} GiB in memory"
    )
    files, memory = (result[f"jets_per_second_from_{where}"] for where in ("files", "memory"))
    print(
        f"training {arguments.cell}: {files:,.0f} jets/s from files, {memory:,.0f} from memory: {result['ratio']:.0%}"
    )


if __name__ == "__main__":
    main()
