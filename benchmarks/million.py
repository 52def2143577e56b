"""A million jets from a user's file: time and memory to convert them, to train for an epoch, to score them.

The file is Parquet as weaver reads it, with `part_px, part_py, part_pz, part_energy, part_charge` in float32, and
`label`. Its jets are a few thousand of a dataset (or toys of 45 particles), again and again, each time turned about the
beam by a random angle and boosted along it by a random rapidity below 0.1: all are different, and as large as real
ones. Each step is a process of its own. Its resident memory is looked at ten times per second: the largest of the first
half of its time and that of the second half are the same where memory does not grow with the number of jets.

    python benchmarks/million.py [JETS] [DATASET] [--recipe modern]
"""

import argparse
import os
import shutil
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from jetgram import kinematics, ragged
from jetgram.momenta import Jets

BASE, ROWS, PARTICLES = 5_000, 20_000, 45
INTERVAL = 0.1  # seconds between two looks at the memory


def toys(rng: np.random.Generator) -> Jets:
    """Two prongs, near (0) or far (1), and soft particles around them."""
    label = np.arange(BASE) % 2
    counts = np.clip(rng.poisson(PARTICLES, BASE), 2, None)
    offsets = ragged.offsets_of(counts)
    group = np.repeat(np.arange(BASE), counts)
    number = np.arange(len(group)) - offsets[group]
    pt = np.where(number < 2, rng.uniform(50, 200, len(group)), rng.exponential(3, len(group)) + 0.2)
    eta = rng.normal(0, 0.3, len(group)) * (number > 1) + (number == 1) * (0.3 + 0.3 * label[group])
    momenta = kinematics.from_ptetaphim(pt, eta, rng.normal(0, 0.2, len(group)), 0.13957)
    return Jets(momenta, offsets, {"label": label})


def turned(jets: Jets, rng: np.random.Generator) -> np.ndarray:
    """The momenta of the jets, each turned about the beam and boosted along it."""
    angle = rng.uniform(0, 2 * np.pi, len(jets))[jets.group]
    boost = rng.uniform(-0.1, 0.1, len(jets))[jets.group]
    px, py, pz, energy = jets.momenta.T
    return np.stack(
        [
            np.cos(angle) * px - np.sin(angle) * py,
            np.sin(angle) * px + np.cos(angle) * py,
            np.cosh(boost) * pz + np.sinh(boost) * energy,
            np.sinh(boost) * pz + np.cosh(boost) * energy,
        ],
        axis=1,
    ).astype(np.float32)


def write(path: Path, base: Jets, count: int, rng: np.random.Generator) -> None:
    """So many jets, a row group at a time."""
    writer = None
    for begin in range(0, count, ROWS):
        jets = base[rng.integers(0, len(base), min(ROWS, count - begin))]
        p4, offsets = turned(jets, rng), pa.array(jets.offsets.astype(np.int32))
        columns = {
            f"part_{name}": pa.ListArray.from_arrays(offsets, pa.array(np.ascontiguousarray(p4[:, i])))
            for i, name in enumerate(("px", "py", "pz", "energy"))
        }
        charge = pa.array(rng.integers(-1, 2, len(p4)).astype(np.float32))
        columns["part_charge"] = pa.ListArray.from_arrays(offsets, charge)
        table = pa.table({**columns, "label": pa.array(jets.columns["label"].astype(np.int32))})
        writer = writer or pq.ParquetWriter(path, table.schema)
        writer.write_table(table)
    if writer is not None:
        writer.close()


def run(step: str, rows: int, *arguments: str) -> None:
    """Run `jetgram ...` and print its rate, its processor time and its memory."""
    start = time.monotonic()
    command = [sys.executable, "-m", "jetgram", *arguments]
    process = os.posix_spawn(sys.executable, command, os.environ, file_actions=[_to_null(1), _to_null(2)])
    resident, status = [], None
    while status is None:
        time.sleep(INTERVAL)
        resident.append(_resident(process))
        ended, code, used = os.wait4(process, os.WNOHANG)
        status = code if ended else None
    seconds = time.monotonic() - start
    if status:
        raise SystemExit(f"{' '.join(command)} failed with status {status}")
    processor = used.ru_utime + used.ru_stime
    halves = np.array_split(resident, 2) if len(resident) > 1 else [resident, resident]
    memory = "".join(f"{max(half):10.2f}" for half in halves)
    rates = f"{rows / seconds:12,.0f}{rows / processor:12,.0f}"
    print(f"{step:22}{rows:12,}{seconds:10.1f}{processor:10.1f}{rates}{memory}", flush=True)


def _resident(process: int) -> float:
    """Resident memory of a process, in GiB; none of one that has ended."""
    pages = int(Path(f"/proc/{process}/statm").read_text().split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE") / 2**30


def _to_null(descriptor: int) -> tuple[int, int, str, int, int]:
    return (os.POSIX_SPAWN_OPEN, descriptor, os.devnull, os.O_WRONLY, 0)


def parse() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("jets", type=int, nargs="?", default=1_000_000)
    parser.add_argument("dataset", nargs="?", help="whose first jets are taken; toys by default")
    parser.add_argument("--recipe", action="append", choices=("paper", "modern"), help="both by default")
    return parser.parse_args()


def main() -> None:
    options = parse()
    count, rng = options.jets, np.random.default_rng(1)
    if options.dataset is not None:
        from jetgram.storage.dataset import Dataset

        base = Dataset(options.dataset).first(BASE, columns=["label"])
        assert isinstance(base, Jets)
    else:
        base = toys(rng)
    folder = Path(tempfile.mkdtemp())
    try:
        write(folder / "jets.parquet", base, count, rng)
        size = (folder / "jets.parquet").stat().st_size / 1e9
        per_jet = len(base.momenta) / len(base)
        print(f"{count:,} jets of {per_jet:.0f} particles, {size:.2f} GB of Parquet; memory of both halves")
        columns = f"{'jets':>12}{'seconds':>10}{'CPU s':>10}{'jets/s':>12}{'per CPU s':>12}{'GiB':>10}{'GiB':>10}"
        print(f"{'step':22}{columns}", flush=True)
        data, source = str(folder / "jets"), str(folder / "jets.parquet")
        run("convert", count, "convert", source, "--out", data)
        for recipe in options.recipe or ("paper", "modern"):
            model = str(folder / recipe)
            run(f"train, {recipe}", count, "train", data, "--recipe", recipe, "--epochs", "1", "--out", model)
            scores = str(folder / f"{recipe}.parquet")
            run(f"predict, {recipe}", count, "predict", model, data, "--split", "train", "--out", scores)
    finally:
        shutil.rmtree(folder)


if __name__ == "__main__":
    main()
