"""Resilience: none is lost to a sample itself, the formula is symmetric, and toys have the efficiencies they must."""

import csv
import dataclasses
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from jetgram.errors import EvaluationError, SettingsError
from jetgram.evaluation.resilience import Efficiencies, measure_resilience, resilience
from jetgram.evaluation.resilience_report import ResilienceReport, resilience_report
from jetgram.evaluation.scores import Scores
from jetgram.evaluation.selection import Window
from jetgram.plots.resilience import draw_resilience
from jetgram.storage.dataset import save

EVERYTHING = Window.everything()
fractions = st.floats(0.001, 1)


def gaussian(jets: int, distance: float, seed: int) -> Scores:
    label = np.arange(jets) % 2
    score = distance * label + np.random.default_rng(seed).normal(size=jets)
    return Scores.create({"score": score}, label, pt=np.full(jets, 275.0), mass=np.full(jets, 80.0))


@given(fractions, fractions, fractions, fractions)
def test_exchanging_the_samples_changes_nothing(a: float, b: float, c: float, d: float) -> None:
    one, other = Efficiencies(a, b), Efficiencies(c, d)
    assert resilience(one, other) == resilience(other, one)


@given(fractions, fractions)
def test_the_same_efficiencies_are_perfectly_resilient(a: float, b: float) -> None:
    assert resilience(Efficiencies(a, b), Efficiencies(a, b)) == math.inf


def test_the_formula() -> None:
    found = resilience(Efficiencies(0.5, 0.01), Efficiencies(0.4, 0.02))
    assert found == pytest.approx(((0.1 / 0.45) ** 2 + (0.01 / 0.015) ** 2) ** -0.5)
    assert Efficiencies(0.5, 0.01).performance == pytest.approx(5)
    assert Efficiencies(0.5, 0.0).performance == math.inf


def test_a_dataset_against_itself_shifts_nothing() -> None:
    scores = gaussian(400, 1.5, 1)
    found = measure_resilience(scores, scores, EVERYTHING, replicas=20)
    assert found.nominal == found.varied
    assert found.shifts == (0, 0)
    assert found.value == math.inf
    assert found.is_bound
    assert str(found).startswith("> ")
    assert measure_resilience(scores, scores, EVERYTHING, replicas=0).bound == math.inf


def test_known_efficiencies_of_gaussian_scores() -> None:
    """The cut at 50 % of the signal lies at its mean, 1.5; the varied signal has its mean at 1.2."""
    nominal, varied = gaussian(60_000, 1.5, 1), gaussian(60_000, 1.2, 2)
    found = measure_resilience(nominal, varied, EVERYTHING, replicas=40)

    def beyond(x: float) -> float:
        return math.erfc(x / math.sqrt(2)) / 2

    assert found.nominal == pytest.approx((0.5, beyond(1.5)), abs=0.006)
    assert found.varied == pytest.approx((beyond(0.3), beyond(1.5)), abs=0.006)
    assert found.nominal.performance == pytest.approx(0.5 / math.sqrt(beyond(1.5)), abs=4 * found.performance_error)
    exact = resilience(Efficiencies(0.5, beyond(1.5)), Efficiencies(beyond(0.3), beyond(1.5)))
    assert found.value == pytest.approx(exact, abs=4 * found.error)
    assert not found.is_bound


def test_errors_are_the_spread_over_other_jets() -> None:
    many = [
        measure_resilience(gaussian(600, 1.5, s), gaussian(600, 1.0, 50 + s), EVERYTHING, replicas=0) for s in range(40)
    ]
    spread = np.std([each.shifts for each in many], axis=0)
    found = measure_resilience(gaussian(600, 1.5, 0), gaussian(600, 1.0, 50), EVERYTHING, replicas=100)
    assert np.abs(np.log(np.array(found.shift_errors) / spread)).max() < 0.6


def apart(jets: int, passing: int) -> Scores:
    """Half signal, all at 2; of the background so many jets at 3, which pass every cut, and the others at 0 and 1."""
    label = np.arange(jets) % 2
    score = np.where(label == 1, 2.0, np.arange(jets) // 2 % 2)
    score[np.flatnonzero(label == 0)[:passing]] = 3.0
    return dataclasses.replace(gaussian(jets, 0.0, 1), outputs={"score": score})


@pytest.mark.parametrize("replicas", [0, 20])
@pytest.mark.parametrize(("nominal", "varied"), [(0, 10), (10, 0), (0, 0)])
def test_where_no_background_passes_only_bounds_are_told(nominal: int, varied: int, replicas: int) -> None:
    """Of 100 background jets: one that passed would have given a performance of 10."""
    found = {"net": {"other": measure_resilience(apart(200, nominal), apart(200, varied), EVERYTHING, 1.0, replicas)}}
    report = ResilienceReport("toys", EVERYTHING, 1.0, found)
    each, record, words = found["net"]["other"], report.records()[0], str(report).splitlines()[2].split()
    assert words[2:5] == ["1.000", f"{varied / 100:.4f}", "+0.0%"]
    assert words[-2:] == [">", "0.50"]
    assert words[-4:-2] == [">", "10.00"] if nominal == 0 else words[-3 if not replicas else -5].startswith("3.16")
    assert "200.0%" not in str(report)
    assert "inf" not in str(report)
    assert each.bound == 0.5
    assert (record["is_bound"], record["performance_is_bound"]) == (1, int(nominal == 0))
    assert record["background_shift"] is record["background_shift_error"] is record["resilience"] is None
    assert record["resilience_error"] is None
    axes = draw_resilience(found).axes[0]
    assert len(axes.containers) == 1
    assert len(axes.texts) == 1 + (nominal == 0)  # an arrow for each bound
    assert all(axes.get_xlim()[0] < arrow.xy[0] < axes.get_xlim()[1] for arrow in axes.texts)  # others are not drawn


def test_what_nothing_shifts_is_named_below_the_picture() -> None:
    scores = gaussian(60, 1.5, 1)
    found = {"net": {"itself": measure_resilience(scores, scores, EVERYTHING, replicas=0)}}
    assert "Not shown, since nothing shifts: net on itself." in draw_resilience(found).get_supxlabel()


def number_of_constituents(jets):
    return jets.multiplicity


def mass(jets):
    return jets.mass


@pytest.fixture(scope="module")
def datasets(qcd_jets, tmp_path_factory):
    folder = tmp_path_factory.mktemp("resilience")
    label = (np.arange(len(qcd_jets)) % 2).astype(np.int8)
    jets = qcd_jets.with_columns(label=label)
    half = len(jets) // 2
    return save(folder / "nominal", jets[:half], {}, "test"), save(folder / "other", jets[half:], {}, "test")


def test_the_report_of_any_scorers(datasets, tmp_path) -> None:
    nominal, other = datasets
    told = []
    scorers = {"mass": mass, "constituents": number_of_constituents}
    varied = {"other": other, "itself": nominal}
    report = resilience_report(
        scorers, nominal, varied, tmp_path, EVERYTHING, efficiency=0.7, replicas=10, advance=told.append
    )
    assert sum(told) == 2 * (2 * len(nominal) + len(other))
    lines = str(report).splitlines()
    assert lines[0] == "nominal, all jets, cut at a signal efficiency of 0.7"
    assert [line.split()[:2] for line in lines[2:]] == [[m, v] for m in scorers for v in varied]
    assert report.found["mass"]["itself"].value == math.inf
    with (tmp_path / "resilience.csv").open() as file:
        rows = list(csv.DictReader(file))
    assert [row["model"] for row in rows] == ["mass", "mass", "constituents", "constituents"]
    assert rows[1]["resilience"] == ""
    assert float(rows[0]["resilience"]) == report.found["mass"]["other"].value


def test_the_picture_has_a_point_for_each_model_and_variation(datasets) -> None:
    nominal, other = datasets
    found = resilience_report({"mass": mass}, nominal, {"other": other}, window=EVERYTHING, replicas=10).found
    axes = draw_resilience(found, "QCD").axes[0]
    assert len(axes.containers) == 1
    assert axes.get_xscale() == "log"


def test_what_cannot_be_compared_is_an_error(datasets, qcd_jets, tmp_path) -> None:
    nominal, other = datasets
    with pytest.raises(EvaluationError, match="0 varied datasets"):
        resilience_report({"mass": mass}, nominal, {})
    with pytest.raises(EvaluationError, match="is no scorer"):
        resilience_report({"mass": 3}, nominal, {"other": other})
    recipe = {"recipe": {"sample": {"name": "w-vs-qcd"}, "level": "particles"}}
    foreign = save(tmp_path / "w", qcd_jets[:4].with_columns(label=np.array([0, 1, 0, 1])), recipe, "test")
    with pytest.raises(EvaluationError, match="is a dataset of w-vs-qcd.*expected the same sample"):
        resilience_report({"mass": mass}, nominal, {"w": foreign})


def test_where_nothing_can_shift_no_error_is_told():
    """A scorer that says the same of all jets lets all pass, in every replica."""
    scores = dataclasses.replace(gaussian(60, 1.5, 1), outputs={"score": np.zeros(60)})
    assert str(measure_resilience(scores, scores, EVERYTHING, replicas=5)) == "inf"


def test_errors_that_were_not_measured_are_not_told():
    found = measure_resilience(gaussian(600, 1.5, 1), gaussian(600, 1.0, 2), EVERYTHING, replicas=0)
    assert math.isnan(found.performance_error)
    assert not found.is_bound
    assert "±" not in str(found)
    with pytest.raises(SettingsError, match="replicas = 1 have no spread"):
        measure_resilience(gaussian(600, 1.5, 1), gaussian(600, 1.0, 2), EVERYTHING, replicas=1)
