"""Scores: what a model says of each jet, next to the truth and where it comes from.

Example:
    >>> scores = Scores.create({"score": [0.9, 0.2]}, label=[1, 0], pt=[270.0, 280.0], mass=[80.0, 60.0])
    >>> scores
    <Scores of scores: 2 jets>
    >>> Scores.create({"score": [0.9, float("nan")]}, label=[1, 0], pt=[270.0, 280.0], mass=[80.0, 60.0])
    Traceback (most recent call last):
    jetgram.errors.EvaluationError: scores: row 1: score is nan; expected a finite number; 1 of 2 such rows
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, Literal, Self, TypeVar

import numpy as np
import pydantic
from numpy.typing import ArrayLike, NDArray

from jetgram.classes import NO_LABEL
from jetgram.errors import EvaluationError
from jetgram.momenta import Jets, Momenta
from jetgram.roc import SCORE, require
from jetgram.settings import Settings
from jetgram.storage.dataset import Dataset

T = TypeVar("T")

Array = NDArray[np.float64]

UNNAMED = "scores"  # what errors call scores without a file or a model
COLUMNS = ("label", "pt", "mass", "weight", "jet")


class Provenance(Settings):
    """Where scores come from.

    Args:
        rows: what was scored, `jets` or `events`.
        model: the model's name; scores of one name are the seeds of one model, and are averaged.
        seed: of the training.
        model_digest: of the model's files.
        training: digest of what was trained on which jets, whatever the seed: the seeds of one model share it; empty
            where it is not known, as in files from before it was written.
        dataset: the name of the dataset that was scored.
        dataset_digest: its digest.
        split: the split that was scored.
        sample: the name of the generated sample, empty for people's own jets; None where nobody said.
        details: anything else worth keeping, e.g. settings and versions.
    """

    rows: Literal["jets", "events"] = "jets"
    model: str = ""
    seed: int | None = None
    model_digest: str = ""
    training: str = ""
    dataset: str = ""
    dataset_digest: str = ""
    split: str = ""
    sample: str | None = None
    details: dict[str, Any] = pydantic.Field(default_factory=dict)

    @classmethod
    def of_dataset(cls, dataset: Dataset, split: str, model: str, **others: Any) -> Self:
        """Of a model's scores of one split of a dataset."""
        return cls(
            model=model,
            dataset=dataset.path.resolve().name,
            dataset_digest=dataset.digest,
            split=split,
            sample=dataset.sample,
            **others,
        )


@dataclasses.dataclass(frozen=True, eq=False)
class Scores:
    """A model's outputs for many jets (or events) next to what is known of them; checked when made.

    Args:
        outputs: the model's numbers, each `(jets,)`: `score` of a classifier, larger for signal (a probability or a
            logit); other names for the targets of a regressor.
        label: 1 signal, 0 background, -1 unknown, `(jets,)`, as all the following.
        pt: transverse momentum in GeV of the jet as the model is given it (of an event: of its hardest jet, as found);
            windows and weights go by it.
        mass: its mass in GeV.
        weight: as in the dataset; where a score is judged, none may be negative.
        jet: the jet's number in the split that was scored.
        provenance: the model and the dataset.
        source: the name that errors and tables give these scores; the file, once read.
    """

    outputs: Mapping[str, Array]
    label: NDArray[np.int8]
    pt: Array
    mass: Array
    weight: Array
    jet: NDArray[np.int64]
    provenance: Provenance = dataclasses.field(default_factory=Provenance)
    source: str = UNNAMED

    def __post_init__(self) -> None:
        taken = set(self.outputs).intersection(COLUMNS)
        if taken or not self.outputs:
            found = f"{self.source}: the outputs are {', '.join(self.outputs) or 'none'}"
            raise EvaluationError(f"{found}; expected one or more, and none named {', '.join(COLUMNS)}")
        for name, values in {**self.outputs, **self.columns}.items():
            if values.shape != self.label.shape or values.ndim != 1:
                found = f"{name} has shape {values.shape}, label {self.label.shape}"
                raise EvaluationError(f"{self.source}: {found}; expected one value per jet in each")
            require(name, values, np.isfinite(values), "a finite number", self.source)
        require("label", self.label, self.label >= NO_LABEL, "a class from 0, or -1 if it is not known", self.source)

    @classmethod
    def create(
        cls,
        outputs: Mapping[str, ArrayLike],
        label: ArrayLike,
        pt: ArrayLike,
        mass: ArrayLike,
        weight: ArrayLike | None = None,
        jet: ArrayLike | None = None,
        provenance: Provenance | None = None,
        source: str = UNNAMED,
    ) -> Self:
        """From anything array-like; by default of weight 1 and numbered 0, 1, 2, ..."""
        labels = np.asarray(label, dtype=np.float64)
        whole = np.isin(labels, np.arange(NO_LABEL, np.iinfo(np.int8).max + 1))
        require("label", labels, whole, "a class from 0, or -1 if it is not known", source)
        return cls(
            {name: np.asarray(values, dtype=np.float64) for name, values in outputs.items()},
            labels.astype(np.int8),
            np.asarray(pt, dtype=np.float64),
            np.asarray(mass, dtype=np.float64),
            np.ones(labels.shape) if weight is None else np.asarray(weight, dtype=np.float64),
            np.arange(len(labels)) if jet is None else np.asarray(jet, dtype=np.int64),
            provenance or Provenance(),
            source,
        )

    @classmethod
    def from_jets(
        cls, outputs: Mapping[str, ArrayLike], jets: Jets, provenance: Provenance | None = None, first_jet: int = 0
    ) -> Self:
        """Outputs next to their jets' pT, mass and, if there, their columns `label` and `weight`.

        Args:
            outputs: the model's numbers.
            jets: the jets they belong to.
            provenance: the model and the dataset.
            first_jet: number of the first jet, where the jets are a piece of more.
        """
        return cls.from_rows(outputs, jets, jets.pt, jets.mass, provenance, first_jet)

    @classmethod
    def from_rows(
        cls,
        outputs: Mapping[str, ArrayLike],
        rows: Momenta,
        pt: ArrayLike,
        mass: ArrayLike,
        provenance: Provenance | None = None,
        first: int = 0,
        label: str = "label",
    ) -> Self:
        """The same for rows whose pT and mass are given: those of what a model reads of them.

        Errors call them as their model is called.

        An output called `mass` or `pt`, as of a regressor, is `predicted_mass` or `predicted_pt` here.

        Args:
            outputs: the model's numbers.
            rows: jets or events.
            pt: of each.
            mass: of each.
            provenance: the model and the dataset.
            first: number of the first row.
            label: the column of the class.
        """
        outputs = {f"predicted_{name}" if name in COLUMNS else name: values for name, values in outputs.items()}
        known = rows.columns.get(label, np.full(len(rows), NO_LABEL))
        number = first + np.arange(len(rows))
        source = (provenance and provenance.model) or UNNAMED
        return cls.create(outputs, known, pt, mass, rows.columns.get("weight"), number, provenance, source)

    @property
    def columns(self) -> dict[str, NDArray[Any]]:
        """Everything known of the jets, by name."""
        return {name: getattr(self, name) for name in COLUMNS}

    @property
    def model(self) -> str:
        """The model's name; where the provenance gives none, that of the file."""
        return self.provenance.model or Path(self.source).stem

    @property
    def score(self) -> Array:
        """The scores of a classifier."""
        if SCORE not in self.outputs:
            raise EvaluationError(f"{self.source} has no scores of a classifier; it has: {', '.join(self.outputs)}")
        return self.outputs[SCORE]

    def named(self, model: str) -> Self:
        """The same scores under another name of the model."""
        return dataclasses.replace(self, provenance=self.provenance.model_copy(update={"model": model}))

    def __len__(self) -> int:
        return len(self.label)

    def __getitem__(self, index: slice | NDArray[Any]) -> Self:
        """A smaller collection, for a slice, a mask or indices."""
        outputs = {name: values[index] for name, values in self.outputs.items()}
        columns: dict[str, Any] = {name: values[index] for name, values in self.columns.items()}
        return dataclasses.replace(self, outputs=outputs, **columns)

    def __repr__(self) -> str:
        seed = "" if self.provenance.seed is None else f", seed {self.provenance.seed}"
        return f"<Scores of {self.model}{seed}: {len(self)} {self.provenance.rows}>"


def concatenate_scores(parts: Sequence[Scores]) -> Scores:
    """One collection out of the pieces of one dataset that were scored one after the other.

    Example:
        >>> part = Scores.create({"score": [0.9, 0.2]}, label=[1, 0], pt=[270.0, 280.0], mass=[80.0, 60.0])
        >>> concatenate_scores([part, part])
        <Scores of scores: 4 jets>
    """
    first = parts[0]
    outputs = {name: np.concatenate([part.outputs[name] for part in parts]) for name in first.outputs}
    columns: dict[str, Any] = {name: np.concatenate([part.columns[name] for part in parts]) for name in COLUMNS}
    return dataclasses.replace(first, outputs=outputs, **columns)


def measure_seeds(models: Mapping[str, Sequence[Scores]], measure: Callable[[Scores], T | None]) -> dict[str, list[T]]:
    """What is measured of the seeds of each model; seeds, and models, of which it cannot be are left out.

    Args:
        models: the scores of each model's seeds.
        measure: gives None where it cannot say anything.
    """
    found = {model: [each for each in map(measure, seeds) if each is not None] for model, seeds in models.items()}
    return {model: seeds for model, seeds in found.items() if seeds}
