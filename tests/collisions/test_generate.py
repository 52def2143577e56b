import os
import random
import signal
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

from jetgram import kinematics
from jetgram.collisions.generate import generate, make_shard
from jetgram.collisions.processes import W_VS_QCD, WPRIME_VS_QCD
from jetgram.collisions.recipe import Recipe
from jetgram.errors import DatasetError
from jetgram.fanout import open_executor
from jetgram.storage.dataset import Dataset, read

RECIPE = Recipe(sample=W_VS_QCD, rows=160, seed=3)
COMMAND = [sys.executable, "-m", "jetgram", "generate", "w-vs-qcd", "--jets", "160", "--seed", "3"]


@pytest.fixture(scope="module")
def dataset(tmp_path_factory):
    rows = []
    with open_executor(2) as executor:
        made = generate(RECIPE, tmp_path_factory.mktemp("jets") / "data", executor, rows.append)
    assert sum(rows) == 160
    return made


def test_counts_balance_and_window(dataset):
    assert dataset.splits == {"train": 80, "test": 80}
    for split in ("train", "test"):
        jets = dataset.read(split)
        assert jets.columns["label"].sum() == 40
        assert (jets.pt > 200).all()
        assert (jets.pt < 500).all()
        assert np.flatnonzero(np.diff(jets.columns["label"].astype(int))).size > 0  # shuffled, not sorted


def test_jets_carry_their_truth(dataset):
    jets = dataset.read()
    signal = jets.columns["label"] == 1
    np.testing.assert_array_equal(np.isnan(jets.columns["boson_dr"]), ~signal)
    assert abs(np.median(kinematics.mass(jets.columns["boson"][signal])) - 80.4) < 2
    boson_pt = kinematics.pt(jets.columns["boson"][signal])
    assert ((boson_pt > 200) & (boson_pt < 500)).all()
    assert (jets.columns["pt_hat"] > np.where(signal, 0, 110)).all()
    assert (jets.columns["weight"] == 1).all()
    assert "soft" in jets.ragged


def test_no_two_jets_are_the_same(dataset):
    assert len(np.unique(dataset.read().total[:, 0])) == 160


def test_any_shard_can_be_made_again_anywhere(dataset):
    task = RECIPE.shards()[2]
    assert make_shard(task) == (dataset.path / task.file).read_bytes()


def test_a_finished_dataset_is_not_made_again(dataset):
    with ThreadPoolExecutor(1) as executor:
        assert generate(RECIPE, dataset.path, executor, pytest.fail).digest == dataset.digest
        with pytest.raises(DatasetError, match="other settings"):
            generate(RECIPE.model_copy(update={"seed": 4}), dataset.path, executor)


def test_shards_of_another_recipe_are_not_mixed_in(dataset, tmp_path):
    first = RECIPE.shards()[0].file
    (tmp_path / first).write_bytes((dataset.path / first).read_bytes())
    with ThreadPoolExecutor(1) as executor:
        with pytest.raises(DatasetError, match=f"{first} was made with other settings"):
            generate(RECIPE.model_copy(update={"seed": 4}), tmp_path, executor)
        (tmp_path / first).rename(tmp_path / "train-99999.parquet")
        with pytest.raises(DatasetError, match="train-99999.parquet does not belong"):
            generate(RECIPE, tmp_path, executor)


def test_matching_keeps_jets_near_their_boson(tmp_path):
    recipe = Recipe(sample=W_VS_QCD, rows=60, seed=3, match=0.3, test_share=0)
    with ThreadPoolExecutor(1) as executor:
        jets = generate(recipe, tmp_path, executor).read()
    signal = jets.columns["label"] == 1
    assert signal.sum() == 30
    assert (jets.columns["boson_dr"][signal] < 0.3).all()


@pytest.mark.parametrize("level", ["towers", "pflow"])
def test_detector_levels(level, tmp_path):
    recipe = Recipe(sample=W_VS_QCD, rows=40, level=level, test_share=0)
    with ThreadPoolExecutor(1) as executor:
        jets = generate(recipe, tmp_path, executor).read()
    assert len(jets) == 40
    assert (jets.pt > 200).all()
    if level == "towers":
        assert (kinematics.mass(jets.momenta) < 1e-6 * jets.momenta[:, 3]).all()
    else:
        assert len(np.unique(jets.particles["pclass"])) >= 4


def test_events_are_whole(tmp_path):
    recipe = Recipe(sample=WPRIME_VS_QCD, rows=40, test_share=0.25)
    with ThreadPoolExecutor(1) as executor:
        dataset = generate(recipe, tmp_path, executor)
    assert dataset.kind == "events"
    events = read(tmp_path)
    assert events.columns["label"].sum() == 20
    assert 200 < events.multiplicity.mean() < 800


def test_killed_anywhere_and_with_other_workers_the_digest_is_the_same(dataset, tmp_path):
    """Kill -9 at random moments, go on with one worker instead of two: the end is that of an unbroken run."""
    random_moments = random.Random(7)
    command = [*COMMAND, "--out", str(tmp_path / "killed"), "--workers", "1"]
    for _ in range(3):
        process = subprocess.Popen(command, stderr=subprocess.DEVNULL, start_new_session=True)
        time.sleep(random_moments.uniform(2.0, 6.0))
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()
    subprocess.run(command, check=True, capture_output=True)
    assert Dataset(tmp_path / "killed").digest == dataset.digest


def test_ctrl_c_loses_no_finished_shard(tmp_path):
    out = tmp_path / "stopped"
    process = subprocess.Popen([*COMMAND, "--out", str(out)], stderr=subprocess.PIPE, text=True)
    while not list(out.glob("*.parquet")):
        assert process.poll() is None
        time.sleep(0.1)
    process.send_signal(signal.SIGINT)
    _, message = process.communicate(timeout=60)
    assert process.returncode == 130
    assert "Traceback" not in message
    assert list(out.glob("*.parquet"))
    assert not (out / "dataset.json").exists()
