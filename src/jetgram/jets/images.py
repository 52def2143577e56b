"""Jet images: the pT of a jet on 25 x 25 pixels in the plane of eta and phi, in the chain of the paper; and back.

The chain is that of arXiv:1511.05190 and arXiv:1609.00607: trim, translate, pixelise, rotate, reflect, crop, normalise.
Those papers rotate with a cubic spline, which neither conserves pT nor keeps it positive; here a rotated pixel shares
its pT among the four pixels it falls between, in proportion to the overlap.
"""

from __future__ import annotations

import dataclasses

import numpy as np
from numpy.typing import NDArray

from jetgram import kinematics
from jetgram.jets.subjets import drop_soft_subjets, find_subjets
from jetgram.momenta import Jets
from jetgram.ragged import offsets_of, sum_groups

Array = NDArray[np.float64]
Plane = NDArray[np.complex128]  # positions as eta + i phi, in pixels: a turn is a product

PIXELS = 25
HALF = PIXELS // 2
PIXEL_SIZE = 0.1  # in eta and in phi: the image spans 2.5 x 2.5, with the leading subjet in the middle pixel


@dataclasses.dataclass(frozen=True, eq=False)
class Images:
    r"""Jet images with $\sum_{ij} I_{ij}^2 = 1$.

    Args:
        pixels: intensities, shape `(jets, 25, 25)`: rows from low to high phi, columns from low to high eta.
        norm: $\sqrt{\sum p_T^2}$ over each image's pixels before it was normalised, GeV, shape `(jets,)`.
        cropped: the pT that fell outside, GeV, shape `(jets,)`.
    """

    pixels: Array
    norm: Array
    cropped: Array

    def __len__(self) -> int:
        return len(self.pixels)

    @property
    def pt(self) -> Array:
        """The images with the normalisation undone: pT a pixel in GeV, shape `(jets, 25, 25)`."""
        return self.pixels * self.norm[:, None, None]

    def to_jets(self) -> Jets:
        """Each pixel with pT as a massless particle in its middle: what the paper feeds to networks on trees."""
        pt = self.pt
        jet, row, column = np.nonzero(pt > 0)
        eta, phi = PIXEL_SIZE * (column - HALF), PIXEL_SIZE * (row - HALF)
        momenta = kinematics.from_ptetaphim(pt[jet, row, column], eta, phi)
        return Jets(momenta, offsets_of(np.bincount(jet, minlength=len(self))))


def jet_images(jets: Jets, trim: float = 0.05) -> Images:
    """The images of the jets.

    1. Trim: kt subjets with R = 0.3 below `trim` of the jet's pT are dropped.
    2. Translate: the leading subjet to (0, 0).
    3. Pixelise: constituents move to the middle of their pixel of 0.1 x 0.1.
    4. Rotate: the second subjet straight below the first. A jet with one subjet is turned until its pT spreads most
       along phi, with more of it below.
    5. Reflect in eta: more pT on the right.
    6. Crop to 25 x 25 pixels around the leading subjet.
    7. Normalise: the squares of the intensities sum to one.

    Example:
        >>> import numpy as np
        >>> from jetgram.kinematics import from_ptetaphim
        >>> momenta = from_ptetaphim([100.0, 50.0], [1.0, 1.6], [2.0, 2.0])
        >>> images = jet_images(Jets(momenta, np.array([0, 2])))
        >>> np.argwhere(images.pt[0] > 0)
        array([[ 6, 12],
               [12, 12]])
        >>> images.pt[0, 12, 12].round(6), images.norm.round(3)
        (np.float64(100.0), array([111.803]))
    """
    jets, labels = drop_soft_subjets(jets, find_subjets(jets), trim)
    pt = kinematics.pt(jets.momenta)
    place, second = _translate(jets, labels)
    place = np.rint(place.real) + 1j * np.rint(place.imag)
    place *= _turn_below(np.where(second != 0, second, _spread(place, pt, jets)))[jets.group]
    cell, pt = _share(place, pt)
    jet = np.concatenate([jets.group] * 4)
    return _crop(_reflect(cell, pt, jet, len(jets)), pt, jet, len(jets))


def _translate(jets: Jets, labels: NDArray[np.int32]) -> tuple[Plane, Plane]:
    """Constituents `(n,)` and second subjets `(jets,)`, seen from the leading subjet; 0 without a second one."""
    subjets = np.zeros((2, len(jets), 4))
    leading = labels < 2
    np.add.at(subjets, (labels[leading], jets.group[leading]), jets.momenta[leading])
    first, second = subjets
    return _seen_from(first[jets.group], jets.momenta), np.where(second[:, 3] > 0, _seen_from(first, second), 0)


def _seen_from(p: Array, q: Array) -> Plane:
    """Position of q in the plane, with p at the origin."""
    phi = kinematics.delta_phi(kinematics.phi(q), kinematics.phi(p))
    return np.asarray(kinematics.eta(q) - kinematics.eta(p) + 1j * phi, dtype=np.complex128) / PIXEL_SIZE


def _spread(place: Plane, pt: Array, jets: Jets) -> Plane:
    r"""Direction `(jets,)` in which the pT of each jet spreads most, towards the side that has more of it.

    With positions z this is the root of their second moment, $\sqrt{\sum_i p_{Ti} (z_i - \bar z)^2}$.
    """
    total = np.maximum(sum_groups(pt, jets.offsets), np.finfo(np.float64).tiny)
    mean = _sums(pt * place, jets) / total
    direction = np.sqrt(_sums(pt * (place - mean[jets.group]) ** 2, jets))
    return np.where((direction.conj() * mean).real < 0, -direction, direction)


def _sums(values: Plane, jets: Jets) -> Plane:
    """Sum over the constituents of each jet."""
    return sum_groups(values.real, jets.offsets) + 1j * sum_groups(values.imag, jets.offsets)


def _turn_below(direction: Plane) -> Plane:
    r"""The factors $-i \bar d / |d|$ that turn each direction d straight below the origin; 1 without a direction."""
    size = np.abs(direction)
    turn: Plane = np.divide(-1j * direction.conj(), size, out=np.ones_like(direction), where=size > 0)
    return turn


def _share(place: Plane, pt: Array) -> tuple[Plane, Array]:
    """Whole pixels and their pT, `(4 n,)`: the four that each of n rotated pixels falls between, by overlap."""
    place = np.round(place, 9)  # a quarter turn falls between no pixels
    corner = np.floor(place.real) + 1j * np.floor(place.imag)
    right, up = (place - corner).real, (place - corner).imag
    shares = [(1 - right) * (1 - up), right * (1 - up), (1 - right) * up, right * up]
    return np.concatenate([corner, corner + 1, corner + 1j, corner + 1 + 1j]), np.concatenate([s * pt for s in shares])


def _reflect(cell: Plane, pt: Array, jet: NDArray[np.int64], jets: int) -> Plane:
    """The pixels, with left and right exchanged in jets that have more pT on the left."""
    surplus = _collect(jet, np.sign(cell.real) * pt, jets)
    return np.where(surplus[jet] < 0, -cell.conj(), cell)


def _crop(cell: Plane, pt: Array, jet: NDArray[np.int64], jets: int) -> Images:
    """Images of the middle pixels, normalised."""
    column, row = cell.real.astype(np.int64) + HALF, cell.imag.astype(np.int64) + HALF
    inside = (column >= 0) & (column < PIXELS) & (row >= 0) & (row < PIXELS)
    index = ((jet * PIXELS + row) * PIXELS + column)[inside]
    image = _collect(index, pt[inside], jets * PIXELS**2).reshape(jets, PIXELS, PIXELS)
    norm = np.sqrt((image * image).sum(axis=(1, 2)))
    pixels = np.divide(image, norm[:, None, None], out=np.zeros_like(image), where=norm[:, None, None] > 0)
    return Images(pixels, norm, _collect(jet[~inside], pt[~inside], jets))


def _collect(index: NDArray[np.int64], values: Array, size: int) -> Array:
    """Sum of the values with each index below `size`."""
    return np.bincount(index, weights=values, minlength=size).astype(np.float64)  # integers if there are no values
