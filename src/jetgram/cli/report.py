"""`jetgram report`: one page about trained models."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from jetgram.cli.window import AllPt, MassRange, PtRange, choose_window


def report(
    dataset: Annotated[Path, typer.Argument(help="A dataset's folder.", show_default=False)],
    models: Annotated[list[Path], typer.Argument(help="Folders of trained classifiers.", show_default=False)],
    out: Annotated[Path, typer.Option(help="The HTML file.")] = Path("report.html"),
    all_pt: AllPt = None,
    pt: PtRange = None,
    mass: MassRange = None,
) -> None:
    """Write one HTML page: models on a dataset's test jets compared with tau21 and mass + tau21, and what they look at.

    Example: [bold]jetgram report w-vs-qcd simple-kt gated-kt --out report.html[/]

    The page holds its pictures and needs no network.
    """
    from jetgram.cli.evaluate import print_report
    from jetgram.cli.output import prepare_out
    from jetgram.cli.progress import progress
    from jetgram.evaluation.selection import Window
    from jetgram.report import write_report
    from jetgram.storage.dataset import Dataset

    prepare_out(out)
    stored = Dataset(dataset)
    window = choose_window(Window.of_sample(stored.sample, stored.kind), all_pt, pt, mass)
    print_report(write_report(dataset, models, out, window, progress))
    typer.echo(f"\n{out}")
