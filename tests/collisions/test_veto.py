"""The veto drops what cannot have a jet hard enough, and nothing else."""

import numpy as np
import pytest

from jetgram import kinematics
from jetgram.collisions import veto
from jetgram.collisions.collider import Collider
from jetgram.collisions.processes import (
    QUARK_VS_GLUON,
    SAMPLES,
    TOP_VS_QCD,
    W_VS_QCD_INCLUSIVE,
    WPRIME_VS_QCD,
    Process,
    Sample,
)
from jetgram.collisions.settings import shower_settings
from jetgram.collisions.veto import JetWindowVeto, LeadingJetVeto
from jetgram.errors import GenerationError, SettingsError
from jetgram.jets.clustering import find_jets

TO_QUARKS = ("24:onMode = off", "24:onIfAny = 1 2 3 4 5", "23:onMode = off", "23:onIfAny = 12 14 16")
QUICK = ("PartonLevel:MPI = off",)


class Asked:
    """Before a veto: writes down what it would drop, and drops nothing."""

    def __init__(self, *arguments):
        super().__init__(*arguments)
        self.asked, self.against, self.answers = 0, 0, []

    def doVetoStep(self, *arguments):  # noqa: N802
        self.against += super().doVetoStep(*arguments)
        return False

    def doVetoPT(self, *arguments):  # noqa: N802
        self.asked += 1
        self.against += super().doVetoPT(*arguments)
        return False

    def doVetoPartonLevel(self, event):  # noqa: N802
        self.answers.append((self.against > 0, super().doVetoPartonLevel(event)))
        return False


class Watching(Asked, LeadingJetVeto):
    pass


class WatchingWindow(Asked, JetWindowVeto):
    def doVetoProcessLevel(self, process):  # noqa: N802
        self.against = 0
        return super().doVetoProcessLevel(process)


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


def test_a_window_drops_what_is_outside_and_hardly_anything_inside():
    """Early and late, and on all sides: too soft, too hard, not central. Two jets that touch may still become one."""
    process = QUARK_VS_GLUON.signal.with_settings((*QUICK, "PhaseSpace:pTHatMin = 470."))
    hook = WatchingWindow(QUARK_VS_GLUON, process)
    events = Collider(process, (4,), hook, energy=14_000.0, truth="parton").events(250)
    jets = find_jets(events, radius=0.4, hardest=1)
    early, late = np.array(hook.answers).T
    assert len(jets) == len(early) == 250
    y = np.abs(kinematics.rapidity(jets.total))
    inside = (jets.pt >= 500) & (jets.pt <= 550) & (y < 1.7)
    assert inside.sum() >= 40
    assert (early | late)[inside].sum() <= 1
    for outside in (jets.pt < 430, jets.pt > 700, y > 2):
        assert outside.sum() > 5
        assert early[outside].mean() > 0.8
        assert late[outside].mean() > 0.8


def test_a_window_has_the_partons_that_are_asked_for():
    process = QUARK_VS_GLUON.signal.with_settings((*QUICK, "HadronLevel:all = off"))

    def flavours(hook=None):
        events = Collider(process, (5,), hook, energy=14_000.0, truth="parton").events(150)
        return set(np.abs(events.ragged["partons"].values[:, 4]).astype(int))

    assert flavours() >= {1, 2, 3, 4}
    assert flavours(JetWindowVeto(QUARK_VS_GLUON, process)) == {1, 2, 3}


def test_partons_that_the_process_does_not_make_are_an_error(monkeypatch):
    monkeypatch.setattr(veto, "HOPELESS", 50)
    process = QUARK_VS_GLUON.background.model_copy(update={"partons": (5,)})
    with pytest.raises(GenerationError, match=r"no event has a jet that is hard enough or of the partons \(5,\)"):
        Collider(process, (6,), JetWindowVeto(QUARK_VS_GLUON, process)).events(5)


def test_a_window_is_not_asked_of_the_other_samples():
    """Their bytes were there before it."""
    assert [sample.name for sample in SAMPLES.values() if sample.veto == "window"] == ["quark-vs-gluon"]


@pytest.mark.parametrize(
    ("sample", "changed", "message"),
    [
        (QUARK_VS_GLUON, {"pt": None}, "without a window; give a pt range"),
        (WPRIME_VS_QCD, {}, "without a window; give a pt range"),
        (TOP_VS_QCD, {}, "is for jets of partons; name them"),
        (W_VS_QCD_INCLUSIVE, {}, "is for jets of partons; name them"),
    ],
)
def test_a_window_is_for_jets_of_partons(sample, changed, message):
    with pytest.raises(SettingsError, match=message):
        Sample.create(**(sample.model_dump() | {"veto": "window"} | changed))
