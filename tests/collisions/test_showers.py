import numpy as np
import pytest

from jetgram import kinematics
from jetgram.collisions.generate import find_rows, start
from jetgram.collisions.processes import W_VS_QCD
from jetgram.collisions.settings import GenerationSettings
from jetgram.errors import SettingsError


def jets_of(label: int, count: int, **settings: object):
    recipe = GenerationSettings.create(sample=W_VS_QCD, rows=2, **settings)
    return find_rows([recipe], start(recipe, label, (3, label)), label, count, (3, 0, label))[0]


def test_a_hadronic_w_decays_in_vincia_too(capfd) -> None:
    jets = jets_of(1, 12, shower="vincia")
    near = jets.columns["boson_dr"] < 0.5
    assert near.mean() > 0.8
    assert 65 < np.median(kinematics.mass(jets.total)[near]) < 110
    assert capfd.readouterr().out == ""  # no banner in the user's output


def test_a_smaller_coupling_radiates_less() -> None:
    usual, small = (jets_of(0, 40, alpha_s=alpha_s) for alpha_s in (None, 0.1))
    assert small.multiplicity.mean() < 0.9 * usual.multiplicity.mean()


def test_the_showers_get_the_same_hard_processes() -> None:
    """The same seeds start the same random numbers: the first hard process is the same, whatever showers it."""
    first = [jets_of(0, 1, **settings).columns["pt_hat"][0] for settings in ({}, {"alpha_s": 0.12})]
    assert first[0] == first[1]


def test_defaults_leave_the_recipe_as_it_was_before_there_were_showers() -> None:
    """What stored datasets are recognised by: no word of settings that came later."""
    stored = GenerationSettings(sample=W_VS_QCD, rows=2).provenance()["recipe"]
    assert stored.keys() == {"sample", "rows", "seed", "level", "match", "test_share"}
    assert stored["sample"].keys() == {"name", "rows", "pt", "eta_max", "radius", "signal", "background"}
    assert stored["sample"]["signal"].keys() == {"pythia", "bosons", "boson_pt"}
    varied = GenerationSettings(sample=W_VS_QCD, rows=2, shower="vincia", alpha_s=0.11).provenance()["recipe"]
    assert (varied["shower"], varied["alpha_s"]) == ("vincia", 0.11)
    assert GenerationSettings.create(**varied) == GenerationSettings(
        sample=W_VS_QCD, rows=2, shower="vincia", alpha_s=0.11
    )


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"shower": "dire"}, "no Dire since version 8.316; expected 'pythia' or 'vincia'"),
        ({"shower": "herwig"}, "'pythia' or 'vincia'"),
        ({"alpha_s": 1.18}, "alpha_s = 1.18"),
    ],
)
def test_unknown_showers_are_named(wrong: dict[str, object], message: str) -> None:
    with pytest.raises(SettingsError, match=message):
        GenerationSettings.create(sample=W_VS_QCD, rows=2, **wrong)
