"""Tables with the paper's numbers beside ours."""

import math
import re

import numpy as np
import pytest

from jetgram.evaluation.uncertainty import Spread
from jetgram.report.comparison import Column, Pair, Row, compare
from jetgram.report.html import document, section

COLUMNS = [Column("AUC", 4), Column("R at 50 %", 1)]


def test_all_errors_add_in_quadrature():
    """Our seeds, our test sample, the paper's seeds, its test sample, and its rounding."""
    ours, paper = Spread(0.93, 0.003, 9), Spread(0.91, 0.006, 36)
    pair = Pair(ours, paper, test_error=0.002, paper_test_error=0.004, unit=0.003 * math.sqrt(12))
    parts = [0.003 / 3, 0.002, 0.006 / 6, 0.004, 0.003]
    assert pair.error == pytest.approx(math.sqrt(sum(part**2 for part in parts)))
    assert pair.sigmas == pytest.approx(0.02 / pair.error)


def test_two_samples_of_one_truth_differ_by_sigmas_of_unit_width():
    """The error is right: of toys that differ by nothing but chance, the pulls have a standard deviation of one."""
    rng = np.random.default_rng(5)
    spread, test, seeds = 0.002, 0.003, (5, 30)
    pulls = []
    for _ in range(2000):
        means = [rng.normal(0.9, test) + rng.normal(0, spread, count) for count in seeds]
        ours, paper = (Spread.of(values) for values in means)
        pulls.append(Pair(ours, paper, test_error=test, paper_test_error=test).sigmas)
    assert np.std(pulls) == pytest.approx(1, abs=0.05)


@pytest.mark.parametrize(
    ("spread", "count", "test_error", "paper", "sigma"),
    [
        (0.003, 1, 0.012, 0.004, math.hypot(0.003, 0.012, 0.001)),
        (None, 1, 0.012, None, 0.012),  # an observable
        (None, 1, 0.003, 0.004, math.hypot(0.003, 0.004, 0.001)),  # a single seed: the paper's spread
        (0.006, 4, 0.004, None, 0.005),
        (0.006, 4, None, None, 0.003),
    ],
)
def test_an_error_that_is_not_known_is_left_out(spread, count, test_error, paper, sigma):
    pair = Pair(Spread(0.93, spread, count), Spread(0.91, paper, 16), test_error=test_error)
    assert pair.sigmas == pytest.approx(0.02 / sigma)


@pytest.mark.parametrize(
    "pair",
    [
        Pair(Spread(0.93, None, 1), Spread(0.91, None, 1)),
        Pair(Spread(0.93, None, 1), Spread(0.91, 0.004, 30)),
        Pair(Spread(0.93, 0.003, 5), None),
        Pair(None, Spread(0.91, 0.004, 30)),
        Pair(Spread(0.93, 0.0, 5), Spread(0.91, 0.0, 30)),
        Pair(Spread(500.0, 3.0, 5), Spread(40.0, 3.0, 30), is_bound=True, test_error=2.0),
    ],
)
def test_without_an_error_of_our_own_there_is_no_sigma(pair):
    assert pair.sigmas is None


def test_the_table():
    kt = Row(
        "<kt>",
        [Pair(Spread(0.92, 0.006, 4), Spread(0.91, 0.004, 16)), Pair(Spread(60.0, 3.6, 9), Spread(68.3, 4.0, 16))],
    )
    ca = Row("C/A", [Pair(Spread(0.91, None, 1), Spread(0.912, None, 1)), Pair(None, Spread(70.0, 2.0, 30))])
    html = compare(COLUMNS, {"towers": [kt, ca], "particles": [ca]}, "with a & caption")
    cells = re.findall(r"<td[^>]*>(.*?)</td>", html)
    assert "+3.2 σ" in cells
    assert "−5.3 σ" in cells
    assert '<td class="far">−5.3 σ</td>' in html
    assert "0.9120" in cells  # the paper's, without an error
    assert "" in cells
    assert "&lt;kt&gt;" in html
    assert "a &amp; caption" in html
    assert html.count('scope="rowgroup"') == 2
    assert html.count('scope="row"') == 3


def test_the_best_is_marked_for_eyes_and_ears():
    rows = [Row(name, [Pair(Spread(value, None, 1))]) for name, value in (("worse", 0.8), ("better", 0.9))]
    html = compare(COLUMNS[:1], {"": rows})
    assert re.findall(r"<strong>(.*?)</strong>", html) == ["0.9000"]
    assert html.count("(best)") == 1
    assert "(best)" not in compare(COLUMNS[:1], {"": rows[:1]})  # nothing to be better than


def test_a_phone_scrolls_the_table_and_not_the_page(visit, phone, tmp_path):
    pair = Pair(Spread(0.92, 0.003, 5), Spread(0.91, 0.001, 30))
    html = compare(COLUMNS, {"towers": [Row(f"a rather long name {i}", [pair, pair]) for i in range(3)]})
    path = tmp_path / "page.html"
    path.write_text(document("Table 1", "beside the paper's", [section("Table 1", html)]))
    page = visit(path, **phone)
    assert page.evaluate("document.documentElement.scrollWidth") == 390
    assert page.locator("table").evaluate("table => table.offsetWidth") > 390
    first = page.get_by_role("cell", name="0.9200").first.bounding_box()
    assert first["x"] + first["width"] < 390  # names leave room for a number


def test_a_bound_says_so():
    html = compare(COLUMNS[1:], {"": [Row("m", [Pair(Spread(500.0, None, 1), is_bound=True)])]})
    assert "&gt; 500.0" in html
