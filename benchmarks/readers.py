"""Readers of people's layouts: jets per second on one core, next to the bare library that opens the file.

The library's time is what it takes to have all columns that the reader uses in memory, in whatever form it gives them
(padded, jagged, event by event); nothing is checked, unpadded or turned into momenta. Times are processor time of the
process, the shortest of interleaved rounds, so that other work on the machine counts little.
"""

import os
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import h5py
import hdf5plugin  # noqa: F401 - registers blosc
import numpy as np
import pyarrow.parquet as pq
import pyhepmc
import uproot

from jetgram import kinematics
from jetgram.momenta import Events, Jets
from jetgram.readers.convert import convert
from jetgram.readers.reading import read

sys.path.append(str(Path(__file__).parents[1] / "tests" / "readers"))
import field_files

JETS, CONSTITUENTS, EVENTS, PARTICLES = 20_000, 45, 1_000, 400
ROUNDS = 8


def toy(groups: int, size: int, seed: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Momenta around an axis with the multiplicity of real jets, their offsets, and PDG ids."""
    rng = np.random.default_rng(seed)
    counts = np.clip(rng.poisson(size, groups), 1, 199)
    n = int(counts.sum())
    axis = np.repeat(rng.uniform(-2, 2, groups), counts)
    pdgid = rng.choice([22, 211, -211, 130, 321, 2212], n)
    momenta = kinematics.from_ptetaphim(
        rng.exponential(8.0, n) + 0.1, axis + 0.2 * rng.normal(size=n), 0.2 * rng.normal(size=n), 0.13957
    )
    return momenta, np.concatenate([[0], np.cumsum(counts)]), pdgid


def processor_time(tasks: dict[str, Callable[[], object]]) -> dict[str, float]:
    """The fewest seconds of each task, one of each in every round."""
    times: dict[str, list[float]] = {name: [] for name in tasks}
    for _ in range(ROUNDS):
        for name, task in tasks.items():
            start = time.process_time()
            task()
            times[name].append(time.process_time() - start)
    return {name: min(values) for name, values in times.items()}


def read_hdf5(path: Path, name: str) -> object:
    with h5py.File(path) as file:
        return file[name][:]


def read_jetnet(path: Path) -> object:
    with h5py.File(path) as file:
        return file["particle_features"][:], file["jet_features"][:]


def read_npz(path: Path) -> object:
    with np.load(path) as archive:
        return archive["X"], archive["y"]


def read_root(path: Path, tree: str) -> object:
    with uproot.open(path) as file:
        return {name: file[tree][name].array() for name in file[tree].keys(recursive=True)}


def read_hepmc(path: Path) -> object:
    with pyhepmc.open(path) as events:
        return [(e.numpy.particles.px, e.numpy.particles.e, e.numpy.particles.pid) for e in events]


def write_all(folder: Path) -> dict[str, tuple[Path, Callable[[Path], object], int, dict[str, object]]]:
    """From layouts to their file, the bare library, the number of rows and the options of the reader."""
    momenta, offsets, pdgid = toy(JETS, CONSTITUENTS, 1)
    jets = Jets(momenta, offsets, {"label": np.arange(JETS) % 2}, {"pdgid": pdgid})
    momenta, offsets, pdgid = toy(EVENTS, PARTICLES, 2)
    events = Events(momenta, offsets, particles={"pdgid": pdgid})
    write = field_files
    names = ("px", "py", "pz", "E")
    return {
        "top-tagging": (
            write.write_top_tagging(folder / "top.h5", jets),
            lambda path: read_hdf5(path, "table/table"),
            JETS,
            {},
        ),
        "energyflow": (write.write_energyflow(folder / "qg.npz", jets), read_npz, JETS, {}),
        "jetclass": (write.write_jetclass(folder / "jc.root", jets), lambda path: read_root(path, "tree"), JETS, {}),
        "weaver": (
            write.write_weaver(folder / "weaver.parquet", jets),
            lambda path: pq.read_table(path, use_threads=False),
            JETS,
            {},
        ),
        "jetnet": (write.write_jetnet(folder / "g.hdf5", jets), read_jetnet, JETS, {}),
        "columns": (
            write.write_parquet(folder / "mine.parquet", jets, names, label=jets.columns["label"]),
            lambda path: pq.read_table(path, use_threads=False),
            JETS,
            {},
        ),
        "delphes": (
            write.write_delphes(folder / "delphes.root", events),
            lambda path: read_root(path, "Delphes"),
            EVENTS,
            {"level": "towers"},
        ),
        "pfnano": (
            write.write_pfnano(folder / "nano.root", events),
            lambda path: read_root(path, "Events"),
            EVENTS,
            {},
        ),
        "hepmc": (write.write_hepmc(folder / "events.hepmc", events), read_hepmc, EVENTS, {}),
    }


def main() -> None:
    os.environ["JETGRAM_THREADS"] = "1"
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        print(f"rows per second on one core; jets of {CONSTITUENTS} particles, events of {PARTICLES}")
        print(f"{'layout':14}{'library':>12}{'read':>12}{'of library':>12}{'convert':>12}{'bytes/row':>12}")
        for layout, (path, library, rows, options) in write_all(folder).items():
            numbers = iter(range(ROUNDS))
            seconds = processor_time(
                {
                    "library": lambda path=path, library=library: library(path),
                    "read": lambda path=path, options=options: read(path, **options),
                    "convert": lambda path=path, options=options, layout=layout, numbers=numbers: convert(
                        str(path), folder / f"{layout}{next(numbers)}", **options
                    ),
                }
            )
            rate = {task: rows / spent for task, spent in seconds.items()}
            share = rate["read"] / rate["library"]
            print(
                f"{layout:14}{rate['library']:12,.0f}{rate['read']:12,.0f}{share:12.2f}{rate['convert']:12,.0f}"
                f"{path.stat().st_size / rows:12,.0f}",
                flush=True,
            )


if __name__ == "__main__":
    main()
