import numpy as np
import pytest

import jetgram.storage.found_jets as found_jets
from jetgram.evaluation.predict import predict_dataset
from jetgram.jets.found import number_jets, numbers_column
from jetgram.models.model import JetModel
from jetgram.models.settings import ModelSettings
from jetgram.momenta import Events
from jetgram.storage.dataset import Dataset, save
from jetgram.storage.found_jets import FOLDER, with_found_jets

COLUMN = numbers_column("antikt", 1.0)


@pytest.fixture
def dataset(qcd_events, tmp_path) -> Dataset:
    some = Events(qcd_events.momenta, qcd_events.offsets)[:30].with_columns(label=np.arange(30) % 2)
    return save(tmp_path / "events", {"train": some[:20], "test": some[20:]}, {"source": "test"})


@pytest.fixture
def counted(monkeypatch) -> list[int]:
    """The numbers of events in which jets were found."""
    calls = []

    def count(events, *rest):
        calls.append(len(events))
        return number_jets(events, *rest)

    monkeypatch.setattr(found_jets, "number_jets", count)
    return calls


def test_jets_are_found_once(dataset, counted):
    for _ in range(2):
        for shard in dataset.shards():
            events = dataset.read_shard(shard)
            found = with_found_jets(dataset, shard, events, 1.0)
            np.testing.assert_array_equal(found.particles[COLUMN], number_jets(events))
    assert counted == [20, 10]
    with_found_jets(dataset, shard, events, 0.5)
    assert counted == [20, 10, 10]  # other jets


def test_kept_jets_change_no_score_and_serve_any_number_of_jets(dataset, counted):
    events = dataset.read("test")
    for hardest, topology in ((1, "kt"), (2, "kt"), (3, "desc-pt")):
        model = JetModel.untrained(ModelSettings(event="jets", hardest=hardest, topology=topology), events)
        np.testing.assert_array_equal(predict_dataset(model, dataset).score, model.predict(events)[:, 0])
    assert counted == [10]


@pytest.mark.parametrize("damage", ["cut", "flip", "other shard", "foreign"])
def test_what_does_not_fit_is_found_again(dataset, counted, damage):
    shard, other = dataset.shards()
    events = dataset.read_shard(shard)
    folder = dataset.path / FOLDER / "antikt-R1"
    with_found_jets(dataset, shard, events, 1.0)
    file = folder / shard.file
    good = file.read_bytes()
    if damage == "cut":
        file.write_bytes(good[:-100])
    elif damage == "flip":
        middle = len(good) // 3
        file.write_bytes(good[:middle] + bytes([good[middle] ^ 8]) + good[middle + 1 :])
    elif damage == "other shard":
        with_found_jets(dataset, other, dataset.read_shard(other), 1.0)
        file.write_bytes((folder / other.file).read_bytes())
        counted.pop()
    else:
        file.write_bytes((dataset.path / shard.file).read_bytes())
    again = with_found_jets(dataset, shard, events, 1.0)
    np.testing.assert_array_equal(again.particles[COLUMN], number_jets(events))
    assert counted == [20, 20]
    assert file.read_bytes() == good


def test_a_folder_that_cannot_be_written_is_left_alone(dataset):
    (dataset.path / FOLDER).write_text("in the way")
    shard = dataset.shards()[0]
    events = dataset.read_shard(shard)
    assert COLUMN in with_found_jets(dataset, shard, events, 1.0).particles


def test_a_file_cannot_bring_numbers_along(dataset, tmp_path):
    events = dataset.read("test")
    numbers = np.full(len(events.momenta), 7, dtype=np.int16)
    marked = Events(events.momenta, events.offsets, events.columns, {COLUMN: numbers})
    assert COLUMN not in save(tmp_path / "marked", marked, {}).read().particles
