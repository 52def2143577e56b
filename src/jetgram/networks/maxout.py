"""The network of the jet-image papers: MaxOut units on all pixels (arXiv:1511.05190, arXiv:1609.00607)."""

from __future__ import annotations

from typing import ClassVar

import torch
from numpy.typing import ArrayLike
from torch import Tensor, nn

from jetgram.inputs.images import ALL_PIXELS, SparseImages
from jetgram.networks.initialisation import Role, RoleModule
from jetgram.networks.recursive import Embedding

HEAD = (64, 25)  # the rectified layers between the embedding of an image and the output
DENSE = 0.25  # of all pixels: where more have pT, one product with all of them is faster than a sum of rows


class MaxOut(RoleModule):
    r"""Units that are the largest of several affine maps (arXiv:1302.4389): $h_j = \max_k (x W)_{kj} + b_{kj}$.

    Args:
        inputs: length of $x$.
        units: length of $h$.
        pieces: the number of maps of each unit.

    Example:
        >>> layer = MaxOut(inputs=625, units=256, pieces=5)
        >>> sum(weight.numel() for weight in layer.parameters())
        801280
    """

    roles: ClassVar[dict[str, Role]] = {"W": "pieces", "b": "bias"}

    def __init__(self, inputs: int, units: int, pieces: int) -> None:
        super().__init__()
        self.inputs, self.units, self.pieces = inputs, units, pieces
        self.W = self.weight("W", inputs, pieces * units)  # one row per input: few pixels touch few rows
        self.b = self.weight("b", pieces * units)

    def forward(self, x: Tensor) -> Tensor:
        """The units `(jets, units)` for inputs `(jets, inputs)`."""
        return self._largest(torch.addmm(self.b, x, self.W))

    def of_images(self, images: SparseImages) -> Tensor:
        """The same for images; where few pixels have pT, without the products with empty ones."""
        if len(images.pixels) > DENSE * self.inputs * len(images):
            return self.forward(torch.from_numpy(images.dense()).to(self.W))
        pixels, offsets = torch.from_numpy(images.pixels), torch.from_numpy(images.offsets[:-1])
        intensities = torch.from_numpy(images.intensities).to(self.W)
        sums = nn.functional.embedding_bag(
            pixels.to(self.W.device),
            self.W,
            offsets.to(pixels).to(self.W.device),
            mode="sum",
            per_sample_weights=intensities,
        )
        return self._largest(sums + self.b)

    def _largest(self, maps: Tensor) -> Tensor:
        return maps.view(-1, self.pieces, self.units).amax(dim=1)

    def extra_repr(self) -> str:
        """The sizes, as PyTorch prints them."""
        return f"inputs={self.inputs}, units={self.units}, pieces={self.pieces}"


class ImageEmbedding(Embedding):
    """Two layers of MaxOut units on the 625 pixels of an image: 256 units of 5 pieces, then 128 of 5.

    With a `TwoClass` of 64 and 25 rectified units this is the network of the jet-image papers, with 975,693
    parameters.

    Example:
        >>> from jetgram.networks.classification import TwoClass
        >>> parts = ImageEmbedding(), TwoClass(128, HEAD)
        >>> sum(weight.numel() for part in parts for weight in part.parameters())
        975693
    """

    def __init__(self) -> None:
        super().__init__()
        self.first = MaxOut(ALL_PIXELS, units=256, pieces=5)
        self.second = MaxOut(256, units=128, pieces=5)

    @property
    def outputs(self) -> int:
        """Length of the embedding."""
        return self.second.units

    def forward(self, trees: SparseImages, jets: ArrayLike | None = None) -> Tensor:
        """The embeddings of the chosen images (by default all), `(jets, 128)`."""
        embedding: Tensor = self.second(self.first.of_images(trees.take(jets)))
        return embedding
