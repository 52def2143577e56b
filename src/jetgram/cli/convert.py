"""`jetgram convert`: a dataset from files in any common layout."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

if TYPE_CHECKING:
    from jetgram.storage.dataset import Dataset

SPLITS = ("train", "val", "test")
Files = Annotated[list[str] | None, typer.Option(metavar="SRC", help="Files of this split; may be repeated.")]


def convert(
    sources: Annotated[
        list[str] | None,
        typer.Argument(metavar="[SRC]...", help="Files or quoted globs; NAME=SRC gives all its rows the class NAME."),
    ] = None,
    out: Annotated[
        Path | None, typer.Option(help="Folder of the new dataset; interrupted, the same command finishes it.")
    ] = None,
    train: Files = None,
    val: Files = None,
    test: Files = None,
    test_share: Annotated[float, typer.Option(help="Fraction of the rows of SRC in the test split.")] = 0.0,
    seed: Annotated[int, typer.Option(help="Which rows these are.")] = 1,
    layout: Annotated[str | None, typer.Option(help="Layout of the files; detected by default.")] = None,
    table: Annotated[str | None, typer.Option(help="Tree, group or array to read, if there are several.")] = None,
    map: Annotated[
        str | None,
        typer.Option(
            metavar="px=NAME,...", help="Columns of the momenta, label and weight; other names rename columns."
        ),
    ] = None,
    label: Annotated[
        str | None, typer.Option(help="Column of the class (integers or names), a pattern: 'truth_*', or '' for none.")
    ] = None,
    classes: Annotated[
        str | None,
        typer.Option(help="Names of classes that come first, joined by commas; the first is the background."),
    ] = None,
    weight: Annotated[str | None, typer.Option(help="Column of the weights; '' for none.")] = None,
    columns: Annotated[
        str | None, typer.Option(help="Columns to carry along: names or patterns, joined by commas; all by default.")
    ] = None,
    units: Annotated[str | None, typer.Option(help="GeV (default) or MeV.")] = None,
    level: Annotated[str | None, typer.Option(help="Of Delphes: eflow (default), towers or particles.")] = None,
    collection: Annotated[str | None, typer.Option(help="Of CMS PFNano: the jets; FatJet by default.")] = None,
    puppi: Annotated[bool, typer.Option("--puppi", help="Of CMS PFNano: scale momenta by PUPPI weights.")] = False,
    jets: Annotated[float | None, typer.Option(metavar="R", help="Cluster events into jets with this radius.")] = None,
    algorithm: Annotated[str | None, typer.Option(help="Of these jets: antikt (default), ca or kt.")] = None,
    hardest: Annotated[int | None, typer.Option(help="How many jets per event: 1 by default, 0 for all.")] = None,
    min_pt: Annotated[float | None, typer.Option(help="Lowest pT of these jets in GeV.")] = None,
    on_bad: Annotated[
        str | None, typer.Option(help="Unphysical rows: raise (default), drop, or clip: repair what can be.")
    ] = None,
    on_bad_particle: Annotated[
        str | None, typer.Option(help="Unphysical particles: raise (default: a fault of the row), drop or clip.")
    ] = None,
    shard_rows: Annotated[int | None, typer.Option(min=1, help="Rows of a file per shard.")] = None,
    workers: Annotated[int, typer.Option(min=1, help="Processes on this machine.")] = 1,
    dask: Annotated[str | None, typer.Option(metavar="ADDRESS", help="Use this Dask cluster instead.")] = None,
    layouts: Annotated[bool, typer.Option("--layouts", help="List the layouts.")] = False,
) -> None:
    """Convert files to a dataset that every other command reads, in bounded memory.

    Layouts (--layouts lists them): top-tagging, energyflow, jetclass, weaver, delphes, hepmc, pfnano, jetnet, npz, and
    any ROOT, HDF5, Parquet, Arrow or npz file with named columns.

    Example: [bold]jetgram convert --train train.h5 --val val.h5 --test test.h5 --out top[/]

    Example: [bold]jetgram convert 'JetClass/*.root' --test-share 0.2 --workers 4 --out jetclass[/]

    Example: [bold]jetgram convert 'top=tt*.root' 'qcd=jj*.root' --jets 0.8 --min-pt 300 --out delphes[/]
    """
    if layouts:
        _print_layouts()
        return
    if out is None or not (sources or train or val or test):
        raise typer.BadParameter("name files, and where the dataset goes: jetgram convert SRC... --out FOLDER")
    options: dict[str, Any] = {
        "table": table,
        "map": map and _parse_map(map),
        "label": label,
        "classes": _listed(classes),
        "weight": weight,
        "columns": _listed(columns),
        "units": units,
        "level": level,
        "collection": collection,
        "puppi": puppi or None,
        "jets": jets,
        "algorithm": algorithm,
        "min_pt": min_pt,
        "on_bad": on_bad,
        "on_bad_particle": on_bad_particle,
    }
    chosen = {name: value for name, value in options.items() if value is not None}
    if hardest is not None:
        chosen["hardest"] = hardest or None
    splits = {"train": train, "val": val, "test": test}
    place = {"layout": layout, "test_share": test_share, "seed": seed, "rows": shard_rows}
    _summarise(_run(sources, out, workers, dask, **splits, **place, **chosen))


def _listed(text: str | None) -> tuple[str, ...] | None:
    return None if text is None else tuple(name.strip() for name in text.split(","))


def _parse_map(text: str) -> dict[str, str]:
    from jetgram.readers.options import parse_map

    return parse_map(text)


def _run(sources: list[str] | None, out: Path, workers: int, dask: str | None, **options: Any) -> Dataset:
    from contextlib import ExitStack

    from jetgram.cli.progress import progress
    from jetgram.fanout import open_executor
    from jetgram.readers.convert import convert as convert_files

    with ExitStack() as stack:
        bars = []
        executor = stack.enter_context(open_executor(workers, dask)) if dask or workers > 1 else None
        return convert_files(
            sources,
            out,
            executor=executor,
            on_plan=lambda rows: bars.append(stack.enter_context(progress("converting", rows, "rows"))),
            on_rows=lambda rows: bars[0](rows),
            **options,
        )


def _summarise(dataset: Dataset) -> None:
    """One line per split, and the classes."""
    shards = dataset.shards()
    size = sum(shard.size for shard in shards)
    typer.echo(f"{dataset.path}: {size / 1e6:,.1f} MB in {len(shards)} shard{'s' * (len(shards) > 1)}")
    for split in (split for split in SPLITS if split in dataset.splits):
        typer.echo(f"  {split}: {dataset.splits[split]:,} {dataset.kind}{_counts(dataset, split)}")


def _counts(dataset: Dataset, split: str) -> str:
    """How many rows each class has."""
    import numpy as np

    from jetgram.errors import DatasetError

    try:
        codes, counts = np.unique(dataset.column("label", split), return_counts=True)
    except DatasetError:
        return ", without labels"
    found = dict(zip(codes.tolist(), counts.tolist(), strict=True))
    names = dict(enumerate(dataset.class_names())) or {code: f"class {code}" for code in found}
    return "; " + ", ".join(f"{name} {found.get(code, 0):,}" for code, name in names.items())


def _print_layouts() -> None:
    from jetgram.readers.opening import LAYOUTS

    for name, kind in LAYOUTS.items():
        typer.echo(f"{name:12}  {kind.title}")
