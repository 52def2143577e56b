"""The native core: is it there, and which path does it use, on which processor?

Everything in jetgram that the core computes has a slower twin in Python: the same trees, and the same scores up to
rounding. `native_core` is the one place that decides: it returns the compiled module, or None after one clear warning.
"""

import functools
import importlib.util
import os
import platform
import warnings
from pathlib import Path
from types import ModuleType

from jetgram.boundary import environment_number

THREADS = "JETGRAM_THREADS"
MOST_THREADS = 1024


class NativeCoreWarning(UserWarning):
    """The native core is missing: the same results up to rounding, but slow."""


@functools.cache
def load() -> tuple[ModuleType | None, str]:
    """The compiled module and an empty reason, or None and the reason why it is missing."""
    if os.environ.get("JETGRAM_NO_NATIVE"):
        return None, "switched off by the environment variable JETGRAM_NO_NATIVE"
    if importlib.util.find_spec("jetgram._native") is None:
        return None, "it was not built"
    try:
        from jetgram import _native  # type: ignore[attr-defined,unused-ignore]
    except ImportError as error:
        return None, str(error)
    return _native, ""


@functools.cache
def native_core() -> ModuleType | None:
    """The compiled module, or None; the first call without it warns."""
    module, reason = load()
    if module is None:
        warnings.warn(
            f"jetgram runs without its native core ({reason}): trees are the same and scores agree to about 1e-6, "
            "but both are slow. "
            "To build it, install a C++ compiler and reinstall jetgram; `jetgram doctor` shows the state.",
            NativeCoreWarning,
            stacklevel=3,
        )
    return module


def use_threads(count: int) -> None:
    """Use so many threads for native calls, in this process and in those that it starts."""
    os.environ[THREADS] = str(count)


def threads() -> int:
    """Threads for native calls: the variable JETGRAM_THREADS, else the cores this process may use."""
    return environment_number(THREADS, len(os.sched_getaffinity(0)), MOST_THREADS)


def processor() -> str:
    """The processor as the system names it."""
    try:
        lines = Path("/proc/cpuinfo").read_text().splitlines()
    except OSError:
        lines = []
    names = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    return names[0] if names else platform.processor() or platform.machine()


def cpu_path() -> str:
    """The instruction set that the native core uses, e.g. `avx2`; `none` without the core."""
    core, _ = load()
    return str(core.cpu_path()) if core else "none"
