"""What is shown while networks train."""

import io

import pytest
from rich.console import Console

from jetgram.cli.training import EnsembleDisplay, TrainingDisplay
from jetgram.training.checkpoint import Progress

RECORD = {"epoch": 1, "loss": 0.5, "validation_loss": 0.4, "rate": 5e-4, "jets_per_second": 12345.6, "seconds": 7.0}


def watch(console, record):
    with TrainingDisplay(console) as display:
        display.prepared(100, 100)
        display.begin(Progress(), jets=100, epochs=2)
        for _ in range(2):
            display.step(50, 0.5)
        display.epoch(record, record)


def test_a_log_gets_a_line_an_epoch():
    log = io.StringIO()
    watch(Console(file=log, width=200), {**RECORD, "validation_auc": 0.9123})
    first, second = log.getvalue().splitlines()
    assert first.startswith("preparing: 100 of 100 jets")
    assert second == "epoch   1  loss 0.5000  validation 0.4000  AUC 0.9123    12,346 jets/s     7.0 s  0:00:07 left"


@pytest.mark.parametrize(("terminal", "shown"), [(False, " 25 jets/s"), (True, " 00:04")])
def test_the_time_before_the_first_jets_are_ready_counts(monkeypatch, terminal, shown):
    """A small dataset is prepared at once, and told of when it is."""
    now = 0.0
    monkeypatch.setattr("time.monotonic", lambda: now)
    log = io.StringIO()
    with TrainingDisplay(Console(file=log, width=100, force_terminal=terminal, color_system=None)) as display:
        for _ in range(2):
            now += 4.0
            display.prepared(100, 100)
    lines = [line for line in log.getvalue().replace("\r", "\n").splitlines() if "jets/s" in line]
    assert shown in lines[-1]


@pytest.mark.parametrize(("extra", "best"), [({"validation_auc": 0.9123}, "best AUC 0.9123"), ({}, "best 0.4000")])
def test_a_terminal_gets_a_bar_with_loss_and_best(extra, best):
    screen = io.StringIO()
    watch(Console(file=screen, force_terminal=True, width=160, color_system=None), {**RECORD, **extra})
    last = screen.getvalue().split("\r")[-1]
    assert "epoch 2 of 2" in last
    assert "loss 0.5000" in last
    assert best in last


def test_the_best_epoch_is_the_one_that_is_kept():
    """With DisCo it is not the one of the largest AUC."""
    screen = io.StringIO()
    first, second = {**RECORD, "validation_auc": 0.9}, {**RECORD, "epoch": 2, "validation_auc": 0.8}
    with TrainingDisplay(Console(file=screen, force_terminal=True, width=160, color_system=None)) as display:
        display.begin(Progress(epoch=2, best_epoch=2, history=[first, second]), jets=100, epochs=4)
        display.epoch({**first, "epoch": 3}, second)
    assert "best AUC 0.8000" in screen.getvalue()
    assert "0.9000" not in screen.getvalue().split("\r")[-1]


def test_what_was_done_before_is_told():
    log = io.StringIO()
    with TrainingDisplay(Console(file=log, width=200)) as display:
        display.begin(Progress(epoch=3, step=17, history=[RECORD]), jets=100, epochs=5)
    assert log.getvalue() == "going on after 3 epochs and 17 steps\n"


def test_seeds_share_a_bar():
    log = io.StringIO()
    with EnsembleDisplay(6, Console(file=log, width=200)) as display:
        display.prepared(10, 10)
        display.epochs([[RECORD], []])
        display.epochs([[RECORD] * 3, [RECORD] * 3])
    assert [line.split(",")[0] for line in log.getvalue().splitlines()] == [
        "preparing: 10 of 10 jets",
        "training: 6 of 6 epochs",
    ]
