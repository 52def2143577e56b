"""Files as Delphes and CMS write them, where they are at hand: `JETGRAM_SAMPLES` names their folder."""

import os
from pathlib import Path

import numpy as np
import pytest

from jetgram import kinematics
from jetgram.errors import SuspiciousJetsWarning
from jetgram.momenta import Events, Jets
from jetgram.readers.reading import read

SAMPLES = Path(os.environ.get("JETGRAM_SAMPLES", Path(__file__).parents[3] / "shared" / "samples"))
DELPHES, PFNANO = SAMPLES / "delphes.root", SAMPLES / "pfnano_skim.root"
pytestmark = pytest.mark.skipif(not DELPHES.exists(), reason="no real files here: JETGRAM_SAMPLES names their folder")


def branch(path, tree, name):
    import awkward as ak
    import uproot

    with uproot.open(path) as file:
        return ak.to_numpy(ak.flatten(file[tree][name].array()))


def test_a_lost_track_does_not_cost_the_event():
    """Delphes writes PT = 0, Eta = 999.9 for tracks that it lost."""
    with pytest.warns(SuspiciousJetsWarning, match=r"14 particles left out: zero momentum.*EFlowTrack.PT = 0.0"):
        events = read(DELPHES)
    assert isinstance(events, Events)
    assert len(events) == 25
    track, photon, hadron = (
        branch(DELPHES, "Delphes", f"EFlow{name}") for name in ("Track.PT", "Photon.ET", "NeutralHadron.ET")
    )
    assert len(events.momenta) == np.count_nonzero(track) + len(photon) + len(hadron)
    charged = events.particles["charge"] != 0
    np.testing.assert_allclose(np.sort(kinematics.pt(events.momenta[charged])), np.sort(track[track > 0]), rtol=1e-6)
    neutral = np.concatenate([photon, hadron])
    np.testing.assert_allclose(np.sort(kinematics.pt(events.momenta[~charged])), np.sort(neutral), rtol=1e-6)


def test_towers_and_particles():
    towers = read(DELPHES, level="towers")
    np.testing.assert_allclose(towers.momenta[:, 3], branch(DELPHES, "Delphes", "Tower.E"), rtol=1e-3)
    particles = read(DELPHES, level="particles")
    energy = np.sum(particles.total[:, 3])
    assert 25 * 50_000 < energy < 25 * 100_001  # 100 TeV, without neutrinos
    assert not np.isin(np.abs(particles.particles["pdgid"]), (12, 14, 16)).any()


def test_jets_of_delphes_events():
    with pytest.warns(SuspiciousJetsWarning, match="zero momentum"):
        jets = read(DELPHES, jets=0.8, hardest=2)
    assert isinstance(jets, Jets)
    assert len(jets) == 50
    assert np.all(np.diff(jets.columns["event"]) >= 0)


def test_candidates_of_cms():
    events = read(PFNANO)
    assert len(events) == 3
    np.testing.assert_allclose(kinematics.pt(events.momenta), branch(PFNANO, "Events", "PFCands_pt"), rtol=1e-6)
    np.testing.assert_allclose(events.particles["d0"], branch(PFNANO, "Events", "PFCands_d0"))
    jets = read(PFNANO, jets=0.8, hardest=None, min_pt=100)
    assert np.all(jets.pt >= 100)
    assert "puppiWeight" in jets.particles


def test_candidates_without_puppi_weight_are_left_out():
    with pytest.warns(SuspiciousJetsWarning, match=r"zero momentum.*PFCands_pt = 0.59.*PFCands_puppiWeight = 0.0"):
        weighted = read(PFNANO, puppi=True)
    weight = branch(PFNANO, "Events", "PFCands_puppiWeight")
    assert len(weighted.momenta) == np.count_nonzero(weight)
