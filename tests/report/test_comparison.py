"""Tables with the paper's numbers beside ours."""

import re

import pytest

from jetgram.evaluation.uncertainty import Spread
from jetgram.report.comparison import Column, Pair, Row, compare
from jetgram.report.html import document, section

COLUMNS = [Column("AUC", 4), Column("R at 50 %", 1)]


def test_sigmas_add_errors_in_quadrature():
    pair = Pair(Spread(0.93, 0.003, 5), Spread(0.91, 0.004, 30))
    assert pair.sigmas == pytest.approx(0.02 / 0.005)


@pytest.mark.parametrize(
    ("spread", "test_error", "paper", "sigma"),
    [
        (0.003, 0.012, 0.004, 0.013),
        (None, 0.012, None, 0.012),  # an observable
        (None, 0.003, 0.004, 0.005),  # a single seed
        (0.003, 0.004, None, 0.005),
        (0.003, None, None, 0.003),
    ],
)
def test_an_error_that_is_not_known_is_left_out(spread, test_error, paper, sigma):
    pair = Pair(Spread(0.93, spread, 5), Spread(0.91, paper, 30), test_error=test_error)
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
        [Pair(Spread(0.92, 0.003, 5), Spread(0.91, 0.001, 30)), Pair(Spread(60.0, 1.0, 5), Spread(68.3, 1.8, 30))],
    )
    ca = Row("C/A", [Pair(Spread(0.91, None, 1), Spread(0.912, None, 1)), Pair(None, Spread(70.0, 2.0, 30))])
    html = compare(COLUMNS, {"towers": [kt, ca], "particles": [ca]}, "with a & caption")
    cells = re.findall(r"<td[^>]*>(.*?)</td>", html)
    assert "+3.2 σ" in cells
    assert "−4.0 σ" in cells
    assert '<td class="far">−4.0 σ</td>' in html
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


def test_the_papers_number_need_not_stand_twice():
    pair = Pair(Spread(0.92, 0.003, 5), Spread(0.91, 0.001, 30))
    html = compare([COLUMNS[0], Column("own", 4, shows_paper=False)], {"": [Row("kt", [pair, pair])]})
    assert html.count("0.9100") == 1
    assert html.count("+3.2 σ") == 2
    assert html.count('scope="col">paper') == 1


def test_a_bound_says_so():
    html = compare(COLUMNS[1:], {"": [Row("m", [Pair(Spread(500.0, None, 1), is_bound=True)])]})
    assert "&gt; 500.0" in html
