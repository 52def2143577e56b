"""Taggers and regressors of jets and of events, for people: fit, predict, embed, save, load."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from jetgram.estimator import Array, JetEstimator, RowsLike, as_rows
from jetgram.models.settings import ModelSettings
from jetgram.momenta import Events


class JetTagger(JetEstimator):
    """A classifier of jets: signal (1) against background (0).

    Example:
        Wide pairs of particles against narrow ones, learned from 400 toys:

        >>> from jetgram import Jets
        >>> from jetgram.kinematics import from_ptetaphim
        >>> rng = np.random.default_rng(1)
        >>> y = np.arange(400) % 2
        >>> angle = rng.normal(0.3 + 0.3 * y, 0.05)
        >>> jets = Jets.from_lists([from_ptetaphim([60.0, 40.0], [0.0, a], [0.0, 0.0]) for a in angle])
        >>> tagger = JetTagger(topology="kt", hidden=8, epochs=10, batch=16, rate=0.02).fit(jets, y)
        >>> tagger.predict_proba(jets[:4])[:, 1].round(1)
        array([0., 1., 0., 1.])
        >>> tagger.embed(jets[:4]).shape
        (4, 8)
    """

    head = "classifier"

    def predict_proba(self, jets: RowsLike) -> Array:
        """The probabilities of background and signal, `(jets, 2)`, as in scikit-learn."""
        signal = self.model.predict(as_rows(self.rows, jets))[:, 0]
        return np.stack([1 - signal, signal], axis=1)

    def predict(self, jets: RowsLike) -> NDArray[np.int64]:
        """1 where signal is more probable than background, else 0, `(jets,)`."""
        return (self.predict_proba(jets)[:, 1] > 0.5).astype(np.int64)


class JetRegressor(JetEstimator):
    """Learns numbers of jets, with squared errors (`loss="squared"`) or Huber's loss (`loss="huber"`).

    The targets are scaled for the network, and its outputs back; name them with `targets=("mass", "pt")`, or let `fit`
    count them. Jets without a finite target are left out.
    """

    head = "regressor"

    def predict(self, jets: RowsLike) -> Array:
        """The numbers, `(jets, targets)`; of a single target `(jets,)`."""
        outputs = self.model.predict(as_rows(self.rows, jets))
        return outputs[:, 0] if outputs.shape[1] == 1 else outputs

    def _settings_for(self, y: ArrayLike) -> ModelSettings:
        outputs = 1 if np.ndim(y) < 2 else np.shape(y)[1]
        if self.settings.targets != ("target",) or outputs == 1:
            return self.settings
        names = tuple(f"target_{number}" for number in range(outputs))
        return self.settings.model_copy(update={"targets": names})


class _ReadsEvents(JetEstimator):
    """What makes an estimator of jets one of events."""

    rows = Events

    def __init__(
        self,
        hardest: int | str = 2,
        topology: str = "kt",
        cell: str = "simple",
        *,
        event: str = "jets",
        **settings: Any,
    ) -> None:
        super().__init__(topology, cell, event=event, hardest=hardest, **settings)


class EventTagger(_ReadsEvents, JetTagger):
    """A classifier of events: signal (1) against background (0). Its verbs are those of `JetTagger`, with events.

    Args:
        hardest: how many jets of an event are read, or `all`; with `event="particles"`, how many particles.
        topology: of the trees of the jets.
        cell: of their embedding.
        settings: any other, such as `event="jet-momenta"`, `state=20` or `epochs=5`.

    Example:
        Pairs of particles, wide or narrow, beside a single one, learned from 400 toys:

        >>> from jetgram.kinematics import from_ptetaphim
        >>> rng = np.random.default_rng(1)
        >>> y = np.arange(400) % 2
        >>> wide = rng.normal(0.1 + 0.5 * y, 0.05)
        >>> toys = [from_ptetaphim([60.0, 40.0, 80.0], [0.0, a, 0.0], [0.0, 0.0, 3.0]) for a in wide]
        >>> events = Events.from_lists(toys)
        >>> tagger = EventTagger(hardest=2, hidden=8, state=8, epochs=10, batch=16, rate=0.02).fit(events, y)
        >>> tagger.predict_proba(events[:4])[:, 1].round(1)
        array([0., 1., 0., 1.])
    """


class EventRegressor(_ReadsEvents, JetRegressor):
    """Learns numbers of events, such as the mass of what decayed; see `JetRegressor` and `EventTagger`."""
