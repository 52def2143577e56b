"""The files that the pages of the cookbook speak of: real jets and events, written as the field writes them."""

from collections.abc import Callable
from pathlib import Path

import field_files as write
import h5py
import numpy as np

from jetgram.jets.clustering import find_jets
from jetgram.momenta import Events, Jets

TEN = ("QCD", "Hbb", "Hcc", "Hgg", "H4q", "Hqql", "Zqq", "Wqq", "Tbqq", "Tbl")  # the classes of JetClass
Writer = Callable[[Path, Jets, Events], None]


def by_mass(jets: Jets, classes: int) -> Jets:
    """So many classes of light to heavy jets, mixed, with the columns that layouts take."""
    label = np.argsort(np.argsort(jets.mass)) * classes // len(jets)
    return Jets(jets.momenta, jets.offsets, {"label": label}, {"pdgid": jets.particles["pdgid"]})


def top_tagging(folder: Path, jets: Jets, events: Events) -> None:
    jets = by_mass(jets, 2)
    write.write_top_tagging(folder / "train.h5", jets[:200])
    write.write_top_tagging(folder / "test.h5", jets[200:])


def energyflow(folder: Path, jets: Jets, events: Events) -> None:
    for number in range(2):
        write.write_energyflow(folder / f"QG_jets_{number}.npz", by_mass(jets, 2)[200 * number :][:200])


def jetclass(folder: Path, jets: Jets, events: Events) -> None:
    jets = by_mass(jets, 10)
    for number in range(2):
        write.write_jetclass(folder / f"JetClass_{number:03}.root", jets[200 * number :][:200], TEN)


def weaver(folder: Path, jets: Jets, events: Events) -> None:
    jets = by_mass(jets, 2)
    write.write_weaver(folder / "jets.parquet", jets, label=np.array(["qcd", "top"])[jets.columns["label"]])


def delphes(folder: Path, jets: Jets, events: Events) -> None:
    for name, some in (("dijets", events[:100]), ("ttbar", events[100:])):
        write.write_delphes(folder / f"{name}.root", some)


def hepmc(folder: Path, jets: Jets, events: Events) -> None:
    write.write_hepmc(folder / "events.hepmc", events[:20])


def pfnano(folder: Path, jets: Jets, events: Events) -> None:
    found = find_jets(events[:50], radius=0.8, hardest=2, min_pt=100.0)
    found = Jets(found.momenta, found.offsets, {**found.columns, "label": np.arange(len(found)) % 2})
    write.write_pfnano(folder / "nano.root", events[:50], (found, candidates(found, events)))


def candidates(jets: Jets, events: Events) -> np.ndarray:
    """The number in its event of each constituent."""
    where = {tuple(p4): number for number, p4 in enumerate(events.momenta.tolist())}
    number = np.array([where[tuple(p4)] for p4 in jets.momenta.tolist()])
    return number - events.offsets[jets.columns["event"][jets.group]]


def jetnet(folder: Path, jets: Jets, events: Events) -> None:
    for name, some in (("g", jets[:200]), ("t", jets[200:])):
        write.write_jetnet(folder / f"{name}.hdf5", some)


def columns(folder: Path, jets: Jets, events: Events) -> None:
    jets = by_mass(jets, 2)
    names = ("trk_px", "trk_py", "trk_pz", "trk_e")
    write.write_parquet(folder / "mine.parquet", jets, names, kind=jets.columns["label"], w=np.ones(len(jets)))
    with h5py.File(folder / "mine.h5", "w") as file:
        file["jets/constituents"] = write.padded(jets, jets.momenta[:, [3, 0, 1, 2]], 150)
        file["jets/kind"] = jets.columns["label"]


FILES: dict[str, Writer] = {
    "top-tagging": top_tagging,
    "energyflow": energyflow,
    "jetclass": jetclass,
    "weaver": weaver,
    "delphes": delphes,
    "hepmc": hepmc,
    "pfnano": pfnano,
    "jetnet": jetnet,
    "columns": columns,
}
