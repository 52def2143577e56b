"""Which momenta can be physical: checked before any algorithm sees them, because FastJet takes everything silently."""

from __future__ import annotations

from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from jetgram import backend, kinematics
from jetgram.errors import BadJetError
from jetgram.momenta import Momenta

M = TypeVar("M", bound=Momenta)

# E may fall short of |p| by what float32 storage or a few sums in float64 leave: relative to E.
ROUNDING = 1e-6
# In GeV. Squares of sums over any number of momenta below it, and products of such squares with angles, stay finite.
LARGEST = 1e100


def is_physical(momenta: NDArray[np.float64]) -> NDArray[np.bool_]:
    """Whether each momentum of `(n, 4)` is finite, below `LARGEST`, has E > 0, and E >= |p| up to rounding."""
    with np.errstate(invalid="ignore", over="ignore"):
        size = kinematics.momentum(momenta)
        energy = momenta[:, 3]
        physical: NDArray[np.bool_] = (size <= energy * (1 + ROUNDING)) & (energy > 0)
        return physical & (energy < LARGEST)


def faults(momenta: NDArray[np.float64]) -> NDArray[np.str_]:
    """What is wrong with each momentum of `(n, 4)`: an empty string where nothing is."""
    fault = np.full(len(momenta), "", dtype="<U24")
    with np.errstate(invalid="ignore", over="ignore"):
        size = kinematics.momentum(momenta)
        energy = momenta[:, 3]
        fault[size > energy * (1 + ROUNDING)] = "E < |p|"
        fault[energy < 0] = "E < 0"
        fault[(energy == 0) & (size == 0)] = "zero momentum"
        fault[(energy >= LARGEST) | (size >= LARGEST)] = "too large"
    fault[np.isinf(momenta).any(axis=1)] = "inf"
    fault[np.isnan(momenta).any(axis=1)] = "NaN"
    return fault


def is_bad(collection: Momenta, allow_empty: bool = False) -> NDArray[np.bool_]:
    """Whether each group holds a momentum that cannot be, or (unless allowed) none at all, shape `(groups,)`."""
    bad: NDArray[np.bool_] = (collection.multiplicity == 0) & (not allow_empty)
    core, _ = backend.load()  # the check is the same without, so nobody needs to be warned
    if core is not None and core.all_physical(collection.momenta, ROUNDING, LARGEST, backend.threads()):
        return bad
    bad[collection.group[~is_physical(collection.momenta)]] = True
    return bad


def require_good(collection: Momenta, what: str = "jet", allow_empty: bool = False) -> None:
    """Raise a `BadJetError` that names the first bad group, its fault and its value.

    Example:
        >>> import numpy as np
        >>> from jetgram.momenta import Jets
        >>> require_good(Jets(np.array([[0.0, 3.0, 4.0, 1.0]]), np.array([0, 1])))
        Traceback (most recent call last):
        jetgram.errors.BadJetError: jet 0, particle 0: E < |p| in (px, py, pz, E) = (0.0, 3.0, 4.0, 1.0); 1 of 1 bad
    """
    bad = is_bad(collection, allow_empty)
    if not bad.any():
        return
    first = int(np.argmax(bad))
    count = f"{np.count_nonzero(bad)} of {len(collection)} bad"
    group = collection[first]
    if len(group) == 0:
        raise BadJetError(f"{what} {first} is empty; {count}")
    fault = faults(group)
    particle = int(np.argmax(fault != ""))
    value = ", ".join(repr(float(x)) for x in group[particle])
    raise BadJetError(f"{what} {first}, particle {particle}: {fault[particle]} in (px, py, pz, E) = ({value}); {count}")


def drop_bad(collection: M) -> tuple[M, int]:
    """The good groups, and how many were dropped."""
    bad = is_bad(collection)
    return (collection[~bad] if bad.any() else collection), int(np.count_nonzero(bad))
