"""Digests of settings that no restructuring may change: studies find what is trained already by them.

python validation/frozen_settings.py --write    # freeze anew, after a change that is meant to change them
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from typing import Any

from jetgram.models.recipes import TrainingSettings
from jetgram.models.settings import ModelSettings
from jetgram.storage.sealed import digest_of
from jetgram.studies.digests import settings_digest
from jetgram.studies.figures import all_figures
from jetgram.studies.scales import STANDARD
from jetgram.studies.study import TABLES
from jetgram.studies.workspace import Workspace

FILE = Path(__file__).with_suffix(".json")
MODELS: dict[str, dict[str, Any]] = {
    "default": {},
    "gated desc-pt": {"cell": "gated", "topology": "desc-pt"},
    "stereo": {"topology": "kt+desc-pt", "hidden": 24},
    "trimmed": {"trim": 0.05, "preprocess": False},
    "classes of particles": {"features": "paper+pclass"},
    "children": {"readout": "children"},
    "pixels": {"input": "pixels"},
    "image": {"input": "image"},
    "image, shared, not trimmed": {"input": "image", "image_chain": "shared", "trim": None},
    "regressor": {"head": "regressor", "targets": ("jet_mass", "jet_pt"), "loss": "huber"},
    "events": {"event": "jets"},
    "events, all jets": {"event": "jets", "hardest": "all", "radius": 0.4, "min_pt": 20.0, "state": 20},
    "events, momenta": {"event": "jet-momenta", "hardest": 3},
    "events, particles": {"event": "particles", "hardest": 50, "head": "regressor"},
    "random": {"topology": "random", "tree_seed": 3, "initialisation": "modern", "engine": "torch"},
}
TRAININGS: dict[str, dict[str, Any]] = {
    "default": {},
    "other": {
        "seed": 3,
        "epochs": 5,
        "batch": 16,
        "rate": 0.01,
        "class_weight": (1, 2),
        "most": 100,
        "patience": 3,
    },
    "balanced": {"class_weight": "balanced", "weight": "w"},
}


def model_digests(name: str) -> dict[str, str]:
    """Of one model's settings: all of them, those that decide what is read, and the title in words."""
    settings = ModelSettings.create(**MODELS[name])
    return {
        "settings": digest_of(settings.dump())[:16],
        "reading": digest_of(settings.reading)[:16],
        "title": settings.title,
    }


def training_digest(name: str) -> str:
    """Of one training's settings."""
    return digest_of(TrainingSettings.create(**TRAININGS[name]).dump())[:16]


def study_digests() -> dict[str, str]:
    """Of every row of tables and figures: those that the numbers of seeds in `docs/results/seeds.csv` go by."""
    workspace = Workspace(Path(), STANDARD, seeds=1)
    rows = [row for make in TABLES.values() for row in make().rows]
    rows += [row for figure in all_figures(STANDARD) for row in figure.rows]
    return {
        row.name: settings_digest(row.contestant, row.scenario, workspace.training_settings(row.contestant))[:16]
        for row in rows
    }


def digests() -> dict[str, Any]:
    """Of everything here."""
    models = {name: model_digests(name) for name in MODELS}
    trainings = {name: training_digest(name) for name in TRAININGS}
    return {"models": models, "trainings": trainings, "studies": study_digests()}


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--write", action="store_true", required=True, help="freeze what is found")
    parser.parse_args()
    FILE.write_text(json.dumps(digests(), indent=1) + "\n")
