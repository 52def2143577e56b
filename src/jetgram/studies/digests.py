"""What decides the numbers of a row, as two digests: of its dataset's provenance, and of all settings.

Equal digests are numbers that belong together, whichever machine made them. Paths, threads, the engine and the names
of rows do not count. A setting counts where it is not the default, so that numbers stay valid when a new setting is
added whose default changes nothing.
"""

from __future__ import annotations

import dataclasses
import functools
from collections.abc import Mapping
from typing import Any

from jetgram.evaluation.selection import EFFICIENCY, Window
from jetgram.models.flat import DEFAULTS
from jetgram.models.recipes import TrainingSettings
from jetgram.models.settings import ModelSettings
from jetgram.storage.sealed import digest_of
from jetgram.studies.contestants import Contestant
from jetgram.studies.scales import DATA

# Raised when the same settings give other numbers: another default, another way to train, perturb, select or judge.
REVISION = 1

IRRELEVANT = {"engine", "seed"}  # engines agree; the seed is told apart by itself
NAMES = {"key", "title"}


@functools.cache
def settings_digest(contestant: Contestant, scenario: str, training: TrainingSettings) -> str:
    """The digest of everything but dataset and seed.

    Args:
        contestant: who is judged.
        scenario: what is done to the test jets.
        training: of the network; of an observable it does not count.

    Example:
        >>> from jetgram.studies.contestants import recursive
        >>> kt = recursive("towers", "simple", "kt")
        >>> first, second = TrainingSettings(seed=1), TrainingSettings(seed=2)
        >>> settings_digest(kt, "nominal", first) == settings_digest(kt, "nominal", second)
        True
        >>> settings_digest(kt, "nominal", first) == settings_digest(kt, "soft", first)
        False
    """
    rows = contestant.model.rows if contestant.model else "jets"
    content = {
        "revision": REVISION,
        "contestant": _who(contestant),
        **(_network(contestant.model, training) if contestant.model else {"model": None, "training": None}),
        "scenario": scenario,
        "window": Window.of_paper(rows).model_dump(mode="json"),
        "efficiency": EFFICIENCY[rows],
    }
    return digest_of(content)


def network_digest(model: ModelSettings, training: TrainingSettings, **others: Any) -> str:
    """The digest of a network and its training, and of whatever else decides its numbers; the seed does not count.

    Args:
        model: settings of the network.
        training: those of its training.
        others: anything that JSON can hold, such as signal efficiencies.

    Example:
        >>> short, long = TrainingSettings(epochs=5, seed=1), TrainingSettings(epochs=20, seed=1)
        >>> network_digest(ModelSettings(), short) == network_digest(ModelSettings(), long)
        False
    """
    return digest_of({"revision": REVISION, **_network(model, training), **others})


def _network(model: ModelSettings, training: TrainingSettings) -> dict[str, Any]:
    defaults = TrainingSettings().model_dump(mode="json")
    return {"model": _changed(model.dump(), DEFAULTS), "training": _changed(training.dump(), defaults)}


def provenance_digest(provenance: Mapping[str, Any]) -> str:
    """The digest of a dataset's provenance: of what was made, and with which versions.

    The bytes of a generated dataset are a function of it, so that it stands for them before they are there.
    """
    return digest_of(dict(provenance))


def _who(contestant: Contestant) -> dict[str, Any]:
    """What a contestant says besides its names and its network."""
    plain = {field.name: field.default for field in dataclasses.fields(contestant)}
    values = {name: getattr(contestant, name) for name in plain if name not in NAMES and name != "model"}
    return {**_changed(values, plain), "data": DATA[contestant.data]}


def _changed(values: Mapping[str, Any], defaults: Mapping[str, Any]) -> dict[str, Any]:
    return {
        name: value
        for name, value in values.items()
        if name not in IRRELEVANT and (name not in defaults or value != defaults[name])
    }
