"""The loop learns, keeps the best epoch, and goes on bit for bit after anything that stops it."""

import json
import os
import signal

import numpy as np
import pytest
import safetensors.torch
import torch
from torch import nn
from trained_weights import flat

from jetgram.errors import TrainingError
from jetgram.models.recipes import TrainingSettings
from jetgram.models.settings import ModelSettings
from jetgram.networks.cells import CELLS, Simple
from jetgram.training import order, prepare
from jetgram.training.checkpoint import CHECKPOINT, load_checkpoint
from jetgram.training.loop import RunDirectory, Trainer, is_finite
from jetgram.training.prepare import prepare_jets
from jetgram.training.start import set_up
from jetgram.training.watching import Watcher

RECIPE = TrainingSettings(epochs=3, rate=5e-3, validation=80, seed=7, batch=32)


@pytest.fixture
def prepare_some(labelled_jets, monkeypatch):
    """Prepared jets in blocks of 64, of which a window holds three."""
    monkeypatch.setattr(prepare, "BLOCK", 64)
    monkeypatch.setattr(order.windows, "__defaults__", (3,))
    label = labelled_jets.columns["label"].astype(float)[:, None]
    return lambda settings: prepare_jets(labelled_jets, label, np.ones(len(label)), settings)


@pytest.fixture
def trainer(prepare_some):
    def make(recipe=RECIPE, folder=None, watcher=None, stream=False, **settings):
        usual = {"initialisation": "paper", **({} if settings.get("input") == "image" else {"hidden": 8})}
        model = ModelSettings(**{**usual, **settings})
        directory = RunDirectory(folder, "fingerprint", seconds=0) if folder else None
        return Trainer(set_up(prepare_some(model), model, recipe, stream), recipe, directory, watcher)

    return make


def weights(run):
    """The weights of the best epoch, after the training has run."""
    run.run()
    return flat(run.best_model({}))


class Stop(Watcher):
    """Raises, or sends a signal, at one of the steps."""

    def __init__(self, at, action):
        self.left, self.action = at, action

    def step(self, jets, loss):
        self.left -= 1
        if self.left == 0:
            self.action()


class Killed(BaseException):
    """Nothing in the loop catches it."""


def kill():
    raise Killed


@pytest.mark.parametrize(
    "settings",
    [{}, {"cell": "gated"}, {"topology": "kt+desc-pt"}, {"engine": "torch"}, {"input": "pixels"}],
    ids=str,
)
def test_it_learns(trainer, settings):
    run = trainer(RECIPE.model_copy(update={"epochs": 12}), **settings)
    run.run()
    model = run.best_model({})
    first, *_, last = run.progress.history
    assert last["loss"] < 0.8 * first["loss"]
    assert model.record["metrics"]["validation_auc"] > 0.85
    assert last["rate"] == pytest.approx(RECIPE.rate * 0.9**11)
    assert set(first) == {
        *("epoch", "loss", "validation_loss", "validation_auc", "rate", "jets_per_second", "seconds"),
        "cpu_seconds",
    }


def test_the_best_epoch_is_kept(trainer):
    run = trainer(RECIPE.model_copy(update={"epochs": 5, "rate": 0.05}))
    run.run()
    model = run.best_model({})
    best = max(run.progress.history, key=lambda line: line["validation_auc"])
    assert run.progress.best_epoch == best["epoch"]
    assert run.setup.validation.judge(model.network)["validation_auc"] == best["validation_auc"]


def test_patience_ends_it_early(trainer):
    run = trainer(RECIPE.model_copy(update={"epochs": 50, "rate": 0.05, "patience": 2}))
    run.run()
    assert run.progress.epoch == run.progress.best_epoch + 2 < 50


def test_the_same_seed_gives_the_same_bits_from_memory_and_from_files(trainer):
    one, two = (weights(trainer(stream=stream)) for stream in (False, True))
    assert torch.equal(one, two)
    other = weights(trainer(RECIPE.model_copy(update={"seed": 8})))
    assert not torch.equal(one, other)


@pytest.mark.parametrize("settings", [{"cell": "gated"}, {"input": "image"}], ids=str)
def test_threads_do_not_matter(trainer, monkeypatch, settings):
    found, before = [], torch.get_num_threads()
    for threads in (1, 2):
        monkeypatch.setenv("JETGRAM_THREADS", str(threads))
        torch.set_num_threads(threads)
        found.append(weights(trainer(RECIPE.model_copy(update={"epochs": 1}), **settings)))
    torch.set_num_threads(before)
    assert torch.equal(*found)


@pytest.mark.parametrize("bad", [float("nan"), float("inf"), -float("inf")])
def test_one_number_that_is_not_finite_is_found(bad):
    values = 3e38 * torch.linspace(-1, 1, 1000)
    assert is_finite(values)
    values[617] = bad
    assert not is_finite(values)


@pytest.mark.parametrize("stream", [False, True])
def test_a_network_on_images_goes_on_bit_for_bit(trainer, tmp_path, stream):
    recipe = RECIPE.model_copy(update={"rate": 1e-3})
    whole = trainer(recipe, stream=stream, input="image")
    expected = weights(whole)
    assert len(expected) == 975_693
    assert whole.progress.history[-1]["loss"] < 0.9 * whole.progress.history[0]["loss"]
    with pytest.raises(Killed):
        trainer(recipe, tmp_path, Stop(13, kill), stream, input="image").run()
    assert torch.equal(weights(trainer(recipe, tmp_path, stream=not stream, input="image")), expected)


@pytest.mark.parametrize("stream", [False, True])
def test_stopped_anywhere_it_goes_on_bit_for_bit(trainer, tmp_path, stream):
    whole = trainer(stream=stream)
    expected = weights(whole)
    for at in (1, 4, 10, 11, 25):
        folder = tmp_path / str(at)
        folder.mkdir()
        with pytest.raises(Killed):
            trainer(folder=folder, watcher=Stop(at, kill), stream=stream).run()
        resumed = trainer(folder=folder, stream=stream)
        assert torch.equal(weights(resumed), expected)
        keys = ("epoch", "loss", "validation_auc")
        lines = [json.loads(line) for line in (folder / "history.jsonl").read_text().splitlines()]
        assert [[line[key] for key in keys] for line in lines] == [
            [line[key] for key in keys] for line in whole.progress.history
        ]


class Dropping(Simple):
    """Half of the numbers are dropped in training, by a module and by a function."""

    def __init__(self, features=7, hidden=40):
        super().__init__(features, hidden)
        self.drop = nn.Dropout(0.3)

    def forward(self, children, u):
        return nn.functional.dropout(self.drop(super().forward(children, u)), 0.3, self.training)


@pytest.fixture
def dropping(monkeypatch):
    monkeypatch.setitem(CELLS, "dropping", Dropping)


def test_dropout_goes_on_bit_for_bit(dropping, trainer, tmp_path):
    expected = weights(trainer(cell="dropping"))
    assert not torch.equal(expected, weights(trainer(cell="simple", engine="torch")))
    with pytest.raises(Killed):
        trainer(folder=tmp_path, watcher=Stop(14, kill), cell="dropping").run()
    torch.rand(3)
    assert torch.equal(weights(trainer(folder=tmp_path, cell="dropping")), expected)


def test_dropout_is_for_steps_alone(dropping, trainer):
    modes = []
    watcher = Watcher()
    watcher.step = lambda jets, loss: modes.append(run.step.network.training)
    run = trainer(watcher=watcher, cell="dropping")
    before = torch.get_rng_state()
    run.run()
    assert all(modes)
    assert torch.equal(torch.get_rng_state(), before)
    model = run.best_model({})
    best = run.progress.history[run.progress.best_epoch - 1]
    assert not model.network.embedding.cell.drop.training
    assert run.setup.validation.judge(model.network)["validation_loss"] == best["validation_loss"]


def test_the_native_engine_seeds_nothing(trainer, monkeypatch):
    run = trainer()
    if run.step.network.engine() == "native":
        monkeypatch.setattr(torch, "manual_seed", None)
        run.run()
        assert run.finished


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_request_to_end_loses_no_step(trainer, tmp_path, number):
    expected = weights(trainer())
    before = signal.getsignal(number)
    run = trainer(folder=tmp_path, watcher=Stop(5, lambda: os.kill(os.getpid(), number)))
    run.directory = RunDirectory(tmp_path, "fingerprint", seconds=1e9)
    with pytest.raises(KeyboardInterrupt):
        run.run()
    assert signal.getsignal(number) is before
    assert load_checkpoint(tmp_path, "fingerprint", len(expected)).progress.step == 6
    assert torch.equal(weights(trainer(folder=tmp_path)), expected)


def test_an_epoch_that_was_stopped_after_its_last_step_has_the_rate_of_that_step(trainer, tmp_path):
    whole, steps = trainer(), []
    whole.watcher.step = lambda jets, loss: steps.append(whole.progress.epoch)
    whole.run()
    before_last = steps.index(2) - 1  # the request is heard in the step after it, the last one of the second epoch
    stopped = trainer(folder=tmp_path, watcher=Stop(before_last, lambda: os.kill(os.getpid(), signal.SIGTERM)))
    with pytest.raises(KeyboardInterrupt):
        stopped.run()
    resumed = trainer(folder=tmp_path)
    resumed.run()
    assert [record["rate"] for record in resumed.progress.history] == [
        record["rate"] for record in whole.progress.history
    ]


def test_a_loss_that_is_not_finite_stops_and_keeps_the_last_good_state(trainer, tmp_path):
    run = trainer(RECIPE.model_copy(update={"rate": 1e30}), folder=tmp_path)
    message = (
        r"epoch 1: the loss of step \d+ is .*keeps the state before it, .*; train with a smaller rate than 1e\+30 in"
    )
    with pytest.raises(TrainingError, match=message):
        run.run()
    kept = load_checkpoint(tmp_path, "fingerprint", len(run.best))
    assert kept.progress.step == run.progress.step
    assert torch.isfinite(kept.parameters).all()


@pytest.mark.parametrize(
    ("at", "kept"), [(3, "nothing is learned"), (16, "what epoch 1 learned is kept")], ids=["epoch 1", "epoch 2"]
)
def test_a_gradient_that_is_not_finite_is_named(trainer, at, kept):
    run = trainer()
    measure, steps = run._loss, []

    def spoil(batch):
        loss = measure(batch)
        steps.append(loss)
        if len(steps) == at:
            run.step.parameters.gradient[7] = float("nan")
        return loss

    run._loss = spoil
    message = (
        rf"the gradient of step \d+ is not finite, with a loss of [\d.]+; {kept}; train with a smaller rate than 0.005"
    )
    with pytest.raises(TrainingError, match=message):
        run.run()


def test_a_validation_loss_that_is_not_finite_is_named(trainer, tmp_path):
    """Epoch 1 is not the best one without a number."""
    run = trainer(folder=tmp_path, head="regressor", targets="label")
    run.setup.validation.targets[3] = 1e25
    with pytest.raises(TrainingError, match="epoch 1: validation fails: the loss of a validation jet is inf; .* keeps"):
        run.run()
    assert run.progress.best_epoch == 0


def test_a_finished_training_has_nothing_to_do(trainer, tmp_path):
    expected = weights(trainer(folder=tmp_path))
    again = trainer(folder=tmp_path, watcher=Stop(1, kill))
    assert again.finished
    assert torch.equal(weights(again), expected)


@pytest.mark.parametrize(
    ("damage", "message"),
    [
        (lambda file: file.write_bytes(b"?"), "is damaged, or no checkpoint"),
        (lambda file: file.write_bytes(file.read_bytes()[:-9]), "is damaged, or no checkpoint"),
        (
            lambda file: file.write_bytes(file.read_bytes().replace(b"fingerprint", b"fingerbrint")),
            "changed after it was",
        ),
        (
            lambda file: file.write_bytes(safetensors.torch.save({"best": torch.zeros(3)})),
            "is damaged, or no checkpoint",
        ),
        (
            lambda file: file.write_bytes(
                safetensors.torch.save({"best": torch.zeros(3)}, {"jetgram": '{"format": 1, "fingerprint": "x"}'})
            ),
            "has format 1; this version of jetgram reads format 2; remove it to train from the beginning",
        ),
    ],
)
def test_a_strange_checkpoint_is_refused(trainer, tmp_path, damage, message):
    trainer(folder=tmp_path).run()
    damage(tmp_path / CHECKPOINT)
    with pytest.raises(TrainingError, match=f"{CHECKPOINT} .*{message}"):
        trainer(folder=tmp_path)


def test_a_checkpoint_of_another_training_is_refused(trainer, tmp_path):
    run = trainer(folder=tmp_path)
    run.run()
    with pytest.raises(TrainingError, match="other settings or jets; choose another folder"):
        load_checkpoint(tmp_path, "another fingerprint", len(run.best))


def test_no_flipped_bit_in_a_checkpoint_changes_what_is_learned(trainer, tmp_path):
    """Each is an error that names the file and says what to do, or leaves every number as it was."""
    run = trainer(folder=tmp_path)
    run.run()
    file, rng = tmp_path / CHECKPOINT, np.random.default_rng(1)
    whole = file.read_bytes()
    refused = 0
    for number in range(300):
        damaged = bytearray(whole)
        directory = number if number < 100 else rng.integers(len(whole))  # its header, and anywhere
        damaged[directory] ^= 1 << rng.integers(8)
        file.write_bytes(damaged)
        try:
            found = load_checkpoint(tmp_path, "fingerprint", len(run.best))
        except TrainingError as error:
            refused += str(file) in str(error) and "remove it to train from the beginning" in str(error)
        else:
            assert torch.equal(found.best, run.best)
            assert found.progress == run.progress
    assert refused > 280
    for length in (0, 1, 8, 100, len(whole) // 2, len(whole) - 1):
        file.write_bytes(whole[:length])
        with pytest.raises(TrainingError, match=f"{CHECKPOINT} is damaged"):
            load_checkpoint(tmp_path, "fingerprint", len(run.best))
