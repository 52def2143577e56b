import dataclasses
import json
import os

import numpy as np
import pytest
import torch
from trained_weights import assert_same_from_memory_cache_and_files, flat

from jetgram.errors import DatasetError, SettingsError, TrainingError
from jetgram.models.recipes import TrainingSettings
from jetgram.models.settings import ModelSettings
from jetgram.models.store import load_model
from jetgram.networks.engine.parameters import Adam
from jetgram.storage.dataset import Dataset, save
from jetgram.storage.lock import LOCK
from jetgram.tagger import JetTagger
from jetgram.training.checkpoint import CHECKPOINT
from jetgram.training.job import Job
from jetgram.training.train import train
from jetgram.training.watching import Watcher


@pytest.fixture
def job(dataset, tmp_path):
    recipe = TrainingSettings(epochs=2, validation=60, rate=5e-3)
    return Job(dataset.path, tmp_path / "model", ModelSettings(hidden=5), recipe)


def test_the_card_says_where_the_model_comes_from(job, dataset):
    model = train(job)
    stored = load_model(job.out)
    assert torch.equal(flat(stored), flat(model))
    data = stored.record["data"]
    assert (data["digest"], data["split"], data["jets"]) == (dataset.digest, "train", len(dataset))
    assert data["training"] == len(dataset) - data["validation"]
    assert stored.record["training"]["rate"] == 5e-3
    assert stored.record["metrics"]["epoch"] in (1, 2)


@pytest.fixture
def with_val(dataset, tmp_path):
    """The jets of `dataset`, the first 60 of them as a split `val`."""
    jets = dataset.read()
    parts = {"val": jets[np.arange(60)], "train": jets[np.arange(60, len(jets))]}
    return save(tmp_path / "with-val", parts, {"source": "a test"})


def test_a_split_val_chooses_the_best_epoch_and_all_of_train_is_learned(job, with_val, tmp_path):
    """The same as an estimator that is given the two."""
    told = []

    class Told(Watcher):
        def prepared(self, jets, total):
            told.append((jets, total))

    model = train(dataclasses.replace(job, dataset=with_val.path), watcher=Told())
    train_jets, val_jets = (with_val.read(split) for split in ("train", "val"))
    tagger = JetTagger(recipe="paper", hidden=5, epochs=2, rate=5e-3).fit(
        train_jets, train_jets.columns["label"], validation=(val_jets, val_jets.columns["label"])
    )
    assert torch.equal(flat(model), flat(tagger.model))
    data = model.record["data"]
    assert (data["jets"], data["validation"], data["validation_split"]) == (len(train_jets), 60, "val")
    assert sum(jets for jets, _ in told) == told[0][1] == len(with_val)
    assert "| jets that chose the best epoch | 60 |\n| their split | val |" in (job.out / "model.md").read_text()


def test_a_split_val_counts_in_the_fingerprint_and_is_shared_through_files(job, with_val, tmp_path):
    split = dataclasses.replace(job, dataset=with_val.path)
    assert_same_from_memory_cache_and_files(split, tmp_path)
    learned = dataclasses.replace(split, split="train+val")
    assert (learned.validation_split, learned.splits) == (None, "train+val")
    assert learned.preparation.identity == split.preparation.identity
    assert learned.fingerprint != split.fingerprint
    assert dataclasses.replace(job, dataset=with_val.path, split="val").splits == "val"


def test_the_card_counts_the_jets_kept_aside(job, dataset):
    data = train(job).record["data"]
    assert data["validation"] == 60
    assert "validation_split" not in data


def test_memory_cache_and_files_give_the_same_model(job, tmp_path):
    assert_same_from_memory_cache_and_files(job, tmp_path)


def test_a_finished_model_is_taken_only_if_it_is_the_same(job):
    first = train(job)
    assert torch.equal(flat(train(job, resume=True)), flat(first))
    other = dataclasses.replace(job, training=job.training.model_copy(update={"rate": 1e-3}))
    with pytest.raises(TrainingError, match="holds a model with other settings or of other jets"):
        train(other, resume=True)
    with pytest.raises(TrainingError, match="holds a model; go on with it"):
        train(job)


@pytest.mark.parametrize("resume", [False, True])
def test_two_trainings_do_not_share_a_folder(job, resume):
    """The second one is told who the first one is, and leaves alone what the first one writes."""
    part, refused = job.out / ".model.json.x.part", []

    class Second(Watcher):
        def epoch(self, record, best):
            part.touch()
            with pytest.raises(
                TrainingError, match=f"another run writes in {job.out}: process {os.getpid()} on"
            ) as error:
                train(dataclasses.replace(job, model=ModelSettings(hidden=7)), resume=True)
            refused.append(error)
            assert part.exists()

    train(job, resume, watcher=Second())
    assert len(refused) == 2
    assert load_model(job.out).settings.network.hidden == 5
    assert not (job.out / LOCK).exists()
    with pytest.raises(TrainingError, match="holds a model; go on with it"):
        train(job)


@pytest.fixture
def explode(monkeypatch):
    """Makes the weights of a training grow beyond all bounds at a step."""
    step = Adam.step

    def at(number):
        def grow(self):
            step(self)
            if self.steps == number:
                self.parameters.values.mul_(1e20)

        monkeypatch.setattr(Adam, "step", grow)

    yield at
    monkeypatch.undo()


def test_a_training_that_fails_leaves_its_best_epoch(job, explode):
    explode(8)  # in the second epoch
    job = dataclasses.replace(job, memory=0.0)  # streamed
    with pytest.raises(TrainingError, match="epoch 2: the loss of step 3 is"):
        train(job)
    model = load_model(job.out)
    assert "epoch 2" in model.record["metrics"]["stopped"]
    assert model.record["metrics"]["epoch"] == 1
    assert [json.loads(line)["epoch"] for line in (job.out / "history.jsonl").read_text().splitlines()] == [1]
    with pytest.raises(TrainingError, match=f"was stopped: epoch 2.* keeps the model of epoch 1; .* --from {job.out}$"):
        train(job, resume=True)
    assert not (job.out / "prepared").exists()
    assert not (job.out / CHECKPOINT).exists()


def test_a_training_that_failed_can_begin_again_from_its_model(job, explode):
    explode(8)
    with pytest.raises(TrainingError, match=r"smaller rate than 0.005 in another folder, from the beginning or --from"):
        train(job)
    explode(-1)
    slower = job.training.model_copy(update={"rate": 1e-4})
    again = dataclasses.replace(job, out=job.out.with_name("again"), training=slower, start_from=job.out)
    assert "stopped" not in train(again).record["metrics"]


def test_a_training_that_fails_in_its_first_epoch_keeps_its_state_alone(job, explode):
    explode(2)
    for resume in (False, True):
        with pytest.raises(
            TrainingError, match="epoch 1: .* keeps the state before it, from which --resume comes to the"
        ):
            train(dataclasses.replace(job, memory=0.0), resume)
        assert [path.name for path in job.out.iterdir() if path.suffix != ".jsonl"] == [CHECKPOINT]


def test_the_card_counts_the_jets_to_learn_from(job):
    few = dataclasses.replace(job, training=job.training.model_copy(update={"most": 50}))
    assert train(few).record["data"]["training"] == 50
    card = (job.out / "model.md").read_text()
    assert "| jets to learn from | 50 |" in card
    assert "It learned from 50 jets" in card


def test_what_cannot_be_learned_leaves_nothing_prepared(job, tmp_path):
    """Only when all jets are read is it known that they are of one class."""
    jets = Dataset(job.dataset).read()
    one_class = save(tmp_path / "one-class", jets[jets.columns["label"] == 1], {"source": "a test"})
    with pytest.raises(TrainingError):
        train(dataclasses.replace(job, dataset=one_class.path, memory=0.0))
    assert not (job.out / "prepared").exists()


def test_what_a_regressor_cannot_weight_is_said_before_jets_are_prepared(job):
    told = []

    class Told(Watcher):
        def prepared(self, jets, total):
            told.append(jets)

    weighted = job.training.model_copy(update={"class_weight": "balanced"})
    model = ModelSettings(head="regressor", targets=("jet_mass",))
    regressor = dataclasses.replace(job, model=model, training=weighted)
    with pytest.raises(SettingsError, match="class_weight is given, but numbers are learned"):
        train(regressor, watcher=Told())
    assert told == []


def test_a_wrong_dataset_leaves_no_folder(job, tmp_path):
    with pytest.raises(DatasetError, match="nowhere"):
        train(dataclasses.replace(job, dataset=tmp_path / "nowhere"))
    assert not job.out.exists()
