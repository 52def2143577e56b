import dataclasses
from concurrent.futures import Future

import numpy as np
import pytest

from jetgram.errors import SettingsError, TrainingError
from jetgram.fanout import open_executor
from jetgram.models.history import read_history
from jetgram.models.recipes import TrainingSettings
from jetgram.models.settings import ModelSettings
from jetgram.networks.engine.parameters import Adam
from jetgram.training.ensemble import EnsembleWatcher, seed_job, train_seeds
from jetgram.training.job import Job
from jetgram.training.train import train


@pytest.fixture
def job(dataset, tmp_path):
    recipe = TrainingSettings(epochs=3, validation=60, rate=5e-3)
    return Job(dataset.path, tmp_path / "seeds", ModelSettings(hidden=5), recipe)


class Counter(EnsembleWatcher):
    """Remembers what it was told."""

    def __init__(self):
        self.jets, self.counts = 0, []

    def prepared(self, jets, total):
        self.jets += jets

    def epochs(self, histories):
        self.counts.append(sum(map(len, histories)))


def test_each_seed_is_the_model_of_that_seed(job, dataset):
    watcher = Counter()
    with open_executor(2) as executor:
        results = train_seeds(job, [3, 5], executor, watcher=watcher)
    assert [result.folder.name for result in results] == ["seed-003", "seed-005"]
    assert watcher.jets == len(dataset)  # prepared once
    assert watcher.counts[-1] == 6
    assert sorted(watcher.counts) == watcher.counts
    assert not (job.out / "prepared").exists()
    for result in results:
        alone = train(seed_job(Job(job.dataset, job.out.with_name("alone"), job.model, job.training), result.seed))
        weights = [w.detach().numpy() for w in alone.network.parameters()]
        best = max(record["validation_auc"] for record in read_history(result.folder))
        assert result.metrics["validation_auc"] == best == alone.record["metrics"]["validation_auc"]
        assert np.isfinite(weights[0]).all()


@pytest.mark.parametrize("resume", [False, True])
def test_a_model_and_models_of_many_seeds_do_not_share_a_folder(job, resume):
    """Who scores with the folder takes the model alone, or the mean of the seeds."""
    short = dataclasses.replace(job, training=job.training.model_copy(update={"epochs": 1}))
    train(short)
    with pytest.raises(TrainingError, match="seeds holds a model; expected a folder for models of many seeds"):
        train_seeds(short, [0], resume=resume)
    several = dataclasses.replace(short, out=short.out.with_name("several"))
    train_seeds(several, [0])
    with pytest.raises(TrainingError, match="several holds the models of many seeds"):
        train(several, resume=resume)


def test_finished_seeds_are_not_prepared_again(job):
    watcher = Counter()
    with open_executor(1) as executor:
        train_seeds(job, [0], executor)
        again = train_seeds(job, [0], executor, resume=True, watcher=watcher)
    assert again[0].metrics
    assert watcher.jets == 0


def test_what_no_seed_can_learn_is_said_once(job):
    taught = dataclasses.replace(job, training=job.training.model_copy(update={"teacher_weight": 0.9}))
    with pytest.raises(SettingsError, match=r"teacher_weight = 0.9 without a teacher"):
        train_seeds(taught, [0, 1])
    assert not job.out.exists()


def test_folders_in_use_are_refused_before_anything_is_done(job):
    (job.out / "seed-001").mkdir(parents=True)
    (job.out / "seed-001" / "model.json").touch()
    with open_executor(1) as executor, pytest.raises(TrainingError, match="seed-001 holds a model"):
        train_seeds(job, [0, 1], executor)
    assert not (job.out / "seed-000").exists()


class Here:
    """An executor that works at once, in this process."""

    def submit(self, function, *arguments):
        future = Future()
        try:
            future.set_result(function(*arguments))
        except TrainingError as error:
            future.set_exception(error)
        return future


def test_a_seed_that_fails_does_not_stop_the_others(job, monkeypatch):
    from jetgram.training import ensemble

    def fail_first(one, resume):
        if one.training.seed == 0:
            raise TrainingError("epoch 1: the loss of step 2 is nan")
        return train(one, resume)

    monkeypatch.setattr(ensemble, "train", fail_first)
    first, second = train_seeds(job, [0, 1], Here())
    assert "the loss of step 2 is nan" in first.error
    assert (first.metrics, second.error) == ({}, "")
    assert second.metrics["validation_auc"] > 0
    assert (job.out / "prepared").exists()  # still needed


def test_nothing_stays_prepared_where_no_seed_can_go_on(job, monkeypatch):
    """A seed that diverged after its first epoch is a model, and cannot be resumed."""
    step = Adam.step

    def explode(self):
        step(self)
        if self.steps == 8:  # in the second epoch
            self.parameters.values.mul_(1e20)

    monkeypatch.setattr(Adam, "step", explode)
    (result,) = train_seeds(job, [0], Here())
    assert "epoch 2: the loss of step 3 is" in result.error
    assert [path.name for path in job.out.iterdir()] == ["seed-000"]


@pytest.mark.slow
def test_a_killed_dask_worker_changes_nothing(job, dask_cluster):
    class KillOne(EnsembleWatcher):
        done = False

        def epochs(self, histories):
            if not self.done and sum(map(len, histories)) > 2:
                self.done = True
                dask_cluster.kill(dask_cluster.workers[0])

    watcher = KillOne()
    slow = Job(job.dataset, job.out, job.model, job.training.model_copy(update={"epochs": 300}))
    with open_executor(dask=dask_cluster.address) as executor:
        results = train_seeds(slow, [0, 1], executor, watcher=watcher)
    assert watcher.done
    again = train(seed_job(Job(slow.dataset, slow.out.with_name("alone"), slow.model, slow.training), 1))
    assert results[1].metrics == again.record["metrics"]
