"""The state of a training on disk: one file that is either whole or not there.

It is a file of tensors whose metadata hold a sealed document: how far the training is, and the SHA-256 of each tensor.
"""

from __future__ import annotations

import dataclasses
from pathlib import Path
from typing import Any

import safetensors
import safetensors.torch
import torch
from torch import Tensor

from jetgram.errors import TrainingError
from jetgram.storage import atomic
from jetgram.storage.sealed import Form, sha256_of

CHECKPOINT = "checkpoint.safetensors"
KIND = "jetgram checkpoint"
FORM = Form("a checkpoint of jetgram", (KIND,), (2,), TrainingError, "remove it to train from the beginning")


@dataclasses.dataclass
class Progress:
    """How far a training is. Everything else that it needs follows from its settings.

    Args:
        epoch: finished epochs.
        step: finished steps of the epoch after them.
        loss: sum of loss times jets over these steps.
        jets: jets in these steps.
        seconds: time they took.
        cpu_seconds: processor time they took, of all threads.
        rate: of the last step.
        best_score: of the best epoch, the larger the better: the AUC of a classifier, and minus the loss, which decides
            between equal AUCs; None before the first.
        best_epoch: its number, from 1.
        history: one record per finished epoch.
    """

    epoch: int = 0
    step: int = 0
    loss: float = 0.0
    jets: int = 0
    seconds: float = 0.0
    cpu_seconds: float = 0.0
    rate: float = 0.0
    best_score: list[float] | None = None
    best_epoch: int = 0
    history: list[dict[str, Any]] = dataclasses.field(default_factory=list)

    @property
    def best(self) -> dict[str, Any] | None:
        """The record of the best epoch; None before the first."""
        return next((record for record in self.history if record["epoch"] == self.best_epoch), None)


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
    document = {
        "kind": KIND,
        "format": FORM.formats[-1],
        "fingerprint": fingerprint,
        "progress": dataclasses.asdict(checkpoint.progress),
        "tensors": {name: _sha256(tensor) for name, tensor in tensors.items()},
    }
    content = safetensors.torch.save(tensors, {"jetgram": FORM.pack(document).decode()})
    atomic.write_bytes(folder / CHECKPOINT, content)


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
    document, tensors = _read(file)
    if document["fingerprint"] != fingerprint:
        raise TrainingError(f"{file} is of a training with other settings or jets; choose another folder")
    for name, tensor in tensors.items():
        if name != "adam.steps" and (tensor.shape != (parameters,) or not torch.isfinite(tensor).all()):
            raise TrainingError(f"{file}: {name} is not {parameters} finite numbers")
    adam = {name: tensors[f"adam.{name}"] for name in ("mean", "square", "steps")}
    return Checkpoint(Progress(**document["progress"]), tensors["parameters"], tensors["best"], adam)


def _read(file: Path) -> tuple[dict[str, Any], dict[str, Tensor]]:
    """The document and the tensors of a checkpoint, if they are those that were written."""
    try:
        with safetensors.safe_open(file, framework="pt") as opened:
            document = FORM.open(opened.metadata()["jetgram"], file)
            tensors = {name: opened.get_tensor(name) for name in opened.offset_keys()}
    except (OSError, safetensors.SafetensorError, ValueError, KeyError, TypeError) as error:
        raise TrainingError(f"{file} is damaged, or no checkpoint of jetgram: {error}; {FORM.advice}") from None
    if {name: _sha256(tensor) for name, tensor in tensors.items()} != document["tensors"]:
        raise TrainingError(f"{file} is damaged: its numbers are not those that were written; {FORM.advice}")
    return document, tensors


def _sha256(tensor: Tensor) -> str:
    """Of the numbers, their type and their shape."""
    array = tensor.detach().cpu().numpy()
    return sha256_of(f"{array.dtype} {array.shape} ".encode() + array.tobytes())
