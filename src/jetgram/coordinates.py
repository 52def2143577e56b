r"""Four-momenta out of the coordinates that people keep: Cartesian, or transverse momentum, angle and azimuth.

A momentum is `px, py, pz` or `pt`, `eta` (or the rapidity `y`) and `phi`; with `E`, with `mass`, with a PDG id `pdgid`
that tells the mass, or with none of them: then it is massless. Every function here computes in float64.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from jetgram.errors import BadJetError, SettingsError
from jetgram.extras import needed_for
from jetgram.ragged import real_numbers

Array = NDArray[np.float64]

NEGATIVE_PT = (0.0, 0.0, 0.0, -np.inf)  # the momentum that stands for pT < 0, by which it is known to be unphysical
BLOCK = 1 << 14  # momenta that are computed at once: all arrays on the way fit into a core's cache

# What files call each coordinate, in lower case. ET is that of a massless tower, so it is its pT.
SPELLINGS: Mapping[str, tuple[str, ...]] = {
    "px": ("px",),
    "py": ("py",),
    "pz": ("pz",),
    "E": ("energy", "e"),
    "pt": ("pt", "et"),
    "eta": ("eta",),
    "y": ("rapidity", "rap", "y"),
    "phi": ("phi",),
    "mass": ("mass", "m"),
    "pdgid": ("pdgid", "pid"),
    "mask": ("mask",),
}
_CANONICAL = {spelling: name for name, spellings in SPELLINGS.items() for spelling in spellings}

# In GeV (Particle Data Group, 2024), of what reaches a detector; of the rest the package `particle` knows the masses.
MASSES: Mapping[int, float] = {
    0: 0.0,  # no id
    11: 0.00051099895,
    12: 0.0,
    13: 0.1056583755,
    14: 0.0,
    16: 0.0,
    22: 0.0,
    111: 0.1349768,
    130: 0.497611,
    211: 0.13957039,
    310: 0.497611,
    311: 0.497611,
    321: 0.493677,
    2112: 0.93956542,
    2212: 0.93827209,
    3112: 1.197449,
    3122: 1.115683,
    3212: 1.192642,
    3222: 1.18937,
    3312: 1.32171,
    3322: 1.31486,
    3334: 1.67245,
}

NEUTRINOS = (12, 14, 16)  # which no detector sees

_TABLE = np.full(max(MASSES) + 2, np.nan)  # by id, faster than a search; the last is of all ids beyond
_TABLE[list(MASSES)] = list(MASSES.values())


def canonical(name: str) -> str | None:
    """The coordinate that a name means; None if it means none.

    Example:
        >>> canonical("Energy"), canonical("PT"), canonical("pdgId"), canonical("charge")
        ('E', 'pt', 'pdgid', None)
    """
    return _CANONICAL.get(name.lower())


def parse_order(order: str | Sequence[str]) -> tuple[str, ...]:
    """The coordinates of an order of columns; names that are no coordinates stay as they are.

    Args:
        order: names as a sequence, separated by commas, or, if all are coordinates, without anything between them.

    Example:
        >>> parse_order("Epxpypz"), parse_order("ptyphipid")
        (('E', 'px', 'py', 'pz'), ('pt', 'y', 'phi', 'pdgid'))
        >>> parse_order("pt,eta,phi,charge")
        ('pt', 'eta', 'phi', 'charge')
    """
    if not isinstance(order, str):
        names = list(order)
    elif "," in order:
        names = [name.strip() for name in order.split(",")]
    else:
        names = _tokens(order.lower())
        if not names:
            known = ", ".join(SPELLINGS)
            raise SettingsError(f"order {order!r} is not made of {known}; expected e.g. Epxpypz, ptetaphim, ptyphipid")
    found = tuple(canonical(name) or name for name in names)
    twice = next((name for name in found if found.count(name) > 1), None)
    if twice:
        raise SettingsError(f"order {order!r} has {twice} twice")
    return found


def _tokens(text: str) -> list[str]:
    """The text cut into spellings of coordinates, the longest first; nothing if it cannot be cut."""
    for spelling in sorted(_CANONICAL, key=len, reverse=True):
        if text == spelling:
            return [spelling]
        if text.startswith(spelling) and (rest := _tokens(text.removeprefix(spelling))):
            return [spelling, *rest]
    return []


def momentum_names(names: Sequence[str]) -> tuple[str, ...] | None:
    """The coordinates among these that make a momentum, or None.

    Example:
        >>> momentum_names(["pt", "eta", "phi", "charge", "mass"])
        ('pt', 'eta', 'phi', 'mass')
        >>> momentum_names(["pt", "phi"]) is None
        True
    """
    base = ("px", "py", "pz") if {"px", "py", "pz"} <= {*names} else None
    if base is None:
        angle = next((name for name in ("eta", "y") if name in names), None)
        base = ("pt", angle, "phi") if angle and {"pt", "phi"} <= {*names} else None
    if base is None:
        return None
    scale = next(((name,) for name in ("E", "mass", "pdgid") if name in names), ())
    return (*base, *scale)


def to_momenta(values: Mapping[str, NDArray[Any]], gev: float = 1.0) -> Array:
    r"""Momenta `(..., 4)` from arrays of coordinates of one shape.

    A negative mass stands for a negative mass squared, $E^2 = |p|^2 - m^2$, as is the custom in experiments. Without a
    transverse momentum a pseudorapidity says nothing: such a momentum is zero. A negative one is unphysical, and so is
    what it makes (`NEGATIVE_PT`).

    Args:
        values: the coordinates.
        gev: one GeV in their unit, for the masses of PDG ids.

    Example:
        >>> to_momenta({"pt": np.array([5.0]), "y": np.array([0.0]), "phi": np.array([0.0]), "mass": np.array([12.0])})
        array([[ 5.,  0.,  0., 13.]])
    """
    names = momentum_names(list(values))
    if names is None:
        raise SettingsError(
            f"{', '.join(values) or 'nothing'} makes no momentum; expected px, py, pz, or pt, eta (or y), phi; "
            "and E, mass, pdgid, or none of these for massless particles"
        )
    found = {name: real_numbers(values[name], name) for name in names}
    momenta = np.empty((*found[names[0]].shape, 4))
    flat = {name: column.reshape(-1) for name, column in found.items()}
    rows = momenta.reshape(-1, 4)
    with np.errstate(over="ignore", invalid="ignore"):
        for begin in range(0, len(rows), BLOCK):
            some = slice(begin, begin + BLOCK)
            _fill(rows[some], {name: column[some] for name, column in flat.items()}, gev)
    return momenta


def _fill(momenta: Array, values: Mapping[str, NDArray[Any]], gev: float) -> None:
    """Write momenta `(n, 4)` from coordinates `(n,)` that make them."""
    part = {name: np.asarray(column, dtype=np.float64) for name, column in values.items() if name != "pdgid"}
    if "pdgid" in values:
        part["mass"] = masses(values["pdgid"]) * gev
    mass2 = part["mass"] * np.abs(part["mass"]) if "mass" in part else 0.0
    if "px" in part:
        momenta[:, 0], momenta[:, 1], momenta[:, 2] = part["px"], part["py"], part["pz"]
    else:
        momenta[:, 0] = part["pt"] * np.cos(part["phi"])
        momenta[:, 1] = part["pt"] * np.sin(part["phi"])
        momenta[:, 2] = _longitudinal(part, mass2)
    momenta[:, 3] = part["E"] if "E" in part else _energy(part, momenta[:, 2], mass2)
    if "pt" in part:
        momenta[part["pt"] == 0] = 0.0
        momenta[part["pt"] < 0] = NEGATIVE_PT


def _longitudinal(part: Mapping[str, Array], mass2: Array | float) -> Array:
    """The component along the beam, from pseudorapidity or rapidity."""
    if "eta" in part:
        return part["pt"] * np.sinh(part["eta"])
    if "E" in part:
        return part["E"] * np.tanh(part["y"])
    transverse_mass = np.sqrt(np.maximum(0.0, part["pt"] ** 2 + mass2))
    return transverse_mass * np.sinh(part["y"])


def _energy(part: Mapping[str, Array], pz: Array, mass2: Array | float) -> Array:
    pt2 = part["pt"] ** 2 if "pt" in part else part["px"] ** 2 + part["py"] ** 2
    square: Array = pt2 + pz * pz + mass2
    return np.sqrt(np.maximum(0.0, square))


def masses(pdgid: NDArray[Any]) -> Array:
    """The masses of particles with these PDG ids, in GeV, in the shape of `pdgid`.

    Example:
        >>> masses(np.array([22, -211, 2212])).round(3)
        array([0.   , 0.14 , 0.938])
    """
    ids = np.abs(np.asarray(real_numbers(pdgid, "PDG ids"), dtype=np.float64))
    fractions = np.isfinite(ids) & (ids != np.rint(ids))
    if fractions.any():
        raise BadJetError(f"{ids[fractions][0]:g} is no PDG id; expected a whole number")
    found = _TABLE.take(np.fmin(ids, len(_TABLE) - 1).astype(np.int64))  # of NaN and a number, fmin gives the number
    others = np.isnan(found)
    if others.any():
        rare, back = np.unique(ids[others], return_inverse=True)
        found[others] = np.array([_looked_up(int(i)) if np.isfinite(i) else np.nan for i in rare.tolist()])[back]
    return found


def _looked_up(pid: int) -> float:
    with needed_for(f"the mass of the particle with PDG id {pid}"):
        from particle import InvalidParticle, Particle, ParticleNotFound
    try:
        return float(Particle.from_pdgid(pid).mass or 0.0) / 1000
    except (ParticleNotFound, InvalidParticle):
        raise BadJetError(f"there is no particle with PDG id {pid}; expected an id with a mass, or mass or E") from None
