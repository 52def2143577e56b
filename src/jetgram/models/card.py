"""The card of a model, `model.json`: everything but the weights, sealed with a digest.

`jetgram.models.card_page` writes the same for people.
"""

from __future__ import annotations

import platform
from importlib.metadata import version
from pathlib import Path
from typing import Any, Literal

import numpy as np
import pydantic

import jetgram
from jetgram.errors import ModelError
from jetgram.inputs.scaler import Scaler
from jetgram.models.model import JetModel
from jetgram.models.settings import ModelSettings
from jetgram.storage.manifest import MANIFEST
from jetgram.storage.sealed import Form

CARD = "model.json"
KIND = "jetgram model"
FORM = Form("a model of jetgram", (KIND,), (1, 2), ModelError, "train it again, or copy it again", largest=16 * 2**20)
UNSEALED_HISTORY = 1  # the format of models whose history has no digest


class Columns(pydantic.BaseModel):
    """A scaler in JSON."""

    model_config = pydantic.ConfigDict(extra="forbid")

    center: tuple[float, ...]
    scale: tuple[float, ...]
    limit: tuple[float | None, ...] = ()  # None where there is none

    def scaler(self) -> Scaler:
        """The scaler itself."""
        limit = [np.inf if value is None else value for value in self.limit]
        return Scaler(np.array(self.center), np.array(self.scale), np.array(limit))


class ModelCard(pydantic.BaseModel):
    """The contents of `model.json`."""

    model_config = pydantic.ConfigDict(extra="forbid")

    kind: Literal["jetgram model"]
    format: Literal[1, 2]
    settings: dict[str, Any]
    training: dict[str, Any] | None
    features: tuple[str, ...]
    scaler: Columns
    target_scaler: Columns | None
    data: dict[str, Any]
    metrics: dict[str, Any]
    versions: dict[str, str]
    weights: str
    digest: str


def read_card(folder: Path) -> ModelCard:
    """The card of a model directory, sealed and complete, or a `ModelError` that says what is wrong."""
    if not folder.is_dir():
        raise ModelError(f"{folder} is not a folder; a model is a folder with a {CARD}")
    if not (folder / CARD).exists() and (folder / MANIFEST).exists():
        raise ModelError(f"{folder} is a dataset; expected the folder of a model, with a {CARD}")
    return FORM.read_as(ModelCard, folder / CARD)


def check_columns(file: Path, card: ModelCard, settings: ModelSettings) -> None:
    """Refuse a card whose features and their scaler are not those of its settings."""
    names = settings.input.columns
    if card.features != names or len(card.scaler.center) != len(names):
        found = f"{len(card.scaler.center)} scaled features: {', '.join(card.features)}"
        raise ModelError(f"{file} has {found}; a model with these settings has {', '.join(names)}")


def card_content(model: JetModel, weights: str) -> dict[str, Any]:
    """What the card of a model says, all but its digest.

    Args:
        model: the model.
        weights: the SHA-256 of the file of weights.
    """
    target_scaler = model.network.head.scaler
    return {
        "kind": KIND,
        "format": FORM.formats[-1],
        "settings": model.settings.dump(),
        "training": model.record.get("training"),
        "features": list(model.settings.input.columns),
        "scaler": _columns(model.scaler),
        "target_scaler": target_scaler and _columns(target_scaler),
        "data": dict(model.record.get("data", {})),
        "metrics": dict(model.record.get("metrics", {})),
        "versions": {
            "jetgram": jetgram.__version__,
            "python": platform.python_version(),
            **{name: version(name) for name in ("torch", "numpy", "safetensors")},
        },
        "weights": weights,
    }


def _columns(scaler: Scaler) -> dict[str, Any]:
    columns: dict[str, Any] = {"center": scaler.center.tolist(), "scale": scaler.scale.tolist()}
    if np.isfinite(scaler.limit).any():
        columns["limit"] = [limit if np.isfinite(limit) else None for limit in scaler.limit.tolist()]
    return columns
