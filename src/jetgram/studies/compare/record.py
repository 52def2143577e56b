"""The lines of a comparison: one per rate that was tried, one per network and seed, one per ensemble.

    network,rate,epochs,validation_loss,cpu_seconds,dataset,recipe,settings,version,check
    pfn,0.001,5,0.381204,61.2,3f0c...,a1b2...,77e0...,0.1.0,5d0a...

Each holds what tables need, and what tells whether it belongs into a comparison: digests of the dataset, of its
provenance, and of all settings. Models and score files are not needed for it any more.
"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Annotated, Literal, Self

import pydantic

from jetgram.settings import Settings
from jetgram.studies.compare.replicas import AUC_UNIT, FPR_UNIT, Array, Packed, unpack
from jetgram.studies.records import Digest, Positive, append_records, empty_is_none, read_columns, read_records

ENSEMBLE: Literal["ensemble"] = "ensemble"
WHAT, WHAT_TRIED = "file of a comparison", "file of trials"
MAY_BE_EMPTY = ("validation_loss", "r50_error", "teacher_cpu_seconds", "r30_is_bound", "r50_all_is_bound")
FINITE = 0.5  # jets: where no background passes, the false-positive rate counts as that of half a jet


class Trial(Settings):
    """A rate that was tried.

    Args:
        network: its name.
        rate: the learning rate.
        epochs: of the trial.
        validation_loss: of the best epoch; infinite where the training broke off.
        cpu_seconds: of training, validation included; on one thread.
        dataset: digest of the dataset.
        recipe: digest of the dataset's provenance.
        settings: digest of model and training.
        version: of jetgram.
    """

    network: str = pydantic.Field(min_length=1)
    rate: float = pydantic.Field(gt=0, allow_inf_nan=False)
    epochs: int = pydantic.Field(ge=1)
    validation_loss: float = pydantic.Field(ge=0)
    cpu_seconds: Positive
    dataset: Digest
    recipe: Digest
    settings: Digest
    version: str

    @property
    def identity(self) -> tuple[str, float]:
        """Network and rate."""
        return self.network, self.rate

    @property
    def full_name(self) -> str:
        """Both in words."""
        return f"{self.network}, rate {self.rate:g}"

    @property
    def numbers(self) -> dict[str, float]:
        """What two lines of the same trial must agree in."""
        return self.model_dump(include={"validation_loss"})

    @property
    def outcome(self) -> str:
        """The loss in words."""
        return f"validation loss {self.validation_loss:g}"


class Record(Settings):
    """One training of a network, or the mean answer of several, judged on the test jets.

    Args:
        network: its name.
        seed: of the training; `ensemble` for the mean of several.
        members: the seeds of an ensemble, with blanks between them; empty for a single training.
        sample: name of the sample, or of the dataset's folder.
        training_jets: how many there were, validation included.
        parameters: weights of the network; of an ensemble those of all members, as for all costs.
        rate: the learning rate that was chosen.
        epochs: of the training.
        validation_loss: of the best epoch; None for an ensemble.
        auc: area under the ROC curve, in the window of the sample.
        auc_error: its statistical error (bootstrap, test sample).
        r50: background rejection at a signal efficiency of 50 %.
        r50_error: its statistical error; None where no background passes.
        r50_is_bound: no background passes, and `r50` is a lower bound.
        r30: background rejection at a signal efficiency of 30 %.
        auc_all: area under the ROC curve of all test jets, not weighted.
        r50_all: background rejection at 50 % of all test jets, not weighted.
        signal: signal jets in the window.
        background: background jets in the window.
        cpu_seconds: of training, validation included; on one thread.
        teacher_cpu_seconds: of the trainings of all its teachers, which `cpu_seconds` does not count; None without any.
        network_jets_per_second: inference per core, from inputs that are ready.
        jets_per_second: inference per core, from jets as they were found.
        dataset: digest of the dataset.
        recipe: digest of the dataset's provenance.
        settings: digest of model and training.
        version: of jetgram.
        auc_replicas: the AUC on replicas of the test jets, in units of 1e-6; see `jetgram.studies.compare.replicas`.
        fpr_replicas: the false-positive rate at a signal efficiency of 50 % on the same replicas, in units of 1e-7.
        processor: where its costs were measured; empty in lines that did not note it.
        r30_is_bound: no background passes at 30 %; by default what follows from the other numbers.
        r50_all_is_bound: no background of all test jets passes at 50 %; the same.
    """

    network: str = pydantic.Field(min_length=1)
    seed: Annotated[int, pydantic.Field(ge=0)] | Literal["ensemble"]
    members: str = pydantic.Field(pattern=r"^(\d+( \d+)+)?$")
    sample: str
    training_jets: int = pydantic.Field(ge=1)
    parameters: int = pydantic.Field(ge=1)
    rate: float = pydantic.Field(gt=0, allow_inf_nan=False)
    epochs: int = pydantic.Field(ge=1)
    validation_loss: Positive | None
    auc: float = pydantic.Field(ge=0, le=1)
    auc_error: Positive
    r50: float = pydantic.Field(ge=1, allow_inf_nan=False)
    r50_error: Positive | None
    r50_is_bound: bool
    r30: Positive
    auc_all: float = pydantic.Field(ge=0, le=1)
    r50_all: Positive
    signal: int = pydantic.Field(ge=1)
    background: int = pydantic.Field(ge=1)
    cpu_seconds: Positive
    teacher_cpu_seconds: Positive | None
    network_jets_per_second: Positive
    jets_per_second: Positive
    dataset: Digest
    recipe: Digest
    settings: Digest
    version: str
    auc_replicas: Packed
    fpr_replicas: Packed
    processor: str = ""
    r30_is_bound: bool | None = None
    r50_all_is_bound: bool | None = None

    _cells = pydantic.field_validator(*MAY_BE_EMPTY, mode="before")(empty_is_none)

    @pydantic.model_validator(mode="after")
    def _ensembles_have_members(self) -> Self:
        if (self.seed == ENSEMBLE) != bool(self.members):
            raise ValueError(f"found seed {self.seed} with the members {self.members!r}; an ensemble has members")
        return self

    @property
    def identity(self) -> tuple[str, float, int | str, str]:
        """Network, rate, seed and members."""
        return self.network, self.rate, self.seed, self.members

    @property
    def full_name(self) -> str:
        """The same in words."""
        who = f"{ENSEMBLE} of {self.members}" if self.members else f"seed {self.seed}"
        return f"{self.network}, rate {self.rate:g}, {who}"

    @property
    def numbers(self) -> dict[str, object]:
        """What two lines of the same training must agree in: all but costs, remarks and what came later."""
        costs = {"cpu_seconds", "teacher_cpu_seconds", "network_jets_per_second", "jets_per_second"}
        later = {name for name, field in Record.model_fields.items() if not field.is_required()}
        return self.model_dump(exclude={*costs, *later, "sample", "version"})

    @property
    def outcome(self) -> str:
        """AUC and R50 in words."""
        return f"AUC {self.auc:.6f}, R50 {self.r50:g}"

    @property
    def trainings(self) -> int:
        """How many it stands for: one, or the members of an ensemble."""
        return len(self.members.split()) or 1

    @property
    def bounds(self) -> dict[str, bool]:
        """Which of `r50`, `r30` and `r50_all` are lower bounds; a line that does not say is taken to be unweighted."""
        at_30, everywhere = self.r30_is_bound, self.r50_all_is_bound
        return {
            "r50": self.r50_is_bound,
            "r30": (self.r50_is_bound or self.r30 >= self.background) if at_30 is None else at_30,
            "r50_all": (self.r50_is_bound and self.r50_all == self.r50) if everywhere is None else everywhere,
        }

    @property
    def fpr(self) -> float:
        """The false-positive rate behind `r50`."""
        return self._floor if self.r50_is_bound else 1 / self.r50

    @property
    def fprs(self) -> Array:
        """The same of the replicas, `(replicas,)`."""
        return unpack(self.fpr_replicas, FPR_UNIT).clip(min=self._floor)

    @property
    def aucs(self) -> Array:
        """The AUC of the replicas, `(replicas,)`."""
        return unpack(self.auc_replicas, AUC_UNIT)

    @property
    def _floor(self) -> float:
        return FINITE / self.background


def read_numbers(file: Path) -> list[tuple[int, Record | str]]:
    """The lines of a file of numbers: number and record of each; of a damaged one, what is wrong with it."""
    return read_records(file, Record, WHAT)


def read_trials(file: Path) -> list[tuple[int, Trial | str]]:
    """The same of a file of trials."""
    return read_records(file, Trial, WHAT_TRIED)


def is_trials(file: Path) -> bool:
    """Whether a file is one of trials, by its columns."""
    return set(Trial.model_fields) <= set(read_columns(file)) and "r50" not in read_columns(file)


def append_numbers(file: Path, records: Iterable[Record]) -> None:
    """Add records to a file of numbers, made if missing."""
    append_records(file, Record, records, WHAT)


def append_trials(file: Path, trials: Iterable[Trial]) -> None:
    """The same for a file of trials."""
    append_records(file, Trial, trials, WHAT_TRIED)
