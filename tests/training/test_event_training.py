"""Models of events through the whole way of a training: prepared, streamed, interrupted, stored and scored."""

import dataclasses

import numpy as np
import pytest
import torch
from trained_weights import assert_same_from_memory_cache_and_files, flat

from jetgram.errors import BadJetError, DatasetError
from jetgram.evaluation.evaluate import evaluate
from jetgram.evaluation.predict import predict_dataset
from jetgram.kinematics import from_ptetaphim
from jetgram.models.recipes import TrainingSettings
from jetgram.models.settings import ModelSettings
from jetgram.models.store import load_model
from jetgram.momenta import Events
from jetgram.storage.dataset import save
from jetgram.training.job import Job
from jetgram.training.train import train
from jetgram.training.watching import Watcher

EVENTS = ModelSettings(event="jets", hidden=6, state=6)


@pytest.fixture
def job(event_dataset, tmp_path):
    recipe = TrainingSettings(epochs=3, batch=16, validation=40, rate=0.02)
    return Job(event_dataset.path, tmp_path / "model", EVENTS, recipe)


def test_memory_cache_and_files_give_the_same_model(job, tmp_path):
    assert_same_from_memory_cache_and_files(job, tmp_path)


class StopAfter(Watcher):
    def __init__(self, steps):
        self.left = steps

    def step(self, jets, loss):
        self.left -= 1
        if not self.left:
            raise RuntimeError("killed")


def test_resumed_it_gives_the_same_weights(job, tmp_path):
    whole = train(job)
    broken = dataclasses.replace(job, out=tmp_path / "broken", checkpoint_seconds=0.0)
    with pytest.raises(RuntimeError, match="killed"):
        train(broken, watcher=StopAfter(14))
    assert torch.equal(flat(train(broken, resume=True)), flat(whole))


@pytest.mark.parametrize(
    "settings",
    [
        EVENTS,
        EVENTS.changed(topology="kt+desc-pt", cell="gated", hardest=5),
        ModelSettings(event="jet-momenta", state=6),
        ModelSettings(event="particles", hardest=10, state=6),
    ],
    ids=lambda settings: settings.title,
)
def test_the_stored_model_scores_the_same(job, event_dataset, labelled_events, settings):
    model = train(dataclasses.replace(job, model=settings))
    stored = load_model(job.out)
    assert stored.settings == settings
    assert stored.record["data"]["events"] == len(labelled_events)
    scores = predict_dataset(stored, event_dataset, "train")
    np.testing.assert_allclose(scores.score, model.predict(labelled_events)[:, 0], rtol=1e-5)
    assert (scores.model, scores.provenance.rows) == (settings.title, "events")
    report = evaluate([scores], replicas=0)
    assert (report.rows, report.efficiencies, report.window.pt) == ("events", (0.8,), None)


def test_it_learns_the_second_jet(job):
    recipe = job.training.model_copy(update={"epochs": 15})
    model = train(dataclasses.replace(job, training=recipe))
    assert model.record["metrics"]["validation_auc"] > 0.9


def test_regression(job, event_dataset, labelled_events):
    settings = ModelSettings(event="jets", hidden=6, state=6, head="regressor", targets="second")
    recipe = job.training.model_copy(update={"epochs": 20})
    train(dataclasses.replace(job, model=settings, training=recipe))
    scores = predict_dataset(load_model(job.out), event_dataset, "train")
    found = scores.outputs["second"]
    assert np.corrcoef(found, labelled_events.columns["second"])[0, 1] > 0.8


def test_the_wrong_kind_of_dataset(job, dataset):
    with pytest.raises(DatasetError, match="holds events; this model learns from jets"):
        train(dataclasses.replace(job, model=ModelSettings()))
    with pytest.raises(DatasetError, match="holds jets; this model learns from events"):
        train(dataclasses.replace(job, dataset=dataset.path))
    model = train(job)
    with pytest.raises(DatasetError, match="holds jets; this model scores events"):
        predict_dataset(model, dataset, "train")


def test_an_event_without_a_jet_is_named(job, tmp_path):
    particles = [from_ptetaphim([50.0 - 45 * (number == 70)], [0.0], [0.0]) for number in range(80)]
    data = save(tmp_path / "thin", Events.from_lists(particles).with_columns(label=np.arange(80) % 2), {})
    with pytest.raises(BadJetError, match="event 70 has no jet"):
        train(dataclasses.replace(job, dataset=data.path, model=EVENTS.changed(min_pt=20.0)))
