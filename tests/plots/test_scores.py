"""Pictures of scores: what they show is what was measured, and any scores can be drawn."""

import dataclasses

import matplotlib
import numpy as np
import pytest
from toys import curve_of, toy_models, toy_scores

from jetgram.errors import SettingsError
from jetgram.evaluation.scores import Scores
from jetgram.plots import (
    draw_calibration,
    draw_distributions,
    draw_roc,
    draw_sculpting,
    draw_shifts,
    draw_working_point,
    save_figure,
    save_plots,
)


@pytest.fixture(scope="module")
def models():
    return toy_models()


def test_the_curve_names_models_and_numbers(models) -> None:
    figure = draw_roc(models, 0.5)
    names = [text.get_text() for text in figure.legends[0].get_texts()]
    assert names[0].startswith("simple (3 seeds)   AUC 0.")
    assert names[1].startswith(f"gated   AUC {curve_of(models['gated'][0]).auc:.3f},  R at 50 %: ")
    assert figure.axes[0].get_yscale() == "log"
    assert len(figure.axes) == 2, "no panel with ratios"
    assert len(draw_roc({"gated": models["gated"]}).axes) == 1


def test_each_model_has_a_panel_of_scores(models) -> None:
    figure = draw_distributions(models, 0.5)
    assert [axes.get_title(loc="left") for axes in figure.axes] == ["simple", "gated"]
    assert figure.axes[0].texts[0].get_text().startswith("50 % of the signal and ")
    many = draw_distributions({f"model {i}": models["gated"] for i in range(5)})
    assert sum(axes.get_visible() for axes in many.axes) == 5


def test_the_reliability_curve_is_of_probabilities(models) -> None:
    probable = [
        dataclasses.replace(each, outputs={"score": 1 / (1 + np.exp(-each.score))}) for each in models["simple"]
    ]
    figure = draw_calibration({"simple": probable, "gated": models["gated"]})
    names = [text.get_text() for text in figure.legends[0].get_texts()]
    assert [name.partition(":")[0] for name in names] == ["perfectly calibrated", "simple"]
    assert figure.get_supxlabel().endswith("No probabilities, not drawn: gated.")


def test_the_mass_before_and_after_the_cut(models) -> None:
    names = [text.get_text() for text in draw_sculpting(models, 0.3).legends[0].get_texts()]
    assert [name.partition(":")[0] for name in names] == ["all background jets", "simple", "gated"]


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
@pytest.mark.parametrize("draw", [draw_roc, draw_distributions, draw_working_point, draw_calibration, draw_sculpting])
def test_extreme_scores_can_be_drawn(draw, name, tmp_path) -> None:
    figure = draw({name: [extreme(name)], "twice": [extreme(name), extreme(name)]}, 0.5)
    figure.savefig(tmp_path / "picture.png", dpi=30)


def test_all_pictures_of_all_kinds(models, tmp_path) -> None:
    before = dict(matplotlib.rcParams)
    files = save_plots(models, tmp_path / "new" / "folder", 0.3)
    assert [file.name for file in files] == [
        "roc.png",
        "scores.png",
        "working-point.png",
        "calibration.png",
        "mass-sculpting.png",
    ]
    assert all(file.stat().st_size > 10_000 for file in files)
    save_figure(draw_roc(models, 0.3), tmp_path / "again.png")
    assert (tmp_path / "again.png").read_bytes() == files[0].read_bytes()
    save_figure(draw_roc(models, 0.3), tmp_path / "roc.pdf")
    assert (tmp_path / "roc.pdf").read_bytes().startswith(b"%PDF")
    assert dict(matplotlib.rcParams) == before
    with pytest.raises(SettingsError, match="a picture ends in"):
        save_plots(models, tmp_path, suffix=".doc")


def test_the_picture_of_shifts_counts_jets() -> None:
    rng = np.random.default_rng(3)
    moved = {"collinear1": np.ones(50), "collinear10": np.full(50, 10.0), "soft": rng.integers(0, 8, 50).astype(float)}
    lines = {line.get_label(): line for line in draw_shifts(moved).axes[0].get_lines()}
    assert list(lines) == list(moved)
    for name, values in moved.items():
        amount, share = map(np.asarray, lines[name].get_data())
        np.testing.assert_allclose(share, (values > amount[:, None]).mean(axis=1), atol=1e-12)


@pytest.mark.parametrize("scale", [1e-7, 1.0, 1e4])
def test_shifts_of_any_size_are_in_the_picture(scale) -> None:
    rng = np.random.default_rng(4)
    moved = {name: scale * (1 + rng.integers(0, most, 50)) for name, most in (("collinear1", 1), ("soft", 9))}
    axes = draw_shifts(moved).axes[0]
    largest = max(values.max() for values in moved.values())
    low, high = axes.get_xlim()
    assert low < scale < largest < high < 3 * largest
    for line in axes.get_lines():
        share = np.asarray(line.get_ydata())
        assert (share[0], share[-1]) == (1, 0)
        assert (np.diff(share) <= 0).all()


def test_the_picture_of_what_does_not_move_is_flat() -> None:
    (line,) = draw_shifts({"soft": np.zeros(20)}).axes[0].get_lines()
    assert (np.asarray(line.get_ydata()) == 0).all()


def test_rounding_does_not_stretch_the_picture_of_shifts() -> None:
    low, high = draw_shifts({"soft": np.array([1e-13, 1e-2, 0.3])}).axes[0].get_xlim()
    assert high / low < 1e6
