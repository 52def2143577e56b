"""The numbers of one or many models: AUC and R in a window, their errors, and the spread over seeds."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Sequence

import numpy as np

from jetgram.errors import EvaluationError, SettingsError
from jetgram.evaluation.calibration import Calibration, calibration_of
from jetgram.evaluation.classes import binary_scores, require_two_classes
from jetgram.evaluation.scores import Scores
from jetgram.evaluation.sculpting import Sculpting, mass_sculpting
from jetgram.evaluation.selection import EFFICIENCY, Window, select
from jetgram.evaluation.uncertainty import REPLICAS, Errors, Spread, bootstrap, failed
from jetgram.progress import Advance
from jetgram.roc import Rejection, roc_curve


@dataclasses.dataclass(frozen=True)
class SeedResult:
    """One training of a model, judged on the jets of one score file.

    Args:
        source: the file.
        model: the model's name.
        seed: of the training, if known.
        signal: signal jets in the window.
        background: background jets in the window.
        auc: area under the ROC curve.
        rejection: R at each signal efficiency.
        errors: of both by the bootstrap; None if not asked for.
        dropped: whether the paper's rule for failed models leaves it out of the averages.
        calibration: reliability curve and expected calibration error; None where scores are no probabilities.
        sculpting: what the cut at the first efficiency does to the mass of background jets; None where it is not known.
    """

    source: str
    model: str
    seed: int | None
    signal: int
    background: int
    auc: float
    rejection: tuple[Rejection, ...]
    errors: Errors | None
    dropped: bool = False
    calibration: Calibration | None = None
    sculpting: Sculpting | None = None


@dataclasses.dataclass(frozen=True)
class ModelResult:
    """A model: averages over its seeds.

    Args:
        model: its name.
        seeds: how many were trained.
        dropped: how many of them the averages leave out.
        auc: mean and spread over the others.
        rejection: the same for R, at each signal efficiency.
        is_bound: whether R is a bound for any of them, at each signal efficiency.
        errors: bootstrap errors of one training, averaged over the seeds; all seeds are judged on the same jets, so
            that more seeds do not make these smaller.
    """

    model: str
    seeds: int
    dropped: int
    auc: Spread
    rejection: tuple[Spread, ...]
    is_bound: tuple[bool, ...]
    errors: Errors | None


@dataclasses.dataclass(frozen=True)
class Evaluation:
    """The outcome of `evaluate`.

    Args:
        window: the jets that counted.
        efficiencies: the signal efficiencies of R.
        models: one entry per model, in the order of their first score files.
        seeds: one entry per score file, in the order given.
        same_jets: whether all scores are of one dataset, as far as their provenance tells.
        rows: what was scored, `jets` or `events`.
    """

    window: Window
    efficiencies: tuple[float, ...]
    models: tuple[ModelResult, ...]
    seeds: tuple[SeedResult, ...]
    same_jets: bool
    rows: str = "jets"


def evaluate(
    scores: Iterable[Scores],
    window: Window | None = None,
    efficiencies: Sequence[float] | None = None,
    replicas: int = REPLICAS,
    seed: int = 0,
    advance: Advance | None = None,
) -> Evaluation:
    """Judge models by their scores; scores with the same model name are seeds of one model.

    A model of several classes is judged class by class, each against the background and against the rest; see
    `jetgram.evaluation.classes`.

    Args:
        scores: one or more; all of one model must be of the same dataset.
        window: the jets that count, and how they are weighted; by default the paper's for its samples of jets,
            everything for events and for other samples.
        efficiencies: signal efficiencies at which R is wanted, by default 0.5 for jets and 0.8 for events; the rule for
            failed models looks at the first.
        replicas: of the bootstrap; 0 leaves it out.
        seed: of the bootstrap.
        advance: is called with 1 after each of the scores.

    Example:
        >>> import numpy as np
        >>> rng = np.random.default_rng(1)
        >>> label = np.arange(4000) % 2
        >>> pt, mass = np.full(4000, 270.0), np.full(4000, 80.0)
        >>> toy = Scores.create({"score": label + rng.normal(size=4000)}, label, pt, mass)
        >>> report = evaluate([toy])
        >>> result = report.seeds[0]
        >>> print(f"AUC {result.auc:.3f} ± {result.errors.auc:.3f}, R {result.rejection[0]}")
        AUC 0.763 ± 0.007, R 6.45
    """
    scores = [pair for each in scores for pair in binary_scores(each)]
    rows = scored_rows(scores)
    for each in scores:
        require_two_classes(each)
    window, efficiencies = window or common_window(scores), efficiencies or (EFFICIENCY[rows],)
    outside = next((each for each in efficiencies if not 0 < each < 1), None)
    if outside is not None:
        raise SettingsError(f"a signal efficiency is above 0 and below 1; found {outside:g}")
    chosen = [select(each, window) for each in scores]
    for members in by_model(chosen).values():
        _require_comparable(members)
    judged = []
    for each in chosen:
        judged.append(_judge(each, efficiencies, replicas, seed))
        if advance is not None:
            advance(1)
    seeds = mark_failed(judged)
    datasets = {(each.provenance.dataset_digest, each.provenance.split) for each in chosen}
    return Evaluation(
        window, tuple(efficiencies), average_seeds(seeds), tuple(seeds), same_jets=len(datasets) == 1, rows=rows
    )


def scored_rows(scores: Sequence[Scores]) -> str:
    """What was scored, `jets` or `events`; not both."""
    if not scores:
        raise EvaluationError("no scores to evaluate; expected one or more")
    first = scores[0]
    for each in scores:
        if each.provenance.rows != first.provenance.rows:
            found = f"{first.source} of {first.provenance.rows}, {each.source} of {each.provenance.rows}"
            raise EvaluationError(f"{found}: these are not judged together")
    return first.provenance.rows


def common_window(scores: Sequence[Scores]) -> Window:
    """The window of the paper if all scores are of its samples of jets; otherwise everything."""
    windows = [Window.of_sample(each.provenance.sample, each.provenance.rows) for each in scores]
    return windows[0] if all(window == windows[0] for window in windows) else Window.everything()


def by_model(scores: Iterable[Scores]) -> dict[str, list[Scores]]:
    """Scores of each model's seeds, in the order in which the models first appear.

    Example:
        >>> one = Scores.create({"score": [0.9, 0.2]}, label=[1, 0], pt=[270.0, 280.0], mass=[80.0, 60.0])
        >>> found = by_model([one.named("kt"), one.named("ca"), one.named("kt")])
        >>> {model: len(seeds) for model, seeds in found.items()}
        {'kt': 2, 'ca': 1}
    """
    groups: dict[str, list[Scores]] = {}
    for each in scores:
        groups.setdefault(each.model, []).append(each)
    return groups


def _require_comparable(scores: Sequence[Scores]) -> None:
    """Seeds of one model must be different trainings, judged on the same jets."""
    first = scores[0]
    trainings: dict[str, str] = {}
    for each in scores:
        found, expected = (s.provenance.dataset_digest for s in (each, first))
        of = f"{each.source} and {first.source}, both of model {each.model!r}"
        if found != expected:
            raise EvaluationError(f"{of}, are of different datasets (digests {found[:12]!r} and {expected[:12]!r})")
        splits = [s.provenance.split for s in (each, first)]
        if splits[0] != splits[1]:
            raise EvaluationError(f"{of}, are of different splits: {splits[0]!r} and {splits[1]!r}")
        training = each.provenance.model_digest
        if training and training in trainings:
            raise EvaluationError(f"{each.source} and {trainings[training]} are scores of the same training")
        trainings[training] = each.source
    _require_one_model(scores)
    _require_different_seeds(scores)


def _require_one_model(scores: Sequence[Scores]) -> None:
    """Seeds of one model differ in nothing else; scores that do not tell their training are believed."""
    known = [each for each in scores if each.provenance.training]
    for each in known[1:]:
        if each.provenance.training != known[0].provenance.training:
            raise EvaluationError(
                f"{each.source} and {known[0].source}, both of model {each.model!r}, are of trainings with different "
                "settings or jets, not of two seeds; score them again, each with its name (`jetgram predict --name`)"
            )


def _require_different_seeds(scores: Sequence[Scores]) -> None:
    """Two models of one seed are no two seeds of one model."""
    seeds: dict[int, Scores] = {}
    for each in scores:
        seed = each.provenance.seed
        if seed is None or not each.provenance.model_digest:
            continue
        if seed in seeds:
            raise EvaluationError(
                f"{each.source} and {seeds[seed].source}, both of model {each.model!r}, are of two trainings with seed "
                f"{seed}, not of two seeds; score them again, each with its name (`jetgram predict --name`)"
            )
        seeds[seed] = each


def _judge(scores: Scores, efficiencies: Sequence[float], replicas: int, seed: int) -> SeedResult:
    curve = roc_curve(scores.score, scores.label, scores.weight)
    errors = bootstrap(scores.score, scores.label, scores.weight, efficiencies, replicas, seed) if replicas else None
    return SeedResult(
        source=scores.source,
        model=scores.model,
        seed=scores.provenance.seed,
        signal=int(np.count_nonzero(scores.label == 1)),
        background=int(np.count_nonzero(scores.label == 0)),
        auc=curve.auc,
        rejection=tuple(curve.rejection(efficiency) for efficiency in efficiencies),
        errors=errors,
        calibration=calibration_of(scores),
        sculpting=mass_sculpting(scores, efficiencies[0], replicas, seed),
    )


def mark_failed(seeds: Sequence[SeedResult]) -> list[SeedResult]:
    """The same results, with failed trainings marked as dropped, model by model; see `failed` for the rule."""
    marked = list(seeds)
    for model in {each.model for each in seeds}:
        members = [i for i, each in enumerate(seeds) if each.model == model]
        for i in np.array(members)[failed([seeds[i].rejection[0].value for i in members])]:
            marked[i] = dataclasses.replace(seeds[i], dropped=True)
    return marked


def average_seeds(seeds: Sequence[SeedResult]) -> tuple[ModelResult, ...]:
    """The averages of each model over its seeds but those marked as dropped, in the order of their first seeds."""
    models = dict.fromkeys(each.model for each in seeds)
    return tuple(_average([each for each in seeds if each.model == model]) for model in models)


def _average(seeds: Sequence[SeedResult]) -> ModelResult:
    kept = [each for each in seeds if not each.dropped]
    points = range(len(kept[0].rejection))
    return ModelResult(
        model=kept[0].model,
        seeds=len(seeds),
        dropped=len(seeds) - len(kept),
        auc=Spread.of([each.auc for each in kept]),
        rejection=tuple(Spread.of([each.rejection[i].value for each in kept]) for i in points),
        is_bound=tuple(any(each.rejection[i].is_bound for each in kept) for i in points),
        errors=_mean_errors([each.errors for each in kept if each.errors]),
    )


def _mean_errors(errors: Sequence[Errors]) -> Errors | None:
    if not errors:
        return None
    by_point = zip(*(each.rejection for each in errors), strict=True)
    known = [[error for error in point if error is not None] for point in by_point]
    rejection = tuple(float(np.mean(point)) if point else None for point in known)
    return Errors(float(np.mean([each.auc for each in errors])), rejection)
