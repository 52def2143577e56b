"""The state of a training on disk: one file that is either whole or not there."""

from __future__ import annotations

import dataclasses
import json
from pathlib import Path
from typing import Any

import safetensors
import safetensors.torch
import torch
from torch import Tensor

from jetgram.errors import TrainingError
from jetgram.storage import atomic

CHECKPOINT = "checkpoint.safetensors"
FORMAT = 1


@dataclasses.dataclass
class Progress:
    """How far a training is. Everything else that it needs follows from its settings.

    Args:
        epoch: finished epochs.
        step: finished steps of the epoch after them.
        loss: sum of loss times jets over these steps.
        jets: jets in these steps.
        seconds: time they took.
        best_score: of the best epoch, the larger the better: the AUC of a classifier, and minus the loss, which decides
            between equal AUCs; None before the first.
        best_epoch: its number, from 1.
        history: one record a finished epoch.
    """

    epoch: int = 0
    step: int = 0
    loss: float = 0.0
    jets: int = 0
    seconds: float = 0.0
    best_score: list[float] | None = None
    best_epoch: int = 0
    history: list[dict[str, Any]] = dataclasses.field(default_factory=list)


@dataclasses.dataclass(frozen=True)
class Checkpoint:
    """A training between two steps: with it, training goes on bit for bit.

    Args:
        progress: how far it is.
        parameters: all weights, flat.
        best: the weights of the best epoch so far, flat.
        adam: Adam's state.
    """

    progress: Progress
    parameters: Tensor
    best: Tensor
    adam: dict[str, Tensor]


def save_checkpoint(folder: Path, checkpoint: Checkpoint, fingerprint: str) -> None:
    """Write a checkpoint over the last one; the fingerprint tells settings and data from others."""
    tensors = {"parameters": checkpoint.parameters, "best": checkpoint.best}
    tensors |= {f"adam.{name}": value for name, value in checkpoint.adam.items()}
    header = {"format": FORMAT, "fingerprint": fingerprint, "progress": dataclasses.asdict(checkpoint.progress)}
    atomic.write_bytes(folder / CHECKPOINT, safetensors.torch.save(tensors, {"jetgram": json.dumps(header)}))


def load_checkpoint(folder: Path, fingerprint: str, parameters: int) -> Checkpoint | None:
    """The checkpoint in a folder, or None where there is none; one of another training is a `TrainingError`.

    Args:
        folder: of the model.
        fingerprint: of settings and data.
        parameters: how many the network has.
    """
    file = folder / CHECKPOINT
    if not file.exists():
        return None
    try:
        with safetensors.safe_open(file, framework="pt") as opened:
            header = json.loads(opened.metadata()["jetgram"])
            tensors = {name: opened.get_tensor(name) for name in opened.offset_keys()}
        progress = Progress(**header["progress"])
        adam = {name: tensors[f"adam.{name}"] for name in ("mean", "square", "steps")}
        checkpoint = Checkpoint(progress, tensors["parameters"], tensors["best"], adam)
    except (OSError, safetensors.SafetensorError, ValueError, KeyError, TypeError) as error:
        raise TrainingError(f"{file} is damaged, or no checkpoint of jetgram: {error}") from error
    if header.get("format") != FORMAT or header.get("fingerprint") != fingerprint:
        raise TrainingError(f"{file} is of a training with other settings or jets; choose another folder")
    for name, tensor in tensors.items():
        if name != "adam.steps" and (tensor.shape != (parameters,) or not torch.isfinite(tensor).all()):
            raise TrainingError(f"{file}: {name} is not {parameters} finite numbers")
    return checkpoint
