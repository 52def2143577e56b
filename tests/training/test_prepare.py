import dataclasses
import json
import time
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

from jetgram.errors import BadJetError, DatasetError
from jetgram.inputs.representation import concatenate
from jetgram.inputs.schedule import Schedule
from jetgram.models.settings import ModelSettings
from jetgram.momenta import Events, Jets
from jetgram.storage import parquet
from jetgram.storage.dataset import save
from jetgram.storage.sealed import sealed
from jetgram.training import prepare
from jetgram.training.blocks import MANIFEST, PreparedFiles, prepare_files
from jetgram.training.prepare import Preparation, jets_digest, prepare_dataset, prepare_jets, rechunk
from jetgram.training.prepared import collect

STEREO = ModelSettings(topology="kt+random", tree_seed=2)


@pytest.fixture
def small_blocks(monkeypatch):
    monkeypatch.setattr(prepare, "BLOCK", 64)
    monkeypatch.setattr(prepare.rechunk, "__defaults__", (64,))


def same(a, b):
    pairs = list(zip(a.views, b.views, strict=True))
    return all(np.array_equal(x.features, y.features) and np.array_equal(x.inner, y.inner) for x, y in pairs) and all(
        np.array_equal(x.offsets, y.offsets) for x, y in pairs
    )


def everything(prepared):
    return concatenate([prepared.block(number) for number in range(len(prepared.starts) - 1)])


@pytest.mark.parametrize("settings", [ModelSettings(), STEREO], ids=["mono", "stereo"])
def test_memory_and_files_hold_the_same(dataset, labelled_jets, tmp_path, small_blocks, settings):
    by_hand = settings.read(labelled_jets).inputs
    in_memory = prepare_dataset(Preparation(dataset, "train", settings, "importance"))
    on_disk = prepare_files(tmp_path, Preparation(dataset, "train", settings, "importance"))
    for prepared in (in_memory, on_disk):
        assert len(prepared.starts) == -(-len(labelled_jets) // 64) + 1
        assert same(everything(prepared), by_hand)
        np.testing.assert_array_equal(prepared.targets[:, 0], labelled_jets.columns["label"])
        np.testing.assert_array_equal(prepared.weights, labelled_jets.columns["importance"])
        np.testing.assert_array_equal(prepared.starts, on_disk.starts)
    assert in_memory.nbytes == on_disk.nbytes


def test_images_in_memory_and_in_files_are_the_same(dataset, labelled_jets, tmp_path, small_blocks):
    settings = ModelSettings(input="image")
    expected = settings.read(labelled_jets).inputs.to_arrays()
    in_memory = prepare_dataset(Preparation(dataset, "train", settings))
    on_disk = prepare_files(tmp_path, Preparation(dataset, "train", settings))
    for prepared in (in_memory, on_disk):
        found = everything(prepared).to_arrays()
        assert found.keys() == expected.keys()
        for name in found:
            np.testing.assert_array_equal(found[name], expected[name])
    assert in_memory.nbytes == on_disk.nbytes == sum(array.nbytes for array in expected.values())


def test_classes_are_read_from_the_dataset(pflow_jets, tmp_path, small_blocks):
    settings = ModelSettings(features="paper+pclass")
    label = np.arange(len(pflow_jets)) % 2
    stored = save(tmp_path / "pflow", pflow_jets.with_columns(label=label), {})
    assert same(everything(prepare_dataset(Preparation(stored, "train", settings))), settings.read(pflow_jets).inputs)


def test_a_dataset_without_classes_is_an_error_that_helps(dataset):
    with pytest.raises(BadJetError, match=r"these have none; generate them with --level pflow, or leave features"):
        prepare_dataset(Preparation(dataset, "train", ModelSettings(features="paper+pclass")))


def test_what_is_prepared_is_used_again(dataset, tmp_path, small_blocks):
    advanced = []
    first = prepare_files(tmp_path, Preparation(dataset, "train", ModelSettings()), advanced.append)
    again = prepare_files(
        tmp_path, Preparation(dataset, "train", ModelSettings(cell="gated", hidden=3)), advanced.append
    )
    assert again.path == first.path
    assert sum(advanced) == len(dataset)
    for other in ({"topology": "ca"}, {"input": "pixels"}, {"input": "image"}):
        assert prepare_files(tmp_path, Preparation(dataset, "train", ModelSettings(**other))).path != first.path


def test_an_interrupted_preparation_is_made_again(dataset, tmp_path, small_blocks):
    path = prepare_files(tmp_path, Preparation(dataset, "train", ModelSettings())).path
    (path / MANIFEST).unlink()
    (path / "block-000001.safetensors").write_bytes(b"half of it")
    (path / ".block-000002.safetensors.x.part").touch()
    again = prepare_files(tmp_path, Preparation(dataset, "train", ModelSettings()))
    assert len(everything(again)) == len(dataset)
    assert not list(path.glob(".*"))


def rewrite(folder, change, seal=True):
    content = json.loads(change((folder / MANIFEST).read_text()))
    digest = content.pop("digest")
    (folder / MANIFEST).write_text(json.dumps(sealed(content) if seal else {**content, "digest": digest}))


def test_who_comes_second_takes_what_the_first_one_prepares(dataset, tmp_path):
    """Two trainings share a cache: nobody writes into the other's files, and nobody is turned away."""
    calls = []

    class Slow(Preparation):
        def blocks(self):
            calls.append(self)
            time.sleep(0.5)
            return super().blocks()

    with ThreadPoolExecutor(2) as pool:
        both = [pool.submit(prepare_files, tmp_path, Slow(dataset, "train", ModelSettings())) for _ in range(2)]
        first, second = (future.result() for future in both)
    assert len(calls) == 1
    assert same(everything(first), everything(second))


@pytest.mark.parametrize(
    ("damage", "message"),
    [
        (lambda p: (p / "block-000000.safetensors").write_bytes(b"?"), "block-000000.safetensors is damaged"),
        (lambda p: (p / "block-000000.safetensors").unlink(), "block-000000.safetensors is missing"),
        (lambda p: (p / "columns.safetensors").write_bytes(b"?"), "columns.safetensors is damaged"),
        (lambda p: (p / MANIFEST).write_text("{}"), "prepared.json is not prepared jets"),
        (lambda p: (p / MANIFEST).write_text("{"), "prepared.json is damaged: .*; remove its folder"),
        (
            lambda p: rewrite(p, lambda text: text.replace("block-", "block+"), seal=False),
            "changed after it was written",
        ),
        (lambda p: rewrite(p, lambda text: text.replace("block-", "../x/-")), "plain"),
    ],
)
def test_damaged_files_are_named(dataset, tmp_path, damage, message):
    path = prepare_files(tmp_path, Preparation(dataset, "train", ModelSettings())).path
    damage(path)
    with pytest.raises(DatasetError, match=message):
        PreparedFiles(path, Schedule).block(0)


def test_collect_takes_the_chosen_jets(labelled_jets, small_blocks):
    jets = labelled_jets[:200]
    prepared = prepare_jets(jets, np.zeros((200, 1)), np.ones(200), STEREO)
    choices = np.array([0, 63, 64, 150, 199]), np.array([70])
    trees = STEREO.read(jets).inputs
    for found, chosen in zip(collect(prepared, *choices), choices, strict=True):
        assert same(found, trees[chosen])


def test_the_digest_knows_jets_targets_weights_and_reading(labelled_jets):
    jets, zeros, ones = labelled_jets[:3], np.zeros((3, 1)), np.ones(3)
    digests = {
        jets_digest(*case)
        for case in [
            (jets, zeros, ones, ModelSettings()),
            (labelled_jets[1:4], zeros, ones, ModelSettings()),
            (jets, zeros + 1, ones, ModelSettings()),
            (jets, zeros, ones + 1, ModelSettings()),
            (jets, zeros, ones, ModelSettings(topology="ca")),
        ]
    }
    assert len(digests) == 5
    assert jets_digest(jets, zeros, ones, ModelSettings(cell="gated")) in digests


def test_the_digest_knows_the_classes(pflow_jets):
    settings, zeros, ones = ModelSettings(features="paper+pclass"), np.zeros((3, 1)), np.ones(3)
    jets = pflow_jets[:3]
    other = Jets(jets.momenta, jets.offsets, particles={"pclass": 3 - jets.particles["pclass"]})
    assert jets_digest(jets, zeros, ones, settings) != jets_digest(other, zeros, ones, settings)


def test_events_are_no_jets(qcd_events, tmp_path):
    stored = save(tmp_path / "events", Events(qcd_events.momenta, qcd_events.offsets), {})
    with pytest.raises(DatasetError, match="holds events"):
        prepare_dataset(Preparation(stored, "train", ModelSettings()))


@pytest.mark.parametrize(
    ("settings", "weight", "message"),
    [
        (ModelSettings(head="regressor", targets=("nothing",)), None, "no column 'nothing'"),
        (ModelSettings(), "wait", "no column 'wait'"),
    ],
)
def test_a_missing_column_is_named(dataset, settings, weight, message):
    with pytest.raises(DatasetError, match=message):
        prepare_dataset(Preparation(dataset, "train", settings, weight))


def test_a_bad_jet_is_named_with_its_file(labelled_jets, tmp_path, monkeypatch):
    stored = save(tmp_path / "jets", labelled_jets[:10], {})
    decode = parquet.decode

    def decode_bad(*args, **how):
        rows = decode(*args, **how)
        rows = dataclasses.replace(rows, momenta=rows.momenta.copy())
        rows.momenta[0, 3] = np.nan
        return rows

    monkeypatch.setattr(parquet, "decode", decode_bad)
    with pytest.raises(BadJetError, match="train-00000.parquet: jet 0, particle 0: NaN"):
        prepare_dataset(Preparation(stored, "train", ModelSettings()))


def test_rechunked_jets_are_the_same(labelled_jets):
    parts = [labelled_jets[:5], labelled_jets[5:100], labelled_jets[100:101], labelled_jets[101:]]
    chunks = list(rechunk(parts, size=40))
    assert {len(chunk) for chunk in chunks[:-1]} == {40}
    np.testing.assert_array_equal(np.concatenate([chunk.momenta for chunk in chunks]), labelled_jets.momenta)
