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
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

SOURCE = Path(__file__).with_name("shim.cpp")
POWERS = {"kt": 1, "ca": 0, "antikt": -1}


class History(NamedTuple):
    """FastJet's histories of many jets; of jet j from row `2 offsets[j] - j` on, in the order of the joins.

    Args:
        momenta: of all nodes, `(2 n - jets, 4)`.
        parents: the two nodes that were joined, counted within the jet, `(2 n - jets, 2)`; -1 at particles.
        joined: whether FastJet made one tree of each jet, `(jets,)`; if not, the rest of its rows means nothing.
    """

    momenta: NDArray[np.float64]
    parents: NDArray[np.int32]
    joined: NDArray[np.bool_]


def histories(
    momenta: NDArray[np.float64], offsets: NDArray[np.int64], algorithm: str, *, plain: bool = False
) -> History:
    """Cluster each jet with FastJet, R = 100.

    Args:
        momenta: constituents of all jets, `(n, 4)`.
        offsets: first constituent of each jet and the end, `(jets + 1,)`.
        algorithm: `kt`, `ca` or `antikt`.
        plain: use FastJet's strategy `N2Plain` whatever the size of the jet, instead of the one it thinks fastest.
    """
    momenta = np.ascontiguousarray(momenta, dtype=np.float64)
    offsets = np.ascontiguousarray(offsets, dtype=np.int64)
    jets, nodes = len(offsets) - 1, 2 * len(momenta) - (len(offsets) - 1)
    result = History(np.empty((nodes, 4)), np.empty((nodes, 2), dtype=np.int32), np.empty(jets, dtype=np.bool_))
    inputs = momenta.ctypes.data, offsets.ctypes.data, jets, POWERS[algorithm], plain
    _library().fastjet_histories(*inputs, *(array.ctypes.data for array in result))
    return result


def compiler() -> str | None:
    """Path of the system's C++ compiler, or None."""
    return shutil.which(os.environ.get("CXX", "c++"))


@functools.cache
def _library() -> ctypes.CDLL:
    library = ctypes.CDLL(str(_build()))
    pointer, size = ctypes.c_void_p, ctypes.c_int64
    library.fastjet_histories.argtypes = [pointer, pointer, size, ctypes.c_int, ctypes.c_int, pointer, pointer, pointer]
    library.fastjet_histories.restype = None
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
