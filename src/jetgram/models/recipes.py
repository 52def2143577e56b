"""The settings of a training, and whole recipes, network and training together, by name.

`modern`
    The default, where no part of a network is named. A blend cell over Lund features of Cambridge/Aachen trees, with
    the mean of all states next to the root's; AdamW with a warm-up, a cosine schedule and clipped gradients. More
    accurate than the paper's networks, in a tenth of the time of its gated one.
`student`
    A modern network with twice the units that learns from others, in twice the epochs, mostly what they say: from the
    mean of three modern ones it learns more than any of them knows, and than their mean. Needs a teacher.
`paper`
    That of arXiv:1702.00748: all settings at their defaults. A topology, a cell, features or another input without the
    name of a recipe are changes of it.
`pfn`, `efn`, `lundnet`, `particlenet`, `part`
    Networks of others to compare with; see `jetgram.networks.peers`. Each with the optimizer, rate and schedule of its
    paper, in as many epochs as a sample of 100,000 jets needs, and in batches of 256: published batches have 256 to
    1024 jets out of a million and more.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, Literal, Self

import pydantic

from jetgram.errors import require_known
from jetgram.jets.perturb import KINDS
from jetgram.models.merging import over
from jetgram.settings import Settings

RateSchedule = Literal["exponential", "cosine"]
# Settings that trainings of old do not know.
LATER = (
    *("most", "schedule", "warm_up", "weight_decay", "clip", "teacher_weight"),
    *("planing", "disco", "augment", "copies", "consistency"),
)


class TrainingSettings(Settings):
    """The recipe, by default that of arXiv:1702.00748: Adam, 25 epochs, batches of 64.

    Args:
        seed: of the first weights and of the order of the jets.
        epochs: how often every jet is seen.
        batch: jets in a step.
        rate: Adam's learning rate, the largest.
        schedule: `exponential`, by a factor `decay` after every epoch, or `cosine`, from step to step down to 0.
        decay: the factor after every epoch of an exponential schedule.
        warm_up: the fraction of the training in which the rate rises from 0, as a straight line.
        weight_decay: AdamW's (arXiv:1711.05101), on matrices only.
        clip: the longest gradient; longer ones are shortened. None clips nothing.
        validation: jets kept aside to choose the best epoch; at most a fifth of all.
        split_seed: which jets these are; not the seed, so that models of many seeds are compared on the same jets.
        class_weight: `balanced`, or the weights of the classes, the background's first; a classifier's.
        weight: the column with the weights of the jets; none by default, and for an empty name.
        patience: stop after so many epochs without a better validation score; None never stops early.
        teacher_weight: of the teacher's answers in the targets, where a teacher is given; the rest is the truth's.
        planing: weight the jets so that the mass is distributed alike in all classes.
        disco: the weight of the squared distance correlation of score and jet mass of the background jets of a batch
            (arXiv:2001.05310); the best epoch is then that of the least validation loss, this term included.
        augment: perturbations of `jetgram.jets.perturb`, such as `collinear10-max`; of the jets of each epoch, half are
            perturbed copies. Only for networks that do not clean their jets, such as the paper's.
        copies: how many copies of each jet are prepared for a collinear perturbation; epochs draw among them.
        consistency: the weight of the squared difference of the outputs of a jet and of its perturbed copy; all jets
            are then seen with a copy.
        most: train with so many jets at most, drawn by `split_seed`: fewer are always among more; None takes all.
    """

    seed: int = pydantic.Field(default=0, ge=0, lt=2**63)
    epochs: int = pydantic.Field(default=25, ge=1, le=10**6)
    batch: int = pydantic.Field(default=64, ge=1, le=10**9)
    rate: float = pydantic.Field(default=5e-4, gt=0, le=1)
    schedule: RateSchedule = "exponential"
    decay: float = pydantic.Field(default=0.9, gt=0, le=1)
    warm_up: float = pydantic.Field(default=0.0, ge=0, lt=1)
    weight_decay: float = pydantic.Field(default=0.0, ge=0, le=1000)
    clip: float | None = pydantic.Field(default=None, gt=0, allow_inf_nan=False)
    validation: int = pydantic.Field(default=5000, ge=1)
    split_seed: int = pydantic.Field(default=0, ge=0, lt=2**63)
    class_weight: Literal["balanced"] | Annotated[tuple[float, ...], pydantic.Field(min_length=2)] | None = None
    weight: str | None = None
    patience: int | None = pydantic.Field(default=None, ge=1)
    most: int | None = pydantic.Field(default=None, ge=1)
    teacher_weight: float = pydantic.Field(default=0.5, ge=0, le=1)
    planing: bool = False
    disco: float = pydantic.Field(default=0.0, ge=0, le=1e6)
    augment: tuple[str, ...] = ()
    copies: int = pydantic.Field(default=2, ge=1, le=1000)
    consistency: float = pydantic.Field(default=0.0, ge=0, le=1e6)

    @pydantic.field_validator("class_weight")
    @classmethod
    def _positive(cls, value: Any) -> Any:
        if isinstance(value, tuple) and not all(1e-6 <= weight <= 1e6 for weight in value):
            raise ValueError("expected weights from 1e-6 to 1e6, one per class")
        return value

    @pydantic.field_validator("weight")
    @classmethod
    def _named_column(cls, value: str | None) -> str | None:
        return value or None

    @pydantic.field_validator("augment", mode="before")
    @classmethod
    def _listed(cls, value: Any) -> Any:
        return tuple(filter(None, value.split(","))) if isinstance(value, str) else value

    @pydantic.field_validator("augment")
    @classmethod
    def _known_perturbations(cls, value: tuple[str, ...]) -> tuple[str, ...]:
        if not set(value) <= set(KINDS) or len(set(value)) < len(value):
            raise ValueError(f"expected different ones of {', '.join(KINDS)}")
        return value

    @pydantic.model_validator(mode="after")
    def _has_copies(self) -> Self:
        if self.consistency and not self.augment:
            raise ValueError("consistency compares jets with perturbed copies; set augment, e.g. to collinear10-max")
        return self

    def dump(self) -> dict[str, Any]:
        """For JSON; a later setting is said only where it is not the default, so that digests of old stay valid."""
        return self.model_dump(mode="json", exclude={name for name in LATER if self._is_default(name)})

    def _is_default(self, name: str) -> bool:
        return bool(getattr(self, name) == type(self).model_fields[name].default)


# What recipes of others have in common; weights decay where dropout was published.
_PEER = {"initialisation": "uniform", "batch": 256, "schedule": "cosine", "warm_up": 0.05, "clip": 1.0}
_GRAPH = {**_PEER, "epochs": 15, "weight_decay": 0.01}  # AdamW and one cycle of the rate, as published

_MODERN = {
    "cell": "blend",
    "topology": "ca",
    "features": "lund",
    "hidden": 32,
    "readout": "mean",
    "initialisation": "uniform",
    "epochs": 12,
    "batch": 256,
    "rate": 5e-3,
    "schedule": "cosine",
    "warm_up": 0.05,
    "weight_decay": 0.01,
    "clip": 1.0,
}

RECIPES: Mapping[str, Mapping[str, Any]] = {
    "paper": {},
    "modern": _MODERN,
    "student": {**_MODERN, "hidden": 64, "epochs": 24, "teacher_weight": 0.75},
    "pfn": {**_PEER, "network": "pfn", "epochs": 20, "rate": 1e-3},
    "efn": {**_PEER, "network": "efn", "epochs": 20, "rate": 1e-3},
    "lundnet": {**_GRAPH, "network": "lundnet", "rate": 1e-3},
    "particlenet": {**_GRAPH, "network": "particlenet", "leading": 100, "rate": 3e-3},
    "part": {**_GRAPH, "network": "part", "leading": 128, "rate": 1e-3},
}


# Settings that say which network is meant: who names one of them does not want that of the default recipe.
PARTS = {
    *("input", "event", "network", "cell", "topology", "features", "readout"),
    *("preprocess", "trim", "image_chain", "tree_seed"),
}


def recipe_of(values: Mapping[str, Any]) -> str:
    """The recipe that settings name; else `paper` where they name a part of a network, and `modern` where they do not.

    Example:
        >>> recipe_of({"epochs": 5}), recipe_of({"topology": "kt"}), recipe_of({"recipe": "modern", "topology": "kt"})
        ('modern', 'paper', 'modern')
    """
    return str(values.get("recipe", "modern" if PARTS.isdisjoint(values) else "paper"))


def with_recipe(values: Mapping[str, Any]) -> dict[str, Any]:
    """Settings with those of their recipe; what they say themselves counts.

    Where they choose a model that does not have all that the recipe says, it gives the rest: `modern` with
    `event="particles"`, which reads no trees, is the modern training of it.

    Example:
        >>> with_recipe({"hidden": 64})["hidden"], with_recipe({})["cell"], with_recipe({"topology": "kt"})
        (64, 'blend', {'topology': 'kt'})
        >>> with_recipe({"recipe": "modren"})
        Traceback (most recent call last):
        jetgram.errors.SettingsError: no recipe 'modren'; did you mean 'modern'?
    """
    name = recipe_of(values)
    require_known("no recipe", name, RECIPES)
    return over(RECIPES[name], {key: value for key, value in values.items() if key != "recipe"})
