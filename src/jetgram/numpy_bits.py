"""NumPy without AVX-512, for what must have the same bytes on every machine.

On processors with AVX-512, NumPy computes logarithms, sines and the like with other code, whose last bits differ from
those of all other x86 processors. It chooses when it is imported, from the environment: so the choice is that of a new
process. `numpy.log` of a running one stays as it is.
"""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator, Mapping
from importlib import import_module

VARIABLE = "NPY_DISABLE_CPU_FEATURES"


def wide_features() -> list[str]:
    """The instruction sets with AVX-512 that NumPy uses in this process."""
    core = import_module("numpy._core._multiarray_umath")  # where numpy.show_runtime looks
    chosen: list[str] = core.__cpu_dispatch__
    available: Mapping[str, bool] = core.__cpu_features__
    return [name for name in chosen if available.get(name) and _is_wide(name)]


def _is_wide(name: str) -> bool:
    return name.startswith("AVX512") or name == "X86_V4"


def environment() -> dict[str, str]:
    """What to add to the environment of a new process, so that its NumPy does without AVX-512."""
    wide = wide_features()
    return {VARIABLE: " ".join([*os.environ.get(VARIABLE, "").split(), *wide])} if wide else {}


@contextlib.contextmanager
def for_new_processes() -> Iterator[None]:
    """Processes started within the block have a NumPy without AVX-512."""
    before = {name: os.environ.get(name) for name in environment()}
    os.environ.update(environment())
    try:
        yield
    finally:
        for name, value in before.items():
            if value is None:
                del os.environ[name]
            else:
                os.environ[name] = value
