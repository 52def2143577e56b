"""What users register has the rights of what is built in, with the native core and without."""

import subprocess
import sys

import numpy as np
import pytest
import torch

import jetgram
from jetgram import backend
from jetgram.errors import BadJetError, ModelError, SettingsError
from jetgram.models.settings import ModelSettings
from jetgram.models.store import load_model
from jetgram.networks.cells import CELLS, Cell, Simple
from jetgram.networks.heads import LOSSES, Loss
from jetgram.networks.network import TrainingStep
from jetgram.readers.jetnet import JetNet
from jetgram.trees.features import FEATURE_SETS, FeatureSet, node_features
from jetgram.trees.topologies import TOPOLOGIES, Topology, build_trees

QUICK = {"recipe": "paper", "hidden": 6, "epochs": 2, "batch": 32, "rate": 0.01}


class Average(Cell):
    """The mean of the children's states and of the node's own."""

    name = "average"

    def forward(self, children, u):
        return (children[:, : self.hidden] + children[:, self.hidden :] + u) / 3


def hardest_first(tree, seed):
    order = sorted(range(tree.leaves), key=tree.pt2, reverse=True)
    last = order[0]
    for leaf in order[1:]:
        last = tree.join(last, leaf)


LOGARITHMS = FeatureSet(("ln pT", "eta"), lambda trees, particles: np.log(1 + np.abs(node_features(trees)[:, [5, 1]])))


@pytest.fixture
def registered():
    tables = CELLS, FEATURE_SETS, TOPOLOGIES
    before = [dict(table) for table in tables]
    jetgram.register("average", Average)
    jetgram.register("logarithms", LOGARITHMS)
    jetgram.register("hardest-first", Topology("hardest first", "hard", "a chain", hardest_first))
    yield
    for table, contents in zip(tables, before, strict=True):
        table.clear()
        table.update(contents)


def test_all_three_learn_are_saved_and_loaded(registered, qcd_jets, tmp_path):
    label = (qcd_jets.pt > np.median(qcd_jets.pt)).astype(int)
    mine = {"cell": "average", "features": "logarithms", "topology": "hardest-first"}
    tagger = jetgram.JetTagger(**mine, **QUICK).fit(qcd_jets[:200], label[:200])
    assert tagger.model.network.engine() == "torch"
    assert tagger.history[-1]["loss"] < tagger.history[0]["loss"]
    tagger.save(tmp_path / "mine")
    loaded = jetgram.JetTagger.load(tmp_path / "mine")
    np.testing.assert_array_equal(loaded.predict_proba(qcd_jets), tagger.predict_proba(qcd_jets))
    del TOPOLOGIES["hardest-first"]
    with pytest.raises(ModelError, match=r"model.json: topology = 'hardest-first': .*jetgram.register"):
        load_model(tmp_path / "mine")
    jetgram.register("hardest-first", Topology("hardest first", "hard", "a chain", hardest_first))
    del CELLS["average"]
    with pytest.raises(ModelError, match=r"model.json: cell = 'average': .*jetgram.register"):
        load_model(tmp_path / "mine")


class Dropping(Simple):
    """With dropout."""

    def __init__(self, features=7, hidden=40):
        super().__init__(features, hidden)
        self.drop = torch.nn.Dropout(0.5)

    def forward(self, children, u):
        return self.drop(super().forward(children, u))


def test_predictions_have_no_dropout(registered, qcd_jets, tmp_path):
    jetgram.register("dropping", Dropping)
    tagger = jetgram.JetTagger(cell="dropping", **QUICK).fit(qcd_jets[:200], np.arange(200) % 2)
    expected = tagger.predict_proba(qcd_jets[:50])
    tagger.save(tmp_path / "mine")
    for each in (tagger, jetgram.JetTagger.load(tmp_path / "mine")):
        np.testing.assert_array_equal(each.predict_proba(qcd_jets[:50]), expected)


def log_cosh(outputs, targets):
    return torch.log(torch.cosh(outputs - targets)).mean(dim=1)


def soft_logistic(outputs, targets):
    """The logistic loss with targets of 0.1 and 0.9."""
    return torch.nn.functional.binary_cross_entropy_with_logits(outputs, 0.1 + 0.8 * targets, reduction="none")[:, 0]


@pytest.fixture
def losses():
    before = dict(LOSSES)
    jetgram.register("log-cosh", Loss(log_cosh, "numbers"))
    jetgram.register("soft-logistic", Loss(soft_logistic, "logit"))
    yield
    LOSSES.clear()
    LOSSES.update(before)


def test_a_loss_trains_in_torch_and_predicts_with_the_native_core(losses, qcd_jets, tmp_path):
    tagger = jetgram.JetTagger(loss="soft-logistic", **QUICK).fit(qcd_jets, qcd_jets.pt > np.median(qcd_jets.pt))
    assert tagger.model.settings.head.loss == "soft-logistic"
    plain = jetgram.JetTagger(**QUICK).fit(qcd_jets, qcd_jets.pt > np.median(qcd_jets.pt))
    assert tagger.history[-1]["loss"] != pytest.approx(plain.history[-1]["loss"], rel=1e-3)
    tagger.save(tmp_path / "soft")
    loaded = jetgram.JetTagger.load(tmp_path / "soft")
    np.testing.assert_array_equal(loaded.predict_proba(qcd_jets), tagger.predict_proba(qcd_jets))
    regressor = jetgram.JetRegressor(loss="log-cosh", **QUICK).fit(qcd_jets, qcd_jets.pt)
    if backend.native_core() is not None:
        assert regressor.model.network.engine() == "native"
    assert regressor.history[-1]["loss"] < regressor.history[0]["loss"]
    with pytest.raises(SettingsError, match="the native engine does not know the loss log-cosh; use auto"):
        TrainingStep(ModelSettings(head="regressor", loss="log-cosh", engine="native").build())
    with pytest.raises(SettingsError, match="a regressor is not trained with the loss soft-logistic; expected squared"):
        jetgram.JetRegressor(loss="soft-logistic")
    del LOSSES["soft-logistic"]
    with pytest.raises(ModelError, match=r"model.json: loss = 'soft-logistic'.*jetgram.register"):
        load_model(tmp_path / "soft")


def test_registering_a_topology_needs_no_torch():
    program = """
import sys
import jetgram
from jetgram.trees.topologies import Topology
jetgram.register("mine", Topology("mine", "mine", "none", print))
assert "torch" not in sys.modules
"""
    subprocess.run([sys.executable, "-c", program], check=True)


def test_a_topology_in_python_works_with_the_native_core(registered, qcd_jets, monkeypatch):
    found = build_trees(qcd_jets[:20], "hardest-first")
    for jet in range(20):
        tree = found[[jet]]
        inner = tree.momenta[~tree.is_leaf]
        np.testing.assert_allclose(inner[-1], qcd_jets[jet].sum(axis=0), rtol=1e-12)
        assert tree.depth[0] == len(qcd_jets[jet]) - 1
    monkeypatch.setattr(backend, "native_core", lambda: None)
    np.testing.assert_array_equal(build_trees(qcd_jets[:20], "hardest-first").children, found.children)


def test_a_topology_that_leaves_nodes_out_is_named(registered, qcd_jets):
    jetgram.register("lazy", Topology("lazy", "lazy", "nothing", lambda tree, seed: None))
    with pytest.raises(BadJetError, match=r"topology lazy made a tree of \d+ nodes for jet 0; expected \d+"):
        build_trees(qcd_jets[:2], "lazy")


def test_the_native_engine_does_not_take_a_cell_it_does_not_know(registered, qcd_jets):
    network = ModelSettings(cell="average", engine="native").build(seed=1)
    with pytest.raises(SettingsError, match="native"):
        network.fused()
    same = ModelSettings(cell="average").build(seed=1)
    assert same.fused() is None
    assert torch.isfinite(same(ModelSettings().read(qcd_jets[:3]).inputs)).all()


@pytest.mark.parametrize(
    ("name", "thing", "message"),
    [
        ("simple", Average, "'simple' is built in"),
        ("kt", Average, "'kt' is built in"),
        ("a+b", Average, "expected letters, digits, - and _"),
        ("mine", "Average", "expected a Topology, a FeatureSet or a Loss, or a class of cells"),
        ("mine", Simple(), "or a class of cells"),
        ("mine", Topology, "expected a Topology"),
        ("huber", Loss(torch.sub, "numbers"), "'huber' is built in"),
        ("columns", JetNet, "'columns' is built in"),
    ],
)
def test_wrong_things_are_refused(name, thing, message):
    with pytest.raises(SettingsError, match=message):
        jetgram.register(name, thing)


def test_a_name_that_nobody_registered_is_an_error_that_helps():
    with pytest.raises(SettingsError, match="register"):
        ModelSettings.create(cell="average")
    with pytest.raises(SettingsError, match="register"):
        ModelSettings.create(features="logarithms")
