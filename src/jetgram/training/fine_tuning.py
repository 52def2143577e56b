"""Training that begins with a model: settings that it takes over or that must be the same, and what its card says."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from jetgram.errors import TrainingError, require_known
from jetgram.models.flat import CHOICES, DEFAULTS
from jetgram.models.model import JetModel
from jetgram.models.recipes import RECIPES, TrainingSettings
from jetgram.models.settings import ModelSettings
from jetgram.networks.network import JetNetwork

FREE = ("engine", "initialisation")  # settings that do not matter for given weights
NOT_TAKEN = ("seed", "teacher_weight")  # of one training, with its teacher


def inherited_settings(start: JetModel, recipe: str | None = None) -> dict[str, Any]:
    """The settings of a training that begins with a model, where none are given: as the model was trained.

    Without the seed, and without `teacher_weight`, since no teacher is saved.

    Args:
        start: the model.
        recipe: a name in `jetgram.models.recipes`, whose training settings are taken instead of the model's.
    """
    if recipe is None:
        recorded = start.record.get("training") or {}
        training = {name: value for name, value in recorded.items() if name not in NOT_TAKEN}
    else:
        require_known("no recipe", recipe, RECIPES)
        fields = TrainingSettings.model_fields
        training = {name: value for name, value in RECIPES[recipe].items() if name in fields}
    return {"recipe": "paper", **start.settings.dump(), **training}  # of the paper's, nothing is left


def origins(start: str | None, teachers: Sequence[str] | None) -> dict[str, Any]:
    """What the card of a model says of the models behind its training, by their digests; empty of one in memory.

    Args:
        start: the model that it began with; None for random weights.
        teachers: those that it learned from; None without any.

    Example:
        >>> origins("3f0c", None), origins(None, ["a1b2", "77e0"])
        ({'start_from': '3f0c'}, {'teacher': ['a1b2', '77e0']})
    """
    begun = {} if start is None else {"start_from": start}
    return begun if teachers is None else {**begun, "teacher": list(teachers)}


def require_same_model(settings: ModelSettings, start: JetModel) -> None:
    """Raise unless the weights of a model fit a training.

    Args:
        settings: of the training that begins.
        start: the model it begins with; it reads the same inputs, with the same network, and gives the same.
    """
    wanted, found = settings.dump(), start.settings.dump()
    for name in (*CHOICES, *DEFAULTS):
        there, here = (values.get(name, DEFAULTS[name]) for values in (found, wanted))
        if name not in FREE and there != here:
            what = f"the model to start from has {name} = {there!r}"
            raise TrainingError(f"{what}; this training has {here!r}. Take the settings of that model")


def take_weights(network: JetNetwork, settings: ModelSettings, start: JetModel) -> None:
    """Give a network the weights of a trained model, and its head the scaler of the model's targets.

    Args:
        network: of the settings.
        settings: of the training that begins.
        start: the model it begins with; see `require_same_model`.
    """
    require_same_model(settings, start)
    network.load_state_dict(start.network.state_dict())
    network.head.set_scaler(start.network.head.scaler)
