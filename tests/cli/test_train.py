"""`jetgram train` and `jetgram predict`, in processes of their own, killed and resumed."""

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest

import jetgram
from jetgram.cli import main
from jetgram.evaluation.score_files import read_scores
from jetgram.jets.clustering import find_jets
from jetgram.models.history import history_so_far, read_history
from jetgram.models.model import JetModel
from jetgram.models.settings import ModelSettings
from jetgram.models.store import load_model, save_model
from jetgram.momenta import Events, Jets
from jetgram.storage.dataset import save
from jetgram.training.checkpoint import CHECKPOINT

FAST = ["--set", "hidden=6", "--set", "validation=60", "--set", "rate=0.005"]


@pytest.fixture(scope="session")
def stored(qcd_jets, tmp_path_factory):
    """A dataset of labelled jets."""
    label = (qcd_jets.pt > np.median(qcd_jets.pt)).astype(np.int8)
    jets = Jets(qcd_jets.momenta, qcd_jets.offsets, {"label": label})
    return save(tmp_path_factory.mktemp("stored") / "jets", jets, {"source": "tests"}).path


def start(*arguments, launcher=("-m", "jetgram")):
    environment = {**os.environ, "PYTHONPATH": str(Path(jetgram.__file__).parents[1]), "JETGRAM_THREADS": "1"}
    command = [sys.executable, *launcher, *map(str, arguments)]
    return subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


@pytest.fixture
def run(capsys):
    """Run a command in this process; gives what it prints, line breaks taken out."""

    def call(*arguments, code=0):
        capsys.readouterr()
        with pytest.raises(SystemExit) as end:
            main(list(map(str, arguments)))
        out, err = capsys.readouterr()
        assert end.value.code == code, err
        return out, err.replace("\n", " ")

    return call


def test_from_a_dataset_to_scores(stored, tmp_path, run):
    out, err = run("train", stored, "--out", tmp_path / "model", "--epochs", 4, "--topology", "ca", "--seed", 2, *FAST)
    assert "simple ca, " in out
    assert "best epoch" in out
    assert err.count("jets/s") == 5  # one of the preparation, one per epoch
    names = {"model.json", "model.md", "model.safetensors", "history.jsonl", "curves.png"}
    assert {file.name for file in (tmp_path / "model").iterdir()} == names
    assert [record["epoch"] for record in read_history(tmp_path / "model")] == [1, 2, 3, 4]
    run("predict", tmp_path / "model", stored, "--split", "train", "--out", tmp_path / "scores.parquet")
    scores, model = read_scores(tmp_path / "scores.parquet"), load_model(tmp_path / "model")
    jets = jetgram.read(stored)
    np.testing.assert_array_equal(scores.score, model.predict(jets)[:, 0])
    np.testing.assert_array_equal(scores.label, jets.columns["label"])
    assert (scores.provenance.seed, scores.provenance.model) == (2, "simple ca")
    assert scores.provenance.model_digest == model.record["digest"]


@pytest.mark.parametrize(
    ("arguments", "title"),
    [
        (["--input", "image", "--epochs", 1, "--set", "validation=60"], "MaxOut, 975,693 parameters"),
        (["--input", "pixels", "--cell", "gated", "--epochs", 1, *FAST], "gated kt on pixels, "),
    ],
)
def test_images_from_a_dataset_to_scores(stored, tmp_path, run, arguments, title):
    out, _ = run("train", stored, "--out", tmp_path / "model", *arguments)
    assert title in out
    run("predict", tmp_path / "model", stored, "--split", "train", "--out", tmp_path / "scores.parquet")
    scores, model = read_scores(tmp_path / "scores.parquet"), load_model(tmp_path / "model")
    np.testing.assert_allclose(scores.score, model.predict(jetgram.read(stored))[:, 0], rtol=1e-5)


def test_trees_may_be_others_than_in_training(stored, tmp_path, run):
    run("train", stored, "--out", tmp_path / "model", "--epochs", 1, *FAST)
    arguments = ("predict", tmp_path / "model", stored, "--split", "train", "--out", tmp_path / "scores.parquet")
    run(*arguments, "--topology", "antikt")
    assert read_scores(tmp_path / "scores.parquet").provenance.model == "blend ca, lund, root and mean on antikt trees"
    assert "did you mean 'antikt'" in run(*arguments, "--topology", "anti-kt", code=1)[1]


def test_settings_come_from_a_file_and_the_command_line_wins(stored, tmp_path, run):
    file = tmp_path / "settings.toml"
    file.write_text(
        '[model]\nhead = "regressor"\ntargets = ["jet_mass"]\nhidden = 5\n[training]\nepochs = 9\nbatch = 32\n'
    )
    run("train", stored, "--out", tmp_path / "model", "--settings", file, "--epochs", 1, "--set", "loss=huber")
    card = json.loads((tmp_path / "model" / "model.json").read_text())
    assert card["settings"]["targets"] == ["jet_mass"]
    assert (card["settings"]["loss"], card["settings"]["hidden"]) == ("huber", 5)
    assert (card["training"]["epochs"], card["training"]["batch"]) == (1, 32)
    run("predict", tmp_path / "model", stored, "--split", "train", "--out", tmp_path / "scores.parquet")
    assert list(read_scores(tmp_path / "scores.parquet").outputs) == ["jet_mass"]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--topology", "anti-kt"], "did you mean 'antikt'"),
        (["--set", "hiden=4"], "there is no setting 'hiden'; did you mean 'hidden'?"),
        (["--set", "hidden"], "expected name=value"),
        (["--split", "tests"], "has no split 'tests'"),
        (["--settings", "nowhere.toml"], "nowhere.toml"),
        (["--set", "weight=heavy"], "no column 'heavy'"),
        (["--input", "image", "--topology", "ca"], "found topology with input = image"),
        (["--set", "features=paper+pclass"], "generate them with --level pflow"),
    ],
)
def test_mistakes_are_one_line(stored, tmp_path, run, arguments, message):
    assert message in run("train", stored, "--out", tmp_path / "model", *arguments, code=1)[1]
    assert not (tmp_path / "model" / "model.json").exists()


def kill_somewhere(arguments, folder, rng):
    """Start a training, and kill it at a random moment after its first checkpoint of this run; whether it was alive."""
    checkpoint = folder / CHECKPOINT
    before = checkpoint.stat().st_mtime_ns if checkpoint.exists() else 0
    process = start(*arguments)
    while process.poll() is None and not (checkpoint.exists() and checkpoint.stat().st_mtime_ns > before):
        time.sleep(0.001)
    time.sleep(rng.uniform(0, 0.4))
    alive = process.poll() is None
    process.send_signal(signal.SIGKILL)
    process.communicate()
    return alive


def check_kills(run, stored, tmp_path, kills, *more):
    recipe = ["--epochs", 30, "--checkpoint", 0, *FAST, *more]
    run("train", stored, "--out", tmp_path / "whole", *recipe)
    rng, folder = np.random.default_rng(1), tmp_path / "killed"
    arguments = ["train", stored, "--out", folder, "--resume", *recipe]
    killed = sum(kill_somewhere(arguments, folder, rng) for _ in range(kills))
    assert killed
    run(*arguments)
    for name in ("model.safetensors", "model.json", "model.md"):
        assert (tmp_path / "whole" / name).read_bytes() == (folder / name).read_bytes()
    assert sorted(file.name for file in folder.iterdir()) == sorted(
        file.name for file in (tmp_path / "whole").iterdir()
    )


def test_killed_and_resumed_the_weights_are_the_same_bits(stored, tmp_path, run):
    check_kills(run, stored, tmp_path, 2)


@pytest.mark.slow
@pytest.mark.parametrize(
    "more", [["--cell", "gated"], ["--topology", "kt+desc-pt"], ["--memory", 0], ["--set", "engine=torch"]], ids=str
)
def test_many_kills(stored, tmp_path, run, more):
    check_kills(run, stored, tmp_path, 8, *more)


def test_ctrl_c_loses_nothing(stored, tmp_path, run):
    arguments = ["train", stored, "--out", tmp_path / "model", "--epochs", 10_000, *FAST]
    process = start(*arguments)
    while not (tmp_path / "model" / "history.jsonl").exists():
        assert process.poll() is None, process.communicate()[1]
        time.sleep(0.01)
    process.send_signal(signal.SIGINT)
    _, err = process.communicate(timeout=60)
    assert process.returncode == 130, err
    assert "stopped by Ctrl-C" in err
    assert (tmp_path / "model" / CHECKPOINT).exists()
    _, err = run(*arguments, code=1)
    assert "holds an unfinished training; go on with it (--resume), or choose another folder" in err
    _, err = run(*arguments, "--resume", "--set", "batch=32", code=1)
    assert "other settings or jets" in err


def test_seeds_are_models_and_are_resumed(stored, tmp_path, run):
    arguments = ["train", stored, "--out", tmp_path / "seeds", "--seeds", 3, "--seed", 4, "--epochs", 2, *FAST]
    out, _ = run(*arguments)
    assert "mean" in out
    folders = sorted((tmp_path / "seeds").iterdir())
    assert [folder.name for folder in folders] == ["seed-004", "seed-005", "seed-006"]
    run("train", stored, "--out", tmp_path / "alone", "--seed", 5, "--epochs", 2, *FAST)
    weights = [folder / "model.safetensors" for folder in (*folders, tmp_path / "alone")]
    assert weights[1].read_bytes() == weights[3].read_bytes() != weights[0].read_bytes()
    (folders[2] / "model.json").unlink()
    before = [file.stat().st_mtime_ns for file in weights[:3]]
    run(*arguments, "--resume", "--workers", 1)
    after = [file.stat().st_mtime_ns for file in weights[:3]]
    assert [a == b for a, b in zip(before, after, strict=True)] == [True, True, False]


@pytest.mark.slow
def test_torchrun_trains_one_model_with_two_processes(stored, tmp_path, run):
    recipe = ["--epochs", 5, *FAST]
    run("train", stored, "--out", tmp_path / "one", *recipe)
    launcher = ("-m", "torch.distributed.run", "--nproc-per-node", "2", "--standalone", "-m", "jetgram")
    process = start("train", stored, "--out", tmp_path / "two", *recipe, launcher=launcher)
    out, err = process.communicate(timeout=300)
    assert process.returncode == 0, err
    assert out.count("simple kt") == 1
    one, two = (read_history(tmp_path / name) for name in ("one", "two"))
    np.testing.assert_allclose([r["loss"] for r in one], [r["loss"] for r in two], rtol=1e-3)
    assert one[-1]["validation_auc"] == pytest.approx(two[-1]["validation_auc"], abs=0.02)


@pytest.mark.slow
def test_processes_that_share_batches_do_not_decorrelate(stored, tmp_path):
    launcher = ("-m", "torch.distributed.run", "--nproc-per-node", "2", "--standalone", "-m", "jetgram")
    process = start("train", stored, "--out", tmp_path / "two", "--set", "disco=1", *FAST, launcher=launcher)
    _, err = process.communicate(timeout=300)
    assert process.returncode != 0
    assert "disco is of whole batches, which 2 processes share" in err
    assert "Traceback" not in err.split("torch/distributed")[0]


@pytest.mark.slow
@pytest.mark.parametrize("rank", [0, 1])
def test_a_killed_rank_ends_the_run_and_it_goes_on(stored, tmp_path, rank):
    recipe = ["--epochs", 60, "--checkpoint", "0.1", *FAST]
    launcher = ("-m", "torch.distributed.run", "--nproc-per-node", "2", "--standalone", "-m", "jetgram")
    whole = start("train", stored, "--out", tmp_path / "whole", *recipe, launcher=launcher)
    whole.communicate(timeout=300)
    assert whole.returncode == 0
    broken = start("train", stored, "--out", tmp_path / "broken", *recipe, launcher=launcher)
    while not len(history_so_far(tmp_path / "broken")) > 3:
        assert broken.poll() is None, broken.communicate()
        time.sleep(0.05)
    os.kill(processes_by_rank(broken.pid)[rank], signal.SIGKILL)
    _, err = broken.communicate(timeout=120)
    assert broken.returncode != 0
    assert rank == 0 or "another process of this training is gone; run the same command again with --resume" in err
    assert not (tmp_path / "broken" / "model.json").exists()
    again = start("train", stored, "--out", tmp_path / "broken", "--resume", *recipe, launcher=launcher)
    _, err = again.communicate(timeout=300)
    assert again.returncode == 0, err
    weights = [(tmp_path / name / "model.safetensors").read_bytes() for name in ("whole", "broken")]
    assert weights[0] == weights[1]


def processes_by_rank(parent):
    """The process ids of what a launcher has started, by their rank."""
    found = {}
    for child in Path(f"/proc/{parent}/task/{parent}/children").read_text().split():
        for variable in Path(f"/proc/{child}/environ").read_bytes().split(b"\0"):
            if variable.startswith(b"RANK="):
                found[int(variable[5:])] = int(child)
    return found


@pytest.fixture(scope="session")
def stored_events(qcd_events, tmp_path_factory):
    """A dataset of labelled events."""
    second = find_jets(qcd_events, hardest=2).pt[1::2]
    label = (second > np.median(second)).astype(np.int8)
    events = Events(qcd_events.momenta, qcd_events.offsets, {"label": label})
    return save(tmp_path_factory.mktemp("stored") / "events", events, {"source": "tests"}).path


def test_from_events_to_scores(stored_events, tmp_path, run):
    quick = ("--epochs", 2, "--set", "state=6", *FAST)
    out, err = run("train", stored_events, "--events", "--jets", 3, "--out", tmp_path / "model", *quick)
    assert "3 jets, simple kt, " in out
    assert err.count("events/s") == 3
    out, err = run(
        "predict", tmp_path / "model", stored_events, "--split", "train", "--out", tmp_path / "scores.parquet"
    )
    assert "200 events of" in out
    out, err = run("evaluate", tmp_path / "scores.parquet", "--bootstrap", 0)
    assert "all events: 100 signal and 100 background events" in out
    assert "R at 80 %" in out


def test_what_is_read_of_events(stored, stored_events, tmp_path, run):
    quick = ("--epochs", 1, "--set", "state=6", "--set", "validation=60")
    file = tmp_path / "momenta.toml"
    file.write_text('[model]\nevent = "jet-momenta"\n')
    assert (
        "all jet momenta, "
        in run("train", stored_events, "--settings", file, "--jets", "all", "--out", tmp_path / "a", *quick)[0]
    )
    assert "5 particles, " in run("train", stored_events, "--particles", 5, "--out", tmp_path / "b", *quick)[0]
    assert "2 jets, simple kt" in run("train", stored_events, "--out", tmp_path / "c", *quick)[0]
    err = run("train", stored, "--jets", 2, "--out", tmp_path / "d", code=1)[1]
    assert "holds jets; --jets is for whole events" in err
    err = run("train", stored_events, "--jets", 2, "--particles", 2, "--out", tmp_path / "d", code=1)[1]
    assert "an event is read as jets or as particles" in err
    err = run("train", stored_events, "--jets", "two", "--out", tmp_path / "d", code=1)[1]
    assert "hardest = 'two': expected a whole number from 1, or all" in err
    err = run("train", stored_events, "--particles", 5, "--cell", "gated", "--out", tmp_path / "d", code=1)[1]
    assert "found cell with event = particles" in err


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (("--jets", 2, "--set", "event=particles"), "found --jets 2 with event = particles; take --particles instead"),
        (("--particles", 5, "--set", "event=jets"), "found --set event=jets next to an option that says event = par"),
        (("--jets", 2, "--set", "hardest=3"), "found --set hardest=3 next to an option that says hardest = 2"),
        (("--particles", 5, "--topology", "kt"), "found topology with event = particles"),
        (("--particles", 5, "--cell", "simple"), "found cell with event = particles"),
    ],
)
def test_options_that_contradict_each_other_are_errors(stored_events, tmp_path, run, options, message):
    assert message in run("train", stored_events, *options, "--out", tmp_path / "model", code=1)[1]


def test_a_file_of_particles_and_an_option_for_jets(stored_events, tmp_path, run):
    file = tmp_path / "particles.toml"
    file.write_text('[model]\nevent = "particles"\n')
    err = run("train", stored_events, "--settings", file, "--jets", 2, "--out", tmp_path / "model", code=1)[1]
    assert "found --jets 2 with event = particles" in err


def test_the_modern_training_of_particles(stored_events, tmp_path, run):
    quick = ("--epochs", 1, "--set", "state=6", "--set", "validation=60")
    run("train", stored_events, "--recipe", "modern", "--particles", 5, "--out", tmp_path / "model", *quick)
    assert load_model(tmp_path / "model").record["training"]["schedule"] == "cosine"


def test_an_event_as_a_model_sees_it(stored, stored_events, tmp_path, run):
    quick = ("--epochs", 1, "--set", "state=6", *FAST)
    run("train", stored_events, "--out", tmp_path / "model", *quick)
    out, _ = run("show", stored_events, "--event", -1, "--model", tmp_path / "model", "--out", tmp_path / "event.png")
    assert "event 199 of" in out
    assert out.endswith(f", as {tmp_path / 'model'} sees it\n")
    run("show", stored_events, "--event", 2, "--jets", 3, "--out", tmp_path / "three.svg")
    assert "--event is for datasets of events" in run("show", stored, "--event", 2, code=1)[1]


def test_a_model_of_more_jets_than_fit_on_a_page(stored_events, qcd_events, tmp_path, run):
    model = JetModel.untrained(ModelSettings(event="jets", hardest="all", hidden=4, state=4), qcd_events)
    save_model(tmp_path / "model", model)
    jets = len(find_jets(qcd_events[[3]], hardest=None))
    show = ("show", stored_events, "--event", 3, "--model", tmp_path / "model", "--out", tmp_path / "event.png")
    assert f"sees it: the 6 hardest of {jets} jets" in run(*show)[0]
    assert f"sees it: the hardest of {jets} jets" in run(*show, "--jets", 1)[0]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (("--event", 2, "--topology", "all"), "--topology all with --event; expected one of kt, ca, antikt"),
        (("--event", 2, "--jet", 3), "found --jet 3 with --event; a whole event is drawn, leave it out"),
        (("--jet", 2, "--jets", 3), "found --jets 3 without --event; a single jet is drawn"),
        (("--event", 2, "--model", "m", "--topology", "kt"), "found --topology kt with --model; the trees are those"),
        (("--jet", 2, "--model", "m", "--topology", "all"), "found --topology all with --model"),
        (("--jet", 2, "--model", "m", "--seed", 0), "found --seed 0 with --model"),
    ],
)
def test_a_picture_has_no_options_that_change_nothing(stored_events, options, message, run):
    assert message in run("show", stored_events, *options, code=1)[1]


def test_the_seed_of_random_trees_of_an_event(stored_events, tmp_path, run):
    for name, seed in (("a", ()), ("b", ("--seed", 0)), ("c", ("--seed", 1))):
        run("show", stored_events, "--event", 2, "--topology", "random", *seed, "--out", tmp_path / f"{name}.svg")
    a, b, c = ((tmp_path / f"{name}.svg").read_bytes() for name in "abc")
    assert a == b != c


def test_training_goes_on_from_a_model(stored, tmp_path, run):
    """`--from` takes weights and settings; the fingerprint tells such a training from one of random weights."""
    first, tuned = tmp_path / "first", tmp_path / "tuned"
    run("train", stored, "--out", first, "--epochs", 3, "--topology", "ca", *FAST)
    still = ["--epochs", 1, "--set", "validation=60", "--set", "lr=1e-12", "--seed", 5]
    out, _ = run("train", stored, "--out", tuned, "--from", first, *still)
    assert "simple ca, " in out
    before, after = load_model(first), load_model(tuned)
    assert after.settings == before.settings
    for old, new in zip(before.network.parameters(), after.network.parameters(), strict=True):
        np.testing.assert_allclose(new.detach(), old.detach(), atol=1e-6)
    np.testing.assert_array_equal(after.scaler.center, before.scaler.center)
    run("train", stored, "--out", tmp_path / "anew", "--topology", "ca", "--set", "hidden=6", *still)
    anew = load_model(tmp_path / "anew")
    assert anew.record["data"]["fingerprint"] != after.record["data"]["fingerprint"]
    _, err = run("train", stored, "--out", tmp_path / "no", "--from", first, "--cell", "gated", *still, code=1)
    assert "the model to start from has cell = 'simple'; this training has 'gated'" in err
    assert "jets/s" not in err  # nothing was prepared


def test_training_goes_on_as_it_was(stored, tmp_path, run):
    """From a model the settings of its training are taken, or those of a named recipe, or of the command line."""
    first, quick = tmp_path / "first", ("--epochs", 1, "--set", "validation=60")
    run("train", stored, "--out", first, "--seed", 3, "--set", "hidden=6", "--set", "batch=128", *quick)
    before = load_model(first)

    def training(name, *more):
        run("train", stored, "--out", tmp_path / name, "--from", first, *more)
        after = load_model(tmp_path / name)
        assert after.settings == before.settings
        return after.record["training"]

    assert training("same") == {**before.record["training"], "seed": 0}
    assert training("slow", "--set", "lr=1e-4", "--seed", 3) == {**before.record["training"], "rate": 1e-4}
    modern = training("modern", "--recipe", "modern", *quick)
    assert modern == {**before.record["training"], "seed": 0, "batch": 256}
    paper = training("paper", "--recipe", "paper", *quick)
    assert (paper["batch"], paper["rate"], "schedule" in paper) == (64, 5e-4, False)
    err = run("train", stored, "--out", tmp_path / "no", "--from", first, "--recipe", "modren", code=1)[1]
    assert "no recipe 'modren'; did you mean 'modern'?" in err


def test_seeds_from_a_model_that_does_not_fit_are_not_prepared(stored, tmp_path, run):
    run("train", stored, "--out", tmp_path / "first", "--epochs", 1, *FAST)
    arguments = ("train", stored, "--from", tmp_path / "first", "--out", tmp_path / "seeds", "--seeds", 2)
    assert "has topology = 'ca'; this training has 'kt'" in run(*arguments, "--topology", "kt", code=1)[1]
    assert not (tmp_path / "seeds").exists()


def test_events_go_on_from_a_model_of_events(stored_events, tmp_path, run):
    """The card of a baseline names a cell and trees that it does not have."""
    quick = ("--epochs", 1, "--set", "state=6", "--set", "validation=60")
    run("train", stored_events, "--recipe", "modern", "--particles", 5, "--out", tmp_path / "first", *quick)
    arguments = ("train", stored_events, "--from", tmp_path / "first", "--out")
    run(*arguments, tmp_path / "tuned")
    assert load_model(tmp_path / "tuned").record["training"]["schedule"] == "cosine"
    assert "has hardest = 5; this training has 6" in run(*arguments, tmp_path / "no", "--particles", 6, code=1)[1]
    assert "found --jets 5 with event = particles" in run(*arguments, tmp_path / "no", "--jets", 5, code=1)[1]
    err = run(*arguments, tmp_path / "no", "--set", "event=jets", code=1)[1]
    assert "the model to start from has event = 'particles'; this training has 'jets'" in err


@pytest.mark.parametrize(
    ("provenance", "classes", "more", "expected"),
    [
        ({"classes": ["qcd", "w", "top"]}, 3, [], ("qcd", "w", "top")),
        ({"classes": ["qcd", "top"]}, 2, [], ("qcd", "top")),
        ({}, 4, [], (0, 1, 2, 3)),
        ({}, 2, [], None),
        ({"classes": ["a", "b"]}, 2, ["--set", "classes=['x', 'y']"], ("x", "y")),
        ({"classes": ["a", "b"]}, 2, ["--set", "head=regressor", "--set", "targets=jet_mass"], None),
    ],
)
def test_classes_are_those_of_the_dataset(qcd_jets, tmp_path, run, provenance, classes, more, expected):
    jets = Jets(qcd_jets.momenta, qcd_jets.offsets, {"label": np.arange(len(qcd_jets)) % classes})
    save(tmp_path / "jets", jets, provenance)
    run("train", tmp_path / "jets", "--out", tmp_path / "model", "--epochs", 1, *FAST, *more)
    found = load_model(tmp_path / "model").settings
    assert getattr(found.head, "classes", None) == expected
