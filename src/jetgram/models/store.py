"""The model directory: what a trained model is on disk.

    MODEL/
      model.safetensors   the weights
      model.json          settings, scaler, training, data, metrics, versions, hash of the weights, digest of all that
      history.jsonl       one line an epoch

Loading runs no code from the files. Everything is checked before it is used: a foreign, cut-off, edited or hostile file
is a `ModelError` that says what is wrong.
"""

from __future__ import annotations

import hashlib
import json
import platform
from collections.abc import Mapping, Sequence
from importlib.metadata import version
from pathlib import Path
from typing import Any, Literal

import numpy as np
import pydantic
import safetensors
import safetensors.torch
import torch
from torch import Tensor

import jetgram
from jetgram.errors import ModelError, SettingsError
from jetgram.models.build import blank_network
from jetgram.models.model import JetModel
from jetgram.models.network import JetNetwork
from jetgram.models.recipe import TrainingSettings
from jetgram.models.scaler import Scaler
from jetgram.models.settings import ModelSettings
from jetgram.storage import atomic
from jetgram.storage.digest import digest_of

CARD, WEIGHTS, HISTORY = "model.json", "model.safetensors", "history.jsonl"
KIND = "jetgram model"
FORMAT = 1
LARGEST_CARD = 16 * 2**20
LARGEST_HEADER = 2**20  # of the weights' file, in bytes


class _Columns(pydantic.BaseModel):
    """A scaler in JSON."""

    model_config = pydantic.ConfigDict(extra="forbid")

    center: tuple[float, ...]
    scale: tuple[float, ...]

    def scaler(self) -> Scaler:
        return Scaler(np.array(self.center), np.array(self.scale))


class _Card(pydantic.BaseModel):
    """The contents of `model.json`."""

    model_config = pydantic.ConfigDict(extra="forbid")

    kind: Literal["jetgram model"]
    format: Literal[1]
    settings: dict[str, Any]
    training: dict[str, Any] | None
    features: tuple[str, ...]
    scaler: _Columns
    target_scaler: _Columns | None
    data: dict[str, Any]
    metrics: dict[str, Any]
    versions: dict[str, str]
    weights: str
    digest: str


def save_model(path: Path | str, model: JetModel, history: Sequence[Mapping[str, Any]] = ()) -> str:
    """Write a model directory, made if missing, and return the model's digest.

    The card is written last: a directory with a card is whole, or says that it is not.
    """
    path = Path(path)
    _require_finite(model.network.state_dict(), path)
    weights = safetensors.torch.save({name: value.clone() for name, value in model.network.state_dict().items()})
    path.mkdir(parents=True, exist_ok=True)
    (path / CARD).unlink(missing_ok=True)
    atomic.write_bytes(path / WEIGHTS, weights)
    write_history(path, history)
    card = _card(model, hashlib.sha256(weights).hexdigest())
    card["digest"] = _seal(card)
    atomic.write_bytes(path / CARD, (json.dumps(card, indent=2, allow_nan=False) + "\n").encode())
    return str(card["digest"])


def write_history(path: Path, history: Sequence[Mapping[str, Any]]) -> None:
    """Write `history.jsonl`, one line an epoch."""
    atomic.write_bytes(path / HISTORY, "".join(f"{json.dumps(line)}\n" for line in history).encode())


def read_history(folder: Path) -> list[dict[str, Any]]:
    """The records of `history.jsonl`; none where there is no such file yet."""
    file = folder / HISTORY
    return [json.loads(line) for line in file.read_text().splitlines()] if file.is_file() else []


def load_model(path: Path | str) -> JetModel:
    """The model of a directory, or a `ModelError` that says why there is none."""
    path = Path(path)
    content = _read_card(path)
    card = _checked_card(path / CARD, content)
    try:
        settings = ModelSettings.create(**card.settings)
        training = TrainingSettings.create(**card.training) if card.training is not None else None
        scaler = card.scaler.scaler()
        target_scaler = card.target_scaler.scaler() if card.target_scaler else None
    except SettingsError as error:
        raise ModelError(f"{path / CARD}: {error}") from error
    _check_columns(path / CARD, card, settings)
    network = _load_weights(path / WEIGHTS, card, settings)
    record = {
        "training": training.model_dump(mode="json") if training else None,
        "data": card.data,
        "metrics": card.metrics,
        "versions": card.versions,
        "digest": card.digest,
    }
    return JetModel(settings, network, scaler, target_scaler, record)


def _card(model: JetModel, weights: str) -> dict[str, Any]:
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


def _seal(card: Mapping[str, Any]) -> str:
    """SHA-256 over everything in the card but the digest itself."""
    content = {name: value for name, value in card.items() if name != "digest"}
    return digest_of(content)


def _read_card(path: Path) -> dict[str, Any]:
    if not path.is_dir():
        raise ModelError(f"{path} is not a folder; a model is a folder with a {CARD}")
    content = _read_bytes(path / CARD, LARGEST_CARD)
    try:
        card = json.loads(content)
    except (ValueError, RecursionError) as error:
        raise ModelError(f"{path / CARD} is damaged: {error}") from error
    if not isinstance(card, dict) or card.get("kind") != KIND:
        raise ModelError(f"{path / CARD} is no model of jetgram: its kind is not {KIND!r}")
    if card.get("format") != FORMAT:
        raise ModelError(f"{path / CARD} has format {card.get('format')!r}; this version of jetgram reads {FORMAT}")
    if card.get("digest") != _seal(card):
        raise ModelError(f"{path / CARD} was changed after it was written: its digest does not fit its content")
    return card


def _checked_card(file: Path, content: dict[str, Any]) -> _Card:
    try:
        return _Card(**content)
    except pydantic.ValidationError as error:
        first = error.errors()[0]
        raise ModelError(f"{file}: {'.'.join(map(str, first['loc']))}: {first['msg']}") from None


def _check_columns(file: Path, card: _Card, settings: ModelSettings) -> None:
    names = settings.columns
    if card.features != names or len(card.scaler.center) != len(names):
        found = f"{len(card.scaler.center)} scaled features: {', '.join(card.features)}"
        raise ModelError(f"{file} has {found}; a model with these settings has {', '.join(names)}")
    scaled = len(card.target_scaler.center) if card.target_scaler else 0
    expected = len(settings.targets) if settings.head == "regressor" else 0
    if scaled != expected:
        raise ModelError(f"{file} scales {scaled} targets; a {settings.head} of {len(settings.targets)} has {expected}")


def _load_weights(file: Path, card: _Card, settings: ModelSettings) -> JetNetwork:
    with torch.device("meta"):  # shapes without memory: the file is checked before any is asked for
        shapes = {name: tuple(value.shape) for name, value in blank_network(settings).state_dict().items()}
    bytes_wanted = 4 * sum(int(np.prod(shape)) for shape in shapes.values())
    content = _read_bytes(file, bytes_wanted + LARGEST_HEADER)
    if hashlib.sha256(content).hexdigest() != card.weights:
        raise ModelError(f"{file} is damaged or not the model's: its SHA-256 is not the one in {CARD}")
    try:
        weights = safetensors.torch.load(content)
    except (safetensors.SafetensorError, ValueError, KeyError) as error:
        raise ModelError(f"{file} is no file of weights: {error}") from error
    found = {name: tuple(value.shape) for name, value in weights.items()}
    if found != shapes:
        name = next(name for name in {**shapes, **found} if shapes.get(name) != found.get(name))
        raise ModelError(f"{file}: {name} has shape {found.get(name)}; the settings make {shapes.get(name)}")
    _require_finite(weights, file)
    network = blank_network(settings)
    network.load_state_dict(weights)
    return network


def _require_finite(weights: Mapping[str, Tensor], where: Path) -> None:
    for name, value in weights.items():
        if value.dtype != torch.float32:
            raise ModelError(f"{where}: {name} has the type {value.dtype}; expected torch.float32")
        if not torch.isfinite(value).all():
            raise ModelError(f"{where}: {name} holds a weight that is not a finite number")


def _read_bytes(file: Path, limit: int) -> bytes:
    if not file.exists():
        raise ModelError(f"{file} is missing")
    if not file.is_file():
        raise ModelError(f"{file} is not a regular file")
    size = file.stat().st_size
    if size > limit:
        raise ModelError(f"{file} has {size:,} bytes; expected at most {limit:,}")
    return file.read_bytes()
