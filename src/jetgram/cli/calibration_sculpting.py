"""The second table of `jetgram evaluate`: calibration of models, and how little a cut sculpts the mass."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rich.table import Table

    from jetgram.evaluation.evaluate import Evaluation, SeedResult


def calibration_sculpting_table(report: Evaluation) -> Table | None:
    """One row per model, means over its seeds; None where nothing is known."""
    from jetgram.cli.output import plain, plain_table
    from jetgram.notation import percent

    cut = f"1/JSD at {percent(report.efficiencies[0])}"
    rows = [_row([seed for seed in report.seeds if seed.model == model.model]) for model in report.models]
    if not any(map(any, rows)):
        return None
    headings = ("ECE", "stat.", "if perfect", cut, "stat.", "no sculpting")
    table = plain_table("model", *headings, whole=headings, fold=["model"])
    for model, row in zip(report.models, rows, strict=True):
        table.add_row(plain(model.model), *row)
    return table


def _row(seeds: Sequence[SeedResult]) -> list[str]:
    """ECE, its error and that of perfect scores; 1/JSD, its error and that without sculpting; empty if not known."""
    from jetgram.evaluation.sculpting import inverse_text

    kept = [seed for seed in seeds if not seed.dropped]
    curves = [seed.calibration for seed in kept if seed.calibration is not None]
    cuts = [seed.sculpting for seed in kept if seed.sculpting is not None]
    ece, error, floor = (_mean(getattr(each, name) for each in curves) for name in ("ece", "error", "floor"))
    limit = _mean(each.limit for each in cuts)
    is_bound = any(each.is_bound for each in cuts)  # of one seed: then the mean is one, and has no error
    spread = None if is_bound else _mean(each.error for each in cuts if each.error is not None)
    return [
        *(_shown(ece, 4), _shown_error(error, 4), _shown(floor, 4)),
        *(inverse_text(cuts, ",.1f") if cuts else "", _shown_error(spread, 1), _shown(limit, 1)),
    ]


def _mean(values: Iterable[float]) -> float | None:
    found = list(values)
    return sum(found) / len(found) if found else None


def _shown(value: float | None, decimals: int) -> str:
    return "" if value is None else f"{value:,.{decimals}f}"


def _shown_error(error: float | None, decimals: int) -> str:
    from jetgram.notation import plus_minus

    return "" if error is None else plus_minus(error, f",.{decimals}f")
