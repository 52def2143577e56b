"""Training with a teacher: its answers are the targets, mixed with the truth."""

import dataclasses

import numpy as np
import pytest
import torch
from trained_weights import flat

from jetgram import JetTagger
from jetgram.errors import SettingsError, TrainingError
from jetgram.models.ensemble import Ensemble
from jetgram.models.model import JetModel
from jetgram.models.recipes import TrainingSettings
from jetgram.models.settings import ModelSettings
from jetgram.models.store import save_model
from jetgram.networks.network import TrainingStep
from jetgram.training.distillation import soft_targets
from jetgram.training.ensemble import train_seeds
from jetgram.training.job import Job
from jetgram.training.train import teach, train
from jetgram.training.watching import Watcher

RECIPE = TrainingSettings(epochs=2, validation=60, rate=5e-3)


@pytest.fixture
def job(dataset, tmp_path):
    return Job(dataset.path, tmp_path / "model", ModelSettings(hidden=5), RECIPE)


@pytest.fixture
def teacher(labelled_jets, tmp_path):
    """Reads other trees than the student."""
    model = JetModel.untrained(ModelSettings(hidden=7, topology="ca", initialisation="uniform"), labelled_jets, seed=3)
    save_model(tmp_path / "teacher", model)
    return model, str(tmp_path / "teacher")


def with_weight(job, weight, out, teacher):
    training = job.training.model_copy(update={"teacher_weight": weight})
    return dataclasses.replace(job, training=training, out=job.out.parent / out, teacher=teacher)


def test_a_teacher_without_weight_changes_no_bit(job, teacher):
    assert torch.equal(flat(train(with_weight(job, 0.0, "taught", teacher[1]))), flat(train(job)))


@pytest.mark.parametrize("settings", [{}, {"classes": ("a", "b", "c")}, {"engine": "torch"}], ids=str)
def test_its_own_teacher_has_nothing_to_learn(labelled_jets, settings):
    """The gradient is that of the cross-entropy at its minimum, p - p = 0."""
    model = JetModel.untrained(ModelSettings(hidden=5, initialisation="uniform", **settings), labelled_jets, seed=1)
    trees, taught = model.read(labelled_jets), model.predict(labelled_jets)
    step = TrainingStep(model.network)
    truth = np.zeros(taught.shape, np.float32)
    truth[:, 0] = 1
    step(trees, None, truth)
    usual = float(step.parameters.gradient.abs().max())
    step(trees, None, soft_targets(model.network.head, truth, taught, weight=1.0))
    assert float(step.parameters.gradient.abs().max()) < 1e-6 * usual


def test_the_gradient_is_the_mixture_of_both(labelled_jets):
    model = JetModel.untrained(ModelSettings(hidden=5), labelled_jets, seed=1)
    trees, step = model.read(labelled_jets), TrainingStep(model.network)
    truth = labelled_jets.columns["label"].astype(np.float32)[:, None]
    taught = np.random.default_rng(1).random(truth.shape)
    gradients = []
    for weight in (0.0, 1.0, 0.3):
        step(trees, None, soft_targets(model.network.head, truth, taught, weight))
        gradients.append(step.parameters.gradient.clone())
    torch.testing.assert_close(gradients[2], 0.7 * gradients[0] + 0.3 * gradients[1], rtol=1e-4, atol=1e-6)


def test_the_teacher_is_asked_for_every_jet_in_its_own_way(job, teacher, labelled_jets):
    model, where = teacher
    told = []
    watcher = type("Told", (), {"prepared": lambda self, jets, total: told.append(jets)})()
    np.testing.assert_allclose(teach(dataclasses.replace(job, teacher=where), watcher), model.predict(labelled_jets))
    assert sum(told) == len(labelled_jets)


def test_a_student_becomes_like_its_teacher(labelled_jets):
    """Labels that mean nothing, and a teacher that knows better."""
    good = JetTagger(hidden=8, epochs=12, rate=5e-3, batch=16, validation=60)
    good.fit(labelled_jets, labelled_jets.columns["label"])
    nonsense = np.arange(len(labelled_jets)) % 2
    both = Ensemble((good.model, good.model))
    student = JetTagger("ca", hidden=8, epochs=12, rate=5e-3, batch=16, validation=60, teacher_weight=1.0, seed=2)
    student.fit(labelled_jets, nonsense, teacher=both, validation=(labelled_jets, labelled_jets.columns["label"]))
    scores = [each.predict_proba(labelled_jets)[:, 1] for each in (good, student)]
    assert np.corrcoef(scores)[0, 1] > 0.9


def test_the_card_and_the_fingerprint_name_the_teacher(job, teacher):
    taught = with_weight(job, 0.3, "taught", teacher[1])
    assert taught.fingerprint != dataclasses.replace(taught, teacher=None).fingerprint
    model = train(taught)
    assert len(model.record["data"]["teacher"]) == 1
    assert model.record["training"]["teacher_weight"] == 0.3


def test_a_student_goes_on_without_its_teacher(labelled_jets, tmp_path):
    label = labelled_jets.columns["label"]
    quick = {"hidden": 5, "epochs": 1, "validation": 60}
    good = JetTagger(**quick).fit(labelled_jets, label)
    student = JetTagger(recipe="student", **quick).fit(labelled_jets, label, teacher=good)
    student.save(tmp_path / "student")
    tuned = JetTagger.load(tmp_path / "student").set_params(rate=1e-4)
    assert tuned.training == student.training.model_copy(update={"teacher_weight": 0.5, "rate": 1e-4})
    tuned.fit(labelled_jets, label, start_from=tmp_path / "student")
    assert tuned.model.record["training"]["rate"] == 1e-4


class Counter(Watcher):
    """Counts prepared jets."""

    jets = 0

    def prepared(self, jets, total):
        self.jets += jets


def test_what_cannot_be_learned_is_said(job, labelled_jets, tmp_path):
    watcher = Counter()
    with pytest.raises(SettingsError, match="teacher_weight = 0.3 without a teacher"):
        train(with_weight(job, 0.3, "taught", None))
    with pytest.raises(SettingsError, match="teacher_weight = 0.5 without a teacher"):
        JetTagger(recipe="student", teacher_weight=0.5).fit(labelled_jets, labelled_jets.columns["label"])
    other = JetModel.untrained(ModelSettings(head="regressor", targets=("jet_mass",)), labelled_jets)
    save_model(tmp_path / "other", other)
    with pytest.raises(TrainingError, match="the teacher is a regressor of jets: jet_mass; this training"):
        train(dataclasses.replace(job, teacher=str(tmp_path / "other")), watcher=watcher)
    with pytest.raises(TrainingError, match="the teacher is a regressor"):
        train_seeds(dataclasses.replace(job, out=tmp_path / "seeds", teacher=str(tmp_path / "other")), [0])
    assert watcher.jets == 0  # found before jets are prepared, which takes long
    save_model(tmp_path / "beauty", JetModel.untrained(ModelSettings(targets="is_b"), labelled_jets))
    with pytest.raises(TrainingError, match="the teacher is a classifier of jets by is_b: 0, 1; this training"):
        train(dataclasses.replace(job, teacher=str(tmp_path / "beauty")))
    opposite = JetModel.untrained(ModelSettings(classes=("w", "qcd")), labelled_jets)
    tagger = JetTagger(classes=("qcd", "w"), hidden=5, epochs=1)
    names = np.array(["qcd", "w"])[labelled_jets.columns["label"].astype(int)]
    with pytest.raises(
        TrainingError, match="the teacher is a classifier of jets: w, qcd; this training is of .*qcd, w"
    ):
        tagger.fit(labelled_jets, names, teacher=opposite)
