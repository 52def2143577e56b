"""What every network of others must be: a function of the set alone, whatever it is computed together with."""

import dataclasses

import numpy as np
import pytest
import torch

from jetgram.errors import BadJetError, SettingsError
from jetgram.evaluation.predict import _answers
from jetgram.export.onnx_file import export_onnx
from jetgram.inputs.particles import ParticleSets
from jetgram.jets.perturb import perturb
from jetgram.models.model import JetModel
from jetgram.models.settings import ModelSettings
from jetgram.models.store import load_model, save_model
from jetgram.momenta import Jets
from jetgram.networks.families import PEERS
from jetgram.networks.network import TrainingStep
from jetgram.tagger import JetTagger

PARAMETERS = {"pfn": 46_829, "efn": 46_429, "lundnet": 57_857, "particlenet": 25_985, "part": 110_673}
OF_SETS = ("pfn", "efn", "particlenet", "part")


@pytest.fixture(scope="module")
def jets(qcd_jets):
    """Forty real jets, and one of a single constituent, two and three."""
    few = [qcd_jets[i][:count] for i, count in enumerate((1, 2, 3))]
    return Jets.from_lists([*few, *(qcd_jets[i] for i in range(40))])


@pytest.fixture(scope="module", params=PEERS)
def model(request, jets):
    made = JetModel.untrained(ModelSettings(network=request.param, initialisation="modern"), jets, seed=3)
    return dataclasses.replace(made, network=made.network.double())


@pytest.fixture(scope="module", params=OF_SETS)
def of_sets(request, jets):
    made = JetModel.untrained(ModelSettings(network=request.param, initialisation="modern"), jets, seed=3)
    return dataclasses.replace(made, network=made.network.double())


@pytest.mark.parametrize("name", PEERS)
def test_the_number_of_parameters(name):
    assert sum(weight.numel() for weight in ModelSettings(network=name).build().parameters()) == PARAMETERS[name]


def test_the_order_of_constituents_does_not_matter(of_sets, jets):
    sets = of_sets.read(jets)
    rng = np.random.default_rng(1)
    order = np.concatenate([begin + rng.permutation(n) for begin, n in zip(sets.offsets, sets.counts, strict=False)])
    shuffled = ParticleSets(sets.features[order], sets.points[order], sets.offsets)
    np.testing.assert_allclose(of_sets.network.predict(shuffled), of_sets.network.predict(sets), atol=1e-10)


def test_a_jet_is_the_same_alone_and_with_others(model, jets, monkeypatch):
    inputs = model.read(jets)
    together = model.network.predict(inputs)
    alone = np.concatenate([model.network.predict(inputs[[i]]) for i in range(len(inputs))])
    np.testing.assert_allclose(alone, together, atol=1e-10)
    np.testing.assert_allclose(model.network.predict(inputs, [7, 0, 7]), together[[7, 0, 7]], atol=1e-10)
    monkeypatch.setattr(type(model.network.embedding), "together", 5)
    np.testing.assert_allclose(model.network.predict(inputs), together, atol=1e-10)
    assert np.ptp(together) > 1e-3  # it does look at the jets


def test_no_jets_are_no_scores(model, jets):
    assert model.network.predict(model.read(jets)[[]]).shape == (0, 1)
    with pytest.raises(IndexError, match="not among the 43"):
        model.network.predict(model.read(jets), [43])


def test_every_weight_learns(model, jets):
    """The gradient of the loss, against finite differences along random directions."""
    inputs = model.read(jets)
    step = TrainingStep(ModelSettings(network=model.settings.network.kind, initialisation="modern").build(5).double())
    y, values, generator = np.arange(len(jets)) % 2, step.parameters.values, torch.Generator().manual_seed(1)
    values.add_(torch.randn(len(values), dtype=torch.float64, generator=generator), alpha=0.01)  # away from the kinks
    step(inputs, None, y)
    gradient = step.parameters.gradient.clone()
    assert all((weight.grad != 0).any() for weight in step.network.parameters())
    direction = torch.randn(len(values), dtype=torch.float64, generator=generator)
    losses = []
    for sign in (1, -1):
        values.add_(direction, alpha=sign * 1e-8)
        losses.append(step(inputs, None, y))
        values.sub_(direction, alpha=sign * 1e-8)
    assert (losses[0] - losses[1]) / 2e-8 == pytest.approx(float(gradient @ direction), rel=1e-3)


def test_a_saved_network_gives_the_same_scores(model, jets, tmp_path):
    single = dataclasses.replace(model, network=model.settings.build(2))
    save_model(tmp_path / "model", single, [])
    loaded = load_model(tmp_path / "model")
    assert loaded.settings == single.settings
    np.testing.assert_array_equal(loaded.predict(jets), single.predict(jets))


@pytest.mark.parametrize("scenario", ["collinear10-max", "soft"])
def test_clean_jets_do_not_see_splittings_and_soft_particles(model, qcd_jets, scenario):
    some = qcd_jets[:60]
    before, after = (model.predict(each) for each in (some, perturb(some, scenario, seed=1)))
    shift = np.abs(after - before)
    assert np.median(shift) < 1e-6
    assert (shift < 1e-4).mean() >= 0.95  # a sum may round to the other side of a limit


def test_several_classes_and_numbers(model, jets):
    kind = model.settings.network.kind
    assert ModelSettings(network=kind, classes=("qcd", "w", "top")).build(1).head.outputs == 3
    assert ModelSettings(network=kind, head="regressor", targets=("mass", "pt")).build(1).head.outputs == 2


def test_answers_come_with_the_momenta_of_clean_jets(model, jets):
    answers, pt, mass = _answers([dataclasses.replace(model)], jets, 0)
    assert answers[0].shape == (len(jets), 1)
    np.testing.assert_allclose(pt, jets.pt, rtol=0.01)
    assert (mass >= 0).all()


@pytest.mark.parametrize("name", PEERS)
def test_a_tagger_learns_the_same_twice_and_loads(name, jets, tmp_path):
    y = np.array(["narrow", "wide", "other"])[np.arange(len(jets)) % 3]
    one, same = (JetTagger(network=name, epochs=1, batch=16, seed=4).fit(jets, y) for _ in range(2))
    np.testing.assert_array_equal(one.predict_proba(jets), same.predict_proba(jets))
    one.save(tmp_path / "model")
    loaded = JetTagger.load(tmp_path / "model")
    assert loaded.settings == one.model.settings
    np.testing.assert_array_equal(loaded.predict_proba(jets), one.predict_proba(jets))
    assert f"network='{name}'" in repr(loaded)


@pytest.mark.parametrize("name", PEERS)
def test_there_is_no_onnx_form(name, jets, tmp_path):
    model = JetModel.untrained(ModelSettings(network=name), jets)
    with pytest.raises(SettingsError, match="has no ONNX form"):
        export_onnx(model, tmp_path / "model.onnx")
    assert not (tmp_path / "model.onnx").exists()


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ({"network": "pfm"}, "'pfn', 'efn', 'lundnet', 'particlenet' or 'part'"),
        ({"network": "pfn", "engine": "native"}, "PFN network runs in PyTorch"),
        ({"network": "pfn", "cell": "gated"}, "found cell with network = pfn; this network has none"),
        ({"network": "pfn", "input": "image"}, "network = pfn with input = image"),
        ({"network": "lundnet", "leading": 20}, "leading = 20 without sets"),
        ({"leading": 20}, "leading = 20 without sets"),
        ({"network": "part", "leading": 0}, "leading = 0"),
    ],
)
def test_impossible_settings_are_refused(values, message):
    with pytest.raises(SettingsError, match=message):
        ModelSettings.create(**values)


def test_the_first_weights_follow_from_the_seed():
    for name in PEERS:
        one, same, other = (list(ModelSettings(network=name).build(seed).parameters()) for seed in (1, 1, 2))
        assert all(torch.equal(a, b) for a, b in zip(one, same, strict=True))
        assert not all(torch.equal(a, b) for a, b in zip(one, other, strict=True))


def test_a_wrong_set_says_so():
    with pytest.raises(BadJetError, match=r"points \(3, 2\)"):
        ParticleSets(np.zeros((3, 6)), np.zeros((3, 2)), np.array([0, 3]))
