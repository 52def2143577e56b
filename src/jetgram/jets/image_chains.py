r"""The two ways to rotate the pixels of jets, which `jetgram.jets.images` chooses between.

The chain `spline` rotates and enlarges images by cubic splines, as those of the paper were. Each is a Catmull-Rom
spline (cubic convolution), which looks at four pixels in each direction, with the kernel

$$ k(d) = \begin{cases} 1 - \frac52 d^2 + \frac32 |d|^3 & |d| \le 1 \\
2 - 4 |d| + \frac52 d^2 - \frac12 |d|^3 & 1 < |d| < 2 \\ 0 & \text{else.} \end{cases} $$

It overshoots next to hard pixels. What becomes negative, or larger than the largest pixel was, is clipped to the range
that the image had before.

In the chain `shared`, rotated pixels share their pT among those they fall between; none is lost, none negative.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from jetgram import kinematics
from jetgram.jets.subjet_plane import Array, Plane, SubjetPlane, principal_axis, turn_below

PIXELS = 25
HALF = PIXELS // 2
REACH = 1.0  # of the image, in eta and phi on either side of the leading subjet
CELLS = 20  # of the histogram before the image is enlarged: 0.1 x 0.1
CELL = 2 * REACH / CELLS
SPLINE_SIZE = 2 * REACH / PIXELS
SOFTEST = 0.1  # GeV; constituents with less ET are left out
NEAR = np.arange(-2, 4)  # from the pixel below it, those that a turned cell can reach: 2 sqrt(2) on either side


def spline_pixels(plane: SubjetPlane) -> tuple[Array, Array]:
    r"""The pT of each pixel, `(jets, 25, 25)`, and that of each jet in no pixel, `(jets,)`; in GeV.

    1. Histogram of $E_T = E \sin\theta$ within 1.0 of the leading subjet in eta and phi, 20 x 20 cells; constituents
       below 0.1 GeV are left out.
    2. Rotate with a spline: the second subjet (without one: the principal axis, with its heavier side) straight below.
    3. Reflect: the third subjet (without one: the side with more $E_T$) on the right.
    4. Enlarge with a spline to 25 x 25 pixels over the same range.
    5. Scale, so that the pixels sum to the pT of the trimmed jet.
    """
    jets = plane.jets
    et, cell = _cells(plane)
    lost = np.bincount(jets.group, kinematics.pt(jets.momenta) * (et == 0), len(jets)).astype(np.float64)
    alone = plane.second == 0
    turn = turn_below(np.where(alone, principal_axis(cell, et, jets), plane.second))
    image = _rotate(cell, et, jets.group, turn)
    _reverse(image, alone & (image[:, CELLS // 2 :].sum(axis=(1, 2)) > image[:, : CELLS // 2].sum(axis=(1, 2))), 1, 2)
    surplus = image[:, :, CELLS // 2 :].sum(axis=(1, 2)) - image[:, :, : CELLS // 2].sum(axis=(1, 2))
    _reverse(image, np.where(plane.third != 0, (plane.third * turn).real, surplus) < 0, 2)
    image = _clip(ENLARGE @ image @ ENLARGE.T, _largest(image))
    total = image.sum(axis=(1, 2))
    scale = np.divide(jets.pt, total, out=np.zeros(len(jets)), where=total > 0)
    return image * scale[:, None, None], lost


def _cells(plane: SubjetPlane) -> tuple[Array, Plane]:
    """ET of each constituent in GeV, 0 for those in no cell; and the middle of the cell, in cells from the origin."""
    p = plane.jets.momenta
    size = kinematics.momentum(p)
    et = np.divide(p[:, 3] * kinematics.pt(p), size, out=np.zeros(len(p)), where=size > 0)
    place = plane.place / CELL
    cell = np.floor(place.real) + 0.5 + 1j * (np.floor(place.imag) + 0.5)
    inside = np.maximum(np.abs(cell.real), np.abs(cell.imag)) < CELLS / 2
    return np.where(inside & (et > SOFTEST), et, 0.0), cell


def _rotate(cell: Plane, et: Array, jet: NDArray[np.int64], turn: Plane) -> Array:
    """Images `(jets, 20, 20)`, rows from low to high phi, of cells with this ET after each jet's turn."""
    filled = np.flatnonzero(et)
    cell, et, jet = cell[filled], et[filled], jet[filled]
    index = (jet * CELLS + _number(cell.imag)) * CELLS + _number(cell.real)
    before = _images(index, et, len(turn))
    turned = cell * turn[jet]
    corner = np.floor(turned.real - 0.5) + 0.5 + 1j * (np.floor(turned.imag - 0.5) + 0.5)
    near = corner[:, None] + (NEAR + 1j * NEAR[:, None]).ravel()
    # What a pixel of the new image gets from a cell depends on where it lies in the old one.
    away = np.round(near * turn.conj()[jet, None] - cell[:, None], 9)  # a quarter turn falls between no pixels
    weight = kernel(away.real) * kernel(away.imag)
    row, column = _number(near.imag), _number(near.real)
    kept = (weight != 0) & (np.minimum(row, column) >= 0) & (np.maximum(row, column) < CELLS)
    index = ((jet[:, None] * CELLS + row) * CELLS + column)[kept]
    return _clip(_images(index, (weight * et[:, None])[kept], len(turn)), _largest(before))


def kernel(distance: Array) -> Array:
    """What a pixel at this distance, in pixels, counts in a Catmull-Rom spline."""
    d = np.abs(distance)
    near, far = 1 + d * d * (1.5 * d - 2.5), 2 + d * (-4 + d * (2.5 - 0.5 * d))
    return np.where(d <= 1, near, np.where(d < 2, far, 0.0))


def _enlarging() -> Array:
    """What each of 25 pixels takes from each of 20 cells in one direction, `(25, 20)`."""
    place = (np.arange(PIXELS) + 0.5) * CELLS / PIXELS - 0.5
    return kernel(place[:, None] - np.arange(CELLS))


ENLARGE = _enlarging()


def _number(middle: Array) -> NDArray[np.int64]:
    """The number of the cell whose middle is so many cells from the origin."""
    return np.floor(middle + CELLS / 2).astype(np.int64)


def _images(index: NDArray[np.int64], values: Array, jets: int) -> Array:
    """Images `(jets, 20, 20)`: the sums of the values of each cell."""
    sums = np.bincount(index, values, jets * CELLS**2).astype(np.float64)  # integers if there are no values
    return sums.reshape(jets, CELLS, CELLS)


def _largest(image: Array) -> Array:
    """The largest pixel of each image, `(jets, 1, 1)`."""
    largest: Array = image.max(axis=(1, 2), keepdims=True)
    return largest


def _clip(image: Array, largest: Array) -> Array:
    """The images without what is negative or above their largest pixel of before."""
    return np.clip(image, 0.0, largest, out=image)


def _reverse(image: Array, chosen: NDArray[np.bool_], *axes: int) -> None:
    """Reverse the chosen images, in place, along these axes."""
    image[chosen] = np.flip(image[chosen], axes)


SHARED_SIZE = 0.1  # in eta and in phi: the image spans 2.5 x 2.5, with the leading subjet in the middle pixel


def shared_pixels(plane: SubjetPlane) -> tuple[Array, Array]:
    """The pT of each pixel, `(jets, 25, 25)`, and that of each jet outside, `(jets,)`; in GeV.

    Constituents move to the middle of their pixel, and with it are turned until the second subjet (without one: the
    principal axis, with its heavier side) lies straight below the first. There each shares its pT among four pixels, in
    proportion to the overlap. Jets with more pT on the left are reflected.
    """
    jets = plane.jets
    pt = kinematics.pt(jets.momenta)
    place, second = plane.place / SHARED_SIZE, plane.second / SHARED_SIZE
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
    surplus = _sums(jet, np.sign(cell.real) * pt, jets)
    return np.where(surplus[jet] < 0, -cell.conj(), cell)


def _crop(cell: Plane, pt: Array, jet: NDArray[np.int64], jets: int) -> tuple[Array, Array]:
    """The pT of the middle pixels, and that of the others."""
    column, row = cell.real.astype(np.int64) + HALF, cell.imag.astype(np.int64) + HALF
    inside = (column >= 0) & (column < PIXELS) & (row >= 0) & (row < PIXELS)
    index = ((jet * PIXELS + row) * PIXELS + column)[inside]
    image = _sums(index, pt[inside], jets * PIXELS**2).reshape(jets, PIXELS, PIXELS)
    return image, _sums(jet[~inside], pt[~inside], jets)


def _sums(index: NDArray[np.int64], values: Array, size: int) -> Array:
    """Sum of the values with each index below `size`."""
    return np.bincount(index, weights=values, minlength=size).astype(np.float64)  # integers if there are no values
