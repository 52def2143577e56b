"""`jetgram doctor`: what this installation consists of."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from rich.table import Table

    from jetgram.doctor import Diagnosis


def doctor(
    json: Annotated[bool, typer.Option("--json", help="Print the report as JSON.")] = False,
) -> None:
    """Show versions, the native core, threads and optional parts; exit code 1 if a needed package is broken.

    Example: [bold]jetgram doctor[/]
    """
    from jetgram.cli.output import new_console, print_json
    from jetgram.doctor import examine

    report = examine()
    if json:
        print_json(report)
    else:
        new_console(soft_wrap=True).print(_table(report))
    if not report.healthy:
        raise typer.Exit(1)


def _table(report: Diagnosis) -> Table:
    from rich.table import Table

    from jetgram.cli.output import plain

    table = Table.grid(padding=(0, 2))
    table.add_row("[bold]jetgram[/]", report.jetgram, f"Python {report.python}, {report.platform}")
    table.add_row("[bold]native core[/]", *_native_row(report))
    table.add_row("[bold]threads[/]", str(report.threads), "for native calls; set JETGRAM_THREADS for another number")
    table.add_section()
    for name, package in report.packages.items():
        table.add_row(name, package.version or "-", f"[red]{plain(package.problem)}[/]" if package.problem else "")
    table.add_section()
    for name, extra in report.extras.items():
        versions = ", ".join(f"{n} {p.version}" for n, p in extra.packages.items() if not p.problem)
        missing = ", ".join(f"{n}: {p.problem}" for n, p in extra.packages.items() if p.problem)
        state = "[green]present[/]" if extra.present else "[dim]absent[/]"
        note = versions if extra.present else f"optional ({missing}); to add it: {extra.install}"
        table.add_row(f"{name} [dim](extra)[/]", state, plain(note))
    return table


def _native_row(report: Diagnosis) -> tuple[str, str]:
    from jetgram.cli.output import plain

    core = report.native_core
    if core.present:
        return "[green]present[/]", f"CPU path: {core.cpu_path}"
    return (
        "[yellow]absent[/]",
        f"{plain(core.reason)}; the {core.cpu_path} is used: the same results up to rounding, slowly",
    )
