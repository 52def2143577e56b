"""Particle guns, a detector without faults, and real collisions."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from jetgram import kinematics
from jetgram.collisions.detector import ATLAS, DetectorCard
from jetgram.momenta import Events

MASS = {22: 0.0, 11: 0.000511, 13: 0.10566, 211: 0.13957, 321: 0.49368, 2112: 0.93957, 130: 0.49761, 3122: 1.11568}
SHOTS = 10_000

Gun = Callable[..., Events]


@pytest.fixture(scope="session")
def gun() -> Gun:
    """Events of one particle each, with the given energy (or pT), pseudorapidity and random azimuth."""

    def shoot(pdgid: int, eta: float, *, energy: float = 0.0, pt: float = 0.0, count: int = SHOTS) -> Events:
        mass = MASS.get(abs(pdgid), 0.0)
        pt = pt or np.sqrt(energy**2 - mass**2) / np.cosh(eta)
        phi = np.random.default_rng(abs(pdgid)).uniform(-np.pi, np.pi, count)
        momenta = kinematics.from_ptetaphim(pt, eta, phi, mass)
        ids = np.full(count, pdgid, dtype=np.int32)
        return Events(momenta, np.arange(count + 1), {"number": np.arange(count)}, {"pdgid": ids})

    return shoot


@pytest.fixture(scope="session")
def perfect() -> DetectorCard:
    """The ATLAS card with every resolution and threshold zero, every efficiency one, towers at cell centres."""

    def sharpen(part: object) -> object:
        if isinstance(part, dict):
            return {key: 0.0 if key in ERRORS else sharpen(value) for key, value in part.items()}
        return [sharpen(value) for value in part] if isinstance(part, (list, tuple)) else part

    values = sharpen(ATLAS.model_dump())
    assert isinstance(values, dict)
    for kind in ("charged_hadrons", "electrons", "muons"):
        values[kind]["efficiency"] = {"eta_max": [2.5], "pt_min": [0.0], "values": [[1.0]]}
    return DetectorCard.create(**values | {"smear_position": False})


ERRORS = {"constant", "stochastic", "noise", "slope", "energy_min", "significance_min"}


@pytest.fixture(scope="session")
def collisions() -> Events:
    """Visible stable particles with |eta| < 5 of 150 QCD events at 13 TeV."""
    import awkward as ak
    import pythia8mc

    pythia = pythia8mc.Pythia("", False)
    for line in (
        "Beams:eCM = 13000.",
        "HardQCD:all = on",
        "PhaseSpace:pTHatMin = 250.",
        "Random:setSeed = on",
        "Random:seed = 7",
        "Print:quiet = on",
    ):
        pythia.readString(line)
    pythia.init()
    batch = pythia.nextBatch(150).prt
    invisible = (abs(batch.id) == 12) | (abs(batch.id) == 14) | (abs(batch.id) == 16)
    batch = batch[(batch.status > 0) & ~invisible]
    batch = batch[abs(batch.p.pz) < np.sinh(5) * np.hypot(batch.p.px, batch.p.py)]
    flat = ak.flatten(batch)
    momenta = np.stack([ak.to_numpy(flat.p[name]) for name in ("px", "py", "pz", "e")], axis=-1)
    offsets = np.concatenate([[0], np.cumsum(ak.to_numpy(ak.num(batch)))])
    ids = ak.to_numpy(flat.id).astype(np.int32)
    return Events(momenta, offsets, {"number": np.arange(len(batch))}, {"pdgid": ids})
