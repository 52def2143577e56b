"""FastJet's own clustering histories, for tests, validation and benchmarks.

FastJet's Python interface hides the history, but its wheel ships headers and library: `shim.cpp` is compiled against
them once, with the system's C++ compiler (`$CXX`, else `c++`), into the user's temporary directory.
"""

from __future__ import annotations

import ctypes
import functools
import hashlib
import os
import shutil
import subprocess
import tempfile
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

SOURCE = Path(__file__).with_name("shim.cpp")
POWERS = {"kt": 1, "ca": 0, "antikt": -1}


def histories(
    momenta: NDArray[np.float64], offsets: NDArray[np.int64], algorithm: str
) -> tuple[NDArray[np.float64], NDArray[np.int32]]:
    """Cluster each jet with FastJet, R = 100.

    Args:
        momenta: constituents of all jets, `(n, 4)`.
        offsets: first constituent of each jet and the end, `(jets + 1,)`.
        algorithm: `kt`, `ca` or `antikt`.

    Returns:
        Node momenta `(2 n - jets, 4)` and parents `(2 n - jets, 2)` in FastJet's order, -1 at particles: of jet j from
        row `2 offsets[j] - j` on, counted within the jet.
    """
    momenta = np.ascontiguousarray(momenta, dtype=np.float64)
    offsets = np.ascontiguousarray(offsets, dtype=np.int64)
    nodes = 2 * len(momenta) - (len(offsets) - 1)
    out, parents = np.empty((nodes, 4)), np.empty((nodes, 2), dtype=np.int32)
    broken = _library().fastjet_histories(
        momenta.ctypes.data,
        offsets.ctypes.data,
        len(offsets) - 1,
        POWERS[algorithm],
        out.ctypes.data,
        parents.ctypes.data,
    )
    if broken >= 0:
        raise ValueError(f"FastJet did not join jet {broken} into one tree: particles are further apart than R = 100")
    return out, parents


def compiler() -> str | None:
    """Path of the system's C++ compiler, or None."""
    return shutil.which(os.environ.get("CXX", "c++"))


@functools.cache
def _library() -> ctypes.CDLL:
    library = ctypes.CDLL(str(_build()))
    pointer, size = ctypes.c_void_p, ctypes.c_int64
    library.fastjet_histories.argtypes = [pointer, pointer, size, ctypes.c_int, pointer, pointer]
    library.fastjet_histories.restype = size
    return library


def _build() -> Path:
    """Compile `shim.cpp` unless this version of it, against this FastJet, is there already."""
    import fastjet

    wheel = Path(fastjet.__file__).parent
    libraries = next(path for path in (wheel / "lib64", wheel / "lib") if path.exists())
    key = hashlib.sha256(SOURCE.read_bytes() + str(wheel).encode() + fastjet.__version__.encode()).hexdigest()[:16]
    target = Path(tempfile.gettempdir()) / f"jetgram-fastjet-shim-{os.getuid()}" / f"shim-{key}.so"
    if target.exists():
        return target
    program = compiler()
    if program is None:
        raise RuntimeError("the comparison with FastJet needs a C++ compiler: set CXX or install one")
    target.parent.mkdir(mode=0o700, exist_ok=True)
    with tempfile.NamedTemporaryFile(dir=target.parent, suffix=".so", delete=False) as scratch:
        built = Path(scratch.name)
    command = [
        program,
        "-std=c++17",
        "-O3",
        "-shared",
        "-fPIC",
        f"-I{wheel / 'include'}",
        str(SOURCE),
        "-o",
        str(built),
    ]
    subprocess.run([*command, f"-L{libraries}", "-lfastjet", f"-Wl,-rpath,{libraries}"], check=True)
    built.replace(target)
    return target
