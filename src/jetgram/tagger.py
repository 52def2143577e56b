"""Taggers and regressors of jets and of events, for people: fit, predict, embed, save, load."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import ClassifierMixin, RegressorMixin

from jetgram.estimator import Array, JetEstimator, RowsLike, as_rows
from jetgram.models.settings import ModelSettings
from jetgram.momenta import Events
from jetgram.networks.labels import class_numbers, found_classes


class JetTagger(ClassifierMixin, JetEstimator):  # type: ignore[misc]
    """A classifier of jets: signal (1) against background (0), or several classes.

    `fit` takes labels of any kind: integers, strings, or one-hot rows `(jets, classes)`. `classes_` are the different
    labels in rising order, as in scikit-learn, unless the setting `classes` gives another; the first is the background.

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

    @property
    def classes_(self) -> NDArray[Any]:
        """The labels of the classes, in the order of the columns of `predict_proba`."""
        settings = self.settings if self._model is None else self._model.settings
        return np.array(settings.head.labels)

    def predict_proba(self, jets: RowsLike) -> Array:
        """The probabilities of the classes, `(jets, classes)`, as in scikit-learn; of two, background and signal."""
        answers = self.model.predict(as_rows(self.rows, jets))
        return answers if answers.shape[1] > 1 else np.concatenate([1 - answers, answers], axis=1)

    def predict(self, jets: RowsLike) -> NDArray[Any]:
        """The label of the most probable class, `(jets,)`; where two are equally probable, the first."""
        labels: NDArray[Any] = self.classes_[self.predict_proba(jets).argmax(axis=1)]
        return labels

    def _settings_for(self, y: ArrayLike) -> ModelSettings:
        """With the classes that are among the labels, unless the settings name them."""
        return self.settings.with_classes(found_classes(y))

    def score(self, jets: RowsLike, y: ArrayLike, sample_weight: ArrayLike | None = None) -> float:
        """The fraction of jets whose class is found, as in scikit-learn; `y` as in `fit`."""
        right = class_numbers(y, tuple(self.classes_.tolist())) == self.predict_proba(jets).argmax(axis=1)
        return float(np.average(right, weights=None if sample_weight is None else np.asarray(sample_weight)))

    def _targets_of(self, settings: ModelSettings, y: ArrayLike) -> ArrayLike:
        return class_numbers(y, settings.head.labels)


class JetRegressor(RegressorMixin, JetEstimator):  # type: ignore[misc]
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
        if self.settings.head.targets != ("target",) or outputs == 1:
            return self.settings
        names = tuple(f"target_{number}" for number in range(outputs))
        return self.settings.changed(targets=names)


class _ReadsEvents(JetEstimator):
    """What makes an estimator of jets one of events."""

    rows = Events

    def __init__(
        self,
        hardest: int | str = 2,
        topology: str | None = None,
        cell: str | None = None,
        *,
        event: str = "jets",
        **settings: Any,
    ) -> None:
        super().__init__(topology, cell, event=event, hardest=hardest, **settings)


class EventTagger(_ReadsEvents, JetTagger):
    """A classifier of events: signal (1) against background (0). It has the methods of `JetTagger`, for events.

    Args:
        hardest: how many jets of an event are read, or `all`; with `event="particles"`, how many particles.
        topology: of the trees of the jets.
        cell: of their embedding.
        settings: any other, such as `event="jet-momenta"`, `state=20` or `epochs=5`.

    Example:
        Pairs of particles, wide or narrow, next to a single one, learned from 400 toys:

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
    """Learns numbers of events, such as the mass of a resonance; see `JetRegressor` and `EventTagger`."""
