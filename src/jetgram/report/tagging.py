"""The report on taggers: how good they are, what they look at, how they learned, and what they were made of."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

from jetgram.boundary import printable
from jetgram.errors import EvaluationError
from jetgram.evaluation.classes import binary_scores, class_labels
from jetgram.evaluation.evaluate import Evaluation, evaluate
from jetgram.evaluation.scores import Scores
from jetgram.evaluation.selection import Window, select
from jetgram.inspection import inspect, sample_title
from jetgram.report import sections
from jetgram.report.contestants import Progress, TrainedModel, score_baselines, score_models, silent
from jetgram.report.html import document
from jetgram.storage import atomic
from jetgram.storage.dataset import Dataset

SECTIONS = {"jets": 6, "events": 4}


def write_report(
    dataset: Path | str,
    models: Sequence[Path | str],
    out: Path | str,
    window: Window | None = None,
    progress: Progress = silent,
) -> Evaluation:
    """Judge classifiers on the test jets of a dataset, next to tau21 and mass + tau21, and write the page.

    Models of several classes are judged class by class, against the background and against the rest, without tau21.

    Args:
        dataset: the dataset's folder.
        models: folders of classifiers; the jets to explore are chosen by the scores of the last one.
        out: the HTML file.
        window: the jets that count; by default the paper's for its samples of jets, everything for others.
        progress: shows what is going on.

    Returns:
        What the models are worth in the window.
    """
    if not models:
        raise EvaluationError("no models to report on; expected the folders of one or more")
    stored = Dataset(dataset)
    window = window or Window.of_sample(stored.sample, stored.kind)
    trained = score_models(stored, [Path(model) for model in models], progress)
    of_models = [pair for model in trained for pair in binary_scores(model.scores)]
    several = any(class_labels(model.scores) for model in trained)  # the baselines tell signal from background
    baselines = [] if several else score_baselines(stored, window, progress, trained[-1].column)
    scores = [*of_models, *(pair for each in baselines for pair in binary_scores(each))]
    with progress("evaluating", 2 * len(scores), "score files") as advance:
        inside = evaluate(scores, window, advance=advance)
        everywhere = evaluate(scores, Window.everything(), advance=advance)
    made = _sections(stored, trained, scores, inside, everywhere)
    with progress("drawing", SECTIONS[stored.kind], "sections") as advance:
        parts = []
        for part in made:
            parts.append(part)
            advance(1)
    page = document(f"Taggers on {stored.path.name}", sections.lead(inside, len(of_models)), parts)
    atomic.write_bytes(Path(out), printable(page).encode())
    return inside


def _sections(
    dataset: Dataset,
    trained: Sequence[TrainedModel],
    scores: Sequence[Scores],
    inside: Evaluation,
    everywhere: Evaluation,
) -> Iterator[str]:
    sample, window, last = sample_title(dataset.provenance, dataset.path.name), inside.window, trained[-1]
    yield sections.results(inside, everywhere)
    yield sections.curves([select(each, window) for each in scores], inside.efficiencies[0], sample)
    if dataset.kind == "jets":
        yield sections.jets_to_explore(dataset, trained, window)
        yield sections.lund_importances(dataset, trained, window, sample)
    yield sections.trainings(trained)
    yield sections.data(inspect(dataset.path, label=last.column, classes=last.classes), sample)
