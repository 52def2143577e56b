"""The model directory: what a trained model is on disk.

    MODEL/
      model.safetensors   the weights
      model.json          settings, scaler, training, data, metrics, versions, hash of the weights, digest of all that
      history.jsonl       one line per epoch, with a digest in the last one
      model.md            what model.json says, for people; never read again

Loading runs no code from the files. Everything is checked before it is used: a foreign, cut-off, edited or hostile file
is a `ModelError` that says what is wrong.
"""

from __future__ import annotations

import re
import warnings
from collections.abc import Mapping, Sequence
from importlib import metadata
from pathlib import Path
from typing import Any

import numpy as np
import safetensors
import torch
from safetensors.torch import load as parse_tensors  # numbers and shapes; unlike torch.load, it runs no code
from safetensors.torch import save as pack_tensors
from torch import Tensor

from jetgram.errors import ModelError, NewerModelWarning, SettingsError
from jetgram.models.card import CARD, FORM, ModelCard, card_content, check_columns, read_card
from jetgram.models.card_page import PAGE, card_page
from jetgram.models.history import write_history
from jetgram.models.model import JetModel
from jetgram.models.recipes import TrainingSettings
from jetgram.models.settings import ModelSettings
from jetgram.networks.network import JetNetwork
from jetgram.storage import atomic
from jetgram.storage.lock import FolderLock
from jetgram.storage.sealed import sealed, sha256_of

WEIGHTS = "model.safetensors"
LARGEST_HEADER = 2**20  # of the weights' file, in bytes


def save_model(path: Path | str, model: JetModel, history: Sequence[Mapping[str, Any]] = ()) -> str:
    """Write a model directory, made if missing, and return the model's digest; one writer at a time."""
    path = Path(path)
    _require_finite(model.network.state_dict(), path)
    with FolderLock(path, ModelError):
        return write_model(path, model, history)


def write_model(path: Path, model: JetModel, history: Sequence[Mapping[str, Any]] = ()) -> str:
    """The same in a folder that is locked already.

    The card is written last, with the digest of the weights: a directory with a card is whole, or says that it is not.
    """
    _require_finite(model.network.state_dict(), path)
    weights = pack_tensors({name: value.clone() for name, value in model.network.state_dict().items()})
    content = card_content(model, sha256_of(weights))
    page = card_page(ModelCard(**sealed(content))).encode()
    atomic.write_bytes(path / WEIGHTS, weights)
    write_history(path, history)
    atomic.write_bytes(path / PAGE, page)
    return FORM.write(path / CARD, content)


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
    _check_version(path / CARD, card)
    network = _load_weights(path / WEIGHTS, card, settings)
    try:
        network.head.set_scaler(target_scaler)
    except SettingsError as error:
        raise ModelError(f"{path / CARD}: {error}") from error
    record = {
        "training": training.dump() if training else None,
        "data": card.data,
        "metrics": card.metrics,
        "versions": card.versions,
        "digest": card.digest,
    }
    return JetModel(settings, network, scaler, record)


def _check_version(file: Path, card: ModelCard) -> None:
    """A newer version may mean something else by the same settings; it raises the format only where it must."""
    found, here = card.versions.get("jetgram", ""), metadata.version("jetgram")
    if not re.match("[0-9]", found):
        raise ModelError(f"{file} was written by jetgram {found!r}; expected a version such as {here}: train it again")
    if _numbers(found) > _numbers(here):
        warnings.warn(
            f"{file} was written by jetgram {found}, this is {here}: its scores may differ; update jetgram",
            NewerModelWarning,
            stacklevel=3,
        )


def _numbers(version: str) -> list[int]:
    return [int(number) for number in re.findall("[0-9]{1,9}", version)[:3]]


def _complete(settings: Mapping[str, Any]) -> dict[str, Any]:
    """The settings of a card; one that speaks of images but not of their chain is of the time when there was one."""
    of_images = settings.get("input") in ("image", "pixels")
    return {"image_chain": "shared", **settings} if of_images else dict(settings)


def _load_weights(file: Path, card: ModelCard, settings: ModelSettings) -> JetNetwork:
    with torch.device("meta"):  # shapes without memory: the file is checked before any is asked for
        shapes = {name: tuple(value.shape) for name, value in settings.build().state_dict().items()}
    bytes_wanted = 4 * sum(int(np.prod(shape)) for shape in shapes.values())
    content = FORM.read_named(file, card.weights, CARD, bytes_wanted + LARGEST_HEADER)
    try:
        weights = parse_tensors(content)
    except (safetensors.SafetensorError, ValueError, KeyError) as error:
        raise ModelError(f"{file} is no file of weights: {error}") from error
    found = {name: tuple(value.shape) for name, value in weights.items()}
    if found != shapes:
        name = next(name for name in {**shapes, **found} if shapes.get(name) != found.get(name))
        raise ModelError(f"{file}: {name} has shape {found.get(name)}; the settings make {shapes.get(name)}")
    _require_finite(weights, file)
    network = settings.build()
    network.load_state_dict(weights)
    return network


def _require_finite(weights: Mapping[str, Tensor], where: Path) -> None:
    for name, value in weights.items():
        if value.dtype != torch.float32:
            raise ModelError(f"{where}: {name} has the type {value.dtype}; expected torch.float32")
        if not torch.isfinite(value).all():
            raise ModelError(f"{where}: {name} holds a weight that is not a finite number")
