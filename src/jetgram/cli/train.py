"""`jetgram train`: from a dataset to a model."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from rich.table import Table

    from jetgram.models.model import JetModel
    from jetgram.models.settings import ModelSettings
    from jetgram.training.ensemble import SeedResult
    from jetgram.training.job import Job


def train(
    dataset: Annotated[Path, typer.Argument(help="A dataset's folder.", show_default=False)],
    out: Annotated[Path, typer.Option(help="Folder of the model.", show_default=False)],
    topology: Annotated[
        str | None, typer.Option(help="kt, ca, antikt, random, asc-pt, desc-pt; two joined by + are a stereo model.")
    ] = None,
    cell: Annotated[str | None, typer.Option(help="simple, gated or blend.")] = None,
    recipe: Annotated[
        str | None,
        typer.Option(
            help="modern: accurate and cheap, the default; student: more accurate, learns from --teacher; paper: the "
            "default of a topology, cell or input of your own; or a network of others: pfn, efn, lundnet, particlenet, "
            "part."
        ),
    ] = None,
    read: Annotated[
        str | None,
        typer.Option("--input", help="constituents, the pixels of the jet's image as such, or the image (MaxOut)."),
    ] = None,
    events: Annotated[
        bool, typer.Option("--events", help="Train on whole events; a dataset of events does so without it.")
    ] = False,
    jets: Annotated[str | None, typer.Option(metavar="N|all", help="The hardest jets of an event to read.")] = None,
    particles: Annotated[
        str | None, typer.Option(metavar="N|all", help="Read the hardest particles of an event instead of jets.")
    ] = None,
    seed: Annotated[int | None, typer.Option(help="Of the first weights and of the order of the jets.")] = None,
    epochs: Annotated[int | None, typer.Option(help="How often every jet is seen.")] = None,
    settings: Annotated[Path | None, typer.Option(help="TOML with the tables \\[model] and \\[training].")] = None,
    more: Annotated[
        list[str] | None, typer.Option("--set", metavar="NAME=VALUE", help="Any other setting; repeat it.")
    ] = None,
    resume: Annotated[bool, typer.Option("--resume", help="Go on with what is in the folder, if anything is.")] = False,
    start_from: Annotated[
        Path | None,
        typer.Option(
            "--from",
            metavar="MODEL",
            help="Begin with the weights of this model, and train as it was trained, or as --recipe says.",
        ),
    ] = None,
    teacher: Annotated[
        str | None,
        typer.Option(metavar="MODEL,...", help="Learn from the scores of this model, or of the mean of several, too."),
    ] = None,
    split: Annotated[str, typer.Option(help="The split to train with; jets of `val` choose the epoch.")] = "train",
    cache: Annotated[Path | None, typer.Option(help="Keep prepared jets here, for other trainings.")] = None,
    memory: Annotated[float, typer.Option(metavar="GIB", help="Prepared jets beyond this are read from disk.")] = 1.0,
    checkpoint: Annotated[float, typer.Option(metavar="SECONDS", help="Time between two checkpoints.")] = 60.0,
    device: Annotated[str, typer.Option(help="Where PyTorch computes: cpu, cuda, cuda:1, mps.")] = "cpu",
    seeds: Annotated[
        int | None, typer.Option(metavar="N", min=1, help="Train N seeds, each a model in the folder.")
    ] = None,
    workers: Annotated[
        int | None, typer.Option(min=1, help="Processes for --seeds, with one thread each; default 2.")
    ] = None,
    dask: Annotated[str | None, typer.Option(metavar="ADDRESS", help="Train --seeds on this Dask cluster.")] = None,
    onnx: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Also write the model as ONNX, as jetgram export does.")
    ] = None,
) -> None:
    """Train a tagger (or a regressor) on the jets, or events, of a dataset.

    Example: [bold]jetgram train w-vs-qcd --out tagger[/]

    As in the paper: [bold]jetgram train w-vs-qcd --topology kt --cell gated --seed 1 --out gated-kt[/]

    A regressor: [bold]jetgram train w-vs-qcd --out boson-pt --set head=regressor --set targets=boson_pt[/]

    On images: [bold]jetgram train towers --input image --out maxout[/]

    Whole events: [bold]jetgram train wprime-vs-qcd --events --jets 2 --topology desc-pt --out two-jets[/]

    Fine-tuned: [bold]jetgram train other-jets --from gated-kt --set rate=1e-4 --epochs 5 --out fine-tuned[/]

    Taught by an ensemble: [bold]jetgram train w-vs-qcd --recipe student --teacher modern-seeds --out student[/]

    Without the jet's mass: [bold]jetgram train w-vs-qcd --set disco=10 --set batch=512 --out decorrelated[/]

    Robust: [bold]jetgram train w-vs-qcd --recipe paper --set augment=collinear10-max,soft --set consistency=1 --out
    robust[/]

    Thirty seeds: [bold]jetgram train w-vs-qcd --cell gated --seeds 30 --workers 2 --out gated-kt-seeds[/]

    Killed at any moment, the same command with --resume goes on and gives the same weights, bit for bit. The folder
    gets model.safetensors, model.json, model.md (the model card, to read), history.jsonl and curves.png.
    """
    from jetgram.cli.train_settings import event_settings, given_values, require_jets_read, train_settings
    from jetgram.models.store import load_model
    from jetgram.storage.dataset import Dataset
    from jetgram.training.fine_tuning import inherited_settings
    from jetgram.training.job import Job
    from jetgram.training.targets import dataset_classes, require_class

    named = {"recipe": recipe, "input": read, "topology": topology, "cell": cell, "seed": seed, "epochs": epochs}
    named |= event_settings(dataset, events, jets, particles)
    given = given_values(named, more or [])
    defaults = {"event": "jets"} if Dataset(dataset).kind == "events" else {}
    if start_from is not None:
        defaults = inherited_settings(load_model(start_from), given.pop("recipe", None))
    model, training = train_settings(settings, defaults, given, teacher is not None)
    require_jets_read(model, jets)
    if model.head.labels:
        require_class(Dataset(dataset), split, model.head.label_column)
        if start_from is None:
            model = model.with_classes(dataset_classes(Dataset(dataset), split, model.head.label_column))
    if onnx is not None:
        _require_exportable(model, onnx, seeds)
    job = Job(
        dataset, out, model, training, split, cache, memory, checkpoint, start_from, device=device, teacher=teacher
    )
    if seeds is None:
        _require_none(workers=workers, dask=dask)
        _train(job, resume, onnx)
    else:
        _train_seeds(job, range(training.seed, training.seed + seeds), resume, workers or 2, dask)


def _require_exportable(model: ModelSettings, onnx: Path, seeds: int | None) -> None:
    from jetgram.cli.export import require_exportable
    from jetgram.errors import SettingsError

    if seeds is not None:
        raise SettingsError("--onnx is for one model; found --seeds: export the one you choose with jetgram export")
    require_exportable(model, onnx)


def _require_none(**options: object) -> None:
    """Raise if an option is given that many seeds alone are for."""
    from jetgram.errors import SettingsError

    for name, value in options.items():
        if value is not None:
            raise SettingsError(f"--{name} is for many seeds; add --seeds N, or leave --{name} out")


def _train(job: Job, resume: bool, onnx: Path | None) -> None:
    """One training; under `torchrun` with the other processes, of which only the first speaks."""
    from jetgram.cli.export import write_onnx
    from jetgram.cli.output import new_console, plain
    from jetgram.cli.training import TrainingDisplay
    from jetgram.training.group import open_group
    from jetgram.training.train import train

    with open_group() as group:
        quiet = group.rank > 0
        with TrainingDisplay(new_console(stderr=True, quiet=quiet), job.model.rows) as display:
            model = train(job, resume, display, group)
            console = new_console(soft_wrap=True, quiet=quiet)
            console.print(_summary(job, model))
            if onnx is not None and group.rank == 0:
                console.print(plain(write_onnx(model, onnx)))


def _train_seeds(job: Job, seeds: range, resume: bool, workers: int, dask: str | None) -> None:
    from jetgram.cli.output import new_console
    from jetgram.cli.training import EnsembleDisplay
    from jetgram.fanout import open_executor
    from jetgram.training.ensemble import train_seeds

    with (
        EnsembleDisplay(len(seeds) * job.training.epochs, rows=job.model.rows) as display,
        open_executor(workers, dask) as executor,
    ):
        results = train_seeds(job, seeds, executor, resume, display)
    new_console(soft_wrap=True).print(_table(results))
    failed = [result for result in results if result.error]
    for result in failed:
        typer.echo(f"{result.folder}: {result.error}", err=True)
    if failed:
        raise typer.Exit(1)


def _table(results: Sequence[SeedResult]) -> Table:
    """One row per seed, and their mean and spread."""
    from jetgram.cli.output import plain, plain_table
    from jetgram.evaluation.uncertainty import Spread

    names = next((list(result.metrics) for result in results if result.metrics), [])
    table = plain_table("model", *(name.replace("_", " ") for name in names))
    for result in results:
        values = [f"{result.metrics[name]:.4g}" for name in names] if result.metrics else ["failed"]
        table.add_row(plain(result.folder), *values)
    trained = [result.metrics for result in results if result.metrics]
    if len(trained) > 1:
        table.add_row("mean", *(str(Spread.of([metrics[name] for metrics in trained])) for name in names))
    return table


def _summary(job: Job, model: JetModel) -> str:
    """What was made, in a line."""
    from jetgram.cli.output import plain

    numbers = ", ".join(f"{name.replace('_', ' ')} {value:.4g}" for name, value in model.record["metrics"].items())
    parameters = sum(weight.numel() for weight in model.network.parameters())
    what = f"{model.settings.title}, {parameters:,} parameters"
    return f"[bold]{plain(job.out)}[/]: {plain(what)}; best {numbers}"
