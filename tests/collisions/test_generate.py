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
from jetgram.collisions.generate import NUMBERED, finished_rows, generate, generate_levels, make_shard
from jetgram.collisions.processes import W_VS_QCD, W_VS_QCD_INCLUSIVE, WPRIME_VS_QCD, Process, Sample
from jetgram.collisions.settings import LEVELS, GenerationSettings
from jetgram.errors import DatasetError, GenerationError
from jetgram.fanout import open_executor
from jetgram.jets.clustering import find_jets
from jetgram.storage.dataset import Dataset, read

RECIPE = GenerationSettings(sample=W_VS_QCD, rows=104, seed=3)  # the fewest with two shards per split
COMMAND = [sys.executable, "-m", "jetgram", "generate", "w-vs-qcd", "--jets", str(RECIPE.rows), "--seed", "3"]


@pytest.fixture(scope="module")
def dataset(tmp_path_factory):
    rows = []
    with open_executor(2) as executor:
        made = generate(RECIPE, tmp_path_factory.mktemp("jets") / "data", executor, rows.append)
    assert sum(rows) == RECIPE.rows
    return made


def test_counts_and_balance(dataset):
    assert dataset.splits == {"train": 52, "test": 52}
    for split in ("train", "test"):
        jets = dataset.read(split)
        assert jets.columns["label"].sum() == 26
        assert np.flatnonzero(np.diff(jets.columns["label"].astype(int))).size > 0  # shuffled, not sorted


def test_jets_carry_their_truth(dataset):
    jets = dataset.read()
    signal = jets.columns["label"] == 1
    np.testing.assert_array_equal(np.isnan(jets.columns["boson_dr"]), ~signal)
    assert abs(np.median(kinematics.mass(jets.columns["boson"][signal])) - 80.4) < 2
    assert ((jets.columns["pt_hat"] > 230) & (jets.columns["pt_hat"] < 320)).all()
    assert (jets.columns["weight"] == 1).all()
    assert "soft" in jets.ragged


def test_no_two_jets_are_the_same(dataset):
    jets = dataset.read()
    assert len(np.unique(jets.total[:, 0])) == RECIPE.rows
    assert len(np.unique(jets.columns["event"])) == RECIPE.rows


def test_every_leading_jet_of_the_papers_sample_is_kept(dataset):
    """Nothing is left out: the collisions of each shard and class are numbered without a gap."""
    event, label = (dataset.column(name) for name in ("event", "label"))
    for block in np.unique(event // NUMBERED):
        numbers = np.sort(event[event // NUMBERED == block] % NUMBERED)
        np.testing.assert_array_equal(numbers, np.arange(len(numbers)))
    np.testing.assert_array_equal(event // NUMBERED % 2, label)


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
    recipe = GenerationSettings(sample=W_VS_QCD, rows=60, seed=3, match=0.3, test_share=0)
    with ThreadPoolExecutor(1) as executor:
        jets = generate(recipe, tmp_path, executor).read()
    signal = jets.columns["label"] == 1
    assert signal.sum() == 30
    assert (jets.columns["boson_dr"][signal] < 0.3).all()


@pytest.fixture(scope="module")
def levels(tmp_path_factory):
    """The datasets of all levels, from one pass of Pythia."""
    root = tmp_path_factory.mktemp("levels")
    recipes = {root / level: RECIPE.at(level) for level in LEVELS}
    rows = []
    with ThreadPoolExecutor(1) as executor:
        made = generate_levels(recipes, executor, rows.append)
    assert sum(rows) == RECIPE.rows == finished_rows(recipes)
    return dict(zip(LEVELS, made, strict=True))


def test_levels_hold_the_same_collisions(levels):
    jets = {level: dataset.read() for level, dataset in levels.items()}
    for level in ("towers", "pflow"):
        for name in ("event", "label", "pt_hat"):
            np.testing.assert_array_equal(jets[level].columns[name], jets["particles"].columns[name])
        ratio = jets[level].pt / jets["particles"].pt
        assert 0.9 < np.median(ratio) < 1.05
    towers, flow = jets["towers"], jets["pflow"]
    assert (kinematics.mass(towers.momenta) < 1e-6 * towers.momenta[:, 3]).all()
    assert len(np.unique(flow.particles["pclass"])) >= 4


def test_a_level_is_the_same_alone_and_with_others(levels, dataset, tmp_path):
    assert levels["particles"].digest == dataset.digest
    task = RECIPE.at("towers").shards()[1]
    assert make_shard(task) == (levels["towers"].path / task.file).read_bytes()
    for path, file in ((tmp_path / "particles", None), (tmp_path / "towers", task.file)):
        path.mkdir()
        for found in levels[path.name].path.glob("*.parquet"):
            if found.name != file:
                (path / found.name).write_bytes(found.read_bytes())
    recipes = {tmp_path / level: RECIPE.at(level) for level in ("particles", "towers")}
    with ThreadPoolExecutor(1) as executor:
        again = generate_levels(recipes, executor)  # one shard of one level is missing
    assert [each.digest for each in again] == [levels[level].digest for level in ("particles", "towers")]


# Frozen with these versions on a processor with AVX-512. The sample of 200,000 jets was once made on one without, and
# had the digest of this code.
VERSIONS = {"generator": 2, "numpy": "2.4.6", "awkward": "2.14.0", "pyarrow": "26.0.1", "fastjet": "3.5.2.0"}
DIGESTS = {"particles": "483e8830c86defc0", "towers": "f110d26d5e449b76", "pflow": "af76b7bc03c553cb"}


def test_the_bytes_are_those_of_other_machines(levels):
    provenance = levels["particles"].provenance
    if provenance["versions"] != {**VERSIONS, "pythia8mc": "8.317.2"} or provenance["machine"] != "x86_64":
        pytest.skip(f"nothing is frozen for {provenance['versions']} on {provenance['machine']}")
    assert {level: dataset.digest[:16] for level, dataset in levels.items()} == DIGESTS


def test_only_levels_of_the_same_collisions_go_together(tmp_path):
    recipes = {tmp_path / "a": RECIPE, tmp_path / "b": RECIPE.model_copy(update={"seed": 9})}
    with ThreadPoolExecutor(1) as executor, pytest.raises(GenerationError, match="nothing but their level"):
        generate_levels(recipes, executor)


def test_a_cut_leaves_rows_out_at_each_level_by_itself(tmp_path):
    sample = W_VS_QCD.model_copy(update={"pt": (270.0, 300.0)})
    recipes = {
        tmp_path / level: GenerationSettings(sample=sample, rows=40, level=level, test_share=0) for level in LEVELS[:2]
    }
    with ThreadPoolExecutor(1) as executor:
        particles, towers = (each.read() for each in generate_levels(recipes, executor))
    for jets in (particles, towers):
        assert len(jets) == 40
        assert ((jets.pt >= 270) & (jets.pt <= 300)).all()
    shared = np.intersect1d(particles.columns["event"], towers.columns["event"])
    assert 0 < len(shared) < 40


def test_the_inclusive_sample_has_its_ranges(tmp_path):
    recipe = GenerationSettings(sample=W_VS_QCD_INCLUSIVE, rows=40, test_share=0)
    with ThreadPoolExecutor(1) as executor:
        jets = generate(recipe, tmp_path, executor).read()
    assert ((jets.pt >= 200) & (jets.pt <= 500)).all()
    signal = jets.columns["label"] == 1
    boson_pt = kinematics.pt(jets.columns["boson"][signal])
    assert ((boson_pt >= 200) & (boson_pt <= 500)).all()


def test_events_are_whole_and_have_a_leading_jet_in_their_range(tmp_path):
    recipe = GenerationSettings(sample=WPRIME_VS_QCD, rows=40, test_share=0.25)
    with ThreadPoolExecutor(1) as executor:
        dataset = generate(recipe, tmp_path, executor)
    assert dataset.kind == "events"
    events = read(tmp_path)
    assert events.columns["label"].sum() == 20
    assert 200 < events.multiplicity.mean() < 800
    leading = find_jets(events, hardest=1)
    assert len(leading) == 40
    assert ((leading.pt >= 240) & (leading.pt <= 360)).all()


def test_a_range_without_jets_is_an_error(tmp_path, monkeypatch):
    monkeypatch.setattr("jetgram.collisions.generate.HOPELESS", 20)
    monkeypatch.setattr("jetgram.numpy_bits.wide_features", list)  # in this process, which has the lower limit
    process = Process(pythia=("HardQCD:all = on", "PhaseSpace:pTHatMin = 20.", "PhaseSpace:pTHatMax = 30."))
    sample = Sample(name="soft", rows="events", pt=(5000.0, 6000.0), signal=process, background=process)
    with (
        ThreadPoolExecutor(1) as executor,
        pytest.raises(GenerationError, match="0 of 40 events of 'soft' have a jet in its range"),
    ):
        generate(GenerationSettings(sample=sample, rows=2, test_share=0), tmp_path, executor)


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
