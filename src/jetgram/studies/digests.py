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
        "model": contestant.model and _changed(contestant.model.dump(), DEFAULTS),
        "training": contestant.model and _changed(training.dump(), TrainingSettings().model_dump(mode="json")),
        "scenario": scenario,
        "window": Window.of_paper(rows).model_dump(mode="json"),
        "efficiency": EFFICIENCY[rows],
    }
    return digest_of(content)


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
