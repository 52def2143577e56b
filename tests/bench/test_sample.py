from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from jetgram.bench import sample
from jetgram.errors import DatasetError
from jetgram.momenta import Events
from jetgram.storage.dataset import Dataset, save


def test_a_sample_is_made_once_and_kept(tmp_path, monkeypatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    wanted = sample.sample_settings(jets=20)
    assert not sample.is_kept(wanted)
    advanced: list[int] = []
    with ThreadPoolExecutor(1) as executor:
        made = sample.make_sample(wanted, executor, advanced.append)
    assert sum(advanced) == 20
    assert sample.is_kept(wanted)
    kept = Dataset(sample.kept_folder(wanted))
    assert kept.digest == made.digest
    assert kept.splits == {"train": 20 * sample.REPEATS}
    assert kept.path.parent == tmp_path / "jetgram"
    assert len(list(kept.path.glob("*.parquet"))) == 1


def test_other_settings_are_kept_elsewhere() -> None:
    assert sample.kept_folder(sample.sample_settings(20)) != sample.kept_folder(sample.sample_settings(30))


@pytest.mark.parametrize("wish", ["", "relative/path"])
def test_the_usual_cache(monkeypatch, wish: str) -> None:
    """Relative paths are to be ignored, says the XDG base directory specification."""
    monkeypatch.setenv("XDG_CACHE_HOME", wish)
    assert sample.cache_folder() == Path.home() / ".cache" / "jetgram"


def test_some_jets(dataset) -> None:
    assert len(sample.first_jets(dataset, "test", 30)) == 30
    assert len(sample.first_jets(dataset, "test", 10**6)) == len(dataset)
    assert sample.largest_split(dataset) == "test"


def test_events_are_no_jets(qcd_events, tmp_path) -> None:
    events = save(tmp_path / "events", Events(qcd_events.momenta, qcd_events.offsets), {})
    with pytest.raises(DatasetError, match="holds events; expected a dataset of jets"):
        sample.largest_split(events)
