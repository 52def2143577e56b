"""`jetgram generate`: a dataset of real collisions."""

from __future__ import annotations

import time
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from rich.table import Table

    from jetgram.collisions.processes import Sample
    from jetgram.collisions.settings import GenerationSettings
    from jetgram.storage.dataset import Dataset


def generate(
    sample: Annotated[
        str | None,
        typer.Argument(
            help="w-vs-qcd, w-vs-qcd-inclusive, wprime-vs-qcd, top-vs-qcd or quark-vs-gluon; none with --card."
        ),
    ] = None,
    out: Annotated[
        Path | None,
        typer.Option(help="Folder of the dataset, or of one folder per level; interrupted, it is finished."),
    ] = None,
    jets: Annotated[int | None, typer.Option(help="Jets in all, half signal (samples of jets).")] = None,
    events: Annotated[int | None, typer.Option(help="Events in all, half signal (samples of events).")] = None,
    seed: Annotated[int, typer.Option(help="The same seed gives the same bytes.")] = 1,
    level: Annotated[
        str | None,
        typer.Option(
            help="particles, towers or pflow; several, joined by commas, share their collisions. Default: the sample's "
            "own, pflow for top-vs-qcd, particles for the others."
        ),
    ] = None,
    shower: Annotated[str, typer.Option(help="The parton shower: pythia or vincia.")] = "pythia",
    alpha_s: Annotated[
        float | None,
        typer.Option(help="Coupling of the showers at the Z mass; default 0.1365 for pythia, 0.118 for vincia."),
    ] = None,
    match: Annotated[float | None, typer.Option(metavar="DR", help="Keep signal jets within DR of the boson.")] = None,
    test_share: Annotated[float, typer.Option(help="Fraction of the rows in the test split.")] = 0.5,
    workers: Annotated[int, typer.Option(min=1, help="Processes on this machine.")] = 2,
    dask: Annotated[str | None, typer.Option(metavar="ADDRESS", help="Use this Dask cluster instead.")] = None,
    card: Annotated[Path | None, typer.Option(help="A sample of your own: a TOML card.")] = None,
    print_card: Annotated[bool, typer.Option(help="Print the sample's card, to start your own from.")] = False,
) -> None:
    """Generate collisions with Pythia 8 and store their jets, or whole events, as a dataset.

    Example: [bold]jetgram generate w-vs-qcd --jets 10000 --out w-vs-qcd --seed 1 --workers 2[/]

    Three levels of the same collisions, as datasets w/particles, w/towers and w/pflow: [bold]jetgram generate w-vs-qcd
    --jets 10000 --level particles,towers,pflow --out w[/]

    The same hard processes with another parton shower: [bold]jetgram generate w-vs-qcd --jets 10000 --shower vincia
    --out vincia[/]

    Killed at any moment, the same command goes on where it stopped, and gives the same bytes.
    """
    from jetgram.collisions.processes import to_card
    from jetgram.collisions.settings import GenerationSettings

    chosen = _sample(sample, card)
    if print_card:
        typer.echo(to_card(chosen), nl=False)
        return
    rows = _rows(chosen, jets, events)
    if out is None:
        raise typer.BadParameter("say where the dataset goes: --out FOLDER")
    levels = list(dict.fromkeys(name.strip() for name in (level or chosen.level).split(",")))
    first = GenerationSettings.create(
        sample=chosen,
        rows=rows,
        seed=seed,
        level=levels[0],
        match=match,
        test_share=test_share,
        shower=shower,
        alpha_s=alpha_s,
    )
    wanted = {out / name if len(levels) > 1 else out: first.at(name) for name in levels}
    _run(wanted, workers, dask)


def _sample(name: str | None, card: Path | None) -> Sample:
    from jetgram.collisions.processes import SAMPLES, Sample, sample

    if (name is None) == (card is None):
        raise typer.BadParameter(f"name one sample ({', '.join(SAMPLES)}), or give one --card FILE")
    return sample(name) if name is not None else Sample.from_toml(str(card))


def _rows(sample: Sample, jets: int | None, events: int | None) -> int:
    wanted, other = (jets, events) if sample.rows == "jets" else (events, jets)
    if wanted is None or other is not None:
        raise typer.BadParameter(f"{sample.name} is a sample of {sample.rows}: give --{sample.rows} N, and only that")
    return wanted


def _run(wanted: dict[Path, GenerationSettings], workers: int, dask: str | None) -> None:
    from jetgram.cli.output import new_console
    from jetgram.cli.progress import progress
    from jetgram.collisions.generate import finished_rows, generate_levels
    from jetgram.fanout import open_executor

    start = time.monotonic()
    first, before = next(iter(wanted.values())), finished_rows(wanted)
    where = f"dask {dask}" if dask else f"{workers} worker{'s' * (workers > 1)}"
    with (
        progress(f"generating {first.sample.name}", first.rows, first.sample.rows, done=before) as advance,
        open_executor(workers, dask, same_bits=True) as executor,
    ):
        datasets = generate_levels(wanted, executor, advance)
    made = f"{first.rows - before:,} rows in {time.monotonic() - start:.0f} s on {where}"
    for dataset in datasets:
        new_console(soft_wrap=True).print(_table(dataset, made))


def _table(dataset: Dataset, time_taken: str) -> Table:
    from rich.table import Table

    from jetgram.cli.output import plain
    from jetgram.collisions.truth import MATCHED

    table = Table(title=plain(dataset.path), title_justify="left", show_edge=False)
    for heading in ("split", "signal", "background", f"truth-matched (ΔR < {MATCHED:g})", "shards"):
        table.add_column(heading, justify="left" if heading == "split" else "right")
    for split in dataset.splits:
        label = dataset.column("label", split)
        matched = _matched(dataset, split) if dataset.kind == "jets" else "-"
        shards = len(dataset.shards(split))
        table.add_row(split, f"{(label == 1).sum():,}", f"{(label == 0).sum():,}", matched, str(shards))
    size = sum(shard.size for shard in dataset.manifest.shards)
    table.caption = f"{size / 1e6:,.1f} MB; {time_taken}\ndigest {dataset.digest}"
    table.caption_justify = "left"
    return table


def _matched(dataset: Dataset, split: str) -> str:
    """Fraction of the signal jets with their boson, top or parton nearer than the radius of the paper's jets."""
    from jetgram.collisions.processes import Sample
    from jetgram.collisions.truth import matched_fraction

    signal = dataset.column("label", split) == 1
    truth = Sample.create(**dataset.recipe["sample"]).truth
    fraction = matched_fraction(dataset.column(f"{truth}_dr", split)[signal])
    return "-" if fraction is None else f"{fraction:.1%}"
