"""Interactive ROC and training curves: the numbers of the figures, drawn by plotly in a real browser."""

import json
import re

import numpy as np
import pytest
from playwright.sync_api import expect

from jetgram.evaluation.bands import EFFICIENCIES, Band
from jetgram.evaluation.scores import Scores
from jetgram.report.html import document, section
from jetgram.report.learning import training_curves
from jetgram.report.plots import looks
from jetgram.report.roc import interactive_roc
from jetgram.roc import roc_curve


def toy(separation, seed):
    rng = np.random.default_rng([seed, round(1000 * separation)])
    label = np.arange(3000) % 2
    return Scores.create(
        {"score": separation * label + rng.normal(size=3000)}, label, np.full(3000, 270.0), np.full(3000, 80.0)
    )


@pytest.fixture(scope="module")
def models():
    return {"<one> & only": [toy(1.5, 0)], "many": [toy(2.0, seed) for seed in range(3)]}


@pytest.fixture(scope="module")
def file(models, tmp_path_factory):
    histories = {
        name: [
            [
                {"epoch": e, "loss": 1 / e + seed, "validation_loss": 1.1 / e, "validation_auc": 1 - 0.2 / e}
                for e in (1, 2, 3)
            ]
        ]
        for seed, name in enumerate(models)
    }
    path = tmp_path_factory.mktemp("plots") / "page.html"
    parts = [section("ROC", interactive_roc(models)), section("Training", training_curves(histories))]
    path.write_text(document("Plots", "of models", parts))
    return path


def specs(html):
    return [json.loads(text) for text in re.findall(r'<script type="application/json">(.*?)</script>', html, re.DOTALL)]


def test_the_numbers_are_those_of_the_figure(models):
    rejections, ratios = specs(interactive_roc(models))
    for model, seeds in models.items():
        band = Band.of([roc_curve(s.score, s.label, s.weight) for s in seeds])
        area, line = (trace for trace in rejections["data"] if trace.get("legendgroup") == model)
        at = int(np.argmin(np.abs(EFFICIENCIES - 0.5)))
        place = int(np.argmin(np.abs(np.array(line["x"]) - 0.5)))
        assert line["x"][place] == 0.5
        assert line["y"][place] == pytest.approx(band.middle[at], rel=1e-3)
        assert line["customdata"][place] == pytest.approx((band.low[at], band.high[at]), rel=1e-3)
        assert area["fill"] == "toself"
        assert None not in area["y"]
    first = next(trace for trace in ratios["data"] if "customdata" in trace)
    assert {value for value in first["y"] if value is not None} == {1.0}


def test_thirty_models_stay_small(models):
    html = interactive_roc({f"model {i}": [toy(1 + i / 30, 1)] for i in range(30)})
    assert len(html) < 500_000
    assert len(set(looks(f"model {i}" for i in range(30)).values())) == 30  # all look different


def test_plotly_is_in_the_page_once_or_not_at_all(file):
    text = file.read_text()
    assert text.count("plotly.js v") == 1
    assert "<script src" not in text
    assert "<one>" not in text
    assert "plotly" not in document("No plots", "at all", [section("Empty", "")])


def test_histories_without_records_give_nothing():
    assert training_curves({"interrupted": [[]]}) == ""


def test_regressors_have_no_auc():
    html = training_curves({"m": [[{"epoch": 1, "loss": 1.0, "validation_loss": 2.0}]] * 2})
    assert "AUC" not in html
    assert "m (2 seeds)" in html


# ---- in the browser --------------------------------------------------------------------------------------------------


def expect_lines(page, count, panel=0):
    expect(page.locator(".plot").nth(panel).locator(".scatterlayer .trace")).to_have_count(count)


def test_the_legend_switches_models(visit, file):
    page = visit(file)
    expect_lines(page, 5)  # two bands, two lines, a random choice
    assert "AUC 0.9" in page.get_by_label("many (3 seeds)").locator("..").inner_text()
    page.get_by_label("many (3 seeds)").first.focus()
    page.keyboard.press("Space")
    for panel, count in enumerate((3, 2, 2)):  # the training curves have their own legend
        expect_lines(page, count, panel)
    page.get_by_role("button", name="none").first.click()
    expect_lines(page, 1)
    page.get_by_role("button", name="all").first.click()
    expect_lines(page, 5)


def test_hovering_gives_numbers(visit, file):
    page = visit(file)
    plot = page.locator(".plot").first
    plot.scroll_into_view_if_needed()
    plot.locator(".nsewdrag").hover()
    expect(plot.locator(".hoverlayer")).to_contain_text("<one> & only")
    expect(plot.locator(".hoverlayer")).to_have_text(re.compile(r"\d.* \(.*to.*\)"))


def test_colours_follow_the_scheme(visit, file):
    page = visit(file, color_scheme="light")
    look = looks(["first", "second"])["first"]
    for scheme in ("light", "dark", "light"):
        page.emulate_media(color_scheme=scheme)
        for wanted, there in ((getattr(look, scheme), True), (look.dark if scheme == "light" else look.light, False)):
            rgb = ", ".join(str(int(wanted[i : i + 2], 16)) for i in (1, 3, 5))
            found = f"[...document.querySelectorAll('.js-line')].some(p => p.style.stroke === 'rgb({rgb})')"
            page.wait_for_function(found if there else f"!{found}")


def test_a_phone_and_a_sheet_of_paper(visit, file, phone):
    page = visit(file, **phone)
    assert page.evaluate("document.documentElement.scrollWidth") == 390
    widths = page.locator(".plot .main-svg:first-child").evaluate_all(
        "all => all.map(s => s.getBoundingClientRect().width)"
    )
    assert all(200 < width <= 390 for width in widths)
    assert page.pdf().startswith(b"%PDF")


def test_without_programs_the_legend_still_has_the_numbers(visit, file):
    page = visit(file, java_script_enabled=False)
    assert page.get_by_text("The curves need JavaScript").first.is_visible()
    assert page.get_by_text("AUC 0.9").first.is_visible()
    assert not page.locator(".panel").first.is_visible()
