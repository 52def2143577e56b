"""Real jets for comparisons and benchmarks, generated on the spot: like the background of `w-vs-qcd`."""

from __future__ import annotations

from jetgram.cli.progress import progress
from jetgram.collisions.collider import Collider
from jetgram.collisions.processes import Process
from jetgram.jets.clustering import find_jets
from jetgram.joining import concatenate
from jetgram.momenta import Jets

QCD = Process(pythia=("HardQCD:all = on", "PhaseSpace:pTHatMin = 180.", "PhaseSpace:pTHatMax = 550."))
PT_MIN = 200.0
BATCH = 100


def pythia_jets(count: int, seed: int = 1) -> Jets:
    """`count` leading anti-kt R = 1 jets of pT > 200 GeV in QCD collisions at 13 TeV: some 60 particles each.

    About a hundred jets per second and core.
    """
    collider = Collider(QCD, (seed,))
    found: list[Jets] = []
    left = count
    with progress("generating", count, "jets") as advance:
        while left > 0:
            found.append(find_jets(collider.events(BATCH), hardest=1, min_pt=PT_MIN)[:left])
            left -= len(found[-1])
            advance(len(found[-1]))
    return concatenate(found) if found else Jets.from_lists([])
