"""The report on taggers: how good they are, what they look at, how they learnt, and what they were made of."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

from jetgram.errors import EvaluationError
from jetgram.evaluation.evaluate import Report, evaluate
from jetgram.evaluation.scores import Scores
from jetgram.evaluation.selection import Window, select
from jetgram.inspection import inspect
from jetgram.report import sections
from jetgram.report.contestants import Progress, TrainedModel, score_baselines, score_models, silent
from jetgram.report.html import document
from jetgram.storage import atomic
from jetgram.storage.dataset import Dataset

SECTIONS = 5


def write_report(
    dataset: Path | str,
    models: Sequence[Path | str],
    out: Path | str,
    window: Window | None = None,
    progress: Progress = silent,
) -> Report:
    """Judge classifiers on the test jets of a dataset, beside tau21 and mass + tau21, and write the page.

    Args:
        dataset: the dataset's folder.
        models: folders of classifiers; the jets to explore are chosen by the scores of the last one.
        out: the HTML file.
        window: the jets that count; the paper's by default.
        progress: shows what is going on.

    Returns:
        What the models are worth in the window.
    """
    if not models:
        raise EvaluationError("no models to report on; expected the folders of one or more")
    stored, window = Dataset(dataset), window or Window()
    trained = score_models(stored, [Path(model) for model in models], progress)
    scores = [*(model.scores for model in trained), *score_baselines(stored, progress)]
    with progress("evaluating", 2 * len(scores), "score files") as advance:
        inside = evaluate(scores, window, advance=advance)
        everywhere = evaluate(scores, Window.everything(), advance=advance)
    made = _sections(stored, trained, scores, inside, everywhere)
    with progress("drawing", SECTIONS, "sections") as advance:
        parts = []
        for part in made:
            parts.append(part)
            advance(1)
    page = document(f"Taggers on {stored.path.name}", sections.lead(inside, len(trained)), parts)
    atomic.write_bytes(Path(out), page.encode())
    return inside


def _sections(
    dataset: Dataset, trained: Sequence[TrainedModel], scores: Sequence[Scores], inside: Report, everywhere: Report
) -> Iterator[str]:
    yield sections.results(inside, everywhere)
    yield sections.curves([select(each, inside.window) for each in scores])
    yield sections.jets_to_explore(dataset, trained, inside.window)
    yield sections.trainings(trained)
    yield sections.data(inspect(dataset.path))
