r"""Jet images: the pT of a jet on 25 x 25 pixels in the plane of eta and phi; and back.

Both chains trim, translate, pixelise, rotate, reflect and normalise, as in arXiv:1511.05190 and arXiv:1609.00607:

`spline`
    rotates with a cubic spline and enlarges 20 x 20 cells of 0.1 to 25 x 25 pixels: the images of the paper.
`shared`
    rotates by sharing the pT of each pixel among the four it falls between, which conserves it. 25 x 25 pixels of 0.1.

The chains themselves are in `jetgram.jets.image_chains`.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Mapping
from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from jetgram import kinematics
from jetgram.errors import require_known
from jetgram.jets.image_chains import HALF, PIXELS, SHARED_SIZE, SPLINE_SIZE, shared_pixels, spline_pixels
from jetgram.jets.subjet_plane import SubjetPlane, subjet_plane
from jetgram.momenta import Jets
from jetgram.ragged import offsets_of

Array = NDArray[np.float64]
ChainName = Literal["spline", "shared"]


class Chain(NamedTuple):
    """A way from trimmed jets to pixels, and the size of a pixel in eta and in phi."""

    pixels: Callable[[SubjetPlane], tuple[Array, Array]]
    pixel_size: float


CHAINS: Mapping[str, Chain] = {
    "spline": Chain(spline_pixels, SPLINE_SIZE),
    "shared": Chain(shared_pixels, SHARED_SIZE),
}
DEFAULT_CHAIN: ChainName = "spline"


@dataclasses.dataclass(frozen=True, eq=False)
class Images:
    r"""Jet images with $\sum_{ij} I_{ij}^2 = 1$.

    Args:
        pixels: intensities, shape `(jets, 25, 25)`: rows from low to high phi, columns from low to high eta.
        norm: $\sqrt{\sum p_T^2}$ over each image's pixels before it was normalised, GeV, shape `(jets,)`.
        cropped: the pT that is in no pixel, GeV, shape `(jets,)`.
        pixel_size: in eta and in phi.
    """

    pixels: Array
    norm: Array
    cropped: Array
    pixel_size: float

    def __len__(self) -> int:
        return len(self.pixels)

    @property
    def pt(self) -> Array:
        """The images with the normalisation undone: pT per pixel in GeV, shape `(jets, 25, 25)`."""
        return self.pixels * self.norm[:, None, None]

    @property
    def total(self) -> Array:
        """Sum of the momenta of `to_jets` in GeV, shape `(jets, 4)`."""
        row, column = np.divmod(np.arange(PIXELS**2), PIXELS)
        directions = kinematics.from_ptetaphim(1.0, *self._middle(row, column))
        return np.asarray(self.pt.reshape(len(self), PIXELS**2) @ directions)

    def to_jets(self) -> Jets:
        """Each pixel with pT as a massless particle in its middle: what the paper feeds to networks on trees."""
        pt = self.pt
        jet, row, column = np.nonzero(pt > 0)
        momenta = kinematics.from_ptetaphim(pt[jet, row, column], *self._middle(row, column))
        return Jets(momenta, offsets_of(np.bincount(jet, minlength=len(self))))

    def _middle(self, row: NDArray[np.int64], column: NDArray[np.int64]) -> tuple[Array, Array]:
        """Eta and phi of the middle of pixels."""
        eta, phi = (self.pixel_size * (where - HALF).astype(np.float64) for where in (column, row))
        return eta, phi


def jet_images(jets: Jets, trim: float = 0.05, chain: str = DEFAULT_CHAIN) -> Images:
    """The images of the jets.

    1. Trim: kt subjets with R = 0.3 below `trim` of the jet's pT are dropped.
    2. Translate: the leading subjet to (0, 0).
    3. Pixelise, rotate and reflect, as the chain does it: the second subjet straight below the first; of a jet with one
       subjet, the axis along which its pT spreads most, with more of it below; more of the jet on the right.
    4. Normalise: the squares of the intensities sum to one.

    Args:
        jets: as they were found.
        trim: the fraction of pT below which subjets are dropped.
        chain: `spline` or `shared`.

    Example:
        >>> import numpy as np
        >>> from jetgram.kinematics import from_ptetaphim
        >>> jets = Jets(from_ptetaphim([100.0, 50.0], [1.0, 1.6], [2.0, 2.0]), np.array([0, 2]))
        >>> images = jet_images(jets, chain="shared")
        >>> np.argwhere(images.pt[0] > 0)
        array([[ 6, 12],
               [12, 12]])
        >>> images.pt[0, 12, 12].round(6), images.norm.round(3)
        (np.float64(100.0), array([111.803]))
        >>> jet_images(jets).pt.sum().round(6)
        np.float64(150.0)
    """
    require_known("no chain of images is called", chain, CHAINS)
    make, pixel_size = CHAINS[chain]
    image, cropped = make(subjet_plane(jets, trim))
    norm = np.sqrt((image * image).sum(axis=(1, 2)))
    pixels = np.divide(image, norm[:, None, None], out=np.zeros_like(image), where=norm[:, None, None] > 0)
    return Images(pixels, norm, cropped, pixel_size)
