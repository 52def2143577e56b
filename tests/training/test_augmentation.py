"""Perturbed copies: the same ones for the same seed, and networks that they make robust."""

import dataclasses

import numpy as np
import pytest
import torch
from trained_weights import assert_same_from_memory_cache_and_files, flat

from jetgram import JetTagger
from jetgram.errors import DatasetError, SettingsError
from jetgram.jets.clustering import find_jets
from jetgram.jets.perturb import perturb
from jetgram.jets.soft import SoftParticles
from jetgram.models.recipes import TrainingSettings
from jetgram.models.settings import ModelSettings, make_settings
from jetgram.momenta import Events
from jetgram.storage.dataset import save
from jetgram.training.augmentation import Perturbation, pools
from jetgram.training.ensemble import train_seeds
from jetgram.training.job import Job
from jetgram.training.prepare import Preparation, prepare_dataset
from jetgram.training.train import train
from jetgram.training.watching import Watcher

RECIPE = TrainingSettings(epochs=2, validation=60, rate=5e-3, augment="collinear10-max", batch=32)


@pytest.fixture
def job(dataset, tmp_path):
    return Job(dataset.path, tmp_path / "model", ModelSettings(hidden=5), RECIPE)


def changed(job, out, **training):
    return dataclasses.replace(
        job, out=job.out.parent / out, training=TrainingSettings(**{**job.training.model_dump(), **training})
    )


def test_a_pool_holds_the_perturbed_jets(dataset, labelled_jets):
    settings, pool = ModelSettings(hidden=5), Perturbation("collinear10", 7, 3)
    found = prepare_dataset(Preparation(dataset, "train", settings, perturbation=pool))
    expected = settings.read(perturb(labelled_jets, "collinear10", (7, 3))).inputs
    np.testing.assert_array_equal(found.block(0).features, expected.features)
    np.testing.assert_array_equal(found.targets, prepare_dataset(Preparation(dataset, "train", settings)).targets)


def test_memory_cache_and_files_give_the_same_model(job, tmp_path):
    assert_same_from_memory_cache_and_files(changed(job, "model", consistency=0.1), tmp_path)


class Killed(BaseException):
    """Nothing in the loop catches it."""


@pytest.mark.parametrize("consistency", [0.0, 0.3])
def test_killed_and_resumed_it_gives_the_same_weights(job, consistency):
    class Kill(Watcher):
        steps = 0

        def step(self, jets, loss):
            self.steps += 1
            if self.steps == 14:  # in the second epoch
                raise Killed

    whole = train(changed(job, "whole", consistency=consistency))
    part = dataclasses.replace(changed(job, "part", consistency=consistency), checkpoint_seconds=0)
    with pytest.raises(Killed):
        train(part, watcher=Kill())
    assert torch.equal(flat(train(part, resume=True)), flat(whole))


def test_copies_change_the_training_and_their_seed_does_too(job):
    found = [flat(train(changed(job, f"{number}", **values))) for number, values in enumerate(({}, {"augment": ()}))]
    assert not torch.equal(*found)


def shift(tagger, jets):
    p = [
        np.clip(tagger.predict_proba(each)[:, 1], 1e-12, 1 - 1e-12)
        for each in (jets, perturb(jets, "collinear10-max", 99))
    ]
    return float(np.mean(np.abs(p[0] - p[1])))


def test_consistency_makes_scores_robust(labelled_jets):
    usual = {"topology": "desc-pt", "hidden": 8, "epochs": 15, "rate": 1e-2, "batch": 32, "validation": 80}
    usual["initialisation"] = "uniform"
    found = []
    for extra in ({}, {"augment": "collinear10-max", "consistency": 10.0, "copies": 3}):
        tagger = JetTagger(**usual, **extra).fit(labelled_jets, labelled_jets.columns["label"])
        found.append((shift(tagger, labelled_jets), max(line["validation_auc"] for line in tagger.history)))
    (before, auc_before), (after, auc_after) = found
    assert after < before / 8
    assert auc_after > auc_before - 0.05


def test_soft_particles_are_copies_too(qcd_events, tmp_path):
    events = Events(qcd_events.momenta, qcd_events.offsets)
    jets = find_jets(events, hardest=1, soft=SoftParticles())
    label = (jets.pt > np.median(jets.pt)).astype(np.int8)
    stored = save(tmp_path / "jets", jets.with_columns(label=label), {"source": "tests"})
    recipe = TrainingSettings(**{**RECIPE.model_dump(), "augment": ("soft", "collinear1"), "validation": 20})
    model = train(Job(stored.path, tmp_path / "model", ModelSettings(hidden=5), recipe))
    assert model.record["training"]["augment"] == ["soft", "collinear1"]
    JetTagger(recipe="paper", hidden=5, epochs=1, augment="soft", validation=20).fit(jets, label)


@pytest.mark.parametrize("recipe", ["modern", "pfn", "efn", "lundnet", "particlenet", "part"])
def test_a_network_that_cleans_its_jets_has_no_use_for_copies(job, labelled_jets, recipe):
    """They are, up to rounding, the jets themselves; so nothing is prepared."""
    settings, training = make_settings(recipe=recipe, augment="collinear10-max", consistency=1.0)
    few = labelled_jets[:20]
    once, again = (
        np.concatenate([value.ravel() for value in settings.read(jets).inputs.to_arrays().values()])
        for jets in (few, perturb(few, "collinear10-max", 1))
    )
    np.testing.assert_allclose(once, again, rtol=1e-3, atol=1e-4)
    message = r"augment has no effect: this model cleans its jets.* below 0.1 GeV; leave it out .*recipe = paper"
    with pytest.raises(SettingsError, match=message):
        train(dataclasses.replace(job, model=settings, training=training))
    with pytest.raises(SettingsError, match=message):
        train_seeds(dataclasses.replace(job, model=settings, training=training), [0, 1])
    assert not job.out.exists()
    with pytest.raises(SettingsError, match=message):
        JetTagger(recipe=recipe, augment="soft").fit(few, few.columns["label"])


@pytest.mark.parametrize("choices", [{}, {"input": "pixels"}, {"input": "pixels", "features": "lund"}], ids=str)
def test_networks_that_do_not_clean_have_copies(choices):
    assert len(pools(RECIPE, ModelSettings(**choices))) == 2


def test_what_is_missing_is_said(job, event_dataset):
    with pytest.raises(DatasetError, match="keeps no soft particles, which enter an event before its jets are found"):
        train(changed(job, "soft", augment=("soft",)))
    with pytest.raises(SettingsError, match="augment perturbs jets; this model reads events"):
        train(dataclasses.replace(job, dataset=event_dataset.path, model=ModelSettings(event="jets")))
    with pytest.raises(SettingsError, match="expected different ones of soft, collinear1"):
        TrainingSettings.create(augment="hard")
    with pytest.raises(SettingsError, match="set augment"):
        TrainingSettings.create(consistency=1.0)
