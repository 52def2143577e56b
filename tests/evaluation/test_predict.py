import dataclasses
import itertools

import numpy as np
import pytest

import jetgram
from jetgram import kinematics
from jetgram.errors import BadJetError, DatasetError, EvaluationError, SettingsError, SuspiciousJetsWarning
from jetgram.evaluation.evaluate import evaluate
from jetgram.evaluation.predict import predict_dataset, predict_models, training_digest
from jetgram.evaluation.selection import Window
from jetgram.jets.clustering import find_jets
from jetgram.jets.images import jet_images
from jetgram.jets.perturb import perturb
from jetgram.jets.preprocess import preprocess
from jetgram.jets.subjets import trim
from jetgram.models.ensemble import Ensemble
from jetgram.models.model import JetModel
from jetgram.models.settings import ModelSettings, make_settings
from jetgram.momenta import Events, Jets
from jetgram.storage import atomic, parquet
from jetgram.storage.dataset import save
from jetgram.storage.manifest import Manifest, Shard


@pytest.fixture(scope="module")
def plain_jets(qcd_jets):
    return Jets(qcd_jets.momenta, qcd_jets.offsets)


@pytest.fixture(scope="module")
def shards(plain_jets, tmp_path_factory):
    """A dataset of five shards of different size."""
    folder = tmp_path_factory.mktemp("shards")
    ends = [0, 10, 11, 150, 151, len(plain_jets)]
    files = []
    for number, (begin, end) in enumerate(itertools.pairwise(ends)):
        file = folder / f"test-{number:05d}.parquet"
        atomic.write_bytes(file, parquet.encode(plain_jets[begin:end], {}))
        files.append(Shard.describe(file, "test"))
    Manifest.seal(folder, "jets", files, {})
    return jetgram.Dataset(folder)


@pytest.mark.parametrize("topology", ["kt", "random"])
def test_shards_are_scored_as_if_they_were_one(shards, plain_jets, topology):
    model = JetModel.untrained(ModelSettings(topology=topology, hidden=5), plain_jets)
    advanced = []
    scores = predict_dataset(model, shards, advance=advanced.append)
    np.testing.assert_array_equal(scores.score, model.predict(plain_jets)[:, 0])
    np.testing.assert_array_equal(scores.jet, np.arange(len(plain_jets)))
    np.testing.assert_array_equal(scores.pt, preprocess(plain_jets).pt)
    assert set(scores.label) == {-1}
    assert advanced == [10, 1, 139, 1, len(plain_jets) - 151]
    assert scores.provenance.dataset_digest == shards.digest
    assert scores.provenance.model == f"simple {topology}"


AS_READ = {
    "as found": ({"preprocess": False}, lambda jets: jets.total),
    "in its frame": ({}, lambda jets: preprocess(jets).total),
    "trimmed": ({"preprocess": False, "trim": 0.1}, lambda jets: trim(jets, 0.1).total),
    "trimmed, in its frame": ({"trim": 0.05}, lambda jets: preprocess(jets, 0.05).total),
    "pixels": ({"input": "pixels"}, lambda jets: jet_images(jets).to_jets().total),
    "image": ({"input": "image"}, lambda jets: jet_images(jets).total),
    "shared image": ({"input": "image", "image_chain": "shared"}, lambda jets: jet_images(jets, chain="shared").total),
}


@pytest.mark.parametrize(("settings", "total"), AS_READ.values(), ids=AS_READ)
def test_pt_and_mass_are_those_of_what_is_read(shards, plain_jets, settings, total):
    model = JetModel.untrained(ModelSettings(**settings), plain_jets)
    nominal = predict_dataset(model, shards)
    changed = predict_dataset(model, shards, change=lambda jets, first: perturb(jets, "collinear10-max", 1, first))
    for scores, jets in ((nominal, plain_jets), (changed, perturb(plain_jets, "collinear10-max", 1))):
        np.testing.assert_allclose(scores.pt, kinematics.pt(total(jets)), rtol=1e-9)
        np.testing.assert_allclose(scores.mass, kinematics.mass(total(jets)), rtol=1e-6, atol=1e-3)
    np.testing.assert_array_equal(changed.jet, nominal.jet)


def test_pt_and_mass_of_an_event_are_those_of_its_hardest_jet_as_found(qcd_events, tmp_path):
    events = Events(qcd_events.momenta, qcd_events.offsets)
    model = JetModel.untrained(ModelSettings(event="jets", hidden=5, state=5), events)
    scores = predict_dataset(model, save(tmp_path / "events", events, {}, "test"))
    found = find_jets(events, hardest=1)
    np.testing.assert_allclose(scores.pt, found.pt, rtol=1e-6)
    np.testing.assert_allclose(scores.mass, found.mass, rtol=1e-5, atol=1e-3)


def test_large_shards_are_read_in_pieces(shards, plain_jets, monkeypatch):
    model = JetModel.untrained(ModelSettings(hidden=5), plain_jets)
    whole = predict_dataset(model, shards)
    monkeypatch.setattr("jetgram.models.model.CHUNK", 64)
    pieces = predict_dataset(model, shards)
    for name in ("score", "pt", "mass", "jet"):
        np.testing.assert_array_equal(getattr(pieces, name), getattr(whole, name))


@pytest.mark.parametrize("settings", [ModelSettings(hidden=5), ModelSettings(hidden=5, event="jets", hardest=3)])
def test_seeds_together_give_what_each_gives(settings, plain_jets, qcd_events, shards, tmp_path):
    rows = plain_jets if settings.rows == "jets" else Events(qcd_events.momenta, qcd_events.offsets)
    dataset = shards if settings.rows == "jets" else save(tmp_path / "events", rows, {}, "test")
    models = [JetModel.untrained(settings, rows, seed) for seed in (1, 2)]
    together = predict_models(models, dataset)
    for model, scores in zip(models, together, strict=True):
        np.testing.assert_array_equal(scores.score, predict_dataset(model, dataset).score)
    assert np.any(together[0].score != together[1].score)


@pytest.mark.parametrize(
    ("features", "particles"), [("paper", set()), ("paper+charge", {"charge"}), ("lund+onehot:pdgid", {"pdgid"})]
)
def test_no_column_is_read_that_nobody_needs(qcd_jets, tmp_path, monkeypatch, features, particles):
    charge = np.sign(qcd_jets.particles["pdgid"])
    truth = {"label": np.arange(len(qcd_jets)) % 2, "weight": np.full(len(qcd_jets), 0.5)}
    jets = dataclasses.replace(
        qcd_jets, particles={**qcd_jets.particles, "charge": charge}, columns={**truth, "boson_pt": qcd_jets.pt}
    )
    dataset = save(tmp_path / "jets", jets, {}, split="test")
    model = JetModel.untrained(ModelSettings(features=features, hidden=5), jets)
    read_shard, read = type(dataset).read_shard, []
    monkeypatch.setattr(
        type(dataset), "read_shard", lambda *given, **how: read.append(given[2]) or read_shard(*given, **how)
    )
    scores = predict_dataset(model, dataset)
    assert read[0] == {"label", "weight"} | particles
    np.testing.assert_array_equal(scores.score, model.predict(jets)[:, 0])
    np.testing.assert_array_equal(scores.label, truth["label"])
    np.testing.assert_array_equal(scores.weight, truth["weight"])


def test_jets_without_what_the_features_read_say_what_they_have(qcd_jets, tmp_path):
    model = JetModel.untrained(ModelSettings(features="paper+onehot:pdgid", hidden=5), qcd_jets)
    particles = {"charge": np.sign(qcd_jets.particles["pdgid"])}
    dataset = save(tmp_path / "jets", dataclasses.replace(qcd_jets, particles=particles), {}, split="test")
    with pytest.raises(BadJetError, match=r"reads the pdgid of particles, and these have none; they have: charge"):
        predict_dataset(model, dataset)


def test_models_that_read_jets_differently_are_not_mixed(shards, plain_jets):
    models = [JetModel.untrained(ModelSettings(hidden=5, topology=name), plain_jets) for name in ("kt", "ca")]
    with pytest.raises(SettingsError, match="do not read jets alike"):
        predict_models(models, shards)


def test_a_regressor_gives_a_column_a_target(shards, plain_jets):
    settings = ModelSettings(head="regressor", targets=("a", "b"), hidden=5)
    model = JetModel.untrained(settings, plain_jets)
    scores = predict_dataset(model, shards, name="two numbers")
    assert list(scores.outputs) == ["a", "b"]
    np.testing.assert_array_equal(scores.outputs["b"], model.predict(plain_jets)[:, 1])
    assert scores.provenance.model == "two numbers"


def test_a_regressor_of_what_score_files_have_of_jets(shards, plain_jets):
    model = JetModel.untrained(ModelSettings(hidden=5, head="regressor", targets=("mass", "other")), plain_jets)
    scores = predict_dataset(model, shards)
    assert list(scores.outputs) == ["predicted_mass", "other"]
    np.testing.assert_array_equal(scores.mass, model.settings.read(plain_jets).pt_and_mass[1])


def test_only_jets_of_a_split_that_is_there(shards, plain_jets, qcd_events, tmp_path):
    model = JetModel.untrained(ModelSettings(hidden=5), plain_jets)
    with pytest.raises(DatasetError, match="has no split 'train'"):
        predict_dataset(model, shards, "train")
    events = save(tmp_path / "events", Events(qcd_events.momenta, qcd_events.offsets), {}, "test")
    with pytest.raises(DatasetError, match="holds events; this model scores jets"):
        predict_dataset(model, events)


def test_scores_on_other_trees_say_so(shards, plain_jets):
    model = JetModel.untrained(ModelSettings(hidden=5), plain_jets).with_topology("antikt")
    scores = predict_dataset(model, shards)
    assert scores.provenance.model == "simple kt on antikt trees"
    assert scores.provenance.details == {"topology": "antikt"}
    np.testing.assert_array_equal(scores.score, model.predict(plain_jets)[:, 0])


def test_images_are_scored_shard_by_shard(shards, plain_jets):
    model = JetModel.untrained(ModelSettings(input="image"), plain_jets)
    scores = predict_dataset(model, shards)
    np.testing.assert_allclose(scores.score, model.predict(plain_jets)[:, 0], rtol=1e-5)
    assert scores.provenance.model == "MaxOut"


def test_scores_on_another_level_than_that_of_the_training_say_so(plain_jets, tmp_path):
    datasets = {
        level: save(tmp_path / level, plain_jets[:30], {"recipe": {"level": level}}, "test")
        for level in ("particles", "towers")
    }
    model = JetModel.untrained(ModelSettings(hidden=5), plain_jets)
    trained = dataclasses.replace(model, record={"data": {"level": "particles"}})
    assert predict_dataset(trained, datasets["particles"]).provenance.details == {}
    assert predict_dataset(model, datasets["towers"]).provenance.details == {}
    with pytest.warns(SuspiciousJetsWarning, match="was trained on particles; .*towers holds towers"):
        scores = predict_dataset(trained, datasets["towers"])
    assert scores.provenance.details == {"level": "particles, scored on towers"}


def trained(jets, seed=0, data="abc", **settings):
    """A model with the card of a training."""
    model, training = make_settings(**{"hidden": 4, **settings})
    record = {"training": {**training.dump(), "seed": seed}, "data": {"digest": data, "split": "train"}}
    return dataclasses.replace(JetModel.untrained(model, jets, seed), record=record)


@pytest.mark.parametrize(
    "other", [{"hidden": 5}, {"disco": 5.0}, {"targets": "is_b"}, {"data": "def"}, {"epochs": 3}], ids=str
)
def test_models_of_one_name_are_no_seeds_of_one_model(plain_jets, tmp_path, other):
    """Their title says nothing of it."""
    number = np.arange(60)
    jets = plain_jets[:60].with_columns(label=number % 2, is_b=number // 2 % 2)
    dataset = save(tmp_path / "x", jets, {}, "test")
    first, second = (predict_dataset(trained(jets, 0, **each), dataset) for each in ({}, other))
    assert first.model == second.model
    with pytest.raises(EvaluationError, match="different settings or jets"):
        evaluate([first, second], Window.everything())
    assert evaluate([first, second.named("other")], Window.everything(), replicas=0).models[1].seeds == 1


def test_seeds_and_engines_are_of_one_training(plain_jets):
    first = training_digest(trained(plain_jets))
    assert first == training_digest(trained(plain_jets, seed=1)) == training_digest(trained(plain_jets, engine="torch"))
    assert first != training_digest(trained(plain_jets).with_topology("antikt"))
    both, wider = (Ensemble((trained(plain_jets), trained(plain_jets, hidden=h))) for h in (4, 5))
    assert len({first, training_digest(both), training_digest(wider)}) == 3
    assert training_digest(JetModel.untrained(ModelSettings(hidden=5), plain_jets)) == ""


@pytest.mark.parametrize("recipe", [7, None, {"level": 7}, {}])
def test_a_dataset_of_somebody_else_has_no_level(plain_jets, tmp_path, recipe):
    assert save(tmp_path / "x", plain_jets[:3], {"recipe": recipe}).level is None
