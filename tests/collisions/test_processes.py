import pytest

from jetgram.collisions.processes import SAMPLES, Process, Sample, sample, to_card
from jetgram.errors import SettingsError


@pytest.mark.parametrize("name", SAMPLES)
def test_a_card_reads_back_as_the_sample_it_was_made_from(name, tmp_path):
    (tmp_path / "card.toml").write_text(to_card(sample(name)))
    assert Sample.from_toml(tmp_path / "card.toml") == sample(name)


def test_a_wrong_card_is_an_error_that_says_what_is_wrong(tmp_path):
    card = tmp_path / "card.toml"
    card.write_text(to_card(sample("w-vs-qcd")).replace("radius", "radus"))
    with pytest.raises(SettingsError, match="no setting 'radus'; did you mean 'radius'"):
        Sample.from_toml(card)
    card.write_text("name = ")
    with pytest.raises(SettingsError, match="card.toml cannot be read: Invalid value"):
        Sample.from_toml(card)
    with pytest.raises(SettingsError, match="nowhere.toml"):
        Sample.from_toml(tmp_path / "nowhere.toml")


def test_an_impossible_window_is_refused():
    process = Process(pythia=("HardQCD:all = on",))
    with pytest.raises(SettingsError, match="expected 0 < lower < upper"):
        Sample.create(name="x", rows="jets", pt=(500, 200), signal=process, background=process)
