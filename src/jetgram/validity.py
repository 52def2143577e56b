"""Which momenta can be physical: checked before any algorithm sees them, because FastJet takes everything silently."""

from __future__ import annotations

import dataclasses
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from jetgram import backend, kinematics
from jetgram.classes import require_whole
from jetgram.coordinates import NEGATIVE_PT
from jetgram.errors import BadJetError
from jetgram.momenta import Jets, Momenta

M = TypeVar("M", bound=Momenta)

# E may fall short of |p| by what float32 storage or a few sums in float64 leave: relative to E.
ROUNDING = 1e-6
# What is beyond this is the rounding of float32, not of float64 (whose tail reaches 1e-11 in Pythia's photons).
SINGLE_PRECISION = 1e-8
# In GeV: medians beyond these are those of momenta in MeV; no collider makes such jets or events.
HARDEST_JETS, HARDEST_EVENTS = 1e4, 2e5
# In GeV. Squares of sums over any number of momenta below it, and products of such squares with angles, stay finite.
LARGEST = 1e100
# Columns that every group needs a number in, where there are such columns.
NEEDED = ("label", "weight")


def is_physical(momenta: NDArray[np.float64], rounding: float = ROUNDING) -> NDArray[np.bool_]:
    """Whether each momentum of `(n, 4)` is finite, below `LARGEST`, has E > 0, and E >= |p| up to rounding.

    Example:
        >>> short, nothing, unknown = [3.0, 4.0, 0.0, 4.9], [0.0, 0.0, 0.0, 0.0], [np.nan, 0.0, 0.0, 1.0]
        >>> is_physical(np.array([[3.0, 4.0, 0.0, 5.0], short, nothing, unknown]))
        array([ True, False, False, False])
    """
    with np.errstate(invalid="ignore", over="ignore"):
        size = kinematics.momentum(momenta)
        energy = momenta[:, 3]
        physical: NDArray[np.bool_] = (size <= energy * (1 + rounding)) & (energy > 0)
        return physical & (energy < LARGEST)


def all_physical(momenta: NDArray[np.float64], rounding: float = ROUNDING) -> bool:
    """Whether all of the momenta are physical, with E >= |p| up to this rounding.

    Example:
        >>> all_physical(np.array([[3.0, 4.0, 0.0, 5.0]])), all_physical(np.array([[3.0, 4.0, 0.0, 4.9]]))
        (True, False)
    """
    core, _ = backend.load()  # the check is the same without, so nobody needs to be warned
    if core is not None:
        return bool(core.all_physical(momenta, rounding, LARGEST, backend.threads()))
    return bool(is_physical(momenta, rounding).all())


def faults(momenta: NDArray[np.float64]) -> NDArray[np.str_]:
    """What is wrong with each momentum of `(n, 4)`: an empty string where nothing is.

    Example:
        >>> short, nothing, unknown = [3.0, 4.0, 0.0, 4.9], [0.0, 0.0, 0.0, 0.0], [np.nan, 0.0, 0.0, 1.0]
        >>> faults(np.array([[3.0, 4.0, 0.0, 5.0], short, nothing, unknown]))
        array(['', 'E < |p|', 'zero momentum', 'NaN'], dtype='<U24')
    """
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
    fault[(momenta == NEGATIVE_PT).all(axis=1)] = "pT < 0"
    return fault


def is_bad(collection: Momenta, allow_empty: bool = False) -> NDArray[np.bool_]:
    """Whether each group holds an unphysical momentum, or (unless allowed) none at all, shape `(groups,)`.

    Example:
        >>> is_bad(Jets.from_lists([[[3.0, 4.0, 0.0, 5.0]], [], [[3.0, 4.0, 0.0, 4.9]]]))
        array([False,  True,  True])
    """
    bad: NDArray[np.bool_] = (collection.multiplicity == 0) & (not allow_empty)
    if all_physical(collection.momenta, ROUNDING):
        return bad
    bad[collection.group[~is_physical(collection.momenta)]] = True
    return bad


def require_good(collection: Momenta, what: str = "jet", allow_empty: bool = False, first: int = 0) -> None:
    """Raise a `BadJetError` that names the first bad group, its fault and its value.

    Args:
        collection: of jets or events.
        what: a group is called in the message.
        allow_empty: groups without momenta are no fault.
        first: the number of the first group, when `collection` is a batch out of more.

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
    worst = int(np.argmax(bad))
    name = f"{what} {first + worst}"
    count = f"{np.count_nonzero(bad)} of {len(collection)} bad"
    group = collection[worst]
    if len(group) == 0:
        raise BadJetError(f"{name} is empty; {count}")
    fault = faults(group)
    particle = int(np.argmax(fault != ""))
    value = ", ".join(repr(float(x)) for x in group[particle])
    raise BadJetError(
        f"{name}, particle {particle}: {fault[particle]} in (px, py, pz, E) = ({value}); {count}"
        f"{suspect_energy_first(collection.momenta)}"
    )


def suspect_energy_first(
    momenta: NDArray[np.float64], advice: str = "Jets.from_padded(x, 'Epxpypz') takes any order"
) -> str:
    """What to say of unphysical momenta `(n, 4)` that most likely are (E, px, py, pz); empty if they are not.

    Args:
        momenta: as (px, py, pz, E).
        advice: what to do.

    Example:
        >>> suspect_energy_first(np.array([[5.0, 3.0, 4.0, 0.0], [0.0, 0.0, 0.0, 0.0]]))
        "; 1 of the 1 momenta would be physical as (E, px, py, pz): is E the first column? ..."
    """
    filled = momenta[np.any(momenta != 0, axis=1)]
    as_first = np.count_nonzero(is_physical(filled[:, [1, 2, 3, 0]]))
    if 2 * np.count_nonzero(is_physical(filled)) > len(filled) or 10 * as_first < 9 * len(filled) or not len(filled):
        return ""
    return (
        f"; {as_first:,} of the {len(filled):,} momenta would be physical as (E, px, py, pz): is E the first column? "
        f"{advice}"
    )


def suspect_mev(collection: Momenta) -> str:
    """What to say of rows whose momenta look like MeV; empty if they do not.

    Example:
        >>> import numpy as np
        >>> from jetgram.momenta import Jets
        >>> suspect_mev(Jets(np.array([[3e5, 0.0, 0.0, 3e5]]), np.array([0, 1])))
        'the median pT of 1 jets is 300,000 GeV: are the momenta in MeV?'
    """
    rows = collection[:1000]
    if not len(rows):
        return ""
    of_jets = isinstance(rows, Jets)
    quantity, limit = (kinematics.pt(rows.total), HARDEST_JETS) if of_jets else (rows.total[:, 3], HARDEST_EVENTS)
    median = float(np.median(quantity))
    if not median > limit:
        return ""
    what = f"pT of {len(rows)} jets" if of_jets else f"energy of {len(rows)} events"
    return f"the median {what} is {median:,.0f} GeV: are the momenta in MeV?"


def with_settled_energies(collection: M) -> M:
    r"""The same momenta with E = |p| where E falls short of it by the rounding of single precision.

    A boost would enlarge the shortfall: by $(E / E')^2$, 700 times for a jet at $\eta = 4$. Momenta that are
    exact to double precision stay as they are, bit for bit, and so do unphysical ones.

    Example:
        >>> import numpy as np
        >>> from jetgram.momenta import Jets
        >>> photon = np.array([[0.1, 0.2, 3.3, np.sqrt(0.01 + 0.04 + 3.3**2)]], dtype=np.float32)
        >>> photon[0, 3] = np.nextafter(photon[0, 3], 0, dtype=np.float32)
        >>> jets = with_settled_energies(Jets(photon, np.array([0, 1])))
        >>> bool(jets.momenta[0, 3] == np.sqrt(np.sum(jets.momenta[0, :3] ** 2)))
        True
    """
    if all_physical(collection.momenta, SINGLE_PRECISION):
        return collection
    momenta = settle_energies(collection.momenta, SINGLE_PRECISION, ROUNDING)
    return dataclasses.replace(collection, momenta=momenta)


def settle_energies(momenta: NDArray[np.float64], least: float, most: float = np.inf) -> NDArray[np.float64]:
    """The momenta `(n, 4)` with E = |p| where |p| is more than `least`, at most `most` above E, relative to E.

    Example:
        >>> settle_energies(np.array([[3.0, 4.0, 0.0, 4.9999999], [3.0, 4.0, 0.0, 4.9]]), 1e-8, 1e-6)
        array([[3. , 4. , 0. , 5. ],
               [3. , 4. , 0. , 4.9]])
    """
    with np.errstate(invalid="ignore", over="ignore"):
        size, energy = kinematics.momentum(momenta), momenta[:, 3]
        short = (size > energy * (1 + least)) & (size <= energy * (1 + most)) & (energy > 0) & (size < LARGEST)
    settled = momenta.copy()
    settled[short, 3] = size[short]
    return settled


def drop_bad(collection: M) -> tuple[M, int]:
    """The good groups, and how many were dropped.

    Example:
        >>> good, dropped = drop_bad(Jets.from_lists([[[3.0, 4.0, 0.0, 5.0]], [[3.0, 4.0, 0.0, 4.9]]]))
        >>> good.pt, dropped
        (array([5.]), 1)
    """
    bad = is_bad(collection)
    return (collection[~bad] if bad.any() else collection), int(np.count_nonzero(bad))


def lacks_class_or_weight(collection: Momenta) -> NDArray[np.bool_]:
    """Whether the `label` or the `weight` of each group is NaN or infinite, shape `(groups,)`.

    Example:
        >>> jets = Jets.from_lists([[[3.0, 4.0, 0.0, 5.0]], [[3.0, 4.0, 0.0, 5.0]]])
        >>> lacks_class_or_weight(jets.with_columns(label=[1, 0], weight=[1.0, np.nan]))
        array([False,  True])
    """
    lacking = np.zeros(len(collection), dtype=np.bool_)
    for name in NEEDED:
        values = np.asarray(collection.columns.get(name, ()))
        if values.dtype.kind == "f" and values.size:
            lacking |= ~np.isfinite(values).reshape(len(values), -1).all(axis=1)
    return lacking


def require_classes_and_weights(collection: Momenta, what: str = "jet") -> None:
    """Raise a `BadJetError` that names the first group without a number as class or weight, and how many there are.

    The number of a class is whole.

    Example:
        >>> import numpy as np
        >>> from jetgram.momenta import Jets
        >>> columns = {"label": np.array([np.nan])}
        >>> require_classes_and_weights(Jets(np.array([[0.0, 3.0, 4.0, 5.0]]), np.array([0, 1]), columns))
        Traceback (most recent call last):
        jetgram.errors.BadJetError: jet 0: the label is nan; 1 of 1 without a label or weight: leave them out
    """
    for name in NEEDED:
        values = np.asarray(collection.columns.get(name, 0))
        kind = values.dtype
        if values.ndim > 1:
            raise BadJetError(f"{what}s: the {name} has shape {values.shape}; expected one number for each")
        if kind.kind not in "biuf":
            raise BadJetError(
                f"{what}s: the {name} is of type {kind}; expected numbers. "
                "np.unique(names, return_inverse=True) gives the names of classes, and the number of each"
            )
    require_whole(np.asarray(collection.columns.get("label", 0)), what=what)
    lacking = lacks_class_or_weight(collection)
    if not lacking.any():
        return
    first = int(np.argmax(lacking))
    said = {name: collection.columns[name][first] for name in NEEDED if name in collection.columns}
    name = next(name for name, value in said.items() if not np.isfinite(value).all())
    raise BadJetError(
        f"{what} {first}: the {name} is {said[name]}; {np.count_nonzero(lacking):,} of {len(collection):,} "
        "without a label or weight: leave them out"
    )
