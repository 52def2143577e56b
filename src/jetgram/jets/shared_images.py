"""The chain `shared`: turned pixels share their pT among those they fall between; none is lost, none negative."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from jetgram import kinematics
from jetgram.jets.subjet_plane import Array, Plane, SubjetPlane, principal_axis, turn_below

PIXELS = 25
HALF = PIXELS // 2
PIXEL_SIZE = 0.1  # in eta and in phi: the image spans 2.5 x 2.5, with the leading subjet in the middle pixel


def shared_pixels(plane: SubjetPlane) -> tuple[Array, Array]:
    """The pT of each pixel, `(jets, 25, 25)`, and that of each jet outside, `(jets,)`; in GeV.

    Constituents move to the middle of their pixel, and with it are turned until the second subjet (without one: the
    principal axis, with its heavier side) lies straight below the first. There each shares its pT among four pixels, in
    proportion to the overlap. Jets with more pT on the left are reflected.
    """
    jets = plane.jets
    pt = kinematics.pt(jets.momenta)
    place, second = plane.place / PIXEL_SIZE, plane.second / PIXEL_SIZE
    place = np.rint(place.real) + 1j * np.rint(place.imag)
    place *= turn_below(np.where(second != 0, second, principal_axis(place, pt, jets)))[jets.group]
    cell, pt = _share(place, pt)
    jet = np.concatenate([jets.group] * 4)
    return _crop(_reflect(cell, pt, jet, len(jets)), pt, jet, len(jets))


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


def _crop(cell: Plane, pt: Array, jet: NDArray[np.int64], jets: int) -> tuple[Array, Array]:
    """The pT of the middle pixels, and that of the others."""
    column, row = cell.real.astype(np.int64) + HALF, cell.imag.astype(np.int64) + HALF
    inside = (column >= 0) & (column < PIXELS) & (row >= 0) & (row < PIXELS)
    index = ((jet * PIXELS + row) * PIXELS + column)[inside]
    image = _collect(index, pt[inside], jets * PIXELS**2).reshape(jets, PIXELS, PIXELS)
    return image, _collect(jet[~inside], pt[~inside], jets)


def _collect(index: NDArray[np.int64], values: Array, size: int) -> Array:
    """Sum of the values with each index below `size`."""
    return np.bincount(index, weights=values, minlength=size).astype(np.float64)  # integers if there are no values
