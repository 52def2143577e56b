"""All that is known of a comparison: lines of its own files and of those to be merged, and its finished trials."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Callable, Collection, Hashable, Mapping
from pathlib import Path
from typing import TypeVar

from jetgram.errors import DatasetError, SettingsError
from jetgram.models.card import CARD
from jetgram.studies.belonging import is_own_model
from jetgram.studies.compare.comparison import FIRST_SEED, NUMBERS, TRIED, Comparison, job_digest
from jetgram.studies.compare.measure import measure_trial
from jetgram.studies.compare.networks import EVERYBODY, lineage
from jetgram.studies.compare.record import (
    ENSEMBLE,
    Record,
    Trial,
    append_numbers,
    append_trials,
    is_trials,
    read_numbers,
    read_trials,
)
from jetgram.studies.refusals import (
    NO_ROW,
    OTHER_SETTINGS,
    REFUSED,
    Collected,
    LineCheck,
    Objections,
    data_objections,
    settings_objections,
    write_refused,
)
from jetgram.training.job import Job

L = TypeVar("L", Trial, Record)


@dataclasses.dataclass(frozen=True)
class Known(Collected):
    """What is known.

    Args:
        refused: lines that do not count.
        lines: how many each file has.
        comparison: what is compared.
        trials: by network and rate.
        records: by network, rate, seed and members.
    """

    comparison: Comparison
    trials: Mapping[Hashable, Trial]
    records: Mapping[Hashable, Record]

    def seed(self, network: str, rate: float, seed: int) -> Record | None:
        """The numbers of a training; None where they are not known."""
        return self.records.get((network, rate, seed, ""))

    def of(self, network: str, rate: float) -> list[Record]:
        """All that is known of a network at a rate: seeds in rising order, then ensembles, the largest last."""
        found = [each for each in self.records.values() if (each.network, each.rate) == (network, rate)]
        return sorted(found, key=lambda each: (each.trainings, 0 if each.seed == ENSEMBLE else each.seed))

    def best_rate(self, network: str, given_up: Collection[Path] = ()) -> float | None:
        """The rate with the smallest validation loss; None as long as one has not been tried, or where none works.

        Short trials favour large rates: if the best of them and others were trained in full, those trainings decide, of
        the first seed. A network that is taught has the rate of its teachers.

        Args:
            network: its name.
            given_up: folders of trials that failed before their first epoch was done.
        """
        network = lineage(network)[-1]
        losses = self.losses(network, given_up)
        rates = list(self.comparison.trials(network, losses))
        if not rates:
            return self.comparison.recipe_rate(network)
        if not losses.keys() >= set(rates):
            return None
        best = min(rates, key=losses.__getitem__)
        in_full = self._losses_in_full(network)
        if best in in_full:
            return min(in_full, key=in_full.__getitem__)
        return best if math.isfinite(losses[best]) else None

    def _losses_in_full(self, network: str) -> dict[float, float]:
        """The validation losses of the first seed, by rate."""
        lines = [each for each in self.records.values() if (each.network, each.seed) == (network, FIRST_SEED)]
        return {each.rate: each.validation_loss for each in lines if each.validation_loss is not None}

    def losses(self, network: str, given_up: Collection[Path] = ()) -> dict[float, float]:
        """The validation losses of the rates that were tried, by rate.

        Args:
            network: its name.
            given_up: folders of trials that failed before their first epoch was done: their losses are infinite.
        """
        possible = self.comparison.possible_trials(network)
        failed = {rate: math.inf for rate, job in possible.items() if job.out in given_up}
        tried = {each.rate: each.validation_loss for each in self.trials.values() if each.network == network}
        return {**failed, **tried}

    def chosen_rate(self, network: str) -> float | None:
        """The rate whose numbers are shown: the best one, by all trials that are known, wanted now or not.

        Where no trials are known it is that of the numbers there are; None where there are none.
        """
        singles = [each for each in self.records.values() if each.network == network and each.seed != ENSEMBLE]
        rates, best = {each.rate for each in singles}, self.best_rate(network)
        if not singles or best in rates:
            return best
        tried = [each for each in self.trials.values() if each.network == lineage(network)[-1]]
        if best is None or not tried:
            return min(singles, key=lambda each: (each.seed, each.validation_loss)).rate
        best_tried = min(tried, key=lambda each: each.validation_loss).rate
        return best_tried if best_tried in rates else best

    def epoch_seconds(self, network: str) -> float | None:
        """Mean processor time of an epoch of a network; None where none was trained."""
        singles = [each for each in self.records.values() if each.seed != ENSEMBLE]
        both: list[Trial | Record] = [*self.trials.values(), *singles]
        lines = [each for each in both if each.network == network]
        epochs = sum(each.epochs for each in lines)
        return sum(each.cpu_seconds for each in lines) / epochs if epochs else None


def collect(comparison: Comparison) -> Known:
    """What the comparison's own files and those to be merged say, and trials in its folder that have no line yet.

    A line counts if this comparison would have got it itself. Where the dataset is there, its digests decide; where it
    is not, those that the folder noted, or else those of the first line. Of two lines for the same thing the first
    counts.
    """
    data = _Data(*comparison.data)
    numbers = _Check[Record](data, lambda record: comparison.job(record.network, record.rate, FIRST_SEED))
    trials = _Check[Trial](data, lambda trial: comparison.trial(trial.network, trial.rate))
    own = [file for file in (comparison.tried, comparison.numbers) if file.exists()]
    for file in dict.fromkeys([*own, *(file for given in comparison.merge for file in _files_of(given))]):
        if is_trials(file):
            trials.take(file, read_trials(file))
        else:
            numbers.take(file, read_numbers(file))
    tried = {**_finished_trials(comparison), **trials.records}
    return Known(
        (*trials.refused, *numbers.refused), {**trials.lines, **numbers.lines}, comparison, tried, numbers.records
    )


def merge_lines(comparison: Comparison) -> Known:
    """Put all lines that count into the comparison's own files, and write down which do not, and why."""
    known = collect(comparison)
    if known.trials:
        append_trials(comparison.tried, known.trials.values())
    if known.records:
        append_numbers(comparison.numbers, known.records.values())
    write_refused(comparison.out / REFUSED, known.refused)
    return known


def _files_of(given: Path) -> list[Path]:
    """A file, or those of a comparison's folder."""
    if not given.is_dir():
        return [given]
    found = [given / name for name in (TRIED, NUMBERS) if (given / name).exists()]
    if not found:
        raise DatasetError(f"{given} holds neither {TRIED} nor {NUMBERS}; expected the folder of a comparison")
    return found


def _finished_trials(comparison: Comparison) -> dict[Hashable, Trial]:
    """Those in the folder, with a line or without: a run may have been killed before it wrote one."""
    if not comparison.has_dataset:
        return {}
    jobs = {
        (name, rate): job for name in comparison.with_teachers for rate, job in comparison.possible_trials(name).items()
    }
    done = {each: job for each, job in jobs.items() if (job.out / CARD).exists() and is_own_model(job)}
    return {each: measure_trial(job, each[0]) for each, job in done.items()}


@dataclasses.dataclass
class _Data:
    """The digests of a dataset's provenance and of its bytes, as far as they are known."""

    recipe: str | None
    dataset: str | None


class _Check(LineCheck[L]):
    """Takes lines of this comparison's settings and data; where the data is not known, the first line says it."""

    def __init__(self, data: _Data, job_of: Callable[[L], Job]) -> None:
        super().__init__()
        self.data = data
        self.job_of: Callable[[L], Job] = job_of

    def taken(self, record: L) -> None:
        self.data.recipe, self.data.dataset = record.recipe, record.dataset

    def objections(self, record: L) -> Objections:
        if record.network not in EVERYBODY:
            yield NO_ROW, f"found {record.network!r}, which this version of jetgram does not have"
            return
        try:
            job = self.job_of(record)
        except SettingsError as error:
            yield OTHER_SETTINGS, str(error)
            return
        yield from settings_objections(
            record.settings, job_digest(job, record.network), "model, training, rate or epochs"
        )
        yield from data_objections((record.recipe, record.dataset), (self.data.recipe, self.data.dataset))
