"""Jets as images: what a network on images reads, and the pixels as constituents for networks on trees."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from typing import Annotated, Any, Literal

import numpy as np
import pydantic
from numpy.typing import ArrayLike, NDArray

from jetgram.errors import BadJetError
from jetgram.inputs.representation import Arrays, InputSettings, Reading, Representation
from jetgram.inputs.scaler import Scaler, Scaling
from jetgram.jets.image_chains import PIXELS
from jetgram.jets.images import DEFAULT_CHAIN, ChainName, Images, jet_images
from jetgram.momenta import Jets
from jetgram.ragged import Offsets, checked_offsets, numbers_in_range, offsets_of

Numbers = NDArray[np.int64]

ALL_PIXELS = PIXELS**2
TRIM = 0.05  # as the jet-image papers trim
UNIT = 1 / PIXELS  # the root mean square of the pixels of an image whose squares sum to 1


@dataclasses.dataclass(frozen=True, eq=False)
class SparseImages(Representation):
    """Many images, of each the pixels with pT: of 625, some 120 (chain `spline`) or 35 (`shared`).

    Args:
        pixels: numbers of the pixels, row by row of the image, `(n,)`, int32.
        intensities: what they hold, scaled or not, `(n,)`.
        offsets: first pixel of each image and the end, `(jets + 1,)`.

    Example:
        >>> images = SparseImages(np.array([312, 12, 312]), np.ones(3, dtype=np.float32), np.array([0, 2, 3]))
        >>> images[[1]]
        <SparseImages: 1 images with 1 pixels>
    """

    pixels: NDArray[np.int32]
    intensities: NDArray[np.floating[Any]]
    offsets: Offsets

    def __post_init__(self) -> None:
        pixels = np.ascontiguousarray(self.pixels, dtype=np.int32)
        if self.intensities.shape != pixels.shape or pixels.ndim != 1:
            raise BadJetError(
                f"{pixels.shape} pixels have {self.intensities.shape} intensities; expected one per pixel"
            )
        strange = pixels[(pixels < 0) | (pixels >= ALL_PIXELS)]
        if len(strange):
            raise BadJetError(f"pixel {strange[0]} is not among the {ALL_PIXELS} of an image")
        object.__setattr__(self, "pixels", pixels)
        object.__setattr__(self, "offsets", checked_offsets(self.offsets, len(pixels)))

    @property
    def dtype(self) -> np.dtype[Any]:
        """The precision of the intensities."""
        return self.intensities.dtype

    def __repr__(self) -> str:
        return f"<SparseImages: {len(self)} images with {len(self.pixels)} pixels>"

    def _of_rows(self, rows: Numbers, offsets: Offsets) -> SparseImages:
        return SparseImages(self.pixels.take(rows), self.intensities.take(rows), offsets)

    def take(self, jets: ArrayLike | None = None) -> SparseImages:
        """The images with these numbers, by default all."""
        return self if jets is None else self[numbers_in_range(jets, len(self), ("jet", "images"))]

    def fit_scaler(self, scaling: Scaling = "robust") -> Scaler:
        """Images are normalised already: the scaler only brings their pixels to the units that networks like."""
        return Scaler(np.zeros(1), np.full(1, UNIT))

    def scaled(self, scaler: Scaler) -> SparseImages:
        """The same images with scaled intensities."""
        return dataclasses.replace(self, intensities=scaler.transform(self.intensities[:, None])[:, 0])

    @classmethod
    def concatenate(cls, parts: Sequence[SparseImages]) -> SparseImages:
        """The images of several, in their order."""
        return cls(
            np.concatenate([part.pixels for part in parts]),
            np.concatenate([part.intensities for part in parts]),
            offsets_of(np.concatenate([part.counts for part in parts])),
        )

    def to_arrays(self) -> dict[str, NDArray[Any]]:
        """Pixels of each image, their numbers and intensities."""
        return {"counts": self.counts, "pixels": self.pixels, "intensities": self.intensities}

    @classmethod
    def from_arrays(cls, arrays: Arrays) -> SparseImages:
        """What `to_arrays` made arrays of."""
        return cls(arrays["pixels"], arrays["intensities"], offsets_of(arrays["counts"]))

    def dense(self) -> NDArray[np.floating[Any]]:
        """All pixels of all images, `(jets, 625)`."""
        pixels = np.zeros((len(self), ALL_PIXELS), dtype=self.dtype)
        pixels[np.repeat(np.arange(len(self)), self.counts), self.pixels] = self.intensities
        return pixels


class ImageInput(InputSettings):
    """Images of jets, for a network on images.

    Args:
        trim: drop subjets below this fraction of the jet's pT; None keeps everything.
        image_chain: how images are made: `spline`, as the paper's were, or `shared`, which conserves pT; see
            `jetgram.jets.images`.
    """

    representation = SparseImages

    kind: Literal["image"] = "image"
    trim: Annotated[float, pydantic.Field(gt=0, lt=1)] | None = TRIM
    image_chain: ChainName = DEFAULT_CHAIN

    @property
    def columns(self) -> tuple[str, ...]:
        """The intensity of pixels."""
        return ("intensity",)

    def flat(self) -> dict[str, Any]:
        """What decides the images."""
        return {"input": self.kind, "trim": self.trim, "image_chain": self.image_chain}

    def _read(self, rows: Jets, first: int) -> Reading:
        images = full_images(rows, self.trim, self.image_chain, first)
        return Reading.of_sum(sparse_images(images), images)


def read_images(jets: Jets, trim: float | None, chain: ChainName = DEFAULT_CHAIN, first_jet: int = 0) -> SparseImages:
    r"""The images of the jets, normalised to $\sum_{ij} I_{ij}^2 = 1$, for a network on images.

    Args:
        jets: as they were found.
        trim: the fraction of pT below which subjets are dropped; None keeps everything.
        chain: how pixels are rotated; see `jetgram.jets.images`.
        first_jet: the number of the first jet in errors, when `jets` is a batch out of more.

    Example:
        >>> from jetgram.kinematics import from_ptetaphim
        >>> jets = Jets.from_lists([from_ptetaphim([40.0, 30.0], [1.0, 1.6], [2.0, 2.0])])
        >>> images = read_images(jets, trim=0.05, chain="shared")
        >>> images.pixels, images.intensities
        (array([162, 312], dtype=int32), array([0.6, 0.8], dtype=float32))
    """
    return sparse_images(full_images(jets, trim, chain, first_jet))


def full_images(jets: Jets, trim: float | None, chain: ChainName = DEFAULT_CHAIN, first_jet: int = 0) -> Images:
    """The images themselves; one without pT is an error. The arguments are those of `read_images`."""
    images = jet_images(jets, trim or 0.0, chain)
    empty = np.flatnonzero(images.norm == 0)
    if len(empty):
        found = f"jet {first_jet + empty[0]} has an empty image: its pT is {jets[empty[:1]].pt[0]:.4g} GeV"
        raise BadJetError(f"{found}; {len(empty)} of {len(jets)} such jets")
    return images


def sparse_images(images: Images) -> SparseImages:
    """The pixels with pT of images."""
    flat = images.pixels.reshape(-1, ALL_PIXELS)
    jet, pixel = np.nonzero(flat)
    offsets = offsets_of(np.bincount(jet, minlength=len(flat)))
    return SparseImages(pixel.astype(np.int32), flat[jet, pixel].astype(np.float32), offsets)
