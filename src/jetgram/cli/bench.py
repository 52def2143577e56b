"""`jetgram bench`: how fast it is on this machine."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from rich.table import Table

    from jetgram.bench.measure import BenchResult, EngineSpeed
    from jetgram.bench.pipeline import PipelineSpeed
    from jetgram.storage.dataset import Dataset

WIDTH = 120


def bench(
    dataset: Annotated[
        Path | None,
        typer.Argument(help="A dataset of jets; by default some are generated, and kept.", show_default=False),
    ] = None,
    rounds: Annotated[int, typer.Option(min=1, help="How often everything is measured; medians are printed.")] = 7,
    threads: Annotated[
        int | None, typer.Option(min=1, help="Threads, compared with one; default: one per core.", show_default=False)
    ] = None,
    batch: Annotated[
        list[int] | None,
        typer.Option(min=1, help="Jets in a batch; repeat it. By default 64 and 1024.", show_default=False),
    ] = None,
    json: Annotated[bool, typer.Option("--json", help="Print the numbers as JSON.")] = False,
) -> None:
    """Measure the speed of training, inference and scoring on this machine, all in one run and in turns.

    Example: [bold]jetgram bench w-vs-qcd --rounds 7[/]

    Native and torch engine compared with a large matrix product on one core; what more threads
    give, compared with what the cores allow; from stored constituents to scores, stage by stage. Nothing
    else should be running.
    """
    from jetgram.bench.measure import BATCHES, measure, steps
    from jetgram.cli.output import new_console, print_json
    from jetgram.cli.progress import progress
    from jetgram.storage.dataset import Dataset

    batches = sorted(set(batch or BATCHES))
    stored = Dataset(dataset) if dataset is not None else _kept_sample()
    with progress("measuring", steps(rounds, batches), "steps") as advance:
        report = measure(stored, rounds, threads, batches, advance)
    if json:
        print_json(report)
        return
    console = new_console(width=WIDTH)
    console.print(_heading(report))
    console.print(_one_thread(report), "")
    if report.threads > 1:
        console.print(_more_threads(report), "")
    console.print(_pipeline(report))


def _kept_sample() -> Dataset:
    """The sample of the cache, generated if it is not there."""
    from jetgram import backend
    from jetgram.bench.sample import is_kept, kept_folder, make_sample, sample_settings
    from jetgram.cli.progress import progress
    from jetgram.fanout import open_executor
    from jetgram.storage.dataset import Dataset

    wanted = sample_settings()
    if is_kept(wanted):
        return Dataset(kept_folder(wanted))
    with (
        progress("generating", wanted.rows, "jets") as advance,
        open_executor(backend.threads(), same_bits=True) as executor,
    ):
        return make_sample(wanted, executor, advance)


def _count(number: int, thing: str) -> str:
    return f"{number} {thing}{'s' * (number != 1)}"


def _heading(report: BenchResult) -> str:
    from jetgram.cli.output import plain

    machine = report.machine
    where = f"[bold]{plain(machine.cpu)}[/], {_count(machine.cores, 'core')}, path {machine.path}"
    peak = f"sgemm on one core {2e-9 * report.peak:.1f} of {2e-9 * report.core:.1f} GFLOP/s"
    jets = f"{report.jets:,} jets of {report.particles:.0f} particles"
    return f"{where}; {peak}\n{jets}; medians of {_count(report.rounds, 'round')}; speeds in jets/s\n"


def _one_thread(report: BenchResult) -> Table:
    headings = ("native", "of sgemm", "torch", "native/torch")

    def numbers(entry: EngineSpeed) -> list[str]:
        one = entry.one
        return [f"{one.native:,.0f}", f"{one.share:.0%}", f"{one.torch:,.0f}", f"{one.native_over_torch:.2f}"]

    return _table("one thread", report.engines, headings, numbers)


def _more_threads(report: BenchResult) -> Table:
    ratio = f"{report.threads}/1"
    headings = ("native", ratio, "cores allow", "torch", ratio)

    def numbers(entry: EngineSpeed) -> list[str]:
        more = entry.more
        assert more is not None
        gains = [f"{gain:.2f}" for gain in (more.native_gain, more.ceiling, more.torch_gain)]
        return [f"{more.native:,.0f}", *gains[:2], f"{more.torch:,.0f}", gains[2]]

    return _table(_count(report.threads, "thread"), report.engines, headings, numbers)


def _table(
    title: str, entries: Sequence[EngineSpeed], headings: Sequence[str], numbers: Callable[[EngineSpeed], list[str]]
) -> Table:
    """One row for a cell, a topology and a batch; training to the left, inference to the right."""
    from jetgram.cli.output import plain_table

    rows: dict[tuple[str, ...], dict[str, list[str]]] = {}
    for entry in entries:
        rows.setdefault((entry.cell, entry.topology, str(entry.batch)), {})[entry.mode] = numbers(entry)
    modes = list(next(iter(rows.values())))
    others = [f"\n{heading}" for heading in headings[1:]]
    columns = [f"{title}\ncell", "\ntopology", "\nbatch"]
    columns += [heading for mode in modes for heading in (f"{mode}\n  {headings[0]}", *others)]
    table = plain_table(*columns, left=["\ntopology"], whole=columns)
    for case, found in rows.items():
        table.add_row(*case, *(number for mode in modes for number in found[mode]))
    return table


def _pipeline(report: BenchResult) -> Table:
    from jetgram.cli.output import plain_table

    way: PipelineSpeed = report.pipeline
    threads = _count(report.threads, "thread")
    columns = (f"from file to score, {threads}\nstage", "\nalone", "\nfraction")
    table = plain_table(*columns, whole=columns[:1])
    for name, stage in way.stages.items():
        table.add_row(name, f"{stage.jets_per_second:,.0f}", f"{stage.share:.1%}")
    table.add_row("[bold]all[/]", f"[bold]{way.jets_per_second:,.0f}[/]", "100.0%")
    table.caption = f"{way.jets:,} jets; the process had {way.cores:.2f} cores"
    table.caption_justify = "left"
    return table
