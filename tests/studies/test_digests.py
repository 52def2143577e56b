"""What the digest of settings depends on, and on what it does not."""

import dataclasses

import pytest

from jetgram.models.flat import DEFAULTS
from jetgram.models.recipes import TrainingSettings
from jetgram.models.settings import ModelSettings
from jetgram.studies.contestants import Contestant, observable, recursive
from jetgram.studies.digests import REVISION, settings_digest
from jetgram.studies.figures import all_figures
from jetgram.studies.scales import STANDARD
from jetgram.studies.study import TABLES

KT = recursive("particles", "simple", "kt")
USUAL = TrainingSettings(epochs=25)


def with_model(**settings):
    return dataclasses.replace(KT, model=ModelSettings(**settings))


@pytest.mark.parametrize(
    ("contestant", "training"),
    [
        (dataclasses.replace(KT, key="another", title="another"), USUAL),
        (with_model(engine="torch"), USUAL),
        (with_model(cell="simple", topology="kt", hidden=40), USUAL),
        (KT, TrainingSettings(seed=7)),
    ],
)
def test_names_engine_and_seed_do_not_count(contestant, training):
    assert settings_digest(contestant, "nominal", training) == settings_digest(KT, "nominal", USUAL)


@pytest.mark.parametrize(
    ("contestant", "scenario", "training"),
    [
        (recursive("towers", "simple", "kt"), "nominal", USUAL),
        (with_model(cell="gated"), "nominal", USUAL),
        (with_model(topology="ca"), "nominal", USUAL),
        (with_model(trim=0.05), "nominal", USUAL),
        (with_model(tree_seed=1), "nominal", USUAL),
        (KT, "soft", USUAL),
        (KT, "nominal", TrainingSettings(epochs=24)),
        (KT, "nominal", TrainingSettings(rate=1e-3)),
        (KT, "nominal", TrainingSettings(batch=128)),
        (KT, "nominal", TrainingSettings(most=1000)),
        (dataclasses.replace(KT, most=1000), "nominal", USUAL),
        (observable("particles", "tau21"), "nominal", USUAL),
    ],
)
def test_what_changes_numbers_counts(contestant, scenario, training):
    assert settings_digest(contestant, scenario, training) != settings_digest(KT, "nominal", USUAL)


def test_an_observable_is_not_trained():
    tau21 = observable("towers", "tau21")
    assert settings_digest(tau21, "nominal", USUAL) == settings_digest(tau21, "nominal", TrainingSettings(epochs=3))
    with_mass = observable("towers", "mass + tau21")
    assert settings_digest(tau21, "nominal", USUAL) != settings_digest(with_mass, "nominal", USUAL)


def test_every_row_has_its_own():
    rows = [row for make in TABLES.values() for row in make().rows] + [
        row for figure in all_figures(STANDARD) for row in figure.rows
    ]
    found = {}
    for row in rows:
        training = TrainingSettings(most=row.contestant.most)
        found.setdefault(settings_digest(row.contestant, row.scenario, training), set()).add(row.name)
    assert all(len(names) == 1 for names in found.values())


def test_a_setting_to_come_does_not_change_it():
    """A field that is added, at its default, leaves the numbers of before valid."""

    @dataclasses.dataclass(frozen=True)
    class Later(Contestant):
        tested_on: str | None = None

    later = Later(**{field.name: getattr(KT, field.name) for field in dataclasses.fields(KT)})
    assert settings_digest(later, "nominal", USUAL) == settings_digest(KT, "nominal", USUAL)
    changed = dataclasses.replace(later, tested_on="towers")
    assert settings_digest(changed, "nominal", USUAL) != settings_digest(KT, "nominal", USUAL)


def test_defaults_are_those_of_the_revision():
    """Defaults do not enter the digest. One that changes makes other numbers: raise `REVISION`, then this test."""
    assert REVISION == 1
    model = {
        "cell": "simple",
        "topology": "kt",
        "hidden": 40,
        "features": "paper",
        "preprocess": True,
        "trim": None,
        "tree_seed": 0,
        "head": "classifier",
        "targets": ["label"],
        "loss": "logistic",
        "initialisation": "paper",
        "image_chain": "spline",
        "readout": "root",
        "hardest": 2,
        "radius": 1.0,
        "min_pt": 0.0,
        "state": 40,
    }
    training = {"epochs": 25, "batch": 64, "rate": 5e-4, "decay": 0.9, "validation": 5000, "split_seed": 0}
    assert model.items() <= DEFAULTS.items()
    assert training.items() <= TrainingSettings().model_dump(mode="json").items()
