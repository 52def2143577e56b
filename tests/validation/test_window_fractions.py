"""Fractions in the window: those of the jets as they are read, next to the authors'."""

import numpy as np
import pytest
import window_fractions

from jetgram.evaluation.selection import Window
from jetgram.jets.preprocess import preprocess
from jetgram.models.settings import ModelSettings
from jetgram.momenta import Jets
from jetgram.storage.dataset import save


@pytest.fixture(scope="module")
def folder(tmp_path_factory, qcd_jets):
    """Test jets of 275 GeV, every other one signal, of which a third has its boson near."""
    folder = tmp_path_factory.mktemp("levels")
    jets = Jets(qcd_jets.momenta, qcd_jets.offsets)[:120]
    jets = Jets(jets.momenta * (275 / jets.pt)[jets.group, None], jets.offsets)
    label = (np.arange(120) % 2).astype(np.int8)
    boson_dr = np.where(label == 1, np.where(np.arange(120) % 3 == 0, 0.1, 2.0), np.nan)
    for level in ("particles", "towers"):
        save(folder / level, jets.with_columns(label=label, boson_dr=boson_dr), {}, split="test")
    return folder, jets, label


def test_fractions_are_those_of_jets_as_they_are_read(folder):
    path, jets, label = folder
    for reading, settings in (("particles", {}), ("particles, trimmed", {"trim": 0.05})):
        (chosen,) = (each for each in window_fractions.READINGS if each.name == reading)
        assert chosen.settings == ModelSettings(**settings)
        found = window_fractions.measure(chosen, path)
        read = preprocess(jets, **settings)
        inside = Window().contains(read.pt, read.mass)
        assert 0 < inside.mean() < 1
        assert found.fraction() == inside.mean()
        assert found.fraction(True) == inside[label == 1].mean()
        assert found.truth(inside=False) == pytest.approx(1 / 3)


def test_the_table_and_its_tolerance(folder, capsys, monkeypatch):
    monkeypatch.setenv("COLUMNS", "140")
    assert window_fractions.main([str(folder[0]), "--tolerance", "1"]) == 0
    out = capsys.readouterr().out
    assert "37.97 %" in out
    assert "images of towers" in out
    assert window_fractions.main([str(folder[0]), "--tolerance", "1e-9"]) == 1
