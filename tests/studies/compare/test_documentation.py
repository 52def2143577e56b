"""The documentation's table and plot of a comparison: from lines alone, or nothing."""

import pytest

from jetgram.studies.compare.comparison import Comparison, job_digest
from jetgram.studies.compare.record import append_numbers, append_trials
from jetgram.studies.compare.results import read_lines

from ..conftest import DOCS, load_script
from .conftest import records_of, trials_of

PAGE = "Before.\n\n<!-- comparison: w-vs-qcd -->\n\nAfter.\n"


@pytest.fixture
def folder(small, tmp_path):
    """Results as if they were of full size."""
    full = Comparison(tmp_path, tmp_path)
    results, figures = tmp_path / "docs" / "results", tmp_path / "docs" / "figures"
    results.mkdir(parents=True)
    figures.mkdir()
    append_numbers(
        results / "comparison-w-vs-qcd.csv",
        [
            each.model_copy(update={"settings": job_digest(full.job(each.network, each.rate, 1), each.network)})
            for each in records_of(small)
        ],
    )
    append_trials(
        results / "trials-w-vs-qcd.csv",
        [
            each.model_copy(update={"settings": job_digest(full.trial(each.network, each.rate), each.network)})
            for each in trials_of(small)
        ],
    )
    return results


def test_table_and_plot_are_made_of_lines(hook, folder, monkeypatch):
    monkeypatch.setattr(hook, "FOLDER", folder)
    figures = folder.parent / "figures"
    assert "figures/" not in hook.on_page_markdown(PAGE)
    drawn = load_script(DOCS / "figures" / "comparison.py").draw_all(folder, figures)
    assert drawn == [figures / "comparison-w-vs-qcd.png"]
    assert drawn[0].stat().st_size > 10_000
    made = hook.on_page_markdown(PAGE)
    assert "`w-vs-qcd`: 150 jets to train with" in made
    assert "| modern, mean of 2 | 18,226 | 2 |" in made
    assert made.count("\n| ") == 1 + 4
    assert "](figures/comparison-w-vs-qcd.png)" in made


def test_trials_next_to_the_numbers_choose_the_rate(small, folder):
    """Numbers of a rate that is not the best any more are not shown."""
    first, full = records_of(small)[0], Comparison(folder, folder)
    assert first.network in {line.network for line in read_lines(folder / "comparison-w-vs-qcd.csv")}
    trials = [
        trials_of(small)[0].model_copy(
            update={
                "network": first.network,
                "rate": rate,
                "validation_loss": 0.9 if rate == first.rate else 0.1,
                "settings": job_digest(full.trial(first.network, rate), first.network),
            }
        )
        for rate in full.rates_of(first.network)
    ]
    (folder / "trials-w-vs-qcd.csv").unlink()
    append_trials(folder / "trials-w-vs-qcd.csv", trials)
    assert first.network not in {line.network for line in read_lines(folder / "comparison-w-vs-qcd.csv")}


@pytest.mark.parametrize("lines", ["none", "of other settings"])
def test_without_numbers_the_page_says_so_and_shows_none(hook, small, tmp_path, monkeypatch, lines):
    if lines != "none":
        append_numbers(tmp_path / "comparison-w-vs-qcd.csv", records_of(small))
    monkeypatch.setattr(hook, "FOLDER", tmp_path)
    assert hook.on_page_markdown(PAGE) == f"Before.\n\n{hook.NO_COMPARISON}\n\nAfter.\n"
    assert load_script(DOCS / "figures" / "comparison.py").draw_all(tmp_path, tmp_path) == []
