"""Which engine runs: the native one where it can stand in for a network, else PyTorch.

It can where the exact type of every module declares a kernel, and nothing is attached to any of them. A kernel computes
what the stock modules compute. A subclass may compute something else, and so may a module with hooks, with a
parametrized weight, with a replaced layer or with a method of its own: these run in PyTorch.
"""

from __future__ import annotations

import functools
from typing import Literal

import numpy as np
import torch
from torch import nn
from torch.nn.modules import module as module_globals

from jetgram import backend
from jetgram.errors import SettingsError, require_known
from jetgram.inputs.representation import Representation

EngineName = Literal["auto", "native", "torch"]
ENGINES: tuple[EngineName, ...] = ("auto", "native", "torch")

PLAIN = (nn.Linear, nn.ModuleList)  # PyTorch's own, which the kernels of heads know


def kernel_of(module: nn.Module) -> str | None:
    """The kernel that the exact type of a module declares as `kernel`; a subclass has none but its own.

    Example:
        >>> from jetgram.networks.cells import Simple
        >>> class Changed(Simple):
        ...     def forward(self, children, u):
        ...         return u
        >>> kernel_of(Simple()), kernel_of(Changed())
        ('simple', None)
    """
    kernel: str | None = vars(type(module)).get("kernel")
    return kernel


def obstacle(module: nn.Module, inputs: Representation | None = None) -> str:
    """Why the native engine cannot stand in for a module with all that is inside it (on these inputs), or empty.

    Args:
        module: a cell, or a network.
        inputs: trees or events.
    """
    return _examined(module, inputs)[0]


def attached(module: nn.Module) -> str:
    """What of a module, or of one inside it, is not as the kernels know it; empty if everything is."""
    return _walked(module)[0]


def _examined(module: nn.Module, inputs: Representation | None) -> tuple[str, list[nn.Parameter]]:
    """The `obstacle` of a module; where there is none, its weights, as `module.parameters()` gives them."""
    if backend.native_core() is None:
        return f"the native core is missing ({backend.load()[1]})", []
    changed, weights = _walked(module)
    if changed:
        return changed, []
    for weight in weights:
        if weight.dtype is not torch.float32 or not weight.is_cpu:
            return f"it needs weights in float32 on the CPU; found {weight.dtype} on {weight.device}", []
    if inputs is not None and inputs.dtype != np.float32:
        return f"it needs features in float32; found {inputs.dtype}", []
    return "", weights


def _walked(module: nn.Module) -> tuple[str, list[nn.Parameter]]:
    """What is `attached` to a module, and the weights of what was looked at.

    Every call of a network asks this: one pass over the dictionaries of the modules, in PyTorch's order, whose own
    iterators would take longer than a small batch of jets.
    """
    if module_globals._has_any_global_hook():  # type: ignore[no-untyped-call]
        return "PyTorch has hooks for all modules, which it would not call", []
    weights: list[nn.Parameter] = []
    left = [module]
    while left:
        part = left.pop()
        kind, found = type(part), part.__dict__
        has_kernel, methods = _known(kind)  # type: ignore[arg-type]
        if not has_kernel:
            return f"{kind.__name__} has no native kernels", weights
        if (
            found["_forward_hooks"]
            or found["_forward_pre_hooks"]
            or found["_backward_hooks"]
            or found["_backward_pre_hooks"]
        ):
            return f"this {kind.__name__} has hooks, which it would not call", weights
        if not methods.isdisjoint(found):
            return f"this {kind.__name__} has a {min(methods.intersection(found))} of its own", weights
        for name, weight in found["_parameters"].items():
            if weight is None:
                continue
            if weight._backward_hooks or weight._post_accumulate_grad_hooks:
                return f"{name} of this {kind.__name__} has hooks, which it would not call", weights
            weights.append(weight)
        left += [inside for inside in reversed(found["_modules"].values()) if inside is not None]
    if len(set(map(id, weights))) < len(weights):  # one weight in two places counts once
        weights = list({id(weight): weight for weight in weights}.values())
    return "", weights


@functools.cache
def _known(kind: type) -> tuple[bool, frozenset[str]]:
    """Whether the kernels know a class, and its methods: an object replaces one by a name in its own dictionary."""
    names = frozenset(name for name in dir(kind) if not name.startswith("__") and callable(getattr(kind, name)))
    return kind in PLAIN or "kernel" in vars(kind), names


def choose_engine(
    module: nn.Module, engine: EngineName = "auto", inputs: Representation | None = None
) -> Literal["native", "torch"]:
    """`native` or `torch`: what was asked for, or what `auto` means for this cell or network (on these inputs)."""
    return "torch" if native_weights(module, engine, inputs) is None else "native"


def native_weights(
    module: nn.Module, engine: EngineName = "auto", inputs: Representation | None = None
) -> list[nn.Parameter] | None:
    """The weights of a cell or network, in PyTorch's order, if the native engine is to work with them; else None."""
    require_known("no engine", engine, ENGINES)
    if engine == "torch":
        return None
    reason, weights = _examined(module, inputs)
    if not reason:
        return weights
    if engine == "native":
        raise SettingsError(f"the native engine cannot work here: {reason}")
    return None
