"""Sums of vectors over the processes of one machine, through memory that all of them see.

Each process writes its vector into its own row of a shared table, sends one byte to every other process, waits for one
byte of each, and adds up the rows in the order of ranks: all processes get the same bits, in every run. Two tables are
used in turn, so that a process that is ahead writes where nobody reads any more: it has the bytes of all others, and
they send them when they are done with the sum before.

Memory and sockets have no names in the file system. A process that is killed leaves nothing behind, and the others see
at once that its socket has ended.
"""

from __future__ import annotations

import mmap
import os
import secrets
import socket
import struct
import time
from collections.abc import Mapping
from typing import Any

import numpy as np
import torch
import torch.distributed
from numpy.typing import NDArray

Vector = NDArray[np.floating[Any]]

TABLES = 2
READY = b"."
AWAKE = 0.0005  # seconds that a process waits before it sleeps


class SharedSum:
    """Adds up the vectors of the processes of one machine.

    Args:
        rank: of this process, from 0.
        others: a connected Unix socket to each other process, by its rank.
    """

    def __init__(self, rank: int, others: Mapping[int, socket.socket]) -> None:
        self._rank, self._others = rank, others
        self._tables: Vector | None = None
        self._turn = 0

    def row(self, length: int, dtype: np.dtype[Any]) -> Vector:
        """Where this process writes its vector before the next `total`.

        Args:
            length: of the vectors of all processes, the same in all calls.
            dtype: of their numbers, likewise.
        """
        if self._tables is None:
            self._tables = self._shared_tables(length, dtype)
        row: Vector = self._tables[self._turn, self._rank]
        return row

    def total(self) -> Vector:
        """The sum of the rows of all processes; a `ConnectionError` if one of these is gone."""
        assert self._tables is not None
        table = self._tables[self._turn]
        self._turn = (self._turn + 1) % TABLES
        self._meet()
        total: Vector = table[0].copy()
        for row in table[1:]:
            total += row
        return total

    def close(self) -> None:
        """End the connections."""
        for other in self._others.values():
            other.close()

    def _meet(self) -> None:
        """Wait until all processes have written; the calls to the kernel also put the memory in order."""
        for other in self._others.values():
            other.send(READY)
        for rank, other in self._others.items():
            if not _received(other):
                raise ConnectionResetError(f"process {rank} is gone")

    def _shared_tables(self, length: int, dtype: np.dtype[Any]) -> Vector:
        """The tables, `(2, processes, length)`, in memory that the first process makes and hands to the others."""
        shape = (TABLES, len(self._others) + 1, length)
        nbytes = int(np.prod(shape)) * dtype.itemsize
        memory = self._own_memory(nbytes) if self._rank == 0 else self._received_memory()
        try:
            return np.frombuffer(mmap.mmap(memory, nbytes), dtype=dtype).reshape(shape)
        finally:
            os.close(memory)

    def _own_memory(self, nbytes: int) -> int:
        memory = os.memfd_create("jetgram")
        os.ftruncate(memory, nbytes)
        for other in self._others.values():
            socket.send_fds(other, [READY], [memory])
        return memory

    def _received_memory(self) -> int:
        _, found, *_ = socket.recv_fds(self._others[0], len(READY), 1)
        if not found:
            raise ConnectionResetError("process 0 is gone")
        return found[0]


def _received(other: socket.socket) -> bytes:
    """The byte of another process, none if it is gone.

    Processes that share their work evenly wait for a few microseconds, and a core that has gone to sleep takes longer
    to wake up. So this one stays awake for a while, without keeping the core from anybody who needs it.
    """
    end = time.monotonic() + AWAKE
    while time.monotonic() < end:
        try:
            return other.recv(1, socket.MSG_DONTWAIT)
        except BlockingIOError:
            os.sched_yield()
    return other.recv(1)


def connect_processes(rank: int, size: int) -> dict[int, socket.socket]:
    """A socket to each other process of this machine, by its rank; the processes are those of `torch.distributed`.

    Args:
        rank: of this process.
        size: how many there are, all on this machine.
    """
    key = torch.frombuffer(bytearray(secrets.token_bytes(16)), dtype=torch.uint8)
    torch.distributed.broadcast(key, src=0)
    name = f"\0jetgram-{bytes(key.tolist()).hex()}-"  # Linux keeps such names outside the file system
    found: dict[int, socket.socket] = {}
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(f"{name}{rank}")
        listener.listen(size)
        torch.distributed.barrier()  # all are listening
        for other in range(rank):
            found[other] = socket.socket(socket.AF_UNIX)
            found[other].connect(f"{name}{other}")
            found[other].sendall(struct.pack("i", rank))
        while len(found) < size - 1:
            stranger, _ = listener.accept()
            _, user, _ = struct.unpack("3i", stranger.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, 12))
            if user != os.getuid():
                stranger.close()
                continue
            (other,) = struct.unpack("i", stranger.recv(4, socket.MSG_WAITALL))
            found[other] = stranger
    return found
