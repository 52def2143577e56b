"""The numbers of single seeds: one record each, in a CSV file that grows over days and machines.

    key,scenario,seed,auc,auc_error,r,r_error,r_is_bound,signal,background,minutes,dataset,recipe,settings,version,scale,check
    particles-simple-kt,nominal,1,0.917251,0.001496,65.5814,3.871,0,22391,15580,1.52,3f0c...,a1b2...,77e0...,0.1.0,standard,5d0a...

A record holds all that tables need of a training, and what tells whether it belongs into a study: digests of the
dataset, of its provenance, and of all settings. Score files are not needed for it any more.
"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Annotated

import pydantic

import jetgram
from jetgram.evaluation.evaluate import SeedResult
from jetgram.evaluation.uncertainty import Errors
from jetgram.roc import Rejection
from jetgram.settings import Settings
from jetgram.studies.records import DIGITS, Digest, Positive, append_records, empty_is_none, read_records
from jetgram.studies.tables import row_name

SEEDS = "seeds.csv"

Key = tuple[str, int | None]  # a row's name and the seed


class SeedRecord(Settings):
    """One training of a row, or an observable, judged on the test jets.

    Args:
        key: of the contestant.
        scenario: what was done to the test jets.
        seed: of the training; None for an observable.
        auc: area under the ROC curve.
        auc_error: its statistical error (bootstrap, test sample).
        r: background rejection at the paper's signal efficiency.
        r_error: its statistical error; None where no background passes.
        r_is_bound: no background passes, and `r` is a lower bound.
        signal: signal jets, or events, in the window.
        background: background jets, or events, in the window.
        minutes: of training on one core; None for an observable.
        dataset: digest of the dataset.
        recipe: digest of the dataset's provenance, which is known before the dataset is made.
        settings: digest of everything else that decides the numbers; see `jetgram.studies.digests`.
        version: of jetgram.
        scale: of the study, as a remark.
    """

    key: str = pydantic.Field(min_length=1)
    scenario: str = pydantic.Field(min_length=1)
    seed: Annotated[int, pydantic.Field(ge=0)] | None
    auc: float = pydantic.Field(ge=0, le=1)
    auc_error: Positive
    r: float = pydantic.Field(ge=1, allow_inf_nan=False)
    r_error: Positive | None
    r_is_bound: bool
    signal: int = pydantic.Field(ge=1)
    background: int = pydantic.Field(ge=1)
    minutes: Positive | None
    dataset: Digest
    recipe: Digest
    settings: Digest
    version: str
    scale: str

    _cells = pydantic.field_validator("seed", "r_error", "minutes", mode="before")(empty_is_none)

    @classmethod
    def of(
        cls,
        result: SeedResult,
        key: str,
        scenario: str,
        minutes: float | None,
        digests: tuple[str, str, str],
        scale: str,
    ) -> SeedRecord:
        """What is kept of a result, rounded as in the file: tables do not depend on where a record comes from.

        Args:
            result: with bootstrap errors.
            key: of the contestant.
            scenario: what was done to the test jets.
            minutes: of training.
            digests: of dataset, provenance and settings.
            scale: of the study.
        """
        assert result.errors is not None
        dataset, recipe, settings = (digest[:DIGITS] for digest in digests)
        return cls(
            key=key,
            scenario=scenario,
            seed=result.seed,
            auc=round(result.auc, 6),
            auc_error=round(result.errors.auc, 6),
            r=round(result.rejection[0].value, 4),
            r_error=None if result.errors.rejection[0] is None else round(result.errors.rejection[0], 4),
            r_is_bound=result.rejection[0].is_bound,
            signal=result.signal,
            background=result.background,
            minutes=None if minutes is None else round(minutes, 2),
            dataset=dataset,
            recipe=recipe,
            settings=settings,
            version=jetgram.__version__,
            scale=scale,
        )

    @property
    def name(self) -> str:
        """Of the row, as in score files."""
        return row_name(self.key, self.scenario)

    @property
    def identity(self) -> Key:
        """The row and the seed."""
        return self.name, self.seed

    @property
    def full_name(self) -> str:
        """Both in words."""
        return self.name if self.seed is None else f"{self.name}, seed {self.seed}"

    @property
    def outcome(self) -> str:
        """AUC and R in words."""
        return f"AUC {self.auc:.6f}, R {self.r:g}"

    @property
    def numbers(self) -> dict[str, float | None]:
        """What two records of the same training must agree in."""
        names = {"auc", "auc_error", "r", "r_error", "r_is_bound", "signal", "background"}
        return self.model_dump(include=names)

    @property
    def result(self) -> SeedResult:
        """As `jetgram.evaluation.evaluate` judges a score file."""
        return SeedResult(
            source=SEEDS,
            model=self.name,
            seed=self.seed,
            signal=self.signal,
            background=self.background,
            auc=self.auc,
            rejection=(Rejection(self.r, self.r_is_bound),),
            errors=Errors(self.auc_error, (self.r_error,)),
        )


COLUMNS = tuple(SeedRecord.model_fields)


def read_seeds(file: Path) -> list[tuple[int, SeedRecord | str]]:
    """The lines of a file of seeds: number and record of each; of a damaged one, what is wrong with it."""
    return read_records(file, SeedRecord, "file of seeds")


def append_seeds(file: Path, records: Iterable[SeedRecord]) -> None:
    """Add records to a file of seeds, made if missing; a crash leaves the old file or the new one, never a part."""
    append_records(file, SeedRecord, records, "file of seeds")
