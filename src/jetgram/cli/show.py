"""`jetgram show`: a picture of one jet and its trees, or of a whole event."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, NamedTuple

import typer

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from jetgram.momenta import Events, Jets, Momenta


def show(
    dataset: Annotated[Path, typer.Argument(help="A dataset's folder.", show_default=False)],
    out: Annotated[Path, typer.Option(help="The picture: .png, .pdf or .svg.")] = Path("jet.png"),
    jet: Annotated[int | None, typer.Option(help="Which jet; negative counts from the end.", show_default="0")] = None,
    event: Annotated[int | None, typer.Option(help="Draw a whole event, of a dataset of events, instead.")] = None,
    jets: Annotated[
        int | None,
        typer.Option(
            min=1, max=6, help="How many jets of the event, the hardest.", show_default="2, or what the model reads"
        ),
    ] = None,
    topology: Annotated[
        str | None,
        typer.Option(help="kt, ca, antikt, random, asc-pt, desc-pt; or all, the six of a jet.", show_default="kt"),
    ] = None,
    scale: Annotated[str, typer.Option(help="Height of a branching: mass, kt or angle.")] = "mass",
    split: Annotated[str | None, typer.Option(help="Count the jets of one split only, such as test.")] = None,
    seed: Annotated[int | None, typer.Option(help="Seed of the random topology.", show_default="0")] = None,
    model: Annotated[
        Path | None, typer.Option(help="As this model sees it: its topology, coloured by importance for the score.")
    ] = None,
) -> None:
    """Draw one jet: its particles in the eta-phi plane next to its tree with the splitting scales, or next to all six.

    Of a dataset of events, the hardest jet of an event is drawn.

    Example: [bold]jetgram show jets --jet 7 --topology all --out jet.png[/]

    With a model: [bold]jetgram show jets --jet 7 --model gated-kt --out jet.png[/]

    A whole event: [bold]jetgram show wprime-vs-qcd --event 7 --jets 2 --out event.png[/]
    """
    from jetgram.classes import CLASSES
    from jetgram.cli.output import prepare_out
    from jetgram.plots import SUFFIXES, save_figure
    from jetgram.storage.dataset import Dataset

    if model is not None:
        _leave_out("with --model; the trees are those that the model reads", topology=topology, seed=seed)
    if event is None:
        _leave_out("without --event; a single jet is drawn", jets=jets)
    else:
        _leave_out("with --event; a whole event is drawn", jet=jet)
    prepare_out(out, suffixes=SUFFIXES)
    stored = Dataset(dataset)
    index, what = (jet or 0, "jet") if event is None else (event, "event")
    row = stored.row(index, split)
    number = index if index >= 0 else index + stored.rows(split)
    picture = Picture(number, topology or "kt", scale, seed or 0, model, stored.class_names() or CLASSES)
    figure, how = _one_jet(_as_jet(row), picture) if event is None else _whole_event(row, jets, picture)
    save_figure(figure, out)
    typer.echo(f"{out}: {what} {number} of {dataset}, {how}")


def _leave_out(why: str, **options: object) -> None:
    """An error if one of these options, which would change nothing, is given."""
    from jetgram.errors import SettingsError

    for name, value in options.items():
        if value is not None:
            raise SettingsError(f"found --{name} {value} {why}, leave it out")


class Picture(NamedTuple):
    """What is drawn of a jet or an event.

    Args:
        number: of the jet or event, in its dataset.
        topology: of the trees.
        scale: the height of a branching.
        seed: of the random topology.
        model: whose trees are drawn, as they matter for its score; None for those of the topology.
        classes: the names of the classes.
    """

    number: int
    topology: str
    scale: str
    seed: int
    model: Path | None
    classes: Sequence[str]


def _one_jet(jet: Jets, wanted: Picture) -> tuple[Figure, str]:
    """The jet and its tree, or all six, and what is drawn; with a model the tree as it matters for the score."""
    number, topology, scale, seed, model, classes = wanted
    if model is None:
        from jetgram.plots import draw_jet

        return draw_jet(jet, 0, topology, scale=scale, seed=seed, number=number, classes=classes), topology
    from jetgram.errors import SettingsError
    from jetgram.models.importance import node_importance
    from jetgram.models.store import load_model
    from jetgram.plots import draw_importance

    loaded = load_model(model)
    if loaded.settings.rows != "jets":
        raise SettingsError(f"{model} reads whole events; add --event N")
    found = node_importance(loaded, jet, number)
    return draw_importance(found, jet, number, scale, classes), f"as {model} sees it"


def _whole_event(row: Momenta, jets: int | None, wanted: Picture) -> tuple[Figure, str]:
    """The event with its jets and their trees, and what is drawn; with a model as they matter for the score."""
    from jetgram.errors import SettingsError
    from jetgram.jets.clustering import find_jets
    from jetgram.momenta import Events
    from jetgram.plots import draw_event
    from jetgram.trees.topologies import TOPOLOGIES, build_trees

    if not isinstance(row, Events):
        raise SettingsError("--event is for datasets of events; this one holds jets")
    number, topology, scale, seed, model, classes = wanted
    if model is not None:
        return _event_as_seen(model, row, jets, wanted)
    if topology == "all":
        raise SettingsError(f"found --topology all with --event; expected one of {', '.join(TOPOLOGIES)}")
    found = find_jets(row, hardest=jets or 2)
    trees = build_trees(found, topology, seed)
    return draw_event(row, found, trees, scale=scale, number=number, classes=classes), topology


def _event_as_seen(model: Path, event: Events, jets: int | None, wanted: Picture) -> tuple[Figure, str]:
    """The hardest of the jets that the model reads, as many as fit on a page, or as are asked for."""
    from jetgram.models.event_importance import event_importance
    from jetgram.models.store import load_model
    from jetgram.plots.event import MOST, draw_event, some_of

    seen = event_importance(load_model(model), event, wanted.number)
    drawn = min(jets or MOST, len(seen.jets))
    figure = draw_event(
        event,
        seen.jets,
        seen.trees,
        scale=wanted.scale,
        of_jets=seen.of_jets,
        of_nodes=seen.of_nodes,
        number=wanted.number,
        hardest=drawn,
        classes=wanted.classes,
    )
    how = f"as {model} sees it"
    return figure, how if drawn == len(seen.jets) else f"{how}: {some_of(drawn, len(seen.jets))}"


def _as_jet(row: Momenta) -> Jets:
    """The jet itself, or the hardest one of an event."""
    from jetgram.jets.clustering import find_jets
    from jetgram.momenta import Events, Jets

    if isinstance(row, Events):
        return find_jets(row, hardest=1)
    assert isinstance(row, Jets)
    return row
