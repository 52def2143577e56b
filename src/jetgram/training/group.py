"""Processes that train one model together: each takes a share of every batch, and gradients are summed."""

from __future__ import annotations

import contextlib
import datetime
import os
from collections.abc import Iterator
from typing import Any, Protocol

import numpy as np
import torch
import torch.distributed
from torch import Tensor

from jetgram import backend
from jetgram.boundary import environment_number
from jetgram.errors import LostProcessError
from jetgram.training.shared_sum import SharedSum, Vector, connect_processes

MOST_PROCESSES = 10**6
PATIENCE = datetime.timedelta(days=7)  # the first process prepares the jets while the others wait


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
    """The processes that `torchrun` started: on one machine they share memory, on several they talk over gloo.

    Everything travels in one vector: the gradient, and behind it loss, jets and the wish to stop. All processes get the
    same bits, so that their weights stay equal.
    """

    def __init__(self) -> None:
        torch.distributed.init_process_group("gloo", timeout=PATIENCE)
        self.rank, self.size = torch.distributed.get_rank(), torch.distributed.get_world_size()
        neighbours = environment_number("LOCAL_WORLD_SIZE", 1, MOST_PROCESSES)
        os.environ.setdefault(backend.THREADS, str(max(1, backend.threads() // neighbours)))
        alone = neighbours == self.size  # on this machine
        self._sum = SharedSum(self.rank, connect_processes(self.rank, self.size)) if alone else GlooSum()

    def combine(self, gradient: Tensor, loss: float, jets: int, stop: bool) -> tuple[float, bool]:
        """Sum over processes, each weighted with its jets."""
        values = gradient.cpu().numpy()  # the same memory, unless the gradient is on another device
        with _all_present():
            row = self._sum.row(len(values) + 3, values.dtype)
            np.multiply(values, jets, out=row[:-3])
            row[-3:] = loss * jets, jets, stop
            total = self._sum.total()
        loss_sum, all_jets, stops = total[-3:].tolist()
        np.divide(total[:-3], all_jets, out=values)
        if not gradient.is_cpu:
            gradient.copy_(torch.from_numpy(values))
        return loss_sum / all_jets, stops > 0

    def wait(self) -> None:
        """Until all processes are here."""
        with _all_present():
            torch.distributed.barrier()

    def close(self) -> None:
        """Leave the group."""
        self._sum.close()
        torch.distributed.destroy_process_group()


class GlooSum:
    """Adds up the vectors of processes on several machines; the twin of `SharedSum`."""

    def __init__(self) -> None:
        self._row: Vector | None = None

    def row(self, length: int, dtype: np.dtype[Any]) -> Vector:
        """Where this process writes its vector before the next `total`."""
        if self._row is None:
            self._row = np.empty(length, dtype)
        return self._row

    def total(self) -> Vector:
        """The sum of the rows of all processes; it is in the row."""
        assert self._row is not None
        torch.distributed.all_reduce(torch.from_numpy(self._row))
        return self._row

    def close(self) -> None:
        """Nothing is open but the group itself."""


@contextlib.contextmanager
def _all_present() -> Iterator[None]:
    """Gloo and sockets notice at once when a process is gone, in words of their own."""
    try:
        yield
    except (RuntimeError, OSError) as error:
        raise LostProcessError(
            "another process of this training is gone; run the same command again with --resume to go on"
        ) from error


@contextlib.contextmanager
def open_group() -> Iterator[Group]:
    """The group that `torchrun` has put this process into; without it, a group of one."""
    if environment_number("WORLD_SIZE", 1, MOST_PROCESSES) == 1:
        yield SingleProcess()
        return
    with contextlib.closing(TorchGroup()) as group:
        yield group
