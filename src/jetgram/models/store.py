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
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import safetensors
import torch
from safetensors.torch import load as parse_tensors  # numbers and shapes; unlike torch.load, it runs no code
from safetensors.torch import save as pack_tensors
from torch import Tensor

from jetgram.errors import ModelError, SettingsError
from jetgram.models.build import blank_network
from jetgram.models.card import CARD, Card, check_columns, read_bytes, read_card, write_card
from jetgram.models.model import JetModel
from jetgram.models.recipe import TrainingSettings
from jetgram.models.settings import ModelSettings
from jetgram.networks.network import JetNetwork
from jetgram.storage import atomic

WEIGHTS, HISTORY = "model.safetensors", "history.jsonl"
LARGEST_HEADER = 2**20  # of the weights' file, in bytes


def save_model(path: Path | str, model: JetModel, history: Sequence[Mapping[str, Any]] = ()) -> str:
    """Write a model directory, made if missing, and return the model's digest.

    The card is written last: a directory with a card is whole, or says that it is not.
    """
    path = Path(path)
    _require_finite(model.network.state_dict(), path)
    weights = pack_tensors({name: value.clone() for name, value in model.network.state_dict().items()})
    path.mkdir(parents=True, exist_ok=True)
    (path / CARD).unlink(missing_ok=True)
    atomic.write_bytes(path / WEIGHTS, weights)
    write_history(path, history)
    return write_card(path, model, hashlib.sha256(weights).hexdigest())


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
    card = read_card(path)
    try:
        settings = ModelSettings.create(**_complete(card.settings))
        training = TrainingSettings.create(**card.training) if card.training is not None else None
        scaler = card.scaler.scaler()
        target_scaler = card.target_scaler.scaler() if card.target_scaler else None
    except SettingsError as error:
        raise ModelError(f"{path / CARD}: {error}") from error
    check_columns(path / CARD, card, settings)
    network = _load_weights(path / WEIGHTS, card, settings)
    record = {
        "training": training.dump() if training else None,
        "data": card.data,
        "metrics": card.metrics,
        "versions": card.versions,
        "digest": card.digest,
    }
    return JetModel(settings, network, scaler, target_scaler, record)


def _complete(settings: Mapping[str, Any]) -> dict[str, Any]:
    """The settings of a card; one that speaks of images but not of their chain is of the time when there was one."""
    return {"image_chain": "shared", **settings} if "input" in settings else dict(settings)


def _load_weights(file: Path, card: Card, settings: ModelSettings) -> JetNetwork:
    with torch.device("meta"):  # shapes without memory: the file is checked before any is asked for
        shapes = {name: tuple(value.shape) for name, value in blank_network(settings).state_dict().items()}
    bytes_wanted = 4 * sum(int(np.prod(shape)) for shape in shapes.values())
    content = read_bytes(file, bytes_wanted + LARGEST_HEADER)
    if hashlib.sha256(content).hexdigest() != card.weights:
        raise ModelError(f"{file} is damaged or not the model's: its SHA-256 is not the one in {CARD}")
    try:
        weights = parse_tensors(content)
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
