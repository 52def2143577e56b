"""What JetClass would take: processor time, memory and disk space per jet, from ROOT files to a trained tagger.

The files are ROOT as JetClass publishes them: a tree `tree` with `part_px, part_py, part_pz, part_energy, part_charge`
in float32 and ten columns `label_*`. The jets are those of `million.py`, all different, with ten classes. Each step is
a process with one thread, done for two numbers of jets: the difference is the cost per jet without what a process
costs to start. `--memory 0` keeps the prepared jets on disk, as a large dataset must.

    python benchmarks/jetclass.py [JETS]
"""

import os
import shutil
import sys
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

import awkward as ak
import numpy as np
import uproot
from million import toys, turned

from jetgram.momenta import Jets

CLASSES = ("QCD", "Hbb", "Hcc", "Hgg", "H4q", "Hqql", "Zqq", "Wqq", "Tbqq", "Tbl")
PER_FILE = 10_000
TRAIN, TEST, EPOCHS = 100_000_000, 20_000_000, 20


class Cost(NamedTuple):
    """Processor seconds of a step, and the largest resident set in GiB."""

    seconds: float
    memory: float


def write(folder: Path, base: Jets, count: int, rng: np.random.Generator) -> int:
    """So many jets in files; returns their bytes."""
    folder.mkdir()
    for number, begin in enumerate(range(0, count, PER_FILE)):
        jets = base[rng.integers(0, len(base), min(PER_FILE, count - begin))]
        p4, sizes = turned(jets, rng), jets.multiplicity
        names = ("px", "py", "pz", "energy")
        columns = {f"part_{name}": ak.unflatten(ak.Array(p4[:, i]), sizes) for i, name in enumerate(names)}
        columns["part_charge"] = ak.unflatten(ak.Array(rng.integers(-1, 2, len(p4)).astype(np.float32)), sizes)
        label = rng.integers(0, len(CLASSES), len(jets))
        columns |= {f"label_{name}": ak.Array(label == code) for code, name in enumerate(CLASSES)}
        with uproot.recreate(folder / f"JetClass_{number:03}.root") as file:
            file.mktree("tree", {name: ak.type(values).content for name, values in columns.items()})
            file["tree"].extend(columns)
    return size_of(folder)


def size_of(folder: Path) -> int:
    return sum(file.stat().st_size for file in folder.rglob("*") if file.is_file())


def run(*arguments: str) -> Cost:
    """Run `jetgram ...` on one thread."""
    environment = {**os.environ, "JETGRAM_THREADS": "1", "OMP_NUM_THREADS": "1"}
    command = [sys.executable, "-m", "jetgram", *arguments]
    null = [(os.POSIX_SPAWN_OPEN, descriptor, os.devnull, os.O_WRONLY, 0) for descriptor in (1, 2)]
    process = os.posix_spawn(sys.executable, command, environment, file_actions=null)
    _, status, used = os.wait4(process, 0)
    if status:
        raise SystemExit(f"{' '.join(command)} failed with status {status}")
    return Cost(used.ru_utime + used.ru_stime, used.ru_maxrss / 2**20)


def measure(folder: Path, base: Jets, count: int) -> tuple[dict[str, Cost], dict[str, int]]:
    """Costs of the steps and bytes of the files, for so many jets."""
    size = {"ROOT files": write(folder / "files", base, count, np.random.default_rng(count))}
    data, cache = folder / "jets", folder / "cache"
    train = ["train", str(data), "--recipe", "modern", "--memory", "0", "--cache", str(cache)]
    cost = {"convert": run("convert", str(folder / "files" / "*.root"), "--out", str(data))}
    cost["prepare and first epoch"] = run(*train, "--epochs", "1", "--out", str(folder / "one"))
    cost["three epochs of prepared jets"] = run(*train, "--epochs", "3", "--out", str(folder / "three"))
    scores = str(folder / "scores.parquet")
    cost["predict"] = run("predict", str(folder / "one"), str(data), "--split", "train", "--out", scores)
    size |= {"dataset": size_of(data), "prepared jets": size_of(cache)}
    return cost, size


def per_jet(small: Mapping[str, float], large: Mapping[str, float], more: int) -> dict[str, float]:
    return {name: (large[name] - small[name]) / more for name in large}


def main() -> None:
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 40_000
    base, folder = toys(np.random.default_rng(1)), Path(tempfile.mkdtemp())
    try:
        (small, small_size), (large, large_size) = (
            measure_in(folder / str(jets), base, jets) for jets in (count // 4, count)
        )
    finally:
        shutil.rmtree(folder)
    more = count - count // 4
    seconds = per_jet({n: c.seconds for n, c in small.items()}, {n: c.seconds for n, c in large.items()}, more)
    bytes_ = per_jet(small_size, large_size, more)
    epoch = seconds.pop("three epochs of prepared jets") / 3
    print(
        f"{count:,} and {count // 4:,} jets of {len(base.momenta) / len(base):.0f} particles, ten classes, one thread"
    )
    for name, value in {**seconds, "a further epoch": epoch}.items():
        memory = large[name].memory if name in large else large["three epochs of prepared jets"].memory
        print(f"{name:26}{1e6 * value:8.1f} us/jet{1 / value:12,.0f} jets/s{memory:8.2f} GiB")
    for name, value in bytes_.items():
        print(f"{name:26}{value:8.0f} bytes/jet{value * TRAIN / 2**30:10,.0f} GiB for {TRAIN:,} jets")
    hours = {
        "convert": seconds["convert"] * (TRAIN + TEST),
        "prepare": (seconds["prepare and first epoch"] - epoch) * TRAIN,
        f"{EPOCHS} epochs": epoch * TRAIN * EPOCHS,
        "predict": seconds["predict"] * TEST,
    }
    for name, value in hours.items():
        print(f"{name:26}{value / 3600:8.1f} core hours")


def measure_in(folder: Path, base: Jets, jets: int) -> tuple[dict[str, Cost], dict[str, int]]:
    folder.mkdir()
    return measure(folder, base, jets)


if __name__ == "__main__":
    main()
