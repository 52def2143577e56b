"""The page of a study: everything in it, nothing from outside."""

import re

import pytest
from playwright.sync_api import expect

from jetgram.studies.report import REPORT, sections, write_report
from jetgram.studies.study import draw_figures, judge_tables


@pytest.fixture(scope="module")
def page(study):
    steps = []
    draw_figures(study)
    file = write_report(study, judge_tables(study), steps.append)
    assert file == study.workspace.out / REPORT
    assert sum(steps) == sections(study)
    return file


def test_it_has_every_table_figure_and_training(page, study):
    text = page.read_text()
    headings = re.findall(r"<h2>(.*?)</h2>", text)
    assert headings[: len(study.tables)] == [f"{table.title} ({table.name})" for table in study.tables]
    assert headings[-3:] == ["Jets to explore", "Trainings", "Provenance"]
    assert {figure.title for figure in study.figures} <= set(headings)
    assert text.count(study.workspace.scale.remark) == 2 + len(study.tables)
    assert "0.9185 ± 0.0006" in text
    assert study.plan.generations[0].wanted[study.workspace.dataset("particles")].sample.signal.pythia[0] in text


def test_it_asks_for_nothing_and_reacts(page, visit, phone):
    window = visit(page)
    assert window.get_by_role("heading", name="Infrared and collinear safety").is_visible()
    before = window.locator(".headline").inner_text()
    window.get_by_role("button", name="next").click()
    expect(window.locator(".headline")).not_to_have_text(before)
    small = visit(page, **phone)
    assert small.evaluate("document.documentElement.scrollWidth <= innerWidth")
