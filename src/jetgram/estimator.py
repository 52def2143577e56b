"""What taggers and regressors have in common: they take jets or events in many forms, learn, embed, save and load."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Self, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from jetgram.errors import BadJetError, ModelError, SettingsError
from jetgram.models.keywords import make_settings
from jetgram.models.model import JetModel
from jetgram.models.settings import HeadName, ModelSettings
from jetgram.models.store import load_model, read_history, save_model
from jetgram.momenta import Jets, M, Momenta, concatenate
from jetgram.ragged import integers, real_numbers
from jetgram.training.loop import Trainer, Watcher
from jetgram.training.prepare import prepare_jets
from jetgram.training.start import set_up
from jetgram.validity import require_good

if TYPE_CHECKING:
    import awkward as ak

Array = NDArray[np.float64]
RowsLike: TypeAlias = "Momenta | ak.Array | tuple[ArrayLike, ArrayLike]"
Validation: TypeAlias = "int | tuple[Any, ...] | None"


def as_rows(kind: type[M], rows: Any) -> M:
    """Jets (or events) from such, from an Awkward array of jets of particles, or from `(momenta, offsets)`.

    Example:
        >>> as_rows(Jets, ([[3.0, 4.0, 0.0, 5.0], [0.0, 6.0, 8.0, 10.0]], [0, 1, 2]))
        <Jets: 2 with 2 momenta>
    """
    if isinstance(rows, kind):
        return rows
    if isinstance(rows, tuple) and len(rows) == 2:
        return kind(real_numbers(rows[0], "momenta"), integers(rows[1], "offsets"))
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
        self.settings = settings = self._settings_for(y)
        parts = [self._checked("", jets, y, sample_weight)]
        training, aside = self.training, None
        if isinstance(validation, tuple):
            parts.append(self._checked("validation ", *validation))
            aside = len(parts[0][0]) + np.arange(len(parts[1][0]))
        elif validation is not None:
            training = type(training).create(**{**training.model_dump(), "validation": validation})
        everything, targets, weights = zip(*parts, strict=True)
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
        return self.model.embed(as_rows(self.rows, jets))

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

    def _settings_for(self, y: ArrayLike) -> ModelSettings:
        """The settings with which these targets are learned."""
        return self.settings

    def _checked(
        self, what: str, jets: Any, y: ArrayLike, weight: ArrayLike | None = None
    ) -> tuple[Momenta, Array, Array]:
        """Jets without columns, targets `(jets, outputs)` and weights `(jets,)`."""
        found = as_rows(self.rows, jets)
        targets = np.asarray(y, dtype=np.float64)
        targets = targets[:, None] if targets.ndim == 1 else targets
        weights = np.ones(len(found)) if weight is None else np.asarray(weight, dtype=np.float64)
        outputs = len(self.settings.targets)
        if targets.shape != (len(found), outputs) or weights.shape != (len(found),):
            wanted = f"({len(found)}, {outputs}) and ({len(found)},)"
            raise BadJetError(f"y and sample_weight have shapes {targets.shape} and {weights.shape}; expected {wanted}")
        particles = {name: found.particles[name] for name in self.settings.particle_columns if name in found.particles}
        require_good(found, what + self.rows.__name__.lower().removesuffix("s"))
        bare = self.rows(found.momenta, found.offsets, particles=particles, preprocessed=found.preprocessed)
        return bare, targets, weights


def _changed(settings: Any) -> dict[str, Any]:
    """The settings that are not the usual ones."""
    usual = type(settings)()
    return {name: value for name, value in settings if value != getattr(usual, name)}
