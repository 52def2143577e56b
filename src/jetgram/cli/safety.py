"""`jetgram safety`: how a model bears soft particles and collinear splits."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer


def safety(
    model: Annotated[Path, typer.Argument(help="A classifier's folder.", show_default=False)],
    dataset: Annotated[Path, typer.Argument(help="A dataset of jets.", show_default=False)],
    split: Annotated[str, typer.Option(help="The split to test on.")] = "test",
    all_pt: Annotated[bool, typer.Option("--all-pt", help="All jets, not only those of the paper's window.")] = False,
    bootstrap: Annotated[int, typer.Option(metavar="N", help="Replicas for the errors; 0 for none.")] = 200,
    out: Annotated[
        Path | None, typer.Option(help="Write the table, the scores, and a picture of their shifts, here.")
    ] = None,
    json: Annotated[bool, typer.Option("--json", help="Print all numbers as JSON.")] = False,
) -> None:
    """Test the infrared and collinear safety of a model: score the same jets with soft particles and collinear splits.

    Example: [bold]jetgram safety gated-kt w-vs-qcd --out safety[/]

    A scorer of your own, any function from jets to numbers, gets the same report from Python:
    jetgram.evaluation.safety_report.
    """
    from jetgram.cli.output import print_json
    from jetgram.cli.progress import progress
    from jetgram.evaluation.safety import possible_scenarios
    from jetgram.evaluation.safety_report import safety_report
    from jetgram.evaluation.selection import Window
    from jetgram.models.store import load_model
    from jetgram.storage.dataset import Dataset

    loaded, stored = load_model(model), Dataset(dataset)
    window = Window.everything() if all_pt else Window()
    total = sum(shard.rows for shard in stored.shards(split)) * len(possible_scenarios(stored, split))
    with progress("scoring", total, stored.kind) as advance:
        report = safety_report(loaded, stored, out, window, split, model.name, bootstrap, advance)
    if json:
        print_json({"window": window, "scenarios": report.lines, "left_out": report.left_out})
    else:
        typer.echo(report)
