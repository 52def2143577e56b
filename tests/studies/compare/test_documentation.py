"""The documentation's table and plot of a comparison: from lines alone, or nothing."""

import dataclasses

import pytest

from jetgram.studies.compare.comparison import Comparison, job_digest
from jetgram.studies.compare.record import append_numbers, append_trials
from jetgram.studies.compare.results import next_to, read_lines, relative_speed

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


def test_all_networks_are_paired_with_one(hook, folder, monkeypatch):
    monkeypatch.setattr(hook, "FOLDER", folder)
    modern, pfn = (
        next(line for line in read_lines(folder / "comparison-w-vs-qcd.csv") if line.title == title)
        for title in ("modern", "PFN")
    )
    *_, row = hook.on_page_markdown("<!-- paired: w-vs-qcd modern -->").splitlines()
    cells = [cell.strip() for cell in row.strip("|").split("|")]
    expected, speed = next_to(modern, pfn), relative_speed(pfn, modern)
    assert cells[:2] == ["PFN", "2"]
    assert cells[2] == f"{expected.difference.value:.4f} ± {expected.difference.error:.4f}".replace("-", "− ")
    assert cells[4].startswith(f"{expected.ratio.value:.2f} ± ")
    assert cells[5] == f"{abs(expected.ratio.value - 1) / expected.ratio.error:.0f} σ"
    assert float(cells[6]) == pytest.approx(1 / speed, rel=0.05)
    assert hook.on_page_markdown("<!-- paired: w-vs-qcd lundnet -->") == hook.NO_COMPARISON


def test_samples_stand_next_to_each_other(hook, folder, monkeypatch):
    monkeypatch.setattr(hook, "FOLDER", folder)
    head, _, *rows = hook.on_page_markdown("<!-- samples: w-vs-qcd top-vs-qcd -->").splitlines()
    assert head == "| AUC, R at 50 % (seeds) | parameters | w-vs-qcd | top-vs-qcd |"
    lines = {line.title: line for line in read_lines(folder / "comparison-w-vs-qcd.csv") if not line.is_ensemble}
    assert {row.split("|")[1].strip() for row in rows} == {"modern", "PFN"}
    for row in rows:
        _, title, _, cell, other, _ = (each.strip() for each in row.split("|"))
        assert cell.startswith(f"{lines[title].spread('auc').mean:.4f} ± {lines[title].error('auc'):.4f}, ")
        assert cell.endswith("(2)")
        assert other == "–"


def test_speeds_are_compared_on_one_processor(folder):
    """The one with most seeds, where both were measured on several; none where there is no common one."""
    first, second = read_lines(folder / "comparison-w-vs-qcd.csv")[:2]

    def measured_on(line, *processors):
        record = line.records[0]
        speeds = {"processor": processors, "network_jets_per_second": [100.0 * (n + 1) for n in range(len(processors))]}
        changes = [dict(zip(speeds, values, strict=True)) for values in zip(*speeds.values(), strict=True)]
        return dataclasses.replace(line, records=tuple(record.model_copy(update=change) for change in changes))

    one, other = measured_on(first, "a", "b", "b"), measured_on(second, "b", "a")
    assert relative_speed(one, other) == pytest.approx(250 / 100)
    assert relative_speed(other, one) == pytest.approx(200 / 100)
    assert relative_speed(one, measured_on(second, "c")) is None


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
