"""Whether what is in a folder is of the settings of today: folders note the revision, scores and models their settings.

What is there counts for nothing else. Folders and scores from before this was written are of the first revision.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from jetgram.errors import EvaluationError, ModelError, SettingsError
from jetgram.evaluation.scores import Scores
from jetgram.models.card import CARD, read_card
from jetgram.storage.dataset import Dataset
from jetgram.studies.digests import REVISION
from jetgram.training.job import Job

FIRST_REVISION = 1  # which folders and scores do not name
NOTE = "revision"  # in what a folder says of itself
STAMP = "study"  # in the details of scores: the digest of their settings
AGAIN = "remove it to score again"


def revision_note() -> dict[str, Any]:
    """What a folder notes of the revision of its models and scores."""
    return {} if REVISION == FIRST_REVISION else {NOTE: REVISION}


def require_revision(noted: Mapping[str, Any], folder: Path) -> None:
    """Raise if the models and scores of a folder are of another revision: the same settings give other numbers now."""
    found = noted.get(NOTE, FIRST_REVISION)
    if found != REVISION:
        raise SettingsError(
            f"{folder} holds models and scores of revision {found}; those of revision {REVISION} have other numbers: "
            "choose another folder"
        )


def stamped(scores: Scores, settings: str) -> Scores:
    """The same scores, with the digest of their settings."""
    details = {**scores.provenance.details, STAMP: settings}
    return dataclasses.replace(scores, provenance=scores.provenance.model_copy(update={"details": details}))


def have_settings(scores: Scores, settings: str) -> bool:
    """Whether scores are of these settings; without a stamp they are believed, if they can be of this revision."""
    found = scores.provenance.details.get(STAMP)
    return REVISION == FIRST_REVISION if found is None else bool(found == settings)


def require_settings(scores: Scores, settings: str) -> None:
    """Raise if scores are of other settings."""
    if not have_settings(scores, settings):
        found = str(scores.provenance.details.get(STAMP, "not known"))
        raise EvaluationError(
            f"{scores.source} holds scores of other settings (digests {found[:12]!r} and {settings[:12]!r}); {AGAIN}"
        )


def is_own_model(job: Job) -> bool:
    """Whether the model in the folder of a job is what the job would train."""
    return bool(read_card(job.out).data.get("fingerprint") == job.fingerprint)


def require_own_model(job: Job) -> None:
    """Raise if it is not."""
    if not is_own_model(job):
        raise ModelError(
            f"{job.out} holds a model with other settings or of other jets; remove it to train again, or choose "
            "another folder"
        )


def require_own_scores(scores: Scores, dataset: Dataset, settings: str, job: Job | None = None) -> None:
    """Raise if scores are of other jets, of other settings, or of another model than the one next to them.

    Args:
        scores: from a file.
        dataset: whose jets they should be of.
        settings: digest of the settings.
        job: of the model; None for an observable.
    """
    found = scores.provenance
    if found.dataset_digest != dataset.digest:
        raise EvaluationError(
            f"{scores.source} holds scores of another dataset than {dataset.path} (digests "
            f"{found.dataset_digest[:12]!r} and {dataset.digest[:12]!r}); {AGAIN}"
        )
    require_settings(scores, settings)
    if job is None or not (job.out / CARD).exists():  # scores stay where models were removed to save space
        return
    require_own_model(job)
    if found.model_digest != read_card(job.out).digest:
        raise EvaluationError(f"{scores.source} holds scores of another model than that in {job.out}; {AGAIN}")
