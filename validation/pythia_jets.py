"""Real jets for the comparisons: the leading anti-kt jet of QCD collisions, generated on the spot with Pythia 8."""

from __future__ import annotations

from typing import Any

import numpy as np
from rich.progress import Progress

from jetgram.momenta import Jets, concatenate

CARD = (
    "Beams:eCM = 13000.",
    "HardQCD:all = on",
    "PhaseSpace:pTHatMin = 180.",
    "PhaseSpace:pTHatMax = 550.",
    "Print:quiet = on",
    "Random:setSeed = on",
)
PT_MIN = 200.0
ETA_MAX = 5.0
NEUTRINOS = (12, 14, 16)
BATCH = 100


def pythia_jets(count: int, seed: int = 1, *, progress: bool = False) -> Jets:
    """`count` leading anti-kt R = 1 jets of pT > 200 GeV, of visible stable particles with |eta| < 5.

    They are like the background of `w-vs-qcd`: some 60 particles each, about a hundred jets a second.
    """
    pythia = _start(seed)
    found: list[Jets] = []
    with Progress(disable=not progress) as bar:
        task = bar.add_task("generating jets", total=count)
        while (so_far := sum(map(len, found))) < count:
            bar.update(task, completed=so_far)
            found.append(_leading_jets(_visible(pythia.nextBatch(BATCH))))
        bar.update(task, completed=count)
    return concatenate(found)[:count]


def _start(seed: int) -> Any:
    import pythia8mc

    pythia = pythia8mc.Pythia("", False)
    for line in (*CARD, f"Random:seed = {seed}"):
        pythia.readString(line)
    if not pythia.init():
        raise RuntimeError("Pythia refused its settings")
    return pythia


def _visible(events: Any) -> Any:
    """Momenta of the visible stable particles with |eta| < 5, a jagged Awkward array."""
    import awkward as ak

    particles = events.prt
    p = particles.p
    chosen = (particles.status > 0) & (abs(p.pz) < np.sinh(ETA_MAX) * np.hypot(p.px, p.py))
    for neutrino in NEUTRINOS:
        chosen = chosen & (abs(particles.id) != neutrino)
    return ak.zip({"px": p.px, "py": p.py, "pz": p.pz, "E": p.e}, with_name="Momentum4D")[chosen]


def _leading_jets(events: Any) -> Jets:
    """Constituents of each event's hardest anti-kt R = 1 jet, if it is harder than 200 GeV."""
    import awkward as ak
    import fastjet

    sequence = fastjet.ClusterSequence(events, fastjet.JetDefinition(fastjet.antikt_algorithm, 1.0))
    jets = sequence.inclusive_jets(min_pt=PT_MIN)
    hardest = ak.argmax(np.hypot(jets.px, jets.py), axis=1, keepdims=True)
    return Jets.from_awkward(ak.flatten(sequence.constituents(min_pt=PT_MIN)[hardest][ak.num(jets) > 0], axis=1))
