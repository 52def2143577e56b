"""`jetgram inspect`: what is in a dataset, or how two levels of the same collisions compare."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

if TYPE_CHECKING:
    from rich.table import Table

    from jetgram.inspection import Summary
    from jetgram.levels import LevelComparison


def inspect(
    dataset: Annotated[Path, typer.Argument(help="A dataset's folder.", show_default=False)],
    other: Annotated[
        Path | None, typer.Argument(help="Another level of the same collisions: compare the two, jet by jet.")
    ] = None,
    out: Annotated[Path | None, typer.Option(help="Also draw it: .png, .pdf or .svg.")] = None,
    trees: Annotated[int, typer.Option(min=0, help="How many jets to build trees of, for their depths.")] = 1000,
    json: Annotated[bool, typer.Option("--json", help="Print everything as JSON.")] = False,
) -> None:
    """Show counts, distributions, tree depths and provenance of a dataset; every byte is checked on the way.

    Also how well single numbers separate the classes, with a warning where one does that should not.

    Example: [bold]jetgram inspect jets --out jets.png[/]

    With two datasets, which `jetgram generate --level particles,towers` made of the same collisions: response and
    resolution of the second level in pT and mass, and how often both have the same leading jet.

    Example: [bold]jetgram inspect levels/particles levels/towers --out towers.png[/]
    """
    from jetgram.cli.output import prepare_out, print_json

    if out is not None:
        from jetgram.plots import SUFFIXES

        prepare_out(out, suffixes=SUFFIXES)
    if other is not None:
        from jetgram.levels import compare_levels

        comparison = compare_levels(dataset, other)
        print_json(comparison) if json else _print_levels(comparison)
        if out is not None:
            from jetgram.plots import draw_levels, save_figure

            save_figure(draw_levels(comparison), out)
        return
    from jetgram.inspection import inspect as look

    summary = look(dataset, trees)
    print_json(summary) if json else _print(summary)
    if out is not None:
        from jetgram.plots import draw_summary, save_figure

        save_figure(draw_summary(summary), out)


def _print_levels(found: LevelComparison) -> None:
    from jetgram.cli.charts import charts
    from jetgram.cli.output import new_console, plain, plain_table

    console = new_console()
    first, second = map(plain, found.levels)
    console.print(
        f"[bold]{plain(found.paths[1])}[/] ({second}) compared with [bold]{plain(found.paths[0])}[/] ({first})\n"
    )
    alone = f"{found.alone[0]:,} only in {first}, {found.alone[1]:,} only in {second}"
    console.print(f"{found.matched:,} collisions with a jet in both; {alone}\n")
    ratios = ("pT\nmedian", "pT\nresolution", "mass\nmedian", "mass\nresolution")
    table = plain_table("class", "jets", f"same jet\nΔR < {found.within:g}", *ratios)
    for name, each in found.classes.items():
        responses = (each.pt, each.pt_resolution, each.mass, each.mass_resolution)
        table.add_row(plain(name), f"{each.jets:,}", f"{each.same:.1%}", *(f"{value:.3f}" for value in responses))
    console.print(table, "")
    for histogram in found.histograms.values():
        console.print(charts(histogram), "")
    console.print(f"Ratios {second} / {first} of the same jets; resolution: half the width of the central 68 %.")


def _print(summary: Summary) -> None:
    from jetgram.cli.charts import charts
    from jetgram.cli.output import plain, wide_console

    console = wide_console()
    size = f"{summary.rows:,} {summary.kind}, {summary.bytes / 1e6:.1f} MB, every checksum right"
    console.print(f"[bold]{plain(summary.path)}[/]: {size}\n")
    console.print(_counts(summary), "")
    for histogram in summary.histograms.values():
        console.print(charts(histogram), "")
    if summary.separation:
        console.print(_separation(summary), "")
    for line in _soft(summary):
        console.print(plain(line))
    for each in summary.separation.values():
        if each.warning:
            console.print(f"[yellow]warning:[/] {plain(each.label)} alone has AUC {each.power:.3f}: {each.warning}")
    if summary.matched is not None:
        from jetgram.collisions.truth import MATCHED

        console.print(f"truth-matched signal jets (ΔR < {MATCHED:g}): {summary.matched:.1%}")
    console.print()
    if summary.depths:
        console.print(_depths(summary.depths), "")
    console.print(_provenance(summary), "")
    console.print(f"[bold]digest[/] {summary.digest}", soft_wrap=True)


def _soft(summary: Summary) -> Iterator[str]:
    """How many rows hold very soft constituents; where the classes differ, networks on logarithms learn just that."""
    for cut in next(iter(summary.soft.values()), {}):
        fractions = ", ".join(f"{name} {cuts[cut]:.1%}" for name, cuts in summary.soft.items())
        yield f"{summary.kind} with a constituent below {cut} GeV: {fractions}"


def _separation(summary: Summary) -> Table:
    """The AUC of single numbers: what a network could do without looking any closer."""
    from jetgram.cli.output import plain, plain_table
    from jetgram.notation import with_error

    table = plain_table("separating power of one number", "AUC", "more in", left=["more in"])
    for each in summary.separation.values():
        colour = "yellow" if each.warning else "default"
        power = with_error(f"[{colour}]{each.power:.3f}[/]", each.error, ".3f")
        table.add_row(plain(each.label), power, plain(each.more) or "-")
    return table


def _counts(summary: Summary) -> Table:
    from jetgram.cli.charts import COLOURS
    from jetgram.cli.output import plain, plain_table

    names = list(next(iter(summary.counts.values())))
    coloured = zip(names, itertools.cycle(COLOURS), strict=False)
    table = plain_table("split", *(f"[{colour}]{plain(name)}[/]" for name, colour in coloured))
    for split, counts in summary.counts.items():
        table.add_row(plain(split), *(f"{counts[name]:,}" for name in names))
    return table


def _depths(depths: Mapping[str, Mapping[str, float]]) -> Table:
    from jetgram.cli.output import plain_table

    table = plain_table("depth of trees", "mean", "median", "max", first_width=12)
    for topology, values in depths.items():
        table.add_row(topology, f"{values['mean']:.1f}", f"{values['median']:.0f}", f"{values['max']:.0f}")
    return table


def _provenance(summary: Summary) -> Table:
    from jetgram.cli.output import plain, plain_table

    table = plain_table("provenance", "", left=[""], fold=[""], first_width=12)
    for name, value in _flat(summary.provenance):
        table.add_row(plain(name), plain(value))
    return table


def _flat(values: Mapping[str, Any], prefix: str = "") -> Iterator[tuple[str, str]]:
    """Nested settings as dotted names; lines of settings on lines of their own."""
    for name, value in values.items():
        if isinstance(value, Mapping):
            yield from _flat(value, f"{prefix}{name}.")
        elif isinstance(value, list | tuple):
            lines = any(isinstance(item, str) for item in value)
            yield prefix + name, ("\n" if lines else ", ").join(map(str, value)) or "-"
        else:
            yield prefix + name, "-" if value is None else str(value)
