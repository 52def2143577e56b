import dataclasses

import numpy as np
import pytest

from jetgram import kinematics
from jetgram.errors import BadJetError, DatasetError, SuspiciousJetsWarning, TrainingError
from jetgram.evaluation.predict import predict_dataset
from jetgram.jets.substructure import soft_drop_mass, substructure
from jetgram.models.model import JetModel
from jetgram.models.recipes import TrainingSettings
from jetgram.models.settings import ModelSettings
from jetgram.momenta import Jets
from jetgram.ragged import Ragged
from jetgram.storage.dataset import Dataset, save
from jetgram.storage.writer import DatasetWriter
from jetgram.training.job import Job
from jetgram.training.prepare import Preparation, prepare_dataset
from jetgram.training.targets import TARGETS, compute_targets, dataset_classes, needed_columns, require_class
from jetgram.training.train import train


def test_targets_are_what_their_names_say(qcd_jets):
    jets = qcd_jets[:40]
    boson = jets.total * 1.5
    boson[3] = np.nan
    jets = jets.with_columns(boson=boson)
    expected = {
        "jet_mass": jets.mass,
        "jet_pt": jets.pt,
        "trimmed_mass": substructure(jets)["trimmed_mass"],
        "soft_drop_mass": soft_drop_mass(jets),
        "boson_pt": kinematics.pt(boson),
    }
    assert set(expected) == {name for name, target in TARGETS.items() if target.rows is Jets}
    found = compute_targets(jets, list(expected))
    np.testing.assert_allclose(found, np.stack(list(expected.values()), axis=1))
    assert np.isnan(found[3]).tolist() == [False, False, False, False, True]


def test_targets_of_events(qcd_events):
    """A W' (and its W) in the first event, none in the second."""
    events = qcd_events[:2]
    momentum = kinematics.from_ptetaphim(50.0, 0.3, 1.0, 700.0)
    bosons = np.stack([[*momentum, -34.0], [*momentum / 2, 24.0]])
    events = dataclasses.replace(events, ragged={"bosons": Ragged(bosons, np.array([0, 2, 2]))})
    found = compute_targets(events, ["wprime_mass", "visible_mass"])
    np.testing.assert_allclose(found[:, 0], [700.0, np.nan])
    np.testing.assert_allclose(found[:, 1], kinematics.mass(events.total))
    with pytest.raises(DatasetError, match="the target jet_mass is one of jets; these are events"):
        compute_targets(events, ["jet_mass"])


def test_a_column_goes_before_what_can_be_computed(qcd_jets, tmp_path):
    plain = save(tmp_path / "plain", qcd_jets[:5].with_columns(label=np.ones(5)), {})
    own = save(tmp_path / "own", qcd_jets[:5].with_columns(jet_mass=np.arange(5.0)), {})
    assert needed_columns(["jet_mass", "boson_pt", "label"], plain, "train") == {"boson", "label"}
    assert needed_columns(["jet_mass", "jet_pt"], own, "train") == {"jet_mass"}
    np.testing.assert_array_equal(compute_targets(own.read(), ["jet_mass"])[:, 0], np.arange(5.0))
    settings = ModelSettings(hidden=3, head="regressor", targets=("jet_mass", "jet_pt"))
    prepared = prepare_dataset(Preparation(own, "train", settings))
    np.testing.assert_allclose(prepared.targets, np.stack([np.arange(5.0), qcd_jets[:5].pt], axis=1))


def test_a_column_of_rows_is_no_target(qcd_jets):
    jets = qcd_jets[:5].with_columns(boson=np.ones((5, 4)), label=np.ones(5))
    with pytest.raises(DatasetError, match="no column 'boson' with one number per jet; they have: event, label"):
        compute_targets(jets, ["boson"])


def test_classes_are_numbered_as_the_model_learned_them(qcd_jets, tmp_path):
    """Scores go by names of classes, whatever their order in a dataset; training does not go on with another order."""
    jets = Jets(qcd_jets.momenta, qcd_jets.offsets, {"label": np.arange(len(qcd_jets)) % 3})
    save(tmp_path / "jets", {"train": jets, "test": jets}, {"classes": ["qcd", "w", "top"]})
    other = jets.with_columns(label=np.array([0, 2, 1])[jets.columns["label"]])
    save(tmp_path / "other", {"train": other, "test": other}, {"classes": ["qcd", "top", "w"]})
    settings, recipe = ModelSettings(hidden=5, classes=("qcd", "w", "top")), TrainingSettings(epochs=1, validation=60)
    model = train(Job(tmp_path / "jets", tmp_path / "model", settings, recipe))
    first, second = (predict_dataset(model, Dataset(tmp_path / name)) for name in ("jets", "other"))
    np.testing.assert_array_equal(first.label, second.label)
    with pytest.raises(TrainingError, match="the classes qcd, top, w; this model learns qcd, w, top, in this order"):
        train(Job(tmp_path / "other", tmp_path / "again", settings, recipe, start_from=tmp_path / "model"))
    unknown = other.with_columns(label=np.where(np.arange(len(other)) % 7, other.columns["label"], -1))
    save(tmp_path / "unknown", {"test": unknown}, {"classes": ["qcd", "top", "w"]})
    found = predict_dataset(model, Dataset(tmp_path / "unknown")).label
    np.testing.assert_array_equal(found, np.where(np.arange(len(other)) % 7, jets.columns["label"], -1))
    save(tmp_path / "renamed", {"train": jets, "test": jets}, {"classes": ["a", "b", "c"]})
    np.testing.assert_array_equal(predict_dataset(model, Dataset(tmp_path / "renamed")).label, first.label)
    save(tmp_path / "numbers only", {"train": jets}, {"classes": None})
    assert train(Job(tmp_path / "numbers only", tmp_path / "by number", settings, recipe)).settings == settings
    regressor = JetModel.untrained(ModelSettings(hidden=5, head="regressor", targets=("jet_mass",)), jets)
    np.testing.assert_array_equal(predict_dataset(regressor, Dataset(tmp_path / "jets")).label, jets.columns["label"])
    learned = train(Job(tmp_path / "jets", tmp_path / "numbers", regressor.settings, recipe))
    assert learned.names == ("jet_mass",)
    save(tmp_path / "more", {"test": jets}, {"classes": ["qcd", "w", "higgs"]})
    with pytest.warns(SuspiciousJetsWarning, match="higgs counts as unknown"):
        found = predict_dataset(model, Dataset(tmp_path / "more"))
    np.testing.assert_array_equal(found.label, np.array([0, 1, -1])[jets.columns["label"]])
    with DatasetWriter(tmp_path / "half", "jets", {"classes": ["qcd", "top", "w"]}) as writer:
        writer.add(jets.with_columns(label=jets.columns["label"] + 0.5), "test")
    with pytest.raises(BadJetError, match=r"jet 0: the label is 0.5; expected the number of a class"):
        predict_dataset(model, Dataset(tmp_path / "half"))


def test_the_class_may_be_in_any_column(qcd_jets, tmp_path):
    jets = Jets(qcd_jets.momenta, qcd_jets.offsets)[:30]
    dataset = save(tmp_path / "jets", jets.with_columns(kind=np.arange(30) % 3), {"source": "tests"})
    assert dataset_classes(dataset, "train", "kind") == (0, 1, 2)
    require_class(dataset, "train", "kind")
    with pytest.raises(DatasetError, match="no column 'label' with the class of each jet; it has: kind; name the col"):
        require_class(dataset, "train", "label")
