"""Progress: a bar for people, lines for logs."""

import io

import pytest
from rich.console import Console

from jetgram.cli import progress as module
from jetgram.cli.progress import progress


def test_a_log_gets_a_last_line_with_the_count() -> None:
    log = io.StringIO()
    with progress("generating", total=10, unit="jets", console=Console(file=log, width=30)) as advance:
        advance(4)
        advance(6)
    (line,) = log.getvalue().splitlines()
    assert line.startswith("generating: 10 of 10 jets, ")
    assert line.endswith(" jets/s")


def test_a_log_gets_lines_on_the_way_with_the_time_left(monkeypatch: pytest.MonkeyPatch) -> None:
    seconds = iter([0.0, 10.0, 20.0, 25.0])
    monkeypatch.setattr(module.time, "monotonic", lambda: next(seconds))
    log = io.StringIO()
    with progress("generating", total=110, unit="jets", done=10, console=Console(file=log)) as advance:
        advance(20)
        advance(20)
    assert log.getvalue().splitlines() == [
        "generating: 50 of 110 jets, 2 jets/s, 0:00:30 left",
        "generating: 50 of 110 jets, 1.6 jets/s, 0:00:38 left",
    ]


def test_a_terminal_gets_a_bar_with_rate_and_count() -> None:
    screen = io.StringIO()
    console = Console(file=screen, force_terminal=True, width=100, color_system=None)
    with progress("generating", total=8, unit="jets", console=console) as advance:
        advance(8)
    last = screen.getvalue().split("\r")[-1]
    assert "generating" in last
    assert "8/8" in last
    assert "jets/s" in last


@pytest.mark.parametrize("terminal", [True, False])
def test_names_are_shown_as_they_are(terminal: bool) -> None:
    screen, name = io.StringIO(), ":x:[bold]a[/]"
    console = Console(file=screen, force_terminal=terminal, width=100, color_system=None)
    with progress(f"scoring {name}", total=8, unit=name, console=console) as advance:
        advance(8)
    assert f"scoring {name}" in screen.getvalue()
    assert f" {name}/s" in screen.getvalue()
