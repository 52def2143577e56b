import subprocess
import sys

import pytest

from jetgram.collisions.detector import ATLAS, DetectorCard
from jetgram.errors import SettingsError


def test_cards_come_from_toml(tmp_path):
    path = tmp_path / "card.toml"
    path.write_text("smear_position = false\n[solenoid]\nfield = 3.8\n[fractions]\n22 = [0.9, 0.1]\n")
    card = DetectorCard.from_toml(path)
    assert (card.solenoid.field, card.fractions, card.hcal) == (3.8, {22: (0.9, 0.1)}, ATLAS.hcal)


def test_a_card_survives_its_own_json():
    assert DetectorCard.model_validate_json(ATLAS.model_dump_json()) == ATLAS


def test_import_stays_light():
    code = "import sys, jetgram.collisions.detector; print(*sys.modules)"
    modules = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.split()
    assert not {"awkward", "fastjet", "pythia8mc", "matplotlib", "torch", "vector"} & set(modules)


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ({"hcall": {}}, "did you mean 'hcal'"),
        ({"solenoid": {"radius": -1.0}}, "radius"),
        ({"hcal": ATLAS.hcal.model_dump() | {"phi_cells": (36,)}}, "expected 38"),
        ({"hcal": ATLAS.hcal.model_dump() | {"eta_edges": (0.0, 2.0, 1.0)}}, "must rise"),
        ({"hcal": ATLAS.hcal.model_dump() | {"eta_edges": (0.5, 1.0)}}, "start at 0"),
        ({"fractions": {22: (2.0, 0.0)}}, "fractions"),
    ],
)
def test_a_wrong_card_is_refused(values, message):
    with pytest.raises(SettingsError, match=message):
        DetectorCard.create(**values)
