"""The samples after public datasets: their ranges, their truth, and the same bytes alone and with other levels."""

import numpy as np
import pytest

from jetgram import kinematics
from jetgram.collisions.collider import Collider
from jetgram.collisions.generate import make_shard, make_shards
from jetgram.collisions.processes import QUARK_VS_GLUON, TOP_VS_QCD
from jetgram.collisions.settings import GenerationSettings
from jetgram.collisions.truth import add_truth
from jetgram.jets.clustering import find_jets
from jetgram.storage import parquet

TOPS = GenerationSettings(sample=TOP_VS_QCD, rows=24, test_share=0)
LIGHT_JETS = GenerationSettings(sample=QUARK_VS_GLUON, rows=16, test_share=0)


@pytest.fixture(scope="module")
def top_shards():
    """Both levels of one shard, from one pass of Pythia."""
    levels = ("pflow", "particles")
    return dict(zip(levels, make_shards([TOPS.at(level).shards()[0] for level in levels]), strict=True))


def test_the_energy_flow_of_tops(top_shards) -> None:
    assert TOPS.level == "pflow"
    jets = parquet.decode(top_shards["pflow"], "shard")
    top = jets.columns["label"] == 1
    assert len(jets) == 24
    assert (jets.multiplicity <= 200).all()
    assert ((jets.pt > 549) & (jets.pt < 651)).all()
    assert (np.abs(jets.eta) < 2).all()
    assert (jets.columns["top_dr"][top] < 0.8).all()
    assert (jets.columns["prong_dr"][top] < 0.8).all()
    assert np.isnan(jets.columns["top_dr"][~top]).all()
    assert abs(np.median(kinematics.mass(jets.columns["top"][top])) - 172.5) < 3
    assert np.median(jets.mass[top]) > np.median(jets.mass[~top]) + 50
    assert "pclass" in jets.particles


def test_a_level_of_tops_is_the_same_alone(top_shards) -> None:
    assert make_shard(TOPS.shards()[0]) == top_shards["pflow"]


def test_quarks_and_gluons() -> None:
    jets = parquet.decode(make_shard(LIGHT_JETS.shards()[0]), "shard")
    quark = jets.columns["label"] == 1
    assert ((jets.pt >= 500) & (jets.pt <= 550)).all()
    assert (np.abs(kinematics.rapidity(jets.total)) < 1.7).all()
    assert set(np.abs(jets.columns["parton_id"][quark])) <= {1, 2, 3}
    assert set(jets.columns["parton_id"][~quark]) == {21}
    assert (jets.columns["parton_dr"] < 0.4).mean() > 0.8
    assert {22, 211} <= set(np.abs(jets.particles["pdgid"]).tolist())


def test_three_partons_make_a_top() -> None:
    """Without radiation from the decay their momenta add up, and both tops of an event are there."""
    quiet = TOP_VS_QCD.signal.with_settings(("PartonLevel:FSR = off", "HadronLevel:all = off"))
    events = Collider(quiet, (1,), energy=TOP_VS_QCD.energy, truth="top").events(20)
    tops = events.ragged["tops"]
    assert (tops.counts == 2).all()
    momenta = tops.values.reshape(-1, 4, 4)
    np.testing.assert_allclose(momenta[:, 0], momenta[:, 1:].sum(axis=1), atol=1e-6)
    jets = add_truth(find_jets(events, radius=0.8), events)
    near = momenta.reshape(20, 2, 4, 4)[jets.columns["event"], :, 0]
    distance = kinematics.delta_r(near, jets.total[:, None])
    np.testing.assert_allclose(jets.columns["top_dr"], distance.min(axis=1))
    nearest = momenta.reshape(20, 2, 4, 4)[jets.columns["event"], distance.argmin(axis=1), 1:]
    np.testing.assert_allclose(jets.columns["prong_dr"], kinematics.delta_r(nearest, jets.total[:, None]).max(axis=1))


def test_tops_that_decay_to_leptons_are_none() -> None:
    leptons = TOP_VS_QCD.signal.with_settings(("24:onMode = off", "24:onIfAny = 11 13", "HadronLevel:all = off"))
    events = Collider(leptons, (1,), energy=TOP_VS_QCD.energy, truth="top").events(5)
    assert (events.ragged["tops"].counts == 0).all()
