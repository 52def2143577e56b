"""Ensembles: the mean answer of all seeds of a network, at the cost of all of them."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence

import numpy as np

import jetgram
from jetgram.evaluation.score_files import read_scores
from jetgram.evaluation.scores import Scores
from jetgram.networks.classification import probability
from jetgram.progress import Advance, silent
from jetgram.roc import SCORE
from jetgram.studies.belonging import have_settings
from jetgram.studies.compare.comparison import Comparison
from jetgram.studies.compare.known import Known
from jetgram.studies.compare.measure import SCORES, judged
from jetgram.studies.compare.record import ENSEMBLE, Record, append_numbers


def average_seeds(comparison: Comparison, known: Known, advance: Advance = silent) -> None:
    """Judge the ensemble of the seeds of each network, where their scores are in the folder; each leaves a line.

    It does not follow from the lines of single seeds. One that has a line is not judged again.

    Args:
        comparison: with its folder, which must be occupied.
        known: what is known.
        advance: is called with 1 after each network.
    """
    for network in comparison.networks:
        records = _members(comparison, known, network)
        scores = [_scores(comparison, record) for record in records]
        found = [each for each in scores if each is not None]
        if len(found) > 1 and len(found) == len(comparison.all_seeds):
            append_numbers(comparison.numbers, [measure_ensemble(records, found)])
        advance(1)


def _members(comparison: Comparison, known: Known, network: str) -> list[Record]:
    """The seeds whose mean has no line yet."""
    rate = known.chosen_rate(network)
    if rate is None or (network, rate, ENSEMBLE, " ".join(map(str, comparison.all_seeds))) in known.records:
        return []
    records = [known.seed(network, rate, seed) for seed in comparison.all_seeds]
    return [record for record in records if record is not None]


def _scores(comparison: Comparison, record: Record) -> Scores | None:
    """Of a training, if they are in the folder."""
    assert isinstance(record.seed, int)
    file = comparison.job(record.network, record.rate, record.seed).out / SCORES
    scores = read_scores(file) if file.exists() else None
    if scores is None or not scores.provenance.dataset_digest.startswith(record.dataset):
        return None
    return scores if have_settings(scores, record.settings) else None


def measure_ensemble(records: Sequence[Record], scores: Sequence[Scores]) -> Record:
    """The numbers of a mean answer.

    Args:
        records: of the members.
        scores: of the same.
    """
    speeds = ("network_jets_per_second", "jets_per_second")
    changes = {
        "seed": ENSEMBLE,
        "members": " ".join(str(each.seed) for each in records),
        "parameters": sum(each.parameters for each in records),
        "validation_loss": None,
        "cpu_seconds": round(sum(each.cpu_seconds for each in records), 4),
        **{name: round(1 / sum(1 / getattr(each, name) for each in records), 1) for name in speeds},
        "processor": " + ".join(sorted({each.processor for each in records})),
        **judged(mean_answer(scores)),
        "version": jetgram.__version__,
    }
    return Record(**{**records[0].model_dump(), **changes})


def mean_answer(scores: Sequence[Scores]) -> Scores:
    """The scores of an ensemble from those of its members: the mean of the logits, as in `jetgram.models.ensemble`."""
    limits = np.finfo(np.float64)
    inside = [np.clip(each.score, limits.tiny, 1 - limits.epsneg) for each in scores]
    logits = np.mean([np.log(each) - np.log1p(-each) for each in inside], axis=0)
    return dataclasses.replace(scores[0], outputs={SCORE: probability(logits)})
