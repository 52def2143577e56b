"""A model: a network, and everything between it and jets as they were found, or events."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray

from jetgram.errors import BadJetError, SettingsError
from jetgram.inputs.representation import Representation
from jetgram.inputs.scaler import Scaler
from jetgram.joining import chunks
from jetgram.models.settings import ModelSettings
from jetgram.momenta import Jets, Momenta
from jetgram.networks.device import find_device
from jetgram.networks.network import JetNetwork
from jetgram.validity import require_good

Array = NDArray[np.float64]

CHUNK = 1024  # jets or events that are trees at the same time: memory does not grow, and caches hold most


@dataclasses.dataclass(frozen=True, eq=False)
class JetModel:
    """From jets, as they were found, or from events, to probabilities or regressed numbers.

    In a model of events all jets below are events.

    Args:
        settings: how jets are read, and the network.
        network: with its weights.
        scaler: of what the network reads, column by column: `settings.input.columns`.
        record: where the weights come from: `training` (the recipe), `data`, `metrics`, `versions`.
        other: how jets are read, where it is not as in training; see `with_topology` and `with_trim`. Not saved.
    """

    settings: ModelSettings
    network: JetNetwork
    scaler: Scaler
    record: Mapping[str, Any] = dataclasses.field(default_factory=dict)
    other: Mapping[str, Any] = dataclasses.field(default_factory=dict)

    def __post_init__(self) -> None:
        self.network.eval()  # a cell of one's own may have dropout, which is for training alone

    @classmethod
    def untrained(cls, settings: ModelSettings, jets: Momenta, seed: int = 0) -> JetModel:
        """With the weights that training would begin with, and scaled to these jets; for trying things out."""
        scaler = settings.read(jets).inputs.fit_scaler(settings.input.scaling)
        return cls(settings, settings.build(seed), scaler)

    def on(self, device: str) -> JetModel:
        """The same model, moved: its network computes there from now on; see `jetgram.networks.device`."""
        self.network.to(find_device(device))
        return self

    def with_topology(self, topology: str) -> JetModel:
        """The same weights and scaler on other trees than they were trained on.

        Args:
            topology: as many trees as the model reads.

        Example:
            >>> from jetgram.kinematics import from_ptetaphim
            >>> jets = Jets.from_lists([from_ptetaphim([50.0, 40.0, 1.0], [0.0, 0.3, 0.2], [0.0, 0.1, 0.1])])
            >>> JetModel.untrained(ModelSettings(topology="kt"), jets).with_topology("antikt").title
            'simple kt on antikt trees'
        """
        settings = self._settings_with("topology", topology)
        found, trained = settings.input.topologies, self.settings.input.topologies
        if not found or len(found) != len(trained):
            reads = f"as many trees as {'+'.join(trained)} has" if found else "no trees"
            raise SettingsError(f"found topology = {topology}; this model reads {reads}")
        return self._reading("topology", topology)

    def with_trim(self, fraction: float | None) -> JetModel:
        """The same weights and scaler on jets that are trimmed, or not, unlike those they were trained on.

        Args:
            fraction: subjets below this fraction of a jet's pT are dropped; None keeps everything.

        Example:
            >>> from jetgram.kinematics import from_ptetaphim
            >>> jets = Jets.from_lists([from_ptetaphim([50.0, 40.0, 1.0], [0.0, 0.3, 0.2], [0.0, 0.1, 0.1])])
            >>> JetModel.untrained(ModelSettings(), jets).with_trim(0.05).title
            'simple kt on trimmed jets'
        """
        self._settings_with("trim", fraction)
        return self._reading("trim", fraction)

    def _settings_with(self, name: str, value: Any) -> ModelSettings:
        """The settings with another value; raises where that does not fit the model."""
        return self.settings.changed(**{name: value})

    def _reading(self, name: str, value: Any) -> JetModel:
        trained, other = self.settings.dump(), {**self.other, name: value}
        return dataclasses.replace(self, other={key: value for key, value in other.items() if value != trained[key]})

    @property
    def reading(self) -> ModelSettings:
        """The settings as jets are read: with what is asked for instead of what was trained on."""
        return self.settings.changed(**self.other) if self.other else self.settings

    @property
    def title(self) -> str:
        """The model in a few words, as tables call it."""
        title = self.settings.title
        if "topology" in self.other:
            title += f" on {self.other['topology']} trees"
        if "trim" in self.other:
            title += " on untrimmed jets" if self.other["trim"] is None else " on trimmed jets"
        return title

    def read(self, jets: Momenta, first_jet: int = 0) -> Representation:
        """What the network reads of the jets: trees with scaled features, or images."""
        return self.reading.read(jets, first_jet, self.scaler).inputs

    def predict(self, jets: Momenta, first_jet: int = 0) -> Array:
        """The probability of signal, those of all classes, or the regressed numbers, `(jets, outputs)`.

        Args:
            jets: as they were found.
            first_jet: the number of the first jet, when `jets` is a batch out of more; for messages.
        """
        head = self.network.head
        return head.answers(self._in_chunks(jets, first_jet, self.network.predict, head.outputs))

    def predict_inputs(self, inputs: Representation, first: int = 0, rows: Momenta | None = None) -> Array:
        """The same for what was read of jets or events, not scaled; see `ModelSettings.read`.

        Args:
            inputs: a few thousand jets or events at most, since all are in memory; see `chunks`.
            first: the number of the first, for messages.
            rows: what was read, for messages.
        """
        return self.predict_scaled(inputs.scaled(self.scaler), first, rows)

    def predict_scaled(self, inputs: Representation, first: int = 0, rows: Momenta | None = None) -> Array:
        """The same for inputs that are scaled by the model's own scaler."""
        return self.network.head.answers(self._outputs(inputs, first, rows))

    def outputs_of(self, inputs: Representation, first: int = 0, rows: Momenta | None = None) -> Array:
        """The outputs of the network before the link function, such as logits; the arguments of `predict_inputs`."""
        return self._outputs(inputs.scaled(self.scaler), first, rows)

    def _outputs(self, scaled: Representation, first: int, rows: Momenta | None) -> Array:
        outputs = self.network.predict(scaled).astype(np.float64)
        _require_finite(outputs, self.settings.rows, first, rows)
        return outputs

    @property
    def digest(self) -> str:
        """That of the files it was loaded from; empty of one that was made in memory."""
        return str(self.record.get("digest", ""))

    @property
    def members(self) -> tuple[JetModel, ...]:
        """The model itself, as the only one of an ensemble."""
        return (self,)

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the answers: `score`, one score per class, or the targets."""
        return self.network.head.names

    def named(self, answers: Array) -> dict[str, Array]:
        """The columns of what `predict` gives by their names: `score`, one score per class, or the targets."""
        return dict(zip(self.names, answers.T, strict=True))

    def embed(self, jets: Momenta, first_jet: int = 0) -> Array:
        """The embeddings of the jets, `(jets, q)`; of a stereo model `(jets, 2 q)`."""
        return self._in_chunks(jets, first_jet, self._embeddings, self.network.head.widths[0])

    @torch.no_grad()
    def _embeddings(self, trees: Representation) -> NDArray[Any]:
        embeddings: NDArray[Any] = self.network.embedding(trees).cpu().numpy()
        return embeddings

    def _in_chunks(self, jets: Momenta, first_jet: int, compute: Any, width: int) -> Array:
        """What `compute` gives for the trees of the jets, chunk by chunk; never a NaN."""
        require_good(
            jets, self.settings.rows.removesuffix("s"), first=first_jet
        )  # all, so that all bad ones are counted
        values = np.empty((len(jets), width))
        for begin, part in chunks(jets, CHUNK):
            values[begin : begin + len(part)] = compute(self.read(part, first_jet + begin))
        _require_finite(values, self.settings.rows, first_jet, jets)
        return values


def _require_finite(values: Array, rows: str, first: int, jets: Momenta | None = None) -> None:
    bad = ~np.isfinite(values).all(axis=1)
    if bad.any():
        row, what = int(np.argmax(bad)), rows.removesuffix("s")
        found = f"{what} {first + row}"
        if isinstance(jets, Jets):
            found += f", pT = {jets[[row]].pt[0]:.4g} GeV, {len(jets[row])} constituents"
        raise BadJetError(f"{found}: the network's numbers overflow; the {what} is too far from those of the training")
