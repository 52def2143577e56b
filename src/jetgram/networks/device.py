"""Where PyTorch computes: the CPU, or an accelerator that it finds.

A device is no setting of a model: the same model is trained and applied on any. Its file and its digest do not say
where it was. On the CPU the native engine works where it can, elsewhere PyTorch.
"""

from __future__ import annotations

import torch

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
