"""Panels of the report: their numbers, and colours that can be read in both schemes."""

import json
import re

import numpy as np
import pytest

from jetgram.evaluation.scores import Scores
from jetgram.models.lund_importance import X_EDGES, Y_EDGES, LundImportance
from jetgram.plots import draw_distributions, draw_working_point
from jetgram.report.calibration import reliability_curves
from jetgram.report.distributions import AT_ONCE, score_distributions
from jetgram.report.html import asset
from jetgram.report.lund import FEWEST, RATIO_TICKS, lund_planes
from jetgram.report.plots import CLASS_COLOURS, DARK_CLASS_COLOURS, DARK_COLOURS, MODEL_COLOURS, looks
from jetgram.report.working_point import working_point


def specs(html):
    return [json.loads(text) for text in re.findall(r'<script type="application/json">(.*?)</script>', html, re.DOTALL)]


def toy(count=2000, seed=3):
    rng = np.random.default_rng(seed)
    label = np.arange(count) % 2
    pt, mass = rng.uniform(250, 300, count), rng.uniform(50, 110, count)
    return Scores.create({"score": label + rng.normal(size=count)}, label, pt, mass)


def test_score_histograms_have_errors_and_sum_to_one():
    (panel,) = specs(score_distributions({"<m>": [toy()]}, 0.5, "w-vs-qcd at 13 TeV"))
    assert panel["sample"] == "w-vs-qcd at 13 TeV"
    for name in ("background", "signal"):
        outline, bars = (trace for trace in panel["data"] if trace["legendgroup"] == name)
        assert outline["line"]["shape"] == "hv"
        assert sum(bars["y"]) == pytest.approx(1, rel=2e-3)
        n = 1000 * np.array(bars["y"])
        np.testing.assert_allclose(1000 * np.array(bars["error_y"]["array"]), np.sqrt(n), rtol=2e-3)


@pytest.mark.parametrize("count", [1, 3])
def test_the_picture_of_scores_shows_the_numbers_of_the_page(count):
    seeds = [toy(400, seed) for seed in range(count)]
    html, (axes,) = score_distributions({"m": seeds}), draw_distributions({"m": seeds}).axes
    (panel,) = specs(html)
    for number, name in enumerate(("background", "signal")):
        outline, bars = (trace for trace in panel["data"] if trace["legendgroup"] == name)
        _, (fraction, edges, _), (high, _, low) = (patch.get_data() for patch in axes.patches[3 * number :][:3])
        filled = fraction > 0
        np.testing.assert_allclose(edges, outline["x"])
        np.testing.assert_allclose(fraction[filled], bars["y"], rtol=1e-3)
        np.testing.assert_allclose((high + low)[filled], 2 * fraction[filled])
        np.testing.assert_allclose((high - low)[filled] / 2, bars["error_y"]["array"], rtol=1e-3)
    assert axes.get_lines()[0].get_xdata()[0] == panel["layout"]["shapes"][0]["x0"]
    assert f"<p>{axes.texts[0].get_text()}.</p>" in html
    np.testing.assert_allclose(np.log10(axes.get_ylim()), panel["layout"]["yaxis"]["range"])


def test_the_picture_of_the_working_point_shows_the_numbers_of_the_page():
    models = {"one": [toy(20_000)], "other": [toy(20_000, 4)]}
    panels, grid = specs(working_point(models, 0.8)), draw_working_point(models, 0.8).axes[:4]
    for panel, axes in zip(panels, (grid[0], grid[2], grid[1], grid[3]), strict=True):
        shown = [each for each in axes.containers if each.lines[0]]  # points, not arrows
        traces = [trace for trace in panel["data"] if trace["y"]]
        for trace, (points, _, (bars,)) in zip(traces, (each.lines for each in shown), strict=True):
            x, y = points.get_data()
            low, high = np.array(bars.get_segments())[:, :, 1].T
            np.testing.assert_allclose(x, trace["x"])
            np.testing.assert_allclose(y, trace["y"], rtol=1e-3)
            np.testing.assert_allclose(y - low, trace["error_y"]["arrayminus"], rtol=1e-3)
            np.testing.assert_allclose(high - y, trace["error_y"]["array"], rtol=1e-3)


def test_many_histograms_are_folded():
    html = score_distributions({f"m{i}": [toy(100)] for i in range(AT_ONCE + 2)})
    assert "Scores of 2 more" in html
    assert html.index("<details>") < html.index(f"Scores of m{AT_ONCE}")


def test_the_working_point_is_kept_on_average():
    panels = specs(working_point({"m": [toy(20_000)]}, 0.8))
    assert len(panels) == 4
    for panel in panels:
        points = panel["data"][0]
        if "S</sub>" in panel["layout"]["yaxis"]["title"]["text"]:
            assert np.mean(points["y"]) == pytest.approx(0.8, abs=0.01)
        else:
            assert panel["layout"]["yaxis"]["type"] == "log"
            assert (np.array(points["y"]) > 1).all()
        assert (np.array(points["error_y"]["array"]) > 0).all()


def test_a_model_keeps_its_colour_where_others_are_not_drawn():
    """Scores above 1 are no probabilities, and have no calibration."""
    probable = toy()
    probable = Scores.create({"score": 1 / (1 + np.exp(-probable.score))}, probable.label, probable.pt, probable.mass)
    models = {"raw": [toy()], "probable": [probable]}
    expected = looks(models)["probable"]
    (panel,) = specs(reliability_curves(models))
    drawn = [trace for trace in panel["data"] if trace.get("legendgroup")]
    assert {trace["legendgroup"] for trace in drawn} == {"probable"}
    assert {trace["meta"]["light"] for trace in drawn} == {expected.light}
    assert f"--light:{expected.light}" in reliability_curves(models)


def plane(cells):
    empty = LundImportance.empty()
    for (x, y), (branchings, importance) in cells.items():
        at = np.searchsorted(X_EDGES, x) - 1, np.searchsorted(Y_EDGES, y) - 1
        empty.branchings[at], empty.importance[at] = branchings, importance
    return LundImportance(100, empty.branchings, empty.importance)


def test_a_cell_of_the_lund_plane_is_drawn_at_its_angle_and_kt():
    signal = plane({(1.1, 2.1): (20, 40.0), (5.1, -3.1): (FEWEST - 1, 99.0)})
    background = plane({(1.1, 2.1): (50, 25.0), (3.1, 0.1): (10, 1.0)})
    panels = specs(lund_planes(signal, background))
    values = [np.array(panel["data"][0]["customdata"], dtype=float) for panel in panels]
    cell = np.searchsorted(Y_EDGES, 2.1) - 1, np.searchsorted(X_EDGES, 1.1) - 1  # plotly's rows go along y
    assert panels[0]["data"][0]["x"][cell[1]] <= 1.1 < panels[0]["data"][0]["x"][cell[1] + 1]
    assert panels[0]["data"][0]["y"][cell[0]] <= 2.1 < panels[0]["data"][0]["y"][cell[0] + 1]
    assert [each[cell] for each in values] == pytest.approx([1.0, 0.25, 4.0])  # relative to the largest mean
    assert [np.isfinite(each).sum() for each in values] == [1, 2, 1]
    assert panels[2]["data"][0]["zmax"] == pytest.approx(np.log10(RATIO_TICKS[-1]))


def test_empty_planes_are_drawn():
    assert len(specs(lund_planes(LundImportance.empty(), LundImportance.empty()))) == 3


def contrast(one, other):
    """As the Web Content Accessibility Guidelines define it."""

    def luminance(colour):
        channels = np.array([int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5)])
        linear = np.where(channels <= 0.04045, channels / 12.92, ((channels + 0.055) / 1.055) ** 2.4)
        return linear @ [0.2126, 0.7152, 0.0722]

    bright, dark = sorted((luminance(one), luminance(other)), reverse=True)
    return (bright + 0.05) / (dark + 0.05)


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_text_controls_and_lines_stand_out(scheme):
    blocks = re.findall(r":root \{(.*?)\}", asset("page.css"), re.DOTALL)
    colours = dict(re.findall(r"--(\w+): (#\w{6})", blocks[scheme == "dark"]))
    for ground in ("paper", "panel"):
        for text in ("ink", "faint", "accent"):
            assert contrast(colours[text], colours[ground]) >= 4.5
        for control in ("edge", "focus"):
            assert contrast(colours[control], colours[ground]) >= 3
    assert contrast(colours["accent"], colours["paper"]) >= 4.5  # the chosen jet and topology
    lines = (*MODEL_COLOURS, *CLASS_COLOURS) if scheme == "light" else (*DARK_COLOURS, *DARK_CLASS_COLOURS)
    assert min(contrast(line, colours["paper"]) for line in lines) >= 2.5
