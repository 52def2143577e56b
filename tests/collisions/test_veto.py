"""The veto drops what cannot have a jet hard enough, and nothing else."""

import numpy as np
import pytest

from jetgram.collisions import veto
from jetgram.collisions.collider import Collider
from jetgram.collisions.processes import Process
from jetgram.collisions.settings import shower_settings
from jetgram.collisions.veto import LeadingJetVeto
from jetgram.errors import GenerationError
from jetgram.jets.clustering import find_jets

TO_QUARKS = ("24:onMode = off", "24:onIfAny = 1 2 3 4 5", "23:onMode = off", "23:onIfAny = 12 14 16")
QUICK = ("PartonLevel:MPI = off",)


class Watching(LeadingJetVeto):
    """Writes down what the veto would drop, and drops nothing."""

    def __init__(self, *arguments):
        super().__init__(*arguments)
        self.asked, self.against = 0, 0

    def doVetoStep(self, *arguments):  # noqa: N802
        self.against += super().doVetoStep(*arguments)
        return False

    def doVetoPT(self, *arguments):  # noqa: N802
        self.asked += 1
        self.against += super().doVetoPT(*arguments)
        return False

    def doVetoPartonLevel(self, event):  # noqa: N802
        return False


def test_heavy_resonances_are_not_judged_before_they_decay():
    """The jets come from the decay: before it, a heavy W' at rest has no pT at all."""
    lines = ("NewGaugeBoson:ffbar2Wprime = on", "34:m0 = 1500.", "Wprime:coup2WZ = 1.", "34:onMode = off")
    process = Process(pythia=(*lines, "34:onIfMatch = 24 23", *TO_QUARKS, *QUICK))
    hook = Watching(500.0, 0.8, process)
    jets = find_jets(Collider(process, (1,), hook).events(20), radius=0.8, hardest=1)
    assert np.mean(jets.pt > 500) > 0.6
    assert hook.asked > 0
    assert hook.against == 0


@pytest.mark.parametrize("shower", ["pythia", "vincia"])
def test_bosons_count_once_they_have_decayed(shower):
    """Vincia lets them decay in the midst of the shower."""
    lines = ("WeakDoubleBoson:ffbar2ZW = on", *TO_QUARKS, *QUICK, "PhaseSpace:pTHatMin = 300.")
    process = Process(pythia=(*lines, *shower_settings(shower, None)), bosons=(24,), boson_pt=(100.0, 2000.0))
    hook = Watching(60.0, 1.0, process)
    events = Collider(process, (2,), hook).events(25)
    w = np.hypot(*events.ragged["bosons"].values[:, :2].T)
    assert (w > 120).all()
    assert hook.against == 0


def test_a_range_that_no_jet_reaches_is_an_error(monkeypatch):
    monkeypatch.setattr(veto, "HOPELESS", 50)
    process = Process(pythia=("HardQCD:gg2gg = on", "PhaseSpace:pTHatMin = 30.", "PhaseSpace:pTHatMax = 40.", *QUICK))
    with pytest.raises(GenerationError, match="no event has a jet that is hard enough.*lower the pt range"):
        Collider(process, (3,), LeadingJetVeto(900.0, 1.0, process)).events(5)
