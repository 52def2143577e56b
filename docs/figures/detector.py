"""The figure of docs/detector.md: response and resolution of the simulated detector beside the card's formulas.

Run as `python docs/figures/detector.py [OUT.png]`; it shoots single particles and generates 1,000 collisions (20 s).
"""

from __future__ import annotations

import math
import sys
from pathlib import Path

import matplotlib as mpl
import numpy as np

from jetgram import kinematics
from jetgram.collisions import detector
from jetgram.collisions.detector import ATLAS
from jetgram.collisions.detector.calorimeter import sigma
from jetgram.collisions.detector.components import Calorimeter
from jetgram.collisions.detector.tracks import find_tracks, resolution
from jetgram.jets.clustering import find_jets
from jetgram.momenta import Events
from jetgram.pdg import charge

mpl.use("Agg")
import matplotlib.pyplot as plt

SHOTS = 5_000
BEAMS = {  # what is shot, at which pseudorapidity, into which calorimeter
    "photons, |η| < 3.2": (22, 0.35, ATLAS.ecal),
    "photons, beyond": (22, 4.0, ATLAS.ecal),
    "neutrons, |η| < 1.7": (2112, 0.35, ATLAS.hcal),
    "neutrons, to 3.2": (2112, 2.25, ATLAS.hcal),
    "neutrons, beyond": (2112, 4.0, ATLAS.hcal),
}
TRACKS = {"|η| < 0.5": 0.3, "to 1.5": 1.0, "to 2.5": 2.0}
SPECIES = {"charged hadrons": (211, ATLAS.charged_hadrons), "muons": (13, ATLAS.muons)}


def shoot(pdgid: int, pt: float, eta: float, seed: int) -> Events:
    """Events of one massless particle each, at random azimuth."""
    phi = np.random.default_rng(seed).uniform(-np.pi, np.pi, SHOTS)
    ids = np.full(SHOTS, pdgid, dtype=np.int32)
    return Events(kinematics.from_ptetaphim(pt, eta, phi), np.arange(SHOTS + 1), particles={"pdgid": ids})


def expected_response(calorimeter: Calorimeter, eta: float, energy: np.ndarray) -> np.ndarray:
    """Mean of the log-normal reading above its threshold, relative to the true energy."""
    scan = np.geomspace(1e-2, 1e3, 20_000)
    two_sigma = calorimeter.significance_min * sigma(calorimeter, np.full(len(scan), eta), scan)
    threshold = scan[np.argmax(scan >= np.maximum(calorimeter.energy_min, two_sigma))]
    spread = sigma(calorimeter, np.full(len(energy), eta), energy)
    width = np.sqrt(np.log1p((spread / energy) ** 2))
    z = (np.log(energy / threshold) + width**2 / 2) / width
    return np.array([0.5 * math.erfc(-x / math.sqrt(2)) for x in z])


def collisions(count: int) -> Events:
    """Visible stable particles with |eta| < 5 of QCD events at 13 TeV."""
    import awkward as ak
    import pythia8mc

    pythia = pythia8mc.Pythia("", False)
    settings = ("Beams:eCM = 13000.", "HardQCD:all = on", "PhaseSpace:pTHatMin = 250.", "Print:quiet = on")
    for line in (*settings, "Random:setSeed = on", "Random:seed = 11"):
        pythia.readString(line)
    pythia.init()
    batch = pythia.nextBatch(count).prt
    invisible = (abs(batch.id) == 12) | (abs(batch.id) == 14) | (abs(batch.id) == 16)
    seen = (batch.status > 0) & ~invisible & (abs(batch.p.pz) < np.sinh(5) * np.hypot(batch.p.px, batch.p.py))
    batch = batch[seen]
    flat = ak.flatten(batch)
    momenta = np.stack([ak.to_numpy(flat.p[name]) for name in ("px", "py", "pz", "e")], axis=-1)
    offsets = np.concatenate([[0], np.cumsum(ak.to_numpy(ak.num(batch)))])
    return Events(momenta, offsets, particles={"pdgid": ak.to_numpy(flat.id).astype(np.int32)})


def draw_calorimeters(response: plt.Axes, width: plt.Axes) -> None:
    """Mean and spread of the towers of single particles; the spread only where thresholds cut less than 0.1 %."""
    shot, fine = np.geomspace(1, 800, 13), np.geomspace(0.7, 1000, 200)
    for number, (name, (pdgid, eta, calorimeter)) in enumerate(BEAMS.items()):
        seen = [
            detector.towers(shoot(pdgid, energy / np.cosh(eta), eta, number), seed=[number, i]).total[:, 3]
            for i, energy in enumerate(shot)
        ]
        expected = expected_response(calorimeter, eta, fine)
        response.plot(fine, expected, color=f"C{number}", lw=1)
        response.plot(shot, [s.mean() / e for s, e in zip(seen, shot, strict=True)], "o", ms=4, color=f"C{number}")
        whole = [i for i, energy in enumerate(shot) if np.interp(energy, fine, expected) > 0.999]
        width.plot(fine, sigma(calorimeter, np.full(len(fine), eta), fine) / fine, color=f"C{number}", lw=1, label=name)
        width.plot(shot[whole], [seen[i].std() / shot[i] for i in whole], "o", ms=4, color=f"C{number}")
    response.set(xscale="log", xlabel="energy [GeV]", ylabel="⟨tower energy⟩ / energy", ylim=(0, 1.15))
    width.set(xscale="log", yscale="log", xlabel="energy [GeV]", ylabel="σ(E) / E", ylim=(2e-3, 2))
    width.legend(title="towers of", fontsize=7, title_fontsize=7)


def draw_tracks(axes: plt.Axes) -> None:
    """Spread of the pT of found tracks."""
    shot, fine = np.geomspace(0.5, 500, 10), np.geomspace(0.3, 1000, 200)
    for style, (species, (pdgid, tracking)) in enumerate(SPECIES.items()):
        for number, (region, eta) in enumerate(TRACKS.items()):
            look = {"color": f"C{number}", "ls": ("-", "--")[style], "lw": 1, "label": f"{species}, {region}"}
            axes.plot(fine, resolution(tracking.resolution, fine, np.full(len(fine), eta)), **look)
            for i, pt in enumerate(shot):
                events = shoot(pdgid, pt, eta, i)
                rng = np.random.default_rng([style, number, i])
                tracks = find_tracks(events, charge(events.particles["pdgid"]), ATLAS, rng)
                axes.plot(pt, (kinematics.pt(tracks.momenta) / pt).std(), "os"[style], ms=4, color=f"C{number}")
    axes.set(xscale="log", yscale="log", xlabel="pT [GeV]", ylabel="σ(pT) / pT", ylim=(5e-3, 30))
    axes.legend(title="tracks of", fontsize=7, title_fontsize=7, ncols=2, loc="upper left")


def draw_jets(axes: plt.Axes, events: Events) -> None:
    """PT of the leading R = 1 jet seen by the detector, relative to the same jet of particles."""
    truth = find_jets(events).total
    for level in ("towers", "pflow"):
        found = find_jets(detector.simulate(events, level, seed=1), hardest=2).total.reshape(len(events), 2, 4)
        near = np.argmin(kinematics.delta_r(truth[:, None], found), axis=1)
        partner = found[np.arange(len(found)), near]
        good = (np.abs(kinematics.eta(truth)) < 2) & (kinematics.delta_r(truth, partner) < 0.3)
        ratio = (kinematics.pt(partner) / kinematics.pt(truth))[good]
        low, middle, high = np.percentile(ratio, [16, 50, 84])
        print(f"{level}: {good.sum()} jets, median {middle:.3f}, resolution {(high - low) / (2 * middle):.3f}")
        label = f"{level}: median {middle:.3f}, width {(high - low) / (2 * middle):.3f}"
        axes.hist(ratio, bins=np.linspace(0.75, 1.2, 46), histtype="step", label=label)
    axes.set(xlabel="jet pT, detector / particles", ylabel="jets")
    axes.set_ylim(top=1.35 * axes.get_ylim()[1])
    axes.legend(title="R = 1, |η| < 2, pT-hat > 250 GeV", fontsize=7, title_fontsize=7)


def main(path: Path) -> None:
    """Draw the four panels."""
    figure, ((response, width), (tracks, jets)) = plt.subplots(2, 2, figsize=(9, 6.6), layout="constrained")
    draw_calorimeters(response, width)
    draw_tracks(tracks)
    draw_jets(jets, collisions(1_000))
    figure.savefig(path, dpi=110)


if __name__ == "__main__":
    main(Path(sys.argv[1]) if len(sys.argv) > 1 else Path(__file__).with_suffix(".png"))
