import numpy as np
import pytest

from jetgram import kinematics
from jetgram.collisions.collider import Collider, is_visible
from jetgram.collisions.processes import W_VS_QCD, W_VS_QCD_INCLUSIVE, WPRIME_VS_QCD, Process
from jetgram.collisions.truth import add_truth
from jetgram.collisions.veto import Cuts, LeadingJetVeto
from jetgram.errors import GenerationError
from jetgram.jets.clustering import find_jets
from jetgram.validity import require_good

PARTONS = Process(pythia=("HardQCD:all = on", "PhaseSpace:pTHatMin = 100.", "HadronLevel:all = off"))


@pytest.fixture(scope="module")
def wprime():
    return Collider(WPRIME_VS_QCD.signal, (1, 0, 1), eta_max=5.0).events(50)


def test_events_hold_visible_particles(wprime):
    require_good(wprime, "event")
    assert len(wprime) == 50
    assert 200 < wprime.multiplicity.mean() < 800
    assert np.abs(kinematics.eta(wprime.momenta)).max() < 5
    assert not np.isin(np.abs(wprime.particles["pdgid"]), [12, 14, 16, 1, 2, 3, 4, 5, 21, 23, 24]).any()


def test_what_is_visible():
    p4 = kinematics.from_ptetaphim([5.0, 5.0, 5.0, 5.0, 0.0], [0.0, 0.0, 6.0, 0.0, 0.0], 0.1)
    record = {"p4": p4, "id": np.array([211, 12, 22, 24, 22]), "status": np.array([1, 1, 1, -62, 1])}
    assert is_visible(record).tolist() == [True, False, True, False, False]
    assert is_visible(record, eta_max=5.0).tolist() == [True, False, False, False, False]


def test_the_bosons_are_the_last_copies(wprime):
    bosons = wprime.ragged["bosons"]
    assert (bosons.counts == 3).all()
    ids = np.abs(bosons.values[:, 4].reshape(-1, 3))
    assert (np.sort(ids, axis=1) == [23, 24, 34]).all()
    by_id = {i: bosons.values[np.abs(bosons.values[:, 4]) == i, :4] for i in (23, 24, 34)}
    # Last copies are those that decay: the W' is the sum of its W and Z, but for a photon now and then.
    assert np.isclose(by_id[34], by_id[23] + by_id[24], atol=1e-3).all(axis=1).mean() > 0.8
    assert abs(np.median(kinematics.mass(by_id[34])) - 700) < 20
    assert abs(np.median(kinematics.mass(by_id[24])) - 80.4) < 2


def test_two_bosons_of_one_kind_are_both_kept():
    decays = ("WeakZ0:gmZmode = 2", "23:onMode = off", "23:onIfAny = 1 2 3 4 5", "PartonLevel:MPI = off")
    lines = ("WeakDoubleBoson:ffbar2gmZgmZ = on", *decays, "PhaseSpace:pTHatMin = 230.")
    events = Collider(Process(pythia=lines, bosons=(23,)), (4,)).events(20)
    assert (events.ragged["bosons"].counts == 2).all()
    jets = add_truth(find_jets(events, hardest=1), events)
    assert np.mean(jets.columns["boson_dr"] < 1) > 0.8


def test_the_same_seed_gives_the_same_events_and_another_others(wprime):
    again = Collider(WPRIME_VS_QCD.signal, (1, 0, 1), eta_max=5.0).events(5)
    np.testing.assert_array_equal(again.momenta, wprime[:5].momenta)
    other = Collider(WPRIME_VS_QCD.signal, (1, 1, 1), eta_max=5.0).events(5)
    assert other.momenta.shape != again.momenta.shape or (other.momenta != again.momenta).any()


def test_the_veto_keeps_only_hard_events_and_their_weights_equal():
    kept = Collider(PARTONS, (5,), LeadingJetVeto(200.0, 1.0, PARTONS)).events(40)
    assert (find_jets(kept, hardest=1).pt > 0.99 * Cuts().late * 200).all()
    assert np.ptp(kept.columns["weight"]) == 0


class Recorder(LeadingJetVeto):
    """Writes the veto's answers down and lets every event pass."""

    def __init__(self, process):
        super().__init__(200.0, 1.0, process)
        self.early, self.late = False, []

    def doVetoPT(self, position, event):  # noqa: N802
        self.early |= super().doVetoPT(position, event)
        return False

    def doVetoPartonLevel(self, event):  # noqa: N802
        self.late.append(self.early or super().doVetoPartonLevel(event))
        self.early = False
        return False


def test_the_veto_drops_most_soft_events_and_no_hard_one():
    recorder = Recorder(PARTONS)
    events = Collider(PARTONS, (6,), recorder).events(400)
    jets = find_jets(events, hardest=1)
    dropped = np.array(recorder.late)[jets.columns["event"]]
    assert not dropped[jets.pt > 220].any()
    assert dropped[jets.pt < 0.95 * Cuts().late * 200].all()
    assert dropped.mean() > 0.6


def test_a_boson_that_recoils_against_a_harder_jet_is_not_the_leading_jet():
    from jetgram.collisions.truth import add_truth

    signal = W_VS_QCD_INCLUSIVE.signal
    events = Collider(signal, (1, 2), LeadingJetVeto(200.0, 1.0, signal), eta_max=5.0).events(60)
    jets = add_truth(find_jets(events, hardest=1), events)
    assert 0.4 < (jets.columns["boson_dr"] < 0.5).mean() < 1


def test_settings_that_pythia_refuses_are_named():
    with pytest.raises(GenerationError, match="'HardQCD:everything = on'"):
        Collider(Process(pythia=("HardQCD:everything = on",)), (1,))
    with pytest.raises(GenerationError, match="could not start"):
        Collider(Process(pythia=("HardQCD:all = off",)), (1,))


def test_jets_of_signal_events_are_mostly_the_boson():
    from jetgram.collisions.truth import add_truth

    events = Collider(W_VS_QCD.signal, (1, 2)).events(60)
    jets = add_truth(find_jets(events, hardest=1), events)
    near = jets.columns["boson_dr"] < 0.5
    assert near.mean() > 0.9
    mass = kinematics.mass(jets.total)[near & (jets.pt > 200)]
    assert 65 < np.median(mass) < 110
    np.testing.assert_allclose(kinematics.delta_r(jets.columns["boson"], jets.total), jets.columns["boson_dr"])
    background = add_truth(find_jets(Collider(PARTONS, (1,)).events(3), hardest=1), Collider(PARTONS, (1,)).events(3))
    assert np.isnan(background.columns["boson_dr"]).all()
