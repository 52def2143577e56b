"""`jetgram safety`: how a model bears soft particles and collinear splits."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from matplotlib.figure import Figure
    from rich.table import Table

    from jetgram.evaluation.safety import SafetyLine
    from jetgram.evaluation.scores import Scores
    from jetgram.evaluation.selection import Window


def safety(
    model: Annotated[Path, typer.Argument(help="A classifier's folder.", show_default=False)],
    dataset: Annotated[Path, typer.Argument(help="A dataset of jets.", show_default=False)],
    split: Annotated[str, typer.Option(help="The split to test on.")] = "test",
    all_pt: Annotated[bool, typer.Option("--all-pt", help="All jets, not only those of the paper's window.")] = False,
    bootstrap: Annotated[int, typer.Option(metavar="N", help="Replicas for the errors; 0 for none.")] = 200,
    out: Annotated[Path | None, typer.Option(help="Write the scores, and a picture of their shifts, here.")] = None,
    json: Annotated[bool, typer.Option("--json", help="Print all numbers as JSON.")] = False,
) -> None:
    """Test the infrared and collinear safety of a model: score the same jets with soft particles and collinear splits.

    Example: [bold]jetgram safety gated-kt w-vs-qcd --out safety[/]

    A scorer of your own, any function from jets to numbers, is tested from Python: jetgram.evaluation.safety.
    """
    from jetgram.cli.output import print_json, wide_console
    from jetgram.cli.progress import progress
    from jetgram.evaluation.plots.shifts import draw_shifts
    from jetgram.evaluation.safety import SCENARIOS, score_perturbed
    from jetgram.evaluation.safety import safety as judge
    from jetgram.evaluation.selection import Window
    from jetgram.models.store import load_model
    from jetgram.storage.dataset import Dataset

    loaded, stored = load_model(model), Dataset(dataset)
    window = Window.everything() if all_pt else Window()
    rows = sum(shard.rows for shard in stored.shards(split))
    with progress("scoring", rows * len(SCENARIOS), stored.kind) as advance:
        scores = {each: score_perturbed(loaded, stored, each, split, model.name, advance) for each in SCENARIOS}
    lines = judge(scores, window, bootstrap)
    if json:
        print_json({"window": window, "scenarios": lines})
    else:
        wide_console().print(_table(model.name, window, lines))
    if out is not None:
        _write(out, scores, draw_shifts(scores, window))


def _write(folder: Path, scores: dict[str, Scores], picture: Figure) -> None:
    from jetgram.display import save_figure
    from jetgram.evaluation.score_files import write_scores

    folder.mkdir(parents=True, exist_ok=True)
    for name, each in scores.items():
        write_scores(folder / f"scores-{name}.parquet", each)
    save_figure(picture, folder / "shifts.png")


def _table(name: str, window: Window, lines: Sequence[SafetyLine]) -> Table:
    from rich.table import Table

    table = Table(title=f"{name}, {window}", title_justify="left", box=None, header_style="bold", padding=(0, 2, 0, 0))
    for heading in ("jets", "AUC", "change", "R at 50 %", "change", "mean shift", "5 % shift more than"):
        table.add_column(heading, justify="left" if heading == "jets" else "right", no_wrap=True)
    for line in lines:
        errors = line.result.errors
        auc = f"{line.result.auc:.4f}" + (f" ± {errors.auc:.4f}" if errors else "")
        error = errors.rejection[0] if errors else None
        rejection = str(line.result.rejection[0]) + (f" ± {error:.1f}" if error is not None else "")
        changes = (f"{line.auc_change:+.2%}", f"{line.rejection_change:+.1%}")
        table.add_row(
            line.scenario, auc, changes[0], rejection, changes[1], f"{line.mean_shift:.4f}", f"{line.large_shift:.4f}"
        )
    return table
