"""From constituents to scores: the C++ library next to Python, jets/s of one core.

The library is built (build/cpp) and installed into a temporary folder, a program is linked with it, and the same jets
(QCD from Pythia, some 60 particles) are scored by the same models in turns: by the program, in batches and one by one;
by `JetTagger.predict_proba`; and by what `jetgram predict` calls, which reads them from a dataset. Each has one thread,
and its processor time counts, so that other work on the machine does not. The scores are compared too.

    python benchmarks/cpp_library.py --jets 2000
"""

from __future__ import annotations

import argparse
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "validation"))
from pythia_jets import pythia_jets  # noqa: E402

from jetgram.evaluation.predict import predict_dataset  # noqa: E402
from jetgram.models.model import JetModel  # noqa: E402
from jetgram.models.settings import ModelSettings  # noqa: E402
from jetgram.models.store import save_model  # noqa: E402
from jetgram.momenta import Jets  # noqa: E402
from jetgram.storage.dataset import Dataset, save  # noqa: E402

MODELS = {
    "simple kt": {},
    "gated kt": {"cell": "gated"},
    "simple kt, trimmed": {"trim": 0.05},
    "simple desc-pt, not preprocessed": {"topology": "desc-pt", "preprocess": False},
    "blend ca, lund, mean": {"cell": "blend", "topology": "ca", "features": "lund", "readout": "mean", "hidden": 32},
}


class Program:
    """The C++ program, which waits for what to do."""

    def __init__(self, program: Path, model: Path, jets: Path) -> None:
        self._process = subprocess.Popen(
            [program, model, jets], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, bufsize=1
        )

    def run(self, how: str) -> tuple[float, float]:
        """Seconds, and the sum of all scores."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.write(f"{how}\n")
        seconds, total = self._process.stdout.readline().split()
        return float(seconds), float(total)

    def close(self) -> None:
        """End the program."""
        self._process.communicate()


def build_program(folder: Path) -> Path:
    cmake = shutil.which("cmake") or str(Path(sys.executable).parent / "cmake")

    def run(*arguments: object) -> None:
        subprocess.run([cmake, *map(str, arguments)], check=True, stdout=subprocess.DEVNULL)

    run("-S", ROOT, "-B", ROOT / "build" / "cpp")
    run("--build", ROOT / "build" / "cpp", "--parallel", len(os.sched_getaffinity(0)))
    run("--install", ROOT / "build" / "cpp", "--prefix", folder / "installed")
    options = (f"-DCMAKE_PREFIX_PATH={folder / 'installed'}", "-DCMAKE_BUILD_TYPE=Release")
    run("-S", ROOT / "benchmarks" / "cpp", "-B", folder / "program", *options)
    run("--build", folder / "program")
    return folder / "program" / "time_scores"


def write_binary(jets: Jets, file: Path) -> None:
    sizes = np.concatenate([[len(jets)], jets.multiplicity]).astype("<i8")
    file.write_bytes(sizes.tobytes() + jets.momenta.astype("<f8").tobytes())


def clocked(work: Callable[[], np.ndarray]) -> tuple[float, float]:
    start = time.process_time()
    total = float(np.sum(work()))
    return time.process_time() - start, total


def compare(name: str, model: JetModel, jets: Jets, dataset: Dataset, program: Program, rounds: int) -> None:
    works = {
        "C++, batches": lambda: program.run("batch"),
        "C++, one by one": lambda: program.run("single"),
        "predict_proba": lambda: clocked(lambda: model.predict(jets)),
        "jetgram predict": lambda: clocked(lambda: predict_dataset(model, dataset, "test").outputs["score"]),
    }
    times: dict[str, list[float]] = {what: [] for what in works}
    totals: dict[str, float] = {}
    for _ in range(rounds + 1):
        for what, work in works.items():
            seconds, totals[what] = work()
            times[what].append(seconds)
    median = {what: statistics.median(values[1:]) for what, values in times.items()}  # the first round warms up
    spread = max(totals.values()) - min(totals.values())
    print(f"{name} (mean scores agree to {spread / len(jets):.0e})")
    for what, seconds in median.items():
        ratio = median["predict_proba"] / seconds
        print(f"  {what:18}{len(jets) / seconds:10,.0f} jets/s per core   {ratio:5.2f} x predict_proba")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--jets", type=int, default=2000)
    parser.add_argument("--rounds", type=int, default=7)
    arguments = parser.parse_args()
    os.environ["JETGRAM_THREADS"] = "1"
    found = pythia_jets(arguments.jets)
    jets = Jets(found.momenta, found.offsets)
    print(f"{len(jets):,} jets of {jets.multiplicity.mean():.0f} particles; medians of {arguments.rounds} rounds")
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        binary = build_program(folder)
        write_binary(jets, folder / "jets.bin")
        dataset = save(folder / "jets", jets, {"source": "benchmark"}, split="test")
        for number, (title, settings) in enumerate(MODELS.items()):
            model = JetModel.untrained(ModelSettings.create(**settings), jets)
            save_model(folder / f"model-{number}", model)
            program = Program(binary, folder / f"model-{number}", folder / "jets.bin")
            compare(title, model, jets, dataset, program, arguments.rounds)
            program.close()


if __name__ == "__main__":
    main()
