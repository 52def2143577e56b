"""Pictures of scores: what they show is what was measured, and any scores can be drawn."""

import dataclasses
import io

import matplotlib
import numpy as np
import pytest
from toys import curve_of, toy_models, toy_scores

from jetgram.errors import SettingsError
from jetgram.evaluation.bands import bin_edges, spectrum
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
    assert names_in(figure) == ["perfectly calibrated", "simple"]
    assert figure.get_supxlabel().endswith("No probabilities, not drawn: gated.")


def test_the_mass_before_and_after_the_cut(models) -> None:
    assert names_in(draw_sculpting(models, 0.3)) == ["all background jets", "simple", "gated"]


def names_in(figure) -> list[str]:
    return [text.get_text().partition(":")[0] for text in figure.legends[0].get_texts()]


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


@pytest.fixture(params=["constant", "perfect", "few", "one place", "weightless"])
def extremes(request) -> dict[str, list[Scores]]:
    """Scores that leave most of a picture empty: of one seed, and the same of two."""
    return {request.param: [extreme(request.param)], "twice": [extreme(request.param)] * 2}


def rendered(figure):
    """The figure, once it was drawn; a warning of matplotlib is an error here."""
    figure.savefig(io.BytesIO(), dpi=30)
    return figure


BACKGROUND_PASSES = ("constant", "one place")
PROBABILITIES = ("constant", "perfect")


def test_the_curve_of_extreme_scores_ends_where_no_background_passes(extremes) -> None:
    figure = rendered(draw_roc(extremes))
    once, at_once, twice, at_twice = (np.asarray(line.get_ydata()) for line in figure.axes[0].get_lines()[:4])
    np.testing.assert_allclose(once, twice)
    np.testing.assert_allclose(at_once, at_twice)
    passes = next(iter(extremes)) in BACKGROUND_PASSES
    assert np.isfinite(once).any() == np.isfinite(at_once).all() == passes
    assert (": > " not in figure.legends[0].get_texts()[0].get_text()) == passes


def test_extreme_scores_of_each_class_sum_to_one(extremes) -> None:
    for axes in rendered(draw_distributions(extremes)).axes:
        outlines = [patch.get_data() for patch in axes.patches if patch.get_label()]
        assert [patch.get_label() for patch in axes.patches if patch.get_label()] == ["background", "signal"]
        for fraction, edges, _ in outlines:
            assert fraction.sum() == pytest.approx(1)
            assert (np.diff(edges) > 0).all()
            low, high = axes.get_ylim()
            assert ((low < fraction) & (fraction < high) | (fraction == 0)).all()


def test_each_bin_with_extreme_scores_has_a_point_or_an_arrow(extremes) -> None:
    figure = rendered(draw_working_point(extremes))
    scores = next(iter(extremes.values()))[0]
    for axes, variable in zip(figure.axes[2:4], ("pt", "mass"), strict=True):
        edges = bin_edges(extremes, variable)
        filled = np.count_nonzero(spectrum(scores, 0, variable, edges))
        for points, arrows in zip(axes.containers[::2], axes.containers[1::2], strict=True):
            counts = [len(drawn.lines[2][0].get_segments()) for drawn in (points, arrows)]
            assert counts == ([filled, 0] if scores.model in BACKGROUND_PASSES else [0, filled])


def test_only_probabilities_have_a_calibration(extremes) -> None:
    figure = rendered(draw_calibration(extremes))
    name, others = next(iter(extremes)), ", ".join(extremes)
    drawn = [name, "twice"] if name in PROBABILITIES else []
    assert names_in(figure) == ["perfectly calibrated", *drawn]
    assert figure.get_supxlabel().endswith(f"not drawn: {others}.") == (not drawn)
    for patch in figure.axes[1].patches:
        assert patch.get_data().values.sum() == pytest.approx(1)


def test_no_mass_is_drawn_where_a_cut_cannot_change_it(extremes) -> None:
    """No background passes, or all of it; or all jets have one mass."""
    figure = rendered(draw_sculpting(extremes))
    assert names_in(figure) == list(figure.axes[0].patches) == []
    assert figure.get_supxlabel().endswith(f"not drawn: {', '.join(extremes)}.")


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
