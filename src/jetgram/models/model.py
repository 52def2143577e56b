"""A model: a network, and everything between it and jets as they were found."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray

from jetgram.engine.schedule import Schedule
from jetgram.errors import BadJetError
from jetgram.models.build import build_network
from jetgram.models.inputs import fit_scaler, read_jets, scale
from jetgram.models.network import JetNetwork
from jetgram.models.scaler import Scaler
from jetgram.models.settings import ModelSettings
from jetgram.momenta import Jets

Array = NDArray[np.float64]

CHUNK = 1024  # jets that are trees at the same time: memory does not grow with their number, caches hold most


@dataclasses.dataclass(frozen=True, eq=False)
class JetModel:
    """From jets, as they were found, to probabilities or regressed numbers.

    Args:
        settings: how jets are read, and the network.
        network: with its weights.
        scaler: of the node features.
        target_scaler: of a regressor's targets; None for a classifier.
        record: where the weights come from: `training` (the recipe), `data`, `metrics`, `versions`.
    """

    settings: ModelSettings
    network: JetNetwork
    scaler: Scaler
    target_scaler: Scaler | None = None
    record: Mapping[str, Any] = dataclasses.field(default_factory=dict)

    @classmethod
    def untrained(cls, settings: ModelSettings, jets: Jets, seed: int = 0) -> JetModel:
        """With the weights that training would begin with, and scaled to these jets; for trying things out."""
        trees = read_jets(jets, settings)
        scaler = fit_scaler(trees)
        unit = np.ones(len(settings.targets))
        target_scaler = Scaler(0 * unit, unit) if settings.head == "regressor" else None
        return cls(settings, build_network(settings, seed), scaler, target_scaler)

    def read(self, jets: Jets, first_jet: int = 0) -> Schedule:
        """What the network reads of the jets: trees with scaled features."""
        return scale(read_jets(jets, self.settings, first_jet), self.scaler)

    def predict(self, jets: Jets, first_jet: int = 0) -> Array:
        """The probability of signal, or the regressed numbers, `(jets, outputs)`.

        Args:
            jets: as they were found.
            first_jet: the number of the first jet, when `jets` is a batch out of more; for the `random` topology.
        """
        outputs = self._collect(jets, first_jet, self.network.predict, len(self.settings.targets))
        if self.target_scaler is not None:
            return self.target_scaler.restore(outputs)
        return probability(outputs)

    def embed(self, jets: Jets, first_jet: int = 0) -> Array:
        """The embeddings of the jets, `(jets, q)`; of a stereo model `(jets, 2 q)`."""
        return self._collect(jets, first_jet, self._embeddings, self.network.head.widths[0])

    @torch.no_grad()
    def _embeddings(self, trees: Schedule) -> NDArray[Any]:
        embeddings: NDArray[Any] = self.network.embedding(trees).cpu().numpy()
        return embeddings

    def _collect(self, jets: Jets, first_jet: int, compute: Any, width: int) -> Array:
        """What `compute` gives for the trees of the jets, chunk by chunk; never a NaN."""
        values = np.empty((len(jets), width))
        for begin, part in _chunks(jets):
            values[begin : begin + len(part)] = compute(self.read(part, first_jet + begin))
        bad = ~np.isfinite(values).all(axis=1)
        if bad.any():
            jet = int(np.argmax(bad))
            found = f"jet {first_jet + jet}, pT = {jets[[jet]].pt[0]:.4g} GeV, {len(jets[jet])} constituents"
            raise BadJetError(f"{found}: the network's numbers overflow; the jet is too far from those of the training")
        return values


def probability(logits: NDArray[np.floating[Any]]) -> Array:
    r"""The probability of signal $1 / (1 + e^{-f})$ for logits $f$."""
    decay = np.exp(-np.abs(logits, dtype=np.float64))
    result: Array = np.where(logits >= 0, 1.0, decay) / (1.0 + decay)
    return result


def _chunks(jets: Jets) -> Iterator[tuple[int, Jets]]:
    if len(jets) <= CHUNK:
        yield 0, jets
        return
    for begin in range(0, len(jets), CHUNK):
        yield begin, jets[begin : begin + CHUNK]
