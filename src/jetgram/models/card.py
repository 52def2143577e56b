"""The card of a model, `model.json`: everything but the weights, sealed with a digest."""

from __future__ import annotations

import json
import platform
from collections.abc import Mapping
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
from jetgram.storage import atomic
from jetgram.storage.digest import digest_of

CARD = "model.json"
KIND = "jetgram model"
FORMAT = 1
LARGEST_CARD = 16 * 2**20  # bytes


class Columns(pydantic.BaseModel):
    """A scaler in JSON."""

    model_config = pydantic.ConfigDict(extra="forbid")

    center: tuple[float, ...]
    scale: tuple[float, ...]

    def scaler(self) -> Scaler:
        """The scaler itself."""
        return Scaler(np.array(self.center), np.array(self.scale))


class Card(pydantic.BaseModel):
    """The contents of `model.json`."""

    model_config = pydantic.ConfigDict(extra="forbid")

    kind: Literal["jetgram model"]
    format: Literal[1]
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


def write_card(folder: Path, model: JetModel, weights: str) -> str:
    """Write `model.json` and return the model's digest.

    Args:
        folder: of the model.
        model: what it says.
        weights: the SHA-256 of the file of weights.
    """
    card = _content(model, weights)
    card["digest"] = seal(card)
    atomic.write_bytes(folder / CARD, (json.dumps(card, indent=2, allow_nan=False) + "\n").encode())
    return str(card["digest"])


def read_card(folder: Path) -> Card:
    """The card of a model directory, sealed and complete, or a `ModelError` that says what is wrong."""
    content = _read_sealed(folder)
    try:
        return Card(**content)
    except pydantic.ValidationError as error:
        first = error.errors()[0]
        raise ModelError(f"{folder / CARD}: {'.'.join(map(str, first['loc']))}: {first['msg']}") from None


def check_columns(file: Path, card: Card, settings: ModelSettings) -> None:
    """Refuse a card whose features and scalers are not those of its settings."""
    names = settings.columns
    if card.features != names or len(card.scaler.center) != len(names):
        found = f"{len(card.scaler.center)} scaled features: {', '.join(card.features)}"
        raise ModelError(f"{file} has {found}; a model with these settings has {', '.join(names)}")
    scaled = len(card.target_scaler.center) if card.target_scaler else 0
    expected = len(settings.targets) if settings.head == "regressor" else 0
    if scaled != expected:
        raise ModelError(f"{file} scales {scaled} targets; a {settings.head} of {len(settings.targets)} has {expected}")


def seal(card: Mapping[str, Any]) -> str:
    """SHA-256 over everything in the card but the digest itself."""
    return digest_of({name: value for name, value in card.items() if name != "digest"})


def read_bytes(file: Path, limit: int) -> bytes:
    """The content of a regular file that is no larger than `limit`."""
    if not file.exists():
        raise ModelError(f"{file} is missing")
    if not file.is_file():
        raise ModelError(f"{file} is not a regular file")
    size = file.stat().st_size
    if size > limit:
        raise ModelError(f"{file} has {size:,} bytes; expected at most {limit:,}")
    return file.read_bytes()


def _content(model: JetModel, weights: str) -> dict[str, Any]:
    return {
        "kind": KIND,
        "format": FORMAT,
        "settings": model.settings.dump(),
        "training": model.record.get("training"),
        "features": list(model.settings.columns),
        "scaler": _columns(model.scaler),
        "target_scaler": model.target_scaler and _columns(model.target_scaler),
        "data": dict(model.record.get("data", {})),
        "metrics": dict(model.record.get("metrics", {})),
        "versions": {
            "jetgram": jetgram.__version__,
            "python": platform.python_version(),
            **{name: version(name) for name in ("torch", "numpy", "safetensors")},
        },
        "weights": weights,
    }


def _columns(scaler: Scaler) -> dict[str, list[float]]:
    return {"center": scaler.center.tolist(), "scale": scaler.scale.tolist()}


def _read_sealed(path: Path) -> dict[str, Any]:
    if not path.is_dir():
        raise ModelError(f"{path} is not a folder; a model is a folder with a {CARD}")
    content = read_bytes(path / CARD, LARGEST_CARD)
    try:
        card = json.loads(content)
    except (ValueError, RecursionError) as error:
        raise ModelError(f"{path / CARD} is damaged: {error}") from error
    if not isinstance(card, dict) or card.get("kind") != KIND:
        raise ModelError(f"{path / CARD} is no model of jetgram: its kind is not {KIND!r}")
    if card.get("format") != FORMAT:
        raise ModelError(f"{path / CARD} has format {card.get('format')!r}; this version of jetgram reads {FORMAT}")
    if card.get("digest") != seal(card):
        raise ModelError(f"{path / CARD} was changed after it was written: its digest does not fit its content")
    return card
