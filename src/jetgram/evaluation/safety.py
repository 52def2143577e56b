r"""Infrared and collinear safety of any scorer: how its scores change when nothing physical does.

Soft particles and collinear splits leave the physics as it is. A scorer is the safer the less they change its scores,
and what it is worth. As in the paper, AUC and R of a scenario are those of the jets that are in the window then: pT and
mass are measured again. Shifts of scores are of the jets that were in the window before.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Mapping

import numpy as np
from numpy.typing import ArrayLike, NDArray

from jetgram.errors import BadJetError, EvaluationError, require_known
from jetgram.evaluation.evaluate import SeedResult, evaluate
from jetgram.evaluation.predict import predict_dataset, require_jets
from jetgram.evaluation.scores import Provenance, Scores, concatenate_scores
from jetgram.evaluation.selection import Window
from jetgram.jets.perturb import COLLINEAR, perturb
from jetgram.models.ensemble import Scoring
from jetgram.momenta import Jets
from jetgram.progress import Advance
from jetgram.ragged import numbers_or_bools
from jetgram.roc import SCORE
from jetgram.storage.dataset import Dataset

NOMINAL = "nominal"
SOFT = "soft"
SCENARIOS = (NOMINAL, *COLLINEAR, SOFT)
SEED = 1  # of the collinear splits

Scorer = Callable[[Jets], ArrayLike]
Change = Callable[[Jets, int], Jets]


@dataclasses.dataclass(frozen=True)
class SafetyLine:
    """One scenario next to the nominal one.

    Args:
        scenario: what was done to the jets.
        result: AUC and R with their errors.
        auc_change: relative to the nominal AUC, e.g. -0.02 for a loss of 2 %; None where that is 0.
        rejection_change: the same for R; None where one of the two is only a bound.
        mean_shift: mean of the absolute change of a jet's score.
        large_shift: the change that one jet in twenty exceeds.
    """

    scenario: str
    result: SeedResult
    auc_change: float | None
    rejection_change: float | None
    mean_shift: float
    large_shift: float


def score_perturbed(
    scorer: Scoring | Scorer,
    dataset: Dataset,
    scenario: str = NOMINAL,
    split: str = "test",
    name: str = "",
    advance: Advance | None = None,
) -> Scores:
    """The scores of jets to which something was done, with the pT and mass of what the scorer reads of them then.

    Args:
        scorer: a model, or any function from jets to one number per jet, larger for signal.
        dataset: of jets, with the soft particles that `jetgram generate` keeps next to them; a model of events is
            scored in the nominal scenario alone.
        scenario: one of `SCENARIOS`; see `possible_scenarios`.
        split: the split to score.
        name: of the scorer; by default what it is called.
        advance: is told how many jets are scored since the last call.
    """
    change = perturbation(scenario)
    if isinstance(scorer, Scoring):
        return predict_dataset(scorer, dataset, split, name=name, advance=advance, change=change)
    require_jets(dataset)
    return _score_by_function(scorer, dataset, split, name or title_of(scorer), advance, change)


def perturbation(scenario: str) -> Change | None:
    """What is done to jets, of which the first has the given number, in a scenario; None in the nominal one."""
    require_known("no scenario", scenario, SCENARIOS)
    return None if scenario == NOMINAL else lambda jets, first: perturb(jets, scenario, SEED, first)


def title_of(scorer: Scoring | Scorer) -> str:
    """What a scorer is called where nobody gave it a name."""
    return scorer.title if isinstance(scorer, Scoring) else getattr(scorer, "__name__", "scorer")


def possible_scenarios(dataset: Dataset, split: str = "test") -> tuple[str, ...]:
    """What can be done to the jets of a dataset: `SCENARIOS`, without `soft` where it keeps no soft particles.

    Which soft particles fall into a jet is found when the jet is: jets that were brought along cannot be given any.

    Example:
        >>> import tempfile
        >>> from jetgram.storage.dataset import save
        >>> jets = Jets.from_lists([[[3.0, 4.0, 0.0, 5.0]]])
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     possible_scenarios(save(folder, jets, {"source": "by hand"}, split="test"))
        ('nominal', 'collinear1', 'collinear10', 'collinear1-max', 'collinear10-max')
    """
    require_jets(dataset)
    has_soft = SOFT in dataset.first(1, split).ragged
    return tuple(scenario for scenario in SCENARIOS if has_soft or scenario != SOFT)


def _score_by_function(
    scorer: Scorer,
    dataset: Dataset,
    split: str,
    name: str,
    advance: Advance | None,
    change: Change | None,
) -> Scores:
    provenance = Provenance.of_dataset(dataset, split, name)
    parts: list[Scores] = []
    first = 0
    for jets in dataset.stream(split):
        assert isinstance(jets, Jets)
        seen = change(jets, first) if change else jets
        values = _as_numbers(scorer(seen), name)
        if values.shape != (len(jets),):
            raise EvaluationError(f"{name} gave an array of shape {values.shape}; expected ({len(jets)},)")
        parts.append(Scores.from_jets({SCORE: values}, seen, provenance, first))
        first += len(jets)
        if advance:
            advance(len(jets))
    return concatenate_scores(parts)


def _as_numbers(answers: ArrayLike, name: str) -> NDArray[np.float64]:
    """What a function gave, if that is numbers."""
    try:
        return numbers_or_bools(answers, f"the scores of {name}")
    except BadJetError as error:
        raise EvaluationError(f"{error}, one per jet") from None


def safety(scores: Mapping[str, Scores], window: Window | None = None, replicas: int = 200) -> list[SafetyLine]:
    """How much each scenario changes the scores of the same jets, and what they are worth.

    Args:
        scores: by scenario, `nominal` among them; see `score_perturbed`.
        window: the jets that count; by default the paper's for its samples, everything for others.
        replicas: of the bootstrap for the errors; 0 for none.

    Example:
        >>> nominal = Scores.create({"score": [0.9, 0.4, 0.6, 0.1]}, [1, 1, 0, 0], np.full(4, 270.0), np.full(4, 80.0))
        >>> moved = Scores.create({"score": [0.9, 0.4, 0.3, 0.1]}, [1, 1, 0, 0], np.full(4, 270.0), np.full(4, 80.0))
        >>> lines = safety({"nominal": nominal, "soft": moved}, Window.everything(), replicas=0)
        >>> [(line.scenario, line.result.auc, round(line.mean_shift, 3)) for line in lines]
        [('nominal', 0.75, 0.0), ('soft', 1.0, 0.075)]
    """
    if NOMINAL not in scores:
        raise EvaluationError(f"scores of {', '.join(scores)}; expected those of the nominal jets among them")
    window = window or Window.of_sample(scores[NOMINAL].provenance.sample)
    judged = {name: evaluate([each], window, replicas=replicas).seeds[0] for name, each in scores.items()}
    nominal = judged[NOMINAL]
    lines = []
    before = nominal.rejection[0]
    for name, result in judged.items():
        shift, after = np.abs(shifts(scores[NOMINAL], scores[name], window)), result.rejection[0]
        lines.append(
            SafetyLine(
                name,
                result,
                result.auc / nominal.auc - 1 if nominal.auc else None,
                None if before.is_bound or after.is_bound else after.value / before.value - 1,
                float(shift.mean()),
                float(np.quantile(shift, 0.95)),
            )
        )
    return lines


def shifts(nominal: Scores, changed: Scores, window: Window | None = None) -> NDArray[np.float64]:
    """The change of each jet's score, for the jets that are in the window before it.

    Example:
        >>> nominal = Scores.create({"score": [0.9, 0.4]}, [1, 0], [270.0, 400.0], [80.0, 80.0])
        >>> moved = Scores.create({"score": [0.8, 0.1]}, [1, 0], [270.0, 400.0], [80.0, 80.0])
        >>> shifts(nominal, moved, Window.everything()).round(3), shifts(nominal, moved, Window()).round(3)
        (array([-0.1, -0.3]), array([-0.1]))
    """
    if not np.array_equal(nominal.jet, changed.jet):
        raise EvaluationError(f"{nominal.source} and {changed.source} are scores of different jets")
    inside = (window or Window.of_sample(nominal.provenance.sample)).contains(nominal.pt, nominal.mass)
    difference: NDArray[np.float64] = (changed.score - nominal.score)[inside]
    return difference
