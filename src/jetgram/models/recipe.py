"""The settings of a training; the defaults are the paper's."""

from __future__ import annotations

from typing import Any, Literal

import pydantic

from jetgram.settings import Settings


class TrainingSettings(Settings):
    """The recipe, by default that of arXiv:1702.00748: Adam, 25 epochs, batches of 64.

    Args:
        seed: of the first weights and of the order of the jets.
        epochs: how often every jet is seen.
        batch: jets in a step.
        rate: Adam's learning rate in the first epoch.
        decay: its factor after every epoch.
        validation: jets kept aside to choose the best epoch; at most a fifth of all.
        split_seed: which jets these are; not the seed, so that models of many seeds are compared on the same jets.
        class_weight: `balanced`, or the weights of background and signal; a classifier's.
        weight: the column with the weights of the jets; none by default.
        patience: stop after so many epochs without a better validation score; None never stops early.
        most: train with so many jets at most, drawn by `split_seed`: fewer are always among more; None takes all.
    """

    seed: int = pydantic.Field(default=0, ge=0, lt=2**63)
    epochs: int = pydantic.Field(default=25, ge=1)
    batch: int = pydantic.Field(default=64, ge=1)
    rate: float = pydantic.Field(default=5e-4, gt=0, allow_inf_nan=False)
    decay: float = pydantic.Field(default=0.9, gt=0, le=1)
    validation: int = pydantic.Field(default=5000, ge=1)
    split_seed: int = pydantic.Field(default=0, ge=0, lt=2**63)
    class_weight: Literal["balanced"] | tuple[float, float] | None = None
    weight: str | None = None
    patience: int | None = pydantic.Field(default=None, ge=1)
    most: int | None = pydantic.Field(default=None, ge=1)

    @pydantic.field_validator("class_weight")
    @classmethod
    def _positive(cls, value: Any) -> Any:
        if isinstance(value, tuple) and not all(0 < weight < float("inf") for weight in value):
            raise ValueError("expected two finite weights above 0")
        return value

    def dump(self) -> dict[str, Any]:
        """For JSON; a training with all jets says nothing about `most`."""
        return self.model_dump(mode="json", exclude={"most"} if self.most is None else None)
