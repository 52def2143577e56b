"""The settings of an estimator by their flat names, as parameters of scikit-learn."""

from __future__ import annotations

import copy
from collections.abc import Mapping
from typing import Any, ClassVar, Self

import numpy as np
from sklearn.base import BaseEstimator

from jetgram.errors import SettingsError
from jetgram.models.flat import CHOICES, DEFAULTS, EVENT_NAMES, unalias
from jetgram.models.model import JetModel
from jetgram.models.recipes import TrainingSettings, recipe_of, with_recipe
from jetgram.models.settings import ModelSettings, make_settings
from jetgram.momenta import Jets, Momenta
from jetgram.networks.device import CPU, find_device

TRAINING = TrainingSettings().model_dump()
FRAME = {"preprocess", "trim"}
DEPENDENT = {"head", "targets", "loss"} | FRAME  # settings whose defaults follow from others


class SettingsEstimator(BaseEstimator):  # type: ignore[misc]
    """An estimator that is described by settings: it shows, changes, copies and prints them.

    Args:
        settings: any of `ModelSettings` and `TrainingSettings`, `recipe` and `device` by their flat names.
    """

    head: ClassVar[str]
    rows: ClassVar[type[Momenta]] = Jets

    def __init__(self, **settings: Any) -> None:
        self._take(self._chosen(settings))

    def _chosen(self, values: Mapping[str, Any]) -> Mapping[str, Any]:
        """What a user chose: all that is given, or, of what `get_params` gave, what does not equal the defaults."""
        recipe = recipe_of(unalias(values))
        shown = {name: value for name, value in _defaults(recipe).items() if name not in self._not_shown}
        if not shown.keys() <= unalias(values).keys():
            return values
        return {name: value for name, value in values.items() if name not in shown or value != shown[name]}

    def _take(self, values: Mapping[str, Any]) -> None:
        """Take settings as they were given, if they are possible."""
        given = {name: value.tolist() if isinstance(value, np.ndarray) else value for name, value in values.items()}
        given["recipe"] = recipe_of(unalias(given))
        device = str(find_device(given.get("device", CPU)))
        if given.pop("head", self.head) != self.head:
            raise SettingsError(f"a {type(self).__name__} is a {self.head}")
        described = {name: value for name, value in given.items() if name != "device"}
        settings, training = make_settings(head=self.head, **described)
        if settings.rows != self.rows.__name__.lower():
            wanted = f"{type(self).__name__} reads {self.rows.__name__.lower()}"
            raise SettingsError(f"{wanted}; found event={settings.reading.get('event')!r}")
        self._given, self.settings, self.training, self.device = given, settings, training, device

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """The settings by their flat names: those that were given, and the defaults of others, as in scikit-learn.

        Without defaults that follow from other settings, such as `loss` and `trim`.

        Example:
            >>> from jetgram import JetTagger
            >>> parameters = JetTagger("ca", hidden=20).get_params()
            >>> parameters["topology"], parameters["hidden"], parameters["rate"]
            ('ca', 20, 0.0005)
        """
        known = unalias(self._given).keys() | self._not_shown
        defaults = _defaults(self._given["recipe"])
        return {**{name: value for name, value in defaults.items() if name not in known}, **self._given}

    @property
    def _not_shown(self) -> set[str]:
        """Settings whose defaults are no parameters: they follow from others, or are about events."""
        return DEPENDENT if self.rows is not Jets else DEPENDENT | EVENT_NAMES | {"event"}

    def __sklearn_clone__(self) -> Self:
        copied = type(self)(**self._given)
        if hasattr(self, "_metadata_request"):  # what set_fit_request and the like leave
            copied._metadata_request = copy.deepcopy(self._metadata_request)
        return copied

    def set_params(self, **params: Any) -> Self:
        """Change settings."""
        if params:
            self._take(self._chosen({**unalias(self._given), **unalias(params)}))
        return self

    def __repr__(self) -> str:
        chosen = self._needed()
        if recipe_of(chosen) != self._given["recipe"]:
            chosen = {"recipe": self._given["recipe"], **chosen}
        if chosen.get("event") == "jets":
            del chosen["event"]  # the default for events
        if self.device != CPU:
            chosen["device"] = self.device
        return f"{type(self).__name__}({', '.join(f'{name}={value!r}' for name, value in chosen.items())})"

    def _needed(self) -> dict[str, Any]:
        """The settings that make these: what differs from what follows from the recipe, and from those before it.

        First those that choose kinds, last those whose defaults follow from others.
        """
        said = _said(self.settings, self.training)
        needed: dict[str, Any] = {}
        for names in (CHOICES, said.keys() - DEPENDENT, said):
            follows = _said(*make_settings(**{"recipe": self._given["recipe"], "head": self.head, **needed}))
            needed |= {name: said[name] for name in said if name in names and said[name] != follows.get(name)}
        return {name: needed[name] for name in said if name in needed and name != "head"}


def recorded_settings(model: JetModel) -> dict[str, Any]:
    """What gives an estimator the settings of a model and of its training, without `teacher_weight`."""
    said = {**model.settings.dump(), **(model.record["training"] or {})}
    said.pop("teacher_weight", None)
    defaults = {**DEFAULTS, **ModelSettings(head=model.settings.head.kind).dump(), **TRAINING}
    changed = {name: value for name, value in said.items() if value != defaults[name] or name in FRAME}
    return {"recipe": "paper", **changed}


def _said(settings: ModelSettings, training: TrainingSettings) -> dict[str, Any]:
    """All settings that a model has, by their flat names, and all that choose its kinds."""
    return {**{name: DEFAULTS[name] for name in CHOICES}, **settings.flat(), **training.model_dump()}


def _defaults(recipe: str) -> dict[str, Any]:
    """All settings by their flat names, as they are where none is given but the recipe."""
    return {"device": CPU, **DEFAULTS, **TRAINING, **with_recipe({"recipe": recipe})}
