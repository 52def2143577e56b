"""Where PyTorch computes: the CPU, or an accelerator that it finds; and in which threads of a forked process.

A device is not a setting of a model: the same model is trained and applied on any. Its file and its digest do not say
where it was. On the CPU the native engine works where it can, elsewhere PyTorch.

A fork copies the memory of PyTorch's pool of threads but not the threads, and a child that hands work to them waits
forever. A forked child therefore computes with PyTorch in its one thread; `torch.set_num_threads` changes that at its
own risk. The native core starts new threads in a child and needs none of this.
"""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator

import torch

from jetgram import backend
from jetgram.errors import SettingsError

CPU = "cpu"


def find_device(name: str = CPU) -> torch.device:
    """The device of a name, or a `SettingsError` that says which ones there are.

    Args:
        name: as PyTorch calls it: `cpu`, `cuda`, `cuda:1`, `mps`.

    Example:
        >>> find_device("cpu")
        device(type='cpu')
        >>> find_device("gpu")
        Traceback (most recent call last):
        jetgram.errors.SettingsError: device = 'gpu': found cpu...; expected one that PyTorch knows
    """
    found = found_devices()
    try:
        device = torch.device(name)
    except (RuntimeError, TypeError):
        raise SettingsError(f"device = {name!r}: found {_listed(found)}; expected one that PyTorch knows") from None
    if device.type not in (each.partition(":")[0] for each in found):
        raise SettingsError(f"device = {name!r}: found {_listed(found)}; take one of these, or another machine")
    if device.index is not None and device.type != CPU and name not in found:
        raise SettingsError(f"device = {name!r}: found {_listed(found)}")
    return device


def found_devices() -> tuple[str, ...]:
    """The devices of this machine that PyTorch can use, the CPU first."""
    accelerator = torch.accelerator.current_accelerator(check_available=True)
    if accelerator is None:
        return (CPU,)
    return CPU, *(f"{accelerator.type}:{number}" for number in range(torch.accelerator.device_count()))


def _listed(found: tuple[str, ...]) -> str:
    return f"{CPU} only" if found == (CPU,) else ", ".join(found)


def use_one_thread() -> None:
    """Compute with PyTorch in the calling thread alone; each forked child of this process begins with this call."""
    torch.set_num_threads(1)


os.register_at_fork(after_in_child=use_one_thread)


@contextlib.contextmanager
def using_threads(count: int) -> Iterator[None]:
    """Inside the block the native core and PyTorch use so many threads.

    Example:
        >>> from jetgram import backend
        >>> with using_threads(3):
        ...     backend.threads()
        3
    """
    wish, torch_threads = os.environ.get(backend.THREADS), torch.get_num_threads()
    backend.use_threads(count)
    torch.set_num_threads(count)
    try:
        yield
    finally:
        torch.set_num_threads(torch_threads)
        del os.environ[backend.THREADS]
        if wish is not None:
            os.environ[backend.THREADS] = wish
