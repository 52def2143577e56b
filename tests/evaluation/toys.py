"""Scores with known answers: two normal distributions, some standard deviations apart."""

import numpy as np

from jetgram.evaluation.evaluate import by_model
from jetgram.evaluation.scores import Provenance, Scores
from jetgram.roc import RocCurve, roc_curve


def toy_scores(model="toy", seed=0, jets=2000, distance=1.5, **provenance) -> Scores:
    """Half signal, half background; pT falls, masses cover the paper's window and more."""
    rng = np.random.default_rng([seed, jets])
    label = np.arange(jets) % 2
    return Scores.create(
        {"score": distance * label + rng.normal(size=jets)},
        label,
        pt=200 + rng.exponential(60, jets),
        mass=rng.uniform(30, 130, jets),
        weight=rng.uniform(0.5, 1.5, jets),
        provenance=Provenance.create(model=model, seed=seed, **provenance),
        source=f"{model}-{seed}.parquet",
    )


def toy_models() -> dict[str, list[Scores]]:
    """Three seeds of one model, and one of a better one."""
    seeds = [toy_scores("simple", seed, jets=1000) for seed in range(3)]
    return by_model([*seeds, toy_scores("gated", 7, jets=1000, distance=2.0)])


def curve_of(scores: Scores) -> RocCurve:
    return roc_curve(scores.score, scores.label, scores.weight)
