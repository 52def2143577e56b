import csv
import json
from pathlib import Path

import frozen
import frozen_settings
import pytest


@pytest.mark.parametrize("name", frozen.SETTINGS)
def test_numbers_are_those_that_were_frozen(name):
    """Scores, losses and trained weights, bit for bit: restructuring the code changes none of them."""
    expected = frozen.frozen_here()
    if expected is None or name not in expected:
        pytest.skip(f"not frozen on a machine of this kind: {frozen.machine()}")
    assert frozen.digests(frozen.SETTINGS[name]) == expected[name]


@pytest.mark.parametrize("name", frozen_settings.MODELS)
def test_digests_of_model_settings_are_those_that_were_frozen(name):
    """Studies, caches of prepared jets and model directories find each other by them."""
    frozen_digests = json.loads(frozen_settings.FILE.read_text())["models"]
    assert frozen_settings.model_digests(name) == frozen_digests[name]


def test_digests_of_studies_are_those_that_were_frozen():
    """By them the numbers of seeds that were trained before are found, those of the repository among them."""
    found = frozen_settings.study_digests()
    assert found == json.loads(frozen_settings.FILE.read_text())["studies"]
    seeds = Path(__file__).parents[2] / "docs" / "results" / "seeds.csv"
    with seeds.open() as file:
        recorded = {
            record["key"]: record["settings"] for record in csv.DictReader(file) if record["scenario"] == "nominal"
        }
    assert recorded
    assert recorded.items() <= found.items()


@pytest.mark.parametrize("name", frozen_settings.TRAININGS)
def test_digests_of_training_settings_are_those_that_were_frozen(name):
    frozen_digests = json.loads(frozen_settings.FILE.read_text())["trainings"]
    assert frozen_settings.training_digest(name) == frozen_digests[name]
