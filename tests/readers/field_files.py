"""The same jets and events in every layout, written by the libraries that write them in the field."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import awkward as ak
import h5py
import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import uproot

from jetgram import kinematics
from jetgram.momenta import Events, Jets, Momenta

CHARGED = (11, 13, 211, 321, 2212)
JETCLASS = ("QCD", "Hbb", "Hcc")
EFLOW_FIELDS = ("PT", "Eta", "Phi")


def charges(pdgid: np.ndarray) -> np.ndarray:
    """+1, -1 or 0."""
    return np.where(np.isin(np.abs(pdgid), CHARGED), np.sign(pdgid), 0).astype(np.int32)


def padded(rows: Momenta, values: np.ndarray, size: int) -> np.ndarray:
    """Values `(n, k)` per particle as `(rows, size, k)`, zero-padded."""
    place = np.arange(len(rows.momenta)) - rows.offsets[rows.group]
    out = np.zeros((len(rows), size, values.shape[1]))
    kept = place < size
    out[rows.group[kept], place[kept]] = values[kept]
    return out


def lists(rows: Momenta, values: np.ndarray) -> ak.Array:
    """One list per row."""
    return ak.unflatten(np.ascontiguousarray(values), rows.multiplicity)


def polar(rows: Momenta) -> dict[str, np.ndarray]:
    """pT, eta, phi, mass per particle."""
    p4 = rows.momenta
    return {"pt": kinematics.pt(p4), "eta": kinematics.eta(p4), "phi": kinematics.phi(p4), "mass": kinematics.mass(p4)}


def write_top_tagging(path: Path, jets: Jets, size: int = 200, **options: Any) -> Path:
    """A data frame as in 10.5281/zenodo.2603256: float32, blosc, format `table`."""
    import pandas as pd

    flat = padded(jets, jets.momenta[:, [3, 0, 1, 2]], size).astype(np.float32).reshape(len(jets), -1)
    names = [f"{name}_{i}" for i in range(size) for name in ("E", "PX", "PY", "PZ")]
    frame = pd.DataFrame(flat, columns=names)
    truth = pd.DataFrame(np.ones((len(jets), 4), dtype=np.float32), columns=["truthE", "truthPX", "truthPY", "truthPZ"])
    ends = pd.DataFrame({"ttv": np.zeros(len(jets), dtype=np.int64), "is_signal_new": jets.columns["label"]})
    how = {"format": "table", "complib": "blosc", "complevel": 5, **options}
    pd.concat([frame, truth, ends], axis=1).to_hdf(path, key="table", **how)
    return path


def write_energyflow(path: Path, jets: Jets, size: int = 150) -> Path:
    """`X` with pT, rapidity, phi, PDG id, and `y`."""
    p4 = jets.momenta
    columns = (kinematics.pt(p4), kinematics.rapidity(p4), kinematics.phi(p4), jets.particles["pdgid"])
    np.savez_compressed(path, X=padded(jets, np.stack(columns, axis=1), size), y=jets.columns["label"].astype(float))
    return path


def jetclass_columns(jets: Jets, classes: Sequence[str] = JETCLASS) -> dict[str, Any]:
    """`part_*`, `jet_*` and one column `label_*` per class, float32 as published."""
    pdgid = jets.particles["pdgid"]
    momenta = jets.momenta.astype(np.float32)
    names = ("part_px", "part_py", "part_pz", "part_energy")
    columns: dict[str, Any] = {name: lists(jets, momenta[:, i]) for i, name in enumerate(names)}
    columns["part_charge"] = lists(jets, charges(pdgid).astype(np.float32))
    columns["part_isPhoton"] = lists(jets, pdgid == 22)
    columns |= {"jet_pt": jets.pt.astype(np.float32), "jet_nparticles": jets.multiplicity.astype(np.float32)}
    for code, name in enumerate(classes):
        hot = jets.columns["label"] == code
        columns[f"label_{name}"] = hot if code else hot.astype(np.float32)  # as published: floats and flags
    return columns


def write_jetclass(path: Path, jets: Jets, classes: Sequence[str] = JETCLASS) -> Path:
    """A tree `tree`."""
    with uproot.recreate(path) as file:
        file.mktree("tree", {name: ak.type(ak.Array(value)).content for name, value in _typed(jets, classes).items()})
        file["tree"].extend(_typed(jets, classes))
    return path


def _typed(jets: Jets, classes: Sequence[str]) -> dict[str, Any]:
    return {name: ak.Array(value) for name, value in jetclass_columns(jets, classes).items()}


def write_weaver(path: Path, jets: Jets, label: Any = None, row_group_size: int | None = None) -> Path:
    """Parquet with `part_*`, `jet_*` and one column `label`."""
    columns = {name: value for name, value in jetclass_columns(jets).items() if not name.startswith("label_")}
    columns["label"] = jets.columns["label"] if label is None else label
    ak.to_parquet(ak.Array(columns), path, row_group_size=row_group_size or 64 * 1024)
    return path


def write_jetnet(path: Path, jets: Jets, size: int = 150) -> Path:
    """`particle_features` relative to the jet, and `jet_features`."""
    of = polar(jets)
    total = {"pt": jets.pt, "eta": jets.eta, "phi": jets.phi}
    relative = (
        of["eta"] - total["eta"][jets.group],
        np.remainder(of["phi"] - total["phi"][jets.group] + np.pi, 2 * np.pi) - np.pi,
        of["pt"] / total["pt"][jets.group],
        np.ones(len(jets.momenta)),
    )
    with h5py.File(path, "w") as file:
        file["particle_features"] = padded(jets, np.stack(relative, axis=1), size).astype(np.float32)
        file["jet_features"] = np.stack([jets.pt, jets.eta, jets.mass, jets.multiplicity], axis=1).astype(np.float32)
    return path


def write_hepmc(path: Path, events: Events) -> Path:
    """One vertex per event, with a decayed particle and a neutrino besides those of the events."""
    import pyhepmc

    with pyhepmc.open(path, "w") as file:
        for number in range(len(events)):
            event = pyhepmc.GenEvent(pyhepmc.Units.GEV, pyhepmc.Units.MM)
            event.event_number = number + 100
            event.weights = [0.5 + number]
            vertex = pyhepmc.GenVertex()
            vertex.add_particle_in(pyhepmc.GenParticle((0, 0, 6500, 6500), 2212, 4))
            vertex.add_particle_out(pyhepmc.GenParticle((0, 0, 500, 500), 23, 2))
            vertex.add_particle_out(pyhepmc.GenParticle((0, 30, 40, 50), 12, 1))
            ids = events.particles["pdgid"][slice(*events.offsets[number:][:2])]
            for momentum, pdgid in zip(events[number].tolist(), ids.tolist(), strict=True):
                vertex.add_particle_out(pyhepmc.GenParticle(momentum, pdgid, 1))
            event.add_vertex(vertex)
            file.write(event)
    return path


def write_delphes(path: Path, events: Events) -> Path:
    """Only the towers: the real file in the tests of the reader has the rest."""
    of = polar(events)
    towers = ak.zip(
        {
            "ET": lists(events, of["pt"].astype(np.float32)),
            "Eta": lists(events, of["eta"].astype(np.float32)),
            "Phi": lists(events, of["phi"].astype(np.float32)),
        }
    )
    with uproot.recreate(path, initial_directory_bytes=4096) as file:
        file.mktree("Delphes", {"Tower": towers.type.content}, field_name=lambda outer, inner: f"{outer}.{inner}")
        file["Delphes"].extend({"Tower": towers})
    return path


def write_pfnano(path: Path, events: Events, links: tuple[Jets, np.ndarray] | None = None) -> Path:
    """Candidates and, with `links` (jets with a column `event`, and the candidate of each constituent), link tables."""
    of = polar(events)
    candidates = {name: lists(events, values.astype(np.float32)) for name, values in of.items()}
    candidates["pdgId"] = lists(events, events.particles["pdgid"].astype(np.int32))
    candidates["puppiWeight"] = lists(events, np.full(len(events.momenta), 0.5, dtype=np.float32))
    branches: dict[str, Any] = {
        "event": np.arange(len(events), dtype=np.uint64) + 7,
        "genWeight": np.full(len(events), 2.0, dtype=np.float32),
        "PFCands": ak.zip(candidates),
    }
    if links is not None:
        jets, candidate = links
        per_event = np.bincount(jets.columns["event"], minlength=len(events))
        first = np.cumsum(per_event) - per_event
        number = np.arange(len(jets)) - first[jets.columns["event"]]
        links_per_event = np.bincount(jets.columns["event"][jets.group], minlength=len(events))
        branches["FatJet"] = ak.zip(
            {
                "pt": ak.unflatten(jets.pt.astype(np.float32), per_event),
                "flavour": ak.unflatten(jets.columns["label"].astype(np.int32), per_event),
            }
        )
        branches["FatJetPFCands"] = ak.zip(
            {
                "jetIdx": ak.unflatten(number[jets.group].astype(np.int32), links_per_event),
                "pFCandsIdx": ak.unflatten(candidate.astype(np.int32), links_per_event),
            }
        )
    with uproot.recreate(path) as file:
        file.mktree("Events", {name: ak.Array(value).type.content for name, value in branches.items()})
        file["Events"].extend(branches)
    return path


def write_parquet(path: Path, jets: Jets, names: Sequence[str], **columns: Any) -> Path:
    """Lists px, py, pz, E under any names, and other columns."""
    offsets = pa.array(jets.offsets.astype(np.int32))
    momenta = {n: pa.ListArray.from_arrays(offsets, pa.array(jets.momenta[:, i])) for i, n in enumerate(names)}
    pq.write_table(pa.table({**momenta, **columns}), path)
    return path
