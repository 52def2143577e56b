r"""Every kinematic formula once, on arrays of momenta `(..., 4)` in the order `(px, py, pz, E)`, in GeV.

The beam runs along z. All functions are finite for momenta whose squares are (components below 1e150 GeV): a momentum
along the beam has `|eta| = ETA_MAX`, a zero momentum has `eta = 0`, and a mass squared that rounding made negative
counts as zero.

Example:
    >>> import numpy as np
    >>> p = from_ptetaphim(100.0, 1.0, 0.5, 80.4)
    >>> pt(p).round(6), eta(p).round(6), phi(p).round(6), mass(p).round(6)
    (np.float64(100.0), np.float64(1.0), np.float64(0.5), np.float64(80.4))
"""

import math

import numpy as np
from numpy.typing import ArrayLike, NDArray

Array = NDArray[np.float64]

ETA_MAX = 1e5  # FastJet's convention for a rapidity that would be infinite
COLUMNS = ("px", "py", "pz", "E")


def pt2(p: Array) -> Array:
    r"""Squared transverse momentum, $p_x^2 + p_y^2$.

    Example:
        >>> pt2(np.array([3.0, 4.0, 0.0, 5.0]))
        np.float64(25.0)
    """
    return p[..., 0] * p[..., 0] + p[..., 1] * p[..., 1]


def pt(p: Array) -> Array:
    r"""Transverse momentum, $p_T = \sqrt{p_x^2 + p_y^2}$.

    Example:
        >>> pt(np.array([[3.0, 4.0, 0.0, 5.0], [0.0, 2.0, 0.0, 2.0]]))
        array([5., 2.])
    """
    return np.sqrt(pt2(p))


def momentum(p: Array) -> Array:
    r"""Length of the three-momentum, $|p|$.

    Example:
        >>> momentum(np.array([2.0, 3.0, 6.0, 7.0]))
        np.float64(7.0)
    """
    return np.sqrt(pt2(p) + p[..., 2] * p[..., 2])


def phi(p: Array) -> Array:
    r"""Azimuth in $[-\pi, \pi]$.

    Example:
        >>> phi(np.array([0.0, 4.0, 0.0, 4.0])) / np.pi
        np.float64(0.5)
    """
    return np.arctan2(p[..., 1], p[..., 0])


def theta(p: Array) -> Array:
    r"""Polar angle in $[0, \pi]$.

    Example:
        >>> theta(np.array([3.0, 4.0, 5.0, 8.0])) / np.pi
        np.float64(0.25)
    """
    return np.arctan2(pt(p), p[..., 2])


def eta(p: Array) -> Array:
    r"""Pseudorapidity, $\eta = \mathrm{arsinh}(p_z / p_T)$, cut off at `ETA_MAX` along the beam.

    Example:
        >>> eta(from_ptetaphim([10.0, 0.0], [-1.5, 0.0], 0.0)), eta(np.array([0.0, 0.0, -7.0, 7.0]))
        (array([-1.5,  0. ]), array(-100000.))
    """
    transverse = pt(p)
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        value = np.arcsinh(p[..., 2] / transverse)
    along_beam = np.sign(p[..., 2]) * ETA_MAX
    return np.where(transverse > 0, np.clip(value, -ETA_MAX, ETA_MAX), along_beam)


def rapidity(p: Array) -> Array:
    r"""Rapidity, $y = \frac12 \ln \frac{E + p_z}{E - p_z}$, by FastJet's formula, precise at large $y$.

    Example:
        >>> jet = from_ptetaphim(100.0, 1.0, 0.0, 80.4)
        >>> rapidity(jet).round(3), eta(jet).round(3)
        (np.float64(0.821), np.float64(1.0))
    """
    longitudinal = np.abs(p[..., 2])
    with np.errstate(divide="ignore", invalid="ignore"):
        ratio = (pt2(p) + np.maximum(0.0, mass2(p))) / (p[..., 3] + longitudinal) ** 2
    regular = (ratio > 0) & (ratio < np.inf)
    along_beam = np.where(longitudinal > 0, ETA_MAX + longitudinal, 0.0)
    size = np.where(regular, -0.5 * np.log(np.where(regular, ratio, 1.0)), along_beam)
    return np.where(p[..., 2] > 0, size, -size)


def rapidity_phi_pt2(p: Array) -> tuple[float, float, float]:
    r"""Rapidity, azimuth in $[0, 2\pi)$ and squared pT of one momentum `(4,)`, as in FastJet and the native core.

    With `math`, because NumPy's logarithms may differ from libm's in the last digit; finite for every legal momentum.

    Example:
        >>> rapidity_phi_pt2(np.array([0.0, -4.0, 0.0, 5.0]))
        (0.0, 4.71238898038469, 16.0)
    """
    px, py, pz, energy = p.tolist()
    pt2 = px * px + py * py
    mass2 = max(0.0, (energy + pz) * (energy - pz) - pt2)
    square = (energy + abs(pz)) * (energy + abs(pz))
    ratio = (pt2 + mass2) / square if square > 0 else 0.0
    along_beam = ETA_MAX + abs(pz) if pz else 0.0
    size = -0.5 * math.log(ratio) if ratio > 0 else along_beam
    phi = math.atan2(py, px) if pt2 else 0.0
    phi = phi + 2 * math.pi if phi < 0 else phi
    return size if pz > 0 else -size, phi - 2 * math.pi if phi >= 2 * math.pi else phi, pt2


def places(p: Array) -> Array:
    r"""The same of many momenta `(n, 4)`, `(3, n)`: rapidities, azimuths in $[0, 2\pi)$ and squared pT.

    Example:
        >>> places(np.array([[0.0, -4.0, 0.0, 5.0], [3.0, 0.0, 0.0, 3.0]])).round(3)
        array([[ 0.   ,  0.   ],
               [ 4.712,  0.   ],
               [16.   ,  9.   ]])
    """
    found: Array = np.array([rapidity_phi_pt2(momentum) for momentum in p]).reshape(-1, 3).T
    return found


def mass2(p: Array) -> Array:
    r"""Squared invariant mass, $E^2 - |p|^2$, as it is: rounding can make it slightly negative.

    Example:
        >>> mass2(np.array([3.0, 0.0, 4.0, 13.0]))
        np.float64(144.0)
    """
    return (p[..., 3] + p[..., 2]) * (p[..., 3] - p[..., 2]) - pt2(p)


def mass(p: Array) -> Array:
    r"""Invariant mass, $m = \sqrt{\max(0, E^2 - |p|^2)}$.

    Example:
        >>> mass(np.array([3.0, 0.0, 4.0, 13.0])), mass(np.array([3.0, 0.0, 4.0, 4.999999]))
        (np.float64(12.0), np.float64(0.0))
    """
    return np.sqrt(np.maximum(0.0, mass2(p)))


def delta_phi(a: ArrayLike, b: ArrayLike) -> Array:
    r"""Difference of two azimuths, wrapped to $[-\pi, \pi]$.

    Example:
        >>> delta_phi(3.0, -3.0).round(3)
        np.float64(-0.283)
    """
    wrapped: Array = (np.asarray(a) - np.asarray(b) + np.pi) % (2 * np.pi) - np.pi
    return wrapped


def delta_r(p: Array, q: Array) -> Array:
    r"""Distance in the plane of pseudorapidity and azimuth, $\sqrt{\Delta\eta^2 + \Delta\phi^2}$.

    Example:
        >>> delta_r(from_ptetaphim(50.0, 0.3, 3.0), from_ptetaphim(20.0, 0.0, -3.0)).round(3)
        np.float64(0.413)
    """
    return np.hypot(eta(p) - eta(q), delta_phi(phi(p), phi(q)))


def from_ptetaphim(pt: ArrayLike, eta: ArrayLike, phi: ArrayLike, mass: ArrayLike = 0.0) -> Array:
    """Momenta `(..., 4)` from transverse momentum, pseudorapidity, azimuth and mass.

    Example:
        >>> from_ptetaphim([5.0, 2.0], 0.0, [0.0, np.pi / 2]).round(6)
        array([[5., 0., 0., 5.],
               [0., 2., 0., 2.]])
    """
    pt, eta, phi, mass = np.broadcast_arrays(*(np.asarray(x, dtype=np.float64) for x in (pt, eta, phi, mass)))
    pz = pt * np.sinh(eta)
    energy = np.sqrt(pt * pt + pz * pz + mass * mass)
    return np.stack([pt * np.cos(phi), pt * np.sin(phi), pz, energy], axis=-1)


def boost_z(p: Array, rapidity: ArrayLike) -> Array:
    """`p` seen from a frame that moves along z with the given rapidity: rapidities fall by that much.

    Example:
        >>> jet = from_ptetaphim(100.0, 1.0, 0.0, 80.4)
        >>> (rapidity(jet) - rapidity(boost_z(jet, 0.25))).round(6)
        np.float64(0.25)
    """
    cosh, sinh = np.cosh(rapidity), np.sinh(rapidity)
    boosted = p.copy()
    boosted[..., 2] = cosh * p[..., 2] - sinh * p[..., 3]
    boosted[..., 3] = cosh * p[..., 3] - sinh * p[..., 2]
    return boosted
