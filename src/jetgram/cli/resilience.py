"""`jetgram resilience`: performance against resilience of models."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from jetgram.cli.window import AllPt, MassRange, PtRange, choose_window

if TYPE_CHECKING:
    from jetgram.evaluation.resilience_report import ResilienceReport
    from jetgram.storage.dataset import Dataset

PICTURE = "resilience.png"


def resilience(
    models: Annotated[list[Path], typer.Argument(help="Classifiers' folders.", show_default=False)],
    nominal: Annotated[Path, typer.Option(help="The dataset on which the cuts are fixed.", show_default=False)],
    varied: Annotated[
        list[Path], typer.Option(help="The same sample with another shower or detector; repeat it.", show_default=False)
    ],
    split: Annotated[str, typer.Option(help="The split to test on.")] = "test",
    efficiency: Annotated[float, typer.Option(min=0.01, max=0.99, help="Signal efficiency that fixes the cut.")] = 0.5,
    all_pt: AllPt = None,
    pt: PtRange = None,
    mass: MassRange = None,
    bootstrap: Annotated[int, typer.Option(metavar="N", help="Replicas for the errors; 0 for none.")] = 200,
    out: Annotated[Path | None, typer.Option(help="Write the table and the picture into this folder.")] = None,
    json: Annotated[bool, typer.Option("--json", help="Print all numbers as JSON.")] = False,
) -> None:
    """Test how much the efficiencies of models depend on the simulation: performance against resilience.

    The same cut on the score is put on jets of another shower, another coupling, or another detector level
    (arXiv:1803.07977).

    Example: [bold]jetgram resilience simple-kt gated-ca --nominal w/particles --varied vincia --varied w/towers --out
    resilience[/]

    A scorer of your own, any function from jets to numbers, gets the same report from Python:
    jetgram.evaluation.resilience_report.
    """
    from jetgram.cli.output import prepare_out, print_json
    from jetgram.cli.progress import progress
    from jetgram.evaluation.resilience_report import resilience_report
    from jetgram.evaluation.selection import Window
    from jetgram.models.folders import by_name
    from jetgram.models.store import load_model
    from jetgram.storage.dataset import Dataset

    if out is not None:
        prepare_out(out, folder=True)
    scorers = {name: load_model(path) for name, path in by_name(models).items()}
    fixed = Dataset(nominal)
    others = {name: Dataset(path) for name, path in by_name(varied).items()}
    window = choose_window(Window.of_sample(fixed.sample), all_pt, pt, mass)
    total = len(scorers) * rows_of([fixed, *others.values()], split)
    with progress("scoring", total, fixed.kind) as advance:
        report = resilience_report(scorers, fixed, others, out, window, split, efficiency, bootstrap, advance)
    if out is not None:
        draw_report(report, out)
    if json:
        print_json({"window": window, "efficiency": efficiency, "resilience": report.records()})
    else:
        typer.echo(report)


def draw_report(report: ResilienceReport, folder: Path) -> None:
    """Put the picture next to the table."""
    from jetgram.plots.resilience import draw_resilience
    from jetgram.plots.style import save_figure

    save_figure(draw_resilience(report.found, report.title, report.efficiency), folder / PICTURE)


def rows_of(datasets: Sequence[Dataset], split: str) -> int:
    """Rows in one split of all datasets."""
    return sum(shard.rows for dataset in datasets for shard in dataset.shards(split))
