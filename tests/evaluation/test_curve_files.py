"""The curves of an evaluation as CSV: what the pictures show, and what the numbers are made of."""

import csv
import dataclasses

import numpy as np
import pytest
from toys import toy_scores

from jetgram.evaluation.curve_files import write_curves
from jetgram.evaluation.evaluate import evaluate
from jetgram.evaluation.selection import Window


@pytest.fixture(scope="module")
def report():
    """A model whose scores are logits, and the same with probabilities."""
    logits = toy_scores("logits", 1, distance=2.0)
    probable = dataclasses.replace(logits, outputs={"score": 1 / (1 + np.exp(-logits.score))}).named("probable")
    return evaluate([logits, probable], Window.everything(), replicas=0)


def rows_of(file):
    with file.open(newline="") as lines:
        return list(csv.DictReader(lines))


def test_the_reliability_curve_gives_the_calibration_error(report, tmp_path):
    files = write_curves(report.seeds, tmp_path)
    assert files == [tmp_path / "calibration.csv", tmp_path / "mass-sculpting.csv"]
    rows = rows_of(files[0])
    assert {row["model"] for row in rows} == {"probable"}, "logits are no probabilities"
    gaps = [float(row["fraction"]) * abs(float(row["observed"]) - float(row["predicted"])) for row in rows]
    assert sum(gaps) == pytest.approx(report.seeds[1].calibration.ece, rel=1e-4)


def test_masses_are_normalised_for_each_model(report, tmp_path):
    rows = rows_of(write_curves(report.seeds, tmp_path)[1])
    for model in ("logits", "probable"):
        for column in ("before", "after"):
            assert sum(float(row[column]) for row in rows if row["model"] == model) == pytest.approx(1, abs=1e-4)
