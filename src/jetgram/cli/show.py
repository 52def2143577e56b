"""`jetgram show`: a picture of one jet and its trees, or of a whole event."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from jetgram.momenta import Jets, Momenta


def show(
    dataset: Annotated[Path, typer.Argument(help="A dataset's folder.", show_default=False)],
    out: Annotated[Path, typer.Option(help="The picture: .png, .pdf or .svg.")] = Path("jet.png"),
    jet: Annotated[int, typer.Option(help="Which jet; negative counts from the end.")] = 0,
    event: Annotated[int | None, typer.Option(help="Draw a whole event, of a dataset of events, instead.")] = None,
    jets: Annotated[int, typer.Option(min=1, max=6, help="How many jets of the event.")] = 2,
    topology: Annotated[str, typer.Option(help="kt, ca, antikt, random, asc-pt, desc-pt, or all six.")] = "kt",
    scale: Annotated[str, typer.Option(help="Height of a branching: mass, kt or angle.")] = "mass",
    split: Annotated[str | None, typer.Option(help="Count the jets of one split only, such as test.")] = None,
    seed: Annotated[int, typer.Option(help="Seed of the random topology.")] = 0,
    model: Annotated[
        Path | None, typer.Option(help="As this model sees it: its topology, coloured by what matters for the score.")
    ] = None,
) -> None:
    """Draw one jet: its particles in the eta-phi plane beside its tree with the splitting scales, or beside all six.

    Of a dataset of events, the hardest jet of an event is drawn.

    Example: [bold]jetgram show jets --jet 7 --topology all --out jet.png[/]

    With a model: [bold]jetgram show jets --jet 7 --model gated-kt --out jet.png[/]

    A whole event: [bold]jetgram show wprime-vs-qcd --event 7 --jets 2 --out event.png[/]
    """
    from jetgram.display import draw_jet, save_figure
    from jetgram.storage.dataset import Dataset

    stored = Dataset(dataset)
    if event is not None:
        number = event if event >= 0 else event + sum(shard.rows for shard in stored.shards(split))
        save_figure(_whole_event(stored.row(event, split), number, jets, topology, scale, model), out)
        typer.echo(f"{out}: event {number} of {dataset}")
        return
    one = _as_jet(stored.row(jet, split))
    number = jet if jet >= 0 else jet + sum(shard.rows for shard in stored.shards(split))
    if model is None:
        figure, what = draw_jet(one, 0, topology, scale=scale, seed=seed, number=number), topology
    else:
        figure, what = _as_seen(model, one, number, scale), f"as {model} sees it"
    save_figure(figure, out)
    typer.echo(f"{out}: jet {number} of {dataset}, {what}")


def _as_seen(model: Path, jet: Jets, number: int, scale: str) -> Figure:
    from jetgram.models.store import load_model
    from jetgram.report.importance import draw_importance

    return draw_importance(load_model(model), jet, number, scale)


def _whole_event(row: Momenta, number: int, jets: int, topology: str, scale: str, model: Path | None) -> Figure:
    """The event with its jets and their trees; with a model those it reads, coloured by what matters for the score."""
    from jetgram.display import draw_event
    from jetgram.errors import SettingsError
    from jetgram.jets.clustering import find_jets
    from jetgram.momenta import Events
    from jetgram.trees.topologies import build_trees

    if not isinstance(row, Events):
        raise SettingsError("--event is for datasets of events; this one holds jets")
    if model is None:
        found = find_jets(row, hardest=jets)
        return draw_event(row, found, build_trees(found, topology), scale=scale, number=number)
    from jetgram.models.event_importance import event_importance
    from jetgram.models.store import load_model

    seen = event_importance(load_model(model), row, number)
    return draw_event(
        row, seen.jets, seen.trees, scale=scale, of_jets=seen.of_jets, of_nodes=seen.of_nodes, number=number
    )


def _as_jet(row: Momenta) -> Jets:
    """The jet itself, or the hardest one of an event."""
    from jetgram.jets.clustering import find_jets
    from jetgram.momenta import Events, Jets

    if isinstance(row, Events):
        return find_jets(row, hardest=1)
    assert isinstance(row, Jets)
    return row
