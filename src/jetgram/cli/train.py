"""`jetgram train`: from a dataset to a model."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

if TYPE_CHECKING:
    from jetgram.models.model import JetModel
    from jetgram.models.settings import ModelSettings, TrainingSettings
    from jetgram.training.train import Job


def train(
    dataset: Annotated[Path, typer.Argument(help="A dataset's folder.", show_default=False)],
    out: Annotated[Path, typer.Option(help="Folder of the model.", show_default=False)],
    topology: Annotated[
        str | None, typer.Option(help="kt, ca, antikt, random, asc-pt, desc-pt; two joined by + are a stereo model.")
    ] = None,
    cell: Annotated[str | None, typer.Option(help="simple or gated.")] = None,
    seed: Annotated[int | None, typer.Option(help="Of the first weights and of the order of the jets.")] = None,
    epochs: Annotated[int | None, typer.Option(help="How often every jet is seen.")] = None,
    settings: Annotated[Path | None, typer.Option(help="TOML with the tables \\[model] and \\[training].")] = None,
    more: Annotated[
        list[str] | None, typer.Option("--set", metavar="NAME=VALUE", help="Any other setting; repeat it.")
    ] = None,
    resume: Annotated[bool, typer.Option("--resume", help="Go on with what is in the folder, if anything is.")] = False,
    split: Annotated[str, typer.Option(help="The split to train with.")] = "train",
    cache: Annotated[Path | None, typer.Option(help="Keep prepared jets here, for other trainings.")] = None,
    memory: Annotated[float, typer.Option(metavar="GIB", help="Prepared jets beyond this are read from disk.")] = 1.0,
) -> None:
    """Train a tagger (or a regressor) on the jets of a dataset, by default with the paper's recipe.

    Example: [bold]jetgram train w-vs-qcd --topology kt --cell gated --seed 1 --out gated-kt[/]

    A regressor: [bold]jetgram train w-vs-qcd --out boson-pt --set head=regressor --set targets=boson_pt[/]

    Killed at any moment, the same command with --resume goes on and gives the same weights, bit for bit. The folder
    gets model.safetensors, model.json, history.jsonl and curves.png.
    """
    from jetgram.training.train import Job

    named = {"topology": topology, "cell": cell, "seed": seed, "epochs": epochs}
    model, recipe = _settings(settings, {name: value for name, value in named.items() if value is not None}, more or [])
    _train(Job(dataset, out, model, recipe, split, cache, memory), resume)


def _settings(file: Path | None, named: dict[str, Any], more: list[str]) -> tuple[ModelSettings, TrainingSettings]:
    """The settings of the file, with those of the command line over them."""
    from jetgram.models.settings import make_settings, parse_setting, read_settings

    values = {**named, **dict(parse_setting(text) for text in more)}
    return read_settings(file, **values) if file is not None else make_settings(**values)


def _train(job: Job, resume: bool) -> None:
    from rich.console import Console

    from jetgram.cli.training import TrainingDisplay
    from jetgram.training.train import train

    with TrainingDisplay() as display:
        model = train(job, resume, display)
    Console(soft_wrap=True, highlight=False).print(_summary(job, model))


def _summary(job: Job, model: JetModel) -> str:
    """What was made, in a line."""
    numbers = ", ".join(f"{name.replace('_', ' ')} {value:.4g}" for name, value in model.record["metrics"].items())
    parameters = sum(weight.numel() for weight in model.network.parameters())
    what = f"{model.settings.cell} {model.settings.topology}, {parameters:,} parameters"
    return f"[bold]{job.out}[/]: {what}; best {numbers}"
