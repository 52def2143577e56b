"""Jets for PyTorch's own `DataLoader`, for people who train with a loop of their own."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import torch
from numpy.typing import ArrayLike
from torch import Tensor
from torch.utils.data import Dataset

from jetgram.errors import BadJetError
from jetgram.inputs.representation import Representation, concatenate
from jetgram.inputs.scaler import Scaler
from jetgram.joining import chunks
from jetgram.models.model import CHUNK
from jetgram.models.settings import ModelSettings
from jetgram.momenta import Momenta


class TorchDataset(Dataset[int]):
    """Jets as trees with scaled features, and their targets, for `torch.utils.data.DataLoader`.

    Its items are the numbers of the jets; `collate` takes the trees of a batch all at once, which is many times faster
    than one by one. The trees of a batch are what `jetgram.networks.recursive.RecursiveEmbedding` reads.

    Args:
        jets: as they were found; or events.
        targets: one, or a row, per jet.
        settings: how jets are read: topology, features, preprocessing; the paper's by default.
        scaler: of the features, as of a model or of the training jets; by default fitted to these jets.

    Example:
        >>> from torch.utils.data import DataLoader
        >>> from jetgram import Jets
        >>> from jetgram.kinematics import from_ptetaphim
        >>> jets = Jets.from_lists([from_ptetaphim([60.0, 40.0], [0.0, a], [0.0, 0.0]) for a in (0.2, 0.4, 0.6)])
        >>> data = TorchDataset(jets, [0, 1, 2])
        >>> for trees, labels in DataLoader(data, batch_size=2, collate_fn=data.collate):
        ...     print(trees, labels)
        <Schedule: 2 trees with 6 nodes of 7 features> tensor([0, 1])
        <Schedule: 1 trees with 3 nodes of 7 features> tensor([2])
    """

    def __init__(
        self,
        jets: Momenta,
        targets: ArrayLike,
        settings: ModelSettings | None = None,
        scaler: Scaler | None = None,
    ) -> None:
        self.settings = settings or ModelSettings()
        self.targets = torch.as_tensor(np.asarray(targets))
        if not len(jets) or len(self.targets) != len(jets):
            raise BadJetError(
                f"found {len(jets)} {self.settings.rows} and {len(self.targets)} targets; expected one each"
            )
        parts = [self.settings.read(part, first).inputs for first, part in chunks(jets, CHUNK)]
        read = concatenate(parts)
        self.scaler = scaler or read.fit_scaler(self.settings.input.scaling)
        self.inputs: Representation = read.scaled(self.scaler)

    def __len__(self) -> int:
        return len(self.inputs)

    def __getitem__(self, index: int) -> int:
        """The number of the jet itself: see `collate`."""
        return index

    def collate(self, numbers: Sequence[int]) -> tuple[Representation, Tensor]:
        """The trees and the targets of these jets: what `DataLoader` calls with the jets of a batch."""
        chosen = np.asarray(numbers, dtype=np.int64)
        return self.inputs[chosen], self.targets[torch.from_numpy(chosen)]
