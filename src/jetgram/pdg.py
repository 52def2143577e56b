"""What a particle's PDG id tells by itself: its charge, and whether it is a hadron.

Both follow from the numbering scheme of the Particle Data Group (Review of Particle Physics, "Monte Carlo particle
numbering scheme"): the digits of an id, `n nr nL nq1 nq2 nq3 nJ`, name the quarks. So no table of hadrons is needed and
no generator is asked. (Not covered, because their ids name no quarks in that way: tetraquarks, gluino R-hadrons,
colour-octet onia, leptoquarks and doubly charged scalars. None of them reaches a calorimeter in the processes of this
package.)
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from jetgram.kinematics import Array

Ids = NDArray[np.int64]

# Three times the charge: of a quark by its digit, and of everything else below 100.
QUARK = np.array([0, -1, 2, -1, 2, -1, 2, -1, 2, 0])
FUNDAMENTAL = np.zeros(100, dtype=np.int64)
FUNDAMENTAL[1:10] = QUARK[1:]
FUNDAMENTAL[[11, 13, 15, 17]] = -3  # charged leptons
FUNDAMENTAL[[24, 34, 37]] = 3  # W, W', H

ION = 1_000_000_000  # 10LZZZAAAI
HIDDEN_VALLEY = 49  # 49xxxxx: dark quarks and hadrons, all neutral
NON_STANDARD = 9  # 9xxxxxx: hadrons beyond the quark model; 1xxxxxx to 8xxxxxx are no hadrons of the Standard Model
K_LONG, K_SHORT = 130, 310  # whose last digit is not 2J + 1


def charge(pdgid: ArrayLike) -> Array:
    """Electric charge of each particle in units of e, in the shape of `pdgid`.

    Example:
        >>> charge([211, -211, 2212, 3112, -3312, 130, 22, 11, -13, 521, 1000020040])
        array([ 1., -1.,  1., -1.,  1.,  0.,  0., -1.,  1.,  1.,  2.])
    """
    ids, back = np.unique(np.asarray(pdgid, dtype=np.int64), return_inverse=True)
    size = np.abs(ids)
    thirds = np.where(size % 10_000 < 100, FUNDAMENTAL[size % 100], _hadron(size))
    thirds = np.where((size // 100_000 == HIDDEN_VALLEY) & (size % 10_000 >= 100), 0, thirds)
    thirds = np.where(size >= ION, 3 * (size // 10_000 % 1000), thirds)
    result: Array = (np.sign(ids) * thirds / 3)[back]
    return result


def _hadron(size: Ids) -> Ids:
    """Three times the charge of a hadron (or diquark) from its three quark digits.

    A meson's first digit is its heavier flavour: the quark if it is up-like (c, u), the antiquark if down-like (b, s).
    """
    first, second, third = (size // ten % 10 for ten in (1000, 100, 10))
    meson = (QUARK[second] - QUARK[third]) * np.where(second % 2 == 0, 1, -1)
    baryon = QUARK[first] + QUARK[second] + QUARK[third]
    thirds: Ids = np.where(first == 0, meson, baryon)
    return thirds


def is_hadron(pdgid: ArrayLike) -> NDArray[np.bool_]:
    """Whether each particle is a hadron, in the shape of `pdgid`; nuclei, diquarks and R-hadrons are none.

    Example:
        >>> is_hadron([211, -2212, 130, 421, 22, 13, 1103, 1000020040]).tolist()
        [True, True, True, True, False, False, False, False]
    """
    size = np.abs(np.asarray(pdgid, dtype=np.int64))
    prefix = size // 1_000_000
    quarks = (size // 10 % 10 > 0) & (size // 100 % 10 > 0)
    spin = (size % 10 > 0) | (size == K_LONG) | (size == K_SHORT)
    found: NDArray[np.bool_] = quarks & spin & ((prefix == 0) | (prefix == NON_STANDARD))
    return found
