"""Taggers and regressors of jets and of events, for people: fit, predict, embed, save, load."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Self, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from jetgram.errors import BadJetError, ModelError, SettingsError
from jetgram.models.model import JetModel
from jetgram.models.settings import HeadName, make_settings
from jetgram.models.store import load_model, read_history, save_model
from jetgram.momenta import Events, Jets, M, Momenta, concatenate
from jetgram.training.loop import Trainer, Watcher
from jetgram.training.prepare import prepare_jets
from jetgram.training.start import set_up

if TYPE_CHECKING:
    import awkward as ak

Array = NDArray[np.float64]
JetsLike: TypeAlias = "Jets | ak.Array | tuple[ArrayLike, ArrayLike]"
EventsLike: TypeAlias = "Events | ak.Array | tuple[ArrayLike, ArrayLike]"
RowsLike: TypeAlias = "JetsLike | EventsLike"
Validation: TypeAlias = "int | tuple[Any, ...] | None"


def as_jets(jets: JetsLike) -> Jets:
    """Jets from Jets, from an Awkward array of jets of particles, or from `(momenta, offsets)`.

    Example:
        >>> as_jets(([[3.0, 4.0, 0.0, 5.0], [0.0, 6.0, 8.0, 10.0]], [0, 1, 2]))
        <Jets: 2 with 2 momenta>
    """
    return _as(Jets, jets)


def _as(kind: type[M], rows: Any) -> M:
    """Rows of the wanted kind from what `as_jets` lists."""
    if isinstance(rows, kind):
        return rows
    if isinstance(rows, tuple) and len(rows) == 2:
        return kind(np.asarray(rows[0], dtype=np.float64), np.asarray(rows[1], dtype=np.int64))
    if type(rows).__module__.startswith("awkward"):
        return kind.from_awkward(rows)
    wanted = f"{kind.__name__}, an Awkward array, or (momenta, offsets)"
    raise BadJetError(f"found {type(rows).__name__}; expected {wanted}")


class JetEstimator:
    """What taggers and regressors have in common.

    Args:
        topology: one of the six trees, or two joined by `+`.
        cell: `simple` or `gated`.
        settings: any other of `ModelSettings` and `TrainingSettings`, such as `epochs=5` or `seed=3`.
    """

    head: ClassVar[HeadName]
    rows: ClassVar[type[Momenta]] = Jets

    def __init__(self, topology: str = "kt", cell: str = "simple", **settings: Any) -> None:
        if settings.pop("head", self.head) != self.head:
            raise SettingsError(f"a {type(self).__name__} is a {self.head}")
        self.settings, self.training = make_settings(topology=topology, cell=cell, head=self.head, **settings)
        if self.settings.rows != self.rows.__name__.lower():
            wanted = f"{type(self).__name__} reads {self.rows.__name__.lower()}"
            raise SettingsError(f"{wanted}; found event={self.settings.event!r}")
        self.history: list[dict[str, Any]] = []
        self._model: JetModel | None = None

    def __repr__(self) -> str:
        changed = {**_changed(self.settings), **_changed(self.training)}
        changed.pop("head", None)
        if changed.get("event") == "jets":
            del changed["event"]  # the usual way to read events
        return f"{type(self).__name__}({', '.join(f'{name}={value!r}' for name, value in changed.items())})"

    @property
    def model(self) -> JetModel:
        """The fitted model: network, scaler, settings."""
        if self._model is None:
            raise ModelError(f"this {type(self).__name__} has not learned anything yet; call fit or load")
        return self._model

    def fit(
        self,
        jets: RowsLike,
        y: ArrayLike,
        sample_weight: ArrayLike | None = None,
        validation: Validation = None,
        watcher: Watcher | None = None,
    ) -> Self:
        """Learn, and keep the state of the epoch that is best on the validation jets.

        Args:
            jets: as they were found.
            y: what is to be learned, one (or a row) a jet.
            sample_weight: one a jet, not negative.
            validation: how many of the jets to keep aside, or other jets `(jets, y)` or `(jets, y, sample_weight)`; by
                default as many as the settings say.
            watcher: is told of every step and epoch.
        """
        parts = [self._checked(jets, y, sample_weight)]
        training, aside = self.training, None
        if isinstance(validation, tuple):
            parts.append(self._checked(*validation))
            aside = len(parts[0][0]) + np.arange(len(parts[1][0]))
        elif validation is not None:
            training = type(training).create(**{**training.model_dump(), "validation": validation})
        everything, targets, weights = zip(*parts, strict=True)
        settings = self.settings
        prepared = prepare_jets(concatenate(everything), np.concatenate(targets), np.concatenate(weights), settings)
        setup = set_up(prepared, settings, training, kept_aside=aside)
        trainer = Trainer(setup, training, watcher=watcher)
        try:
            trainer.run()
        finally:  # what was learned before Ctrl-C is not lost
            self.history = trainer.progress.history
            if self.history:
                data = {"digest": prepared.digest, settings.rows: len(targets[0])}
                self._model = trainer.best_model(data)
        return self

    def embed(self, jets: RowsLike) -> Array:
        """The embeddings of the jets, `(jets, hidden)`; of two topologies side by side; of events `(events, state)`."""
        return self.model.embed(_as(self.rows, jets))

    def save(self, path: Path | str) -> str:
        """Write a model directory; returns the model's digest."""
        return save_model(path, self.model, self.history)

    @classmethod
    def load(cls, path: Path | str) -> Self:
        """From a model directory."""
        model = load_model(path)
        if model.settings.head != cls.head:
            raise ModelError(f"{path} holds a {model.settings.head}, which is no {cls.__name__}")
        if model.settings.rows != cls.rows.__name__.lower():
            raise ModelError(f"{path} holds a model of {model.settings.rows}, which is no {cls.__name__}")
        training = model.record["training"] or {}
        estimator = cls(**{**model.settings.dump(), **training})
        estimator._model, estimator.history = model, read_history(Path(path))
        return estimator

    def _checked(self, jets: Any, y: ArrayLike, weight: ArrayLike | None = None) -> tuple[Momenta, Array, Array]:
        """Jets without columns, targets `(jets, outputs)` and weights `(jets,)`."""
        found = _as(self.rows, jets)
        targets = np.asarray(y, dtype=np.float64)
        targets = targets[:, None] if targets.ndim == 1 else targets
        weights = np.ones(len(found)) if weight is None else np.asarray(weight, dtype=np.float64)
        outputs = len(self.settings.targets)
        if targets.shape != (len(found), outputs) or weights.shape != (len(found),):
            wanted = f"({len(found)}, {outputs}) and ({len(found)},)"
            raise BadJetError(f"y and sample_weight have shapes {targets.shape} and {weights.shape}; expected {wanted}")
        return self.rows(found.momenta, found.offsets), targets, weights


class JetTagger(JetEstimator):
    """A classifier of jets: signal (1) against background (0).

    Example:
        Wide pairs of particles against narrow ones, learned from 400 toys:

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
        signal = self.model.predict(_as(self.rows, jets))[:, 0]
        return np.stack([1 - signal, signal], axis=1)

    def predict(self, jets: RowsLike) -> NDArray[np.int64]:
        """1 where signal is more probable than background, else 0, `(jets,)`."""
        return (self.predict_proba(jets)[:, 1] > 0.5).astype(np.int64)


class JetRegressor(JetEstimator):
    """Learns numbers of jets, with squared errors (`loss="squared"`) or Huber's loss (`loss="huber"`).

    The targets are scaled for the network, and its outputs back; name them with `targets=("mass", "pt")`, or let `fit`
    count them.
    """

    head = "regressor"

    def fit(
        self,
        jets: RowsLike,
        y: ArrayLike,
        sample_weight: ArrayLike | None = None,
        validation: Validation = None,
        watcher: Watcher | None = None,
    ) -> Self:
        """Learn, as `JetEstimator.fit` says; jets without a finite target are left out."""
        outputs = 1 if np.ndim(y) < 2 else np.shape(y)[1]
        if self.settings.targets == ("target",) and outputs > 1:
            names = tuple(f"target_{number}" for number in range(outputs))
            self.settings = self.settings.model_copy(update={"targets": names})
        return super().fit(jets, y, sample_weight, validation, watcher)

    def predict(self, jets: RowsLike) -> Array:
        """The numbers, `(jets, targets)`; of a single target `(jets,)`."""
        outputs = self.model.predict(_as(self.rows, jets))
        return outputs[:, 0] if outputs.shape[1] == 1 else outputs


class EventTagger(JetTagger):
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


class EventRegressor(JetRegressor):
    """Learns numbers of events, such as the mass of what decayed; see `JetRegressor` and `EventTagger`."""

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


def _changed(settings: Any) -> dict[str, Any]:
    """The settings that are not the usual ones."""
    usual = type(settings)()
    return {name: value for name, value in settings if value != getattr(usual, name)}
