"""`jetgram safety`: how robust a model is to soft particles and collinear splits."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from jetgram.cli.resilience import draw_report, rows_of
from jetgram.cli.window import AllPt, MassRange, PtRange, choose_window

PICTURE = "shifts.png"


def safety(
    model: Annotated[
        str,
        typer.Argument(help="A classifier's folder; several, joined by commas, are an ensemble.", show_default=False),
    ],
    dataset: Annotated[Path, typer.Argument(help="A dataset of jets.", show_default=False)],
    varied: Annotated[
        list[Path] | None,
        typer.Option(help="Also the resilience: the same sample with another shower or detector; repeat it."),
    ] = None,
    split: Annotated[str, typer.Option(help="The split to test on.")] = "test",
    all_pt: AllPt = None,
    pt: PtRange = None,
    mass: MassRange = None,
    bootstrap: Annotated[int, typer.Option(metavar="N", help="Replicas for the errors; 0 for none.")] = 200,
    out: Annotated[
        Path | None, typer.Option(help="Write the table, the scores, and a picture of their shifts, here.")
    ] = None,
    json: Annotated[bool, typer.Option("--json", help="Print all numbers as JSON.")] = False,
) -> None:
    """Test the infrared and collinear safety of a model: score the same jets with soft particles and collinear splits.

    Example: [bold]jetgram safety gated-kt w-vs-qcd --out safety[/]

    With `--varied DATASET` also the resilience to another simulation; see [bold]jetgram resilience[/].

    A scorer of your own, any function from jets to numbers, gets the same report from Python:
    jetgram.evaluation.safety_report.
    """
    from jetgram.cli.output import prepare_out, print_json
    from jetgram.cli.progress import progress
    from jetgram.evaluation.resilience_report import require_same_sample, resilience_report
    from jetgram.evaluation.safety import possible_scenarios
    from jetgram.evaluation.safety_report import safety_report
    from jetgram.evaluation.selection import Window
    from jetgram.models.ensemble import load_scoring
    from jetgram.models.folders import by_name
    from jetgram.storage.dataset import Dataset

    if out is not None:
        prepare_out(out, folder=True)
    loaded, stored = load_scoring(model), Dataset(dataset)
    window = choose_window(Window.of_sample(stored.sample), all_pt, pt, mass)
    others = {name: Dataset(path) for name, path in by_name(varied or []).items()}
    require_same_sample(stored, others.values())
    total = rows_of([stored], split) * len(possible_scenarios(stored, split))
    total += rows_of([stored, *others.values()], split) if others else 0
    with progress("scoring", total, stored.kind) as advance:
        name = ",".join(Path(part).resolve().name for part in str(model).split(","))
        report = safety_report(loaded, stored, out, window, split, name, bootstrap, advance)
        robust = None
        if others:
            scorers = {name: loaded}
            robust = resilience_report(scorers, stored, others, out, window, split, replicas=bootstrap, advance=advance)
    if out is not None:
        from jetgram.plots import draw_shifts, save_figure

        save_figure(draw_shifts(report.shifts), out / PICTURE)
        if robust is not None:
            draw_report(robust, out)
    if json:
        found = {"window": window, "scenarios": report.lines, "left_out": report.left_out}
        print_json(found | ({"resilience": robust.records()} if robust else {}))
    else:
        typer.echo(f"{report}\n\n{robust}" if robust else report)
