"""Distance correlation is what its definition says, and training with it makes scores forget the mass."""

import dataclasses
from types import SimpleNamespace

import numpy as np
import pytest
import torch
from sklearn.metrics import roc_auc_score
from trained_weights import flat

from jetgram import JetTagger
from jetgram.errors import SettingsError, TrainingError
from jetgram.models.recipes import TrainingSettings
from jetgram.models.settings import ModelSettings
from jetgram.networks.classification import MultiClass
from jetgram.training import start
from jetgram.training.job import Job
from jetgram.training.masses import dataset_masses, masses_of, planing_factors
from jetgram.training.objective import squared_distance_correlation
from jetgram.training.start import jet_weights
from jetgram.training.train import train

RECIPE = {"hidden": 8, "epochs": 15, "rate": 1e-2, "batch": 64, "validation": 80, "initialisation": "uniform"}


def plain_definition(x, y, w):
    """Pair by pair, as in the textbook."""
    n = len(x)
    w = w / w.sum()

    def centred(v):
        d = [[abs(v[i] - v[j]) for j in range(n)] for i in range(n)]
        row = [sum(w[j] * d[i][j] for j in range(n)) for i in range(n)]
        grand = sum(w[i] * row[i] for i in range(n))
        return [[d[i][j] - row[i] - row[j] + grand for j in range(n)] for i in range(n)]

    a, b = centred(x), centred(y)

    def covariance(one, two):
        return sum(w[i] * w[j] * one[i][j] * two[i][j] for i in range(n) for j in range(n))

    return covariance(a, b) / np.sqrt(covariance(a, a) * covariance(b, b))


def measured(x, y, w=None):
    tensors = (None if values is None else torch.as_tensor(values) for values in (x, y, w))
    return float(squared_distance_correlation(*tensors))


@pytest.mark.parametrize("weighted", [False, True])
def test_it_agrees_with_the_plain_definition(weighted):
    rng = np.random.default_rng(1)
    x = rng.normal(size=40)
    y = x**2 + rng.normal(size=40)
    w = rng.uniform(0.1, 2, 40) if weighted else np.ones(40)
    assert measured(x, y, w if weighted else None) == pytest.approx(plain_definition(x, y, w), abs=1e-10)


def test_a_line_has_one_and_independent_numbers_have_none():
    rng = np.random.default_rng(2)
    x, y = rng.normal(size=(2, 1500))
    assert measured(x, 5 - 3 * x) == pytest.approx(1, abs=1e-10)
    by_chance = [measured(x, rng.permutation(y)) for _ in range(10)]
    assert measured(x, y) < np.mean(by_chance) + 4 * np.std(by_chance)
    assert np.mean(by_chance) < 0.01
    assert measured(x, np.abs(x)) > 0.1, "not correlated, but not independent"
    assert measured(x, np.full(1500, 2.0)) == 0


def test_its_gradient_is_right():
    rng = np.random.default_rng(3)
    x = torch.tensor(rng.normal(size=12), requires_grad=True)
    y, w = torch.tensor(rng.normal(size=12)), torch.tensor(rng.uniform(0.5, 2, 12))
    assert torch.autograd.gradcheck(lambda values: squared_distance_correlation(values, y, w), (x,))


@pytest.fixture(scope="module")
def massive_jets(labelled_jets):
    """The label is told by the mass more than by anything else."""
    mass = labelled_jets.mass
    noise = np.random.default_rng(5).normal(0, 0.5 * np.std(mass), len(mass))
    return labelled_jets.with_columns(label=(mass + noise > np.median(mass)).astype(np.int8))


@pytest.mark.parametrize("engine", ["auto", "torch"])
def test_training_with_it_lowers_the_correlation(massive_jets, engine):
    label, found = massive_jets.columns["label"], []
    for disco in (0.0, 3.0):
        tagger = JetTagger(disco=disco, engine=engine, **RECIPE).fit(massive_jets, label)
        background = massive_jets[label == 0]
        found.append(measured(tagger.predict_proba(background)[:, 1], masses_of(background, tagger.settings)))
    assert "validation_disco" in tagger.history[0]
    assert tagger.model.record["training"]["disco"] == 3
    assert found[1] < 0.5 * found[0]


def test_the_order_of_validation_jets_does_not_matter(massive_jets, monkeypatch):
    """Of datasets with all signal first, the first jets have no background."""
    monkeypatch.setattr(start, "DISCO_JETS", 30)
    label, found = massive_jets.columns["label"], []
    for order in (np.argsort(-label, kind="stable"), np.argsort(label, kind="stable")):
        settings = {**RECIPE, "epochs": 1, "disco": 3.0}
        half = (massive_jets[order[::2]], label[order[::2]])
        history = JetTagger(**settings).fit(massive_jets, label, validation=half).history
        found.append(history[0]["validation_disco"])
    assert found[0] > 0
    assert found[0] == pytest.approx(found[1], rel=1e-6)


def test_both_engines_step_alike(massive_jets):
    """The native engine takes the slopes of any objective back through the network."""
    label, weights = massive_jets.columns["label"], []
    for engine in ("native", "torch"):
        settings = {"hidden": 6, "epochs": 1, "batch": 100, "disco": 5.0, "initialisation": "uniform", "rate": 1e-3}
        weights.append(flat(JetTagger(engine=engine, validation=80, **settings).fit(massive_jets, label).model))
    torch.testing.assert_close(*weights, rtol=1e-3, atol=1e-5)


def test_planing_makes_the_masses_of_all_classes_alike():
    rng = np.random.default_rng(1)
    number = np.arange(20_000) % 3
    mass = rng.normal(70 + 10 * number, 20)
    weight, training = rng.uniform(0.5, 1.5, 20_000), np.arange(0, 20_000, 2)
    weight = weight * planing_factors(mass, number, weight, training, bins=10)
    edges = np.quantile(mass[training], np.arange(1, 10) / 10)
    for one in range(3):
        for members, tolerance in ((training, 1e-9), (np.arange(1, 20_000, 2), 0.3)):
            chosen = members[number[members] == one]
            filling = np.bincount(np.searchsorted(edges, mass[chosen]), weight[chosen])
            np.testing.assert_allclose(filling / filling.sum(), 0.1, rtol=tolerance)


def auc_of(mass, number, weight):
    """How well the mass alone tells class 1 from class 0."""
    some = number < 2
    return roc_auc_score(number[some], mass[some], sample_weight=weight[some])


@pytest.mark.parametrize(
    ("centres", "within_bins"), [((70, 80), 0.01), ((70, 130), 0.02), ((50, 150), 0.1), ((60, 90, 120), 0.02)], ids=str
)
@pytest.mark.parametrize("class_weight", [None, "balanced", (1.0, 3.0)], ids=str)
def test_the_mass_tells_nothing_however_little_classes_overlap(centres, within_bins, class_weight):
    """And the classes weigh what they did before."""
    rng, classes = np.random.default_rng(1), len(centres)
    number = rng.choice(classes, 100_000, p=[1 - 0.1 * (classes - 1)] + [0.1] * (classes - 1))
    mass = rng.normal(np.array(centres)[number], 20)
    if isinstance(class_weight, tuple):
        class_weight = (*class_weight, *(1.0,) * (classes - 2))
    own = rng.uniform(0.5, 1.5, len(mass))
    prepared = SimpleNamespace(targets=number[:, None].astype(float), weights=own)
    head, jets = MultiClass(4, tuple(range(classes))), np.arange(len(mass))
    before, after = (
        jet_weights(prepared, jets, TrainingSettings(class_weight=class_weight, planing=planing), head, mass)
        for planing in (False, True)
    )
    assert auc_of(mass, number, before) > 0.6
    assert auc_of(mass, number, after) == pytest.approx(0.5, abs=within_bins)
    sums = [np.bincount(number, weights) for weights in (before, after)]
    np.testing.assert_allclose(sums[1], sums[0], rtol=1e-4)


def test_no_jet_has_the_weight_of_a_bin():
    """Of one signal jet in a bin, flat masses would make a quarter of all signal."""
    mass, number = np.append(np.linspace(50, 60, 1000), np.linspace(70, 80, 1000)), np.repeat([0, 1], 1000)
    number[[10, 1990]] = 1, 0
    number[500:600] = number[1500:1600] = np.arange(100) % 2
    factors = planing_factors(mass, number, np.ones(2000), np.arange(2000), bins=10)
    for one, jet in ((1, 10), (0, 1990)):
        assert factors[jet] / factors[number == one].sum() < 0.1
        assert factors[number == one].mean() == pytest.approx(1)


def test_classes_apart_in_mass_are_an_error():
    mass, number = np.append(np.linspace(50, 60, 100), np.linspace(70, 80, 100)), np.repeat([0, 1], 100)
    message = r"overlap in mass; .* of all: class 0 from 50 to 60 GeV, class 1 from 70 to 80 GeV; leave planing out"
    with pytest.raises(TrainingError, match=message):
        planing_factors(mass, number, np.ones(200), np.arange(200))


def test_planed_taggers_know_less_of_the_mass(massive_jets):
    label, found = massive_jets.columns["label"], []
    for planing in (False, True):
        tagger = JetTagger(planing=planing, **RECIPE).fit(massive_jets, label)
        found.append(measured(tagger.predict_proba(massive_jets)[:, 1], massive_jets.mass))
    assert found[1] < 0.7 * found[0]


def test_masses_are_those_that_windows_go_by(dataset, labelled_jets):
    advanced = []
    settings = ModelSettings(trim=0.05)
    found = dataset_masses(dataset, "train", settings, advanced.append)
    np.testing.assert_array_equal(found, settings.read(labelled_jets).pt_and_mass[1])
    assert sum(advanced) == len(labelled_jets)


def test_a_dataset_is_trained_with_both(dataset, tmp_path):
    recipe = TrainingSettings(epochs=2, validation=60, disco=2.0, planing=True, batch=100)
    job = Job(dataset.path, tmp_path / "model", ModelSettings(hidden=5), recipe)
    model = train(job)
    assert {"disco", "planing"} <= model.record["training"].keys()
    assert job.fingerprint != dataclasses.replace(job, training=TrainingSettings(epochs=2)).fingerprint


def test_what_has_no_mass_or_no_score_is_said(dataset, event_dataset, tmp_path):
    for field, value in (("disco", 1.0), ("planing", True)):
        recipe = TrainingSettings(**{field: value})
        with pytest.raises(SettingsError, match=f"{field} decorrelates from the mass of jets; this model reads events"):
            train(Job(event_dataset.path, tmp_path / field, ModelSettings(event="jets"), recipe))
    regressor = ModelSettings(head="regressor", targets=("jet_pt",))
    for field, value in (("disco", 1.0), ("planing", True)):
        with pytest.raises(SettingsError, match=f"{field} decorrelates the score of a classifier; this is a regressor"):
            train(Job(dataset.path, tmp_path / "numbers", regressor, TrainingSettings(**{field: value})))
