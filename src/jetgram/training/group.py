"""Processes that train one model together: each takes a share of every batch, and gradients are summed."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator
from typing import Protocol

import torch
import torch.distributed
from torch import Tensor

from jetgram import backend
from jetgram.boundary import environment_number
from jetgram.errors import LostProcessError
from jetgram.training.feed import Batch

MOST_PROCESSES = 10**6


class Group(Protocol):
    """The processes of a training."""

    @property
    def rank(self) -> int:
        """The number of this process; 0 writes files and shows progress."""
        ...

    @property
    def size(self) -> int:
        """How many there are."""
        ...

    def combine(self, gradient: Tensor, loss: float, jets: int, stop: bool) -> tuple[float, bool]:
        """Mean of gradient (in place) and loss over the jets of all processes, and whether one wants to stop."""
        ...

    def wait(self) -> None:
        """Until all processes are here."""
        ...


class SingleProcess:
    """A process of its own."""

    rank, size = 0, 1

    def combine(self, gradient: Tensor, loss: float, jets: int, stop: bool) -> tuple[float, bool]:
        """The same."""
        return loss, stop

    def wait(self) -> None:
        """For nobody."""


class TorchGroup:
    """The processes that `torchrun` started, over gloo.

    Everything travels in one vector: the gradient, and behind it loss, jets and the wish to stop. All processes get the
    same bits, so that their weights stay equal.
    """

    def __init__(self) -> None:
        torch.distributed.init_process_group("gloo")
        self.rank, self.size = torch.distributed.get_rank(), torch.distributed.get_world_size()
        cores = backend.threads() // environment_number("LOCAL_WORLD_SIZE", 1, MOST_PROCESSES)
        os.environ.setdefault("JETGRAM_THREADS", str(max(1, cores)))

    def combine(self, gradient: Tensor, loss: float, jets: int, stop: bool) -> tuple[float, bool]:
        """Sum over processes, each weighted with its jets."""
        tail = gradient.new_tensor([loss * jets, jets, stop])
        vector = torch.cat([gradient * jets, tail])
        with _all_present():
            torch.distributed.all_reduce(vector)
        loss_sum, all_jets, stops = vector[-3:].tolist()
        torch.div(vector[:-3], all_jets, out=gradient)
        return loss_sum / all_jets, stops > 0

    def wait(self) -> None:
        """Until all processes are here."""
        with _all_present():
            torch.distributed.barrier()


@contextlib.contextmanager
def _all_present() -> Iterator[None]:
    """Gloo notices at once when a process is gone, in words of its own."""
    try:
        yield
    except RuntimeError as error:
        raise LostProcessError(
            "another process of this training is gone; run the same command again with --resume to go on"
        ) from error


@contextlib.contextmanager
def open_group() -> Iterator[Group]:
    """The group that `torchrun` has put this process into; without it, a group of one."""
    if environment_number("WORLD_SIZE", 1, MOST_PROCESSES) == 1:
        yield SingleProcess()
        return
    try:
        yield TorchGroup()
    finally:
        if torch.distributed.is_initialized():
            torch.distributed.destroy_process_group()


def share(batch: Batch, group: Group) -> Batch:
    """The part of a batch that is for this process; maybe none."""
    if group.size == 1:
        return batch
    mine = slice(group.rank, None, group.size)
    changed = {name: values[mine] for name, values in batch._asdict().items() if name != "trees" and values is not None}
    return batch._replace(**changed)
