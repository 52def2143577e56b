import pytest

from jetgram.collisions.processes import SAMPLES, Process, Sample, sample, to_card
from jetgram.collisions.settings import GenerationSettings
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


QCD = {"pythia": ("HardQCD:all = on",)}
W = {"pythia": ("WeakDoubleBoson:ffbar2ZW = on",), "bosons": (24,)}


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        (
            {"signal": {"pythia": ("HardQCD:all = on", " random:seed = 3")}},
            "each shard has a seed that follows from --seed",
        ),
        ({"signal": {**QCD, "boson_pt": (200.0, 500.0)}}, "boson_pt without bosons"),
        ({"signal": {**W, "boson_pt": (500.0, 200.0)}}, r"boson_pt is \[500.0, 200.0\]; expected 0 < lower < upper"),
        ({"pt": (200.0, float("inf"))}, "a large number for no limit"),
        ({"signal": W, "background": {**QCD, "partons": (21,)}}, "name boson and parton as their truth; expected one"),
        ({"rows": "events", "jet_eta_max": 2.0}, "jet_eta_max is about jets; the rows of this sample are events"),
        ({"rows": "events", "signal": {**W, "boson_pt": (1.0, 2.0)}}, "boson_pt is about jets"),
    ],
)
def test_what_would_be_ignored_or_go_wrong_is_refused(changed, message):
    with pytest.raises(SettingsError, match=message):
        Sample.create(**{"name": "mine", "rows": "jets", "signal": QCD, "background": QCD, **changed})


def test_events_are_not_matched():
    with pytest.raises(SettingsError, match="match is about jets; the rows of wprime-vs-qcd are events"):
        GenerationSettings.create(sample=sample("wprime-vs-qcd"), rows=2, match=1.0)
