"""Pictures of scores: what they show is what was measured, and any scores can be drawn."""

import dataclasses

import matplotlib
import numpy as np
import pytest
from toys import toy_scores

from jetgram.display import save_figure
from jetgram.errors import SettingsError
from jetgram.evaluation.evaluate import by_model
from jetgram.evaluation.metrics import roc_curve
from jetgram.evaluation.plots import draw_distributions, draw_roc, draw_working_point, save_plots
from jetgram.evaluation.plots.bands import EFFICIENCIES, Band
from jetgram.evaluation.plots.working_point import passing
from jetgram.evaluation.scores import Scores
from jetgram.evaluation.uncertainty import wilson


@pytest.fixture(scope="module")
def models() -> dict[str, list[Scores]]:
    seeds = [toy_scores("simple", seed, jets=1000) for seed in range(3)]
    return by_model([*seeds, toy_scores("gated", 7, jets=1000, distance=2.0)])


def curve_of(scores: Scores):
    return roc_curve(scores.score, scores.label, scores.weight)


def test_the_band_is_the_spread_over_seeds(models) -> None:
    curves = [curve_of(each) for each in models["simple"]]
    band = Band.of(curves)
    at = int(np.argmin(np.abs(EFFICIENCIES - 0.7)))
    rejections = [curve.rejection(EFFICIENCIES[at]).value for curve in curves]
    assert band.middle[at] == pytest.approx(np.mean(rejections))
    assert band.high[at] - band.middle[at] == pytest.approx(np.std(rejections, ddof=1))
    shown = np.isfinite(band.middle)
    assert (band.low[shown] > 0).all()
    assert (band.low[shown] <= band.middle[shown]).all()


def test_the_band_of_one_seed_is_that_of_its_background(models) -> None:
    curve = curve_of(models["gated"][0])
    band = Band.of([curve])
    at = int(np.argmin(np.abs(EFFICIENCIES - 0.7)))
    low, high = wilson(curve.fpr_at(EFFICIENCIES[at]), curve.background)
    assert (band.low[at], band.high[at]) == pytest.approx((1 / high, 1 / low))
    hidden = curve.fpr_at(EFFICIENCIES) * curve.background < 1 - 1e-12
    assert hidden.any()
    np.testing.assert_array_equal(np.isnan(band.middle), hidden)


def test_the_curve_names_models_and_numbers(models) -> None:
    figure = draw_roc(models, 0.5)
    names = [text.get_text() for text in figure.legends[0].get_texts()]
    assert names[0].startswith("simple (3 seeds)   AUC 0.")
    assert names[1].startswith(f"gated   AUC {curve_of(models['gated'][0]).auc:.3f},  R at 50 %: ")
    assert figure.axes[0].get_yscale() == "log"
    assert len(figure.axes) == 2, "no panel with ratios"
    assert len(draw_roc({"gated": models["gated"]}).axes) == 1


def test_shares_that_pass_are_those_of_the_cut(models) -> None:
    (scores,) = models["gated"]
    edges = np.array([200.0, 230.0, 1000.0])
    found = passing([scores], 1, "pt", edges, 0.4)
    cut = curve_of(scores).threshold_at(0.4)
    for i, inside in enumerate((scores.pt < 230, scores.pt >= 230)):
        weight = scores.weight * inside * (scores.label == 1)
        assert found.share[i] == pytest.approx(weight[scores.score >= cut].sum() / weight.sum())
        assert found.low[i] < found.share[i] < found.high[i]
    assert np.isnan(passing([scores], 0, "pt", np.array([0.0, 10.0]), 0.4).share).all()


def test_each_model_has_a_panel_of_scores(models) -> None:
    figure = draw_distributions(models, 0.5)
    assert [axes.get_title(loc="left") for axes in figure.axes] == ["simple", "gated"]
    assert figure.axes[0].texts[0].get_text().startswith("50 % of the signal and ")
    many = draw_distributions({f"model {i}": models["gated"] for i in range(5)})
    assert sum(axes.get_visible() for axes in many.axes) == 5


def extreme(name: str) -> Scores:
    scores = toy_scores(name, jets=200)
    changes = {
        "constant": {"outputs": {"score": np.full(200, 0.3)}},
        "perfect": {"outputs": {"score": scores.label.astype(float)}},
        "few": {},
        "one place": {"pt": np.full(200, 270.0), "mass": np.full(200, 80.0)},
        "weightless": {"weight": (np.arange(200) < 4).astype(float)},
    }
    changed = dataclasses.replace(scores, **changes[name])
    return changed[:2] if name == "few" else changed


@pytest.mark.parametrize("name", ["constant", "perfect", "few", "one place", "weightless"])
@pytest.mark.parametrize("draw", [draw_roc, draw_distributions, draw_working_point])
def test_extreme_scores_can_be_drawn(draw, name, tmp_path) -> None:
    figure = draw({name: [extreme(name)], "twice": [extreme(name), extreme(name)]}, 0.5)
    figure.savefig(tmp_path / "picture.png", dpi=30)


def test_all_pictures_of_all_kinds(models, tmp_path) -> None:
    before = dict(matplotlib.rcParams)
    files = save_plots(models, tmp_path / "new" / "folder", 0.3)
    assert [file.name for file in files] == ["roc.png", "scores.png", "working-point.png"]
    assert all(file.stat().st_size > 10_000 for file in files)
    save_figure(draw_roc(models, 0.3), tmp_path / "again.png")
    assert (tmp_path / "again.png").read_bytes() == files[0].read_bytes()
    save_figure(draw_roc(models, 0.3), tmp_path / "roc.pdf")
    assert (tmp_path / "roc.pdf").read_bytes().startswith(b"%PDF")
    assert dict(matplotlib.rcParams) == before
    with pytest.raises(SettingsError, match="a picture ends in"):
        save_plots(models, tmp_path, suffix=".doc")
