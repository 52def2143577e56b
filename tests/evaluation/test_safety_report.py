"""The report on safety: the same for a network and for any function, for generated jets and for those of a user."""

import csv

import numpy as np
import pytest

from jetgram import JetTagger
from jetgram.errors import DatasetError, EvaluationError, SettingsError
from jetgram.evaluation.resilience_report import resilience_report
from jetgram.evaluation.safety import SCENARIOS, safety, score_perturbed
from jetgram.evaluation.safety_report import COLUMNS, safety_report
from jetgram.evaluation.score_files import read_scores
from jetgram.evaluation.selection import Window
from jetgram.models.model import JetModel
from jetgram.models.settings import ModelSettings
from jetgram.momenta import Events, Jets
from jetgram.storage.dataset import save

EVERYTHING = Window.everything()


class Multiplicity:
    """A function of jets that counts how often it is asked."""

    calls = 0

    def __call__(self, jets: Jets) -> np.ndarray:
        self.calls += 1
        return jets.multiplicity


@pytest.fixture(scope="module")
def labelled(qcd_jets):
    return qcd_jets.with_columns(label=(qcd_jets.mass > np.median(qcd_jets.mass)).astype(np.int8))


@pytest.fixture(scope="module")
def dataset(labelled, tmp_path_factory):
    return save(tmp_path_factory.mktemp("safety") / "jets", labelled, {"source": "tests"}, "test")


@pytest.fixture(scope="module")
def own(labelled, tmp_path_factory):
    """Jets as a user stores them: momenta and labels, nothing else."""
    jets = Jets(labelled.momenta, labelled.offsets, {"label": labelled.columns["label"]})
    return save(tmp_path_factory.mktemp("safety") / "own", jets, {"source": "mine"}, "test")


def rows_of(file):
    with file.open(newline="") as lines:
        return list(csv.DictReader(lines))


def test_a_function_and_a_model_get_the_same_report(dataset, labelled, tmp_path):
    model = JetModel.untrained(ModelSettings(hidden=5), labelled)
    by_name = {
        "net": safety_report(model, dataset, tmp_path / "net", EVERYTHING, name="net", replicas=0),
        "same": safety_report(
            lambda jets: model.predict(jets)[:, 0], dataset, tmp_path / "same", EVERYTHING, replicas=0
        ),
    }
    for name, report in by_name.items():
        assert {file.name for file in (tmp_path / name).iterdir()} == {
            *(f"scores-{scenario}.parquet" for scenario in SCENARIOS),
            "safety.csv",
        }
        assert [line.scenario for line in report.lines] == list(SCENARIOS)
        assert not report.left_out
    assert str(by_name["net"]).splitlines()[1:] == str(by_name["same"]).splitlines()[1:]
    assert str(by_name["net"]).startswith("net, all jets\njets ")
    assert str(by_name["same"]).startswith("<lambda>, all jets\n")
    assert (tmp_path / "net" / "safety.csv").read_bytes() == (tmp_path / "same" / "safety.csv").read_bytes()


def test_the_files_hold_what_the_parts_say(dataset, tmp_path):
    scorer, told = Multiplicity(), []
    report = safety_report(scorer, dataset, tmp_path, EVERYTHING, replicas=20, advance=told.append)
    scores = {scenario: score_perturbed(scorer, dataset, scenario, name="scorer") for scenario in SCENARIOS}
    assert report.lines == tuple(safety(scores, EVERYTHING, 20))
    assert sum(told) == len(SCENARIOS) * len(dataset)
    for row, line in zip(rows_of(tmp_path / "safety.csv"), report.lines, strict=True):
        assert tuple(row) == COLUMNS
        assert row["scenario"] == line.scenario
        assert float(row["auc"]) == line.result.auc
        assert float(row["r_test_error"]) == line.result.errors.rejection[0]
        assert float(row["large_shift"]) == line.large_shift
        assert np.array_equal(
            read_scores(tmp_path / f"scores-{line.scenario}.parquet").score, scores[line.scenario].score
        )


def test_jets_of_ones_own_are_judged_without_soft_particles(own, dataset, tmp_path):
    report = safety_report(Multiplicity(), own, tmp_path / "out", EVERYTHING, replicas=0)
    generated = safety_report(Multiplicity(), dataset, window=EVERYTHING, replicas=0)
    assert [line.scenario for line in report.lines] == list(SCENARIOS[:-1])
    assert report.lines == generated.lines[:-1]
    why = "left out: soft particles must go in before the jets are found; datasets of `jetgram generate` have them"
    assert [line for line in str(report).splitlines() if "soft" in line] == [f"soft: {why}, this one does not"]
    *measured, soft = rows_of(tmp_path / "out" / "safety.csv")
    assert [row["remark"] for row in measured] == [""] * 5
    assert (soft["scenario"], soft["auc"], soft["remark"]) == ("soft", "", f"{why}, this one does not")
    assert not (tmp_path / "out" / "scores-soft.parquet").exists()


def test_what_must_fail_fails_before_the_first_score(own, labelled, qcd_events, tmp_path):
    scorer = Multiplicity()
    events = save(tmp_path / "events", Events(qcd_events.momenta, qcd_events.offsets), {}, "test")
    for jets, split, message in ((events, "test", "holds events, but soft"), (own, "train", "has no split 'train'")):
        with pytest.raises(DatasetError, match=message):
            safety_report(scorer, jets, tmp_path / "out", split=split)
    assert scorer.calls == 0
    assert not (tmp_path / "out").exists()
    regressor = JetModel.untrained(ModelSettings(head="regressor", targets=("a",), hidden=5), labelled)
    with pytest.raises(EvaluationError, match="gives a; expected a classifier"):
        safety_report(regressor, own)
    with pytest.raises(EvaluationError, match="a JetTagger is no scorer; expected a JetModel .* or a function of jets"):
        safety_report(JetTagger(), own)


@pytest.mark.parametrize(
    ("answer", "message"),
    [
        ("signal", "the scores of odd are of type <U6; expected real numbers, one per jet"),
        (None, "the scores of odd are of type object; expected real numbers, one per jet"),
        (np.nan, "odd: row 0: score is nan; expected a finite number"),
        ([0.1, 0.2], r"odd gave an array of shape \(\d+, 2\); expected \("),
    ],
)
def test_what_is_no_score_is_told_with_the_name_of_the_function(own, answer, message):
    def odd(jets):
        return [answer for _ in range(len(jets))]

    with pytest.raises(EvaluationError, match=message):
        safety_report(odd, own, window=EVERYTHING)
    with pytest.raises(EvaluationError, match=message):
        resilience_report({"odd": odd}, own, {"itself": own}, window=EVERYTHING)
    with pytest.raises(EvaluationError, match="the scores of uneven make no array of numbers"):
        score_perturbed(lambda jets: [[0.1] * (number % 2) for number in range(len(jets))], own, name="uneven")


def test_jets_that_cannot_be_judged_are_scored_once(own, tmp_path):
    scorer = Multiplicity()
    with pytest.raises(EvaluationError, match="no signal jet with 1 < pT < 2 GeV"):
        safety_report(scorer, own, window=Window(pt=(1, 2)))
    assert scorer.calls == 1


def test_errors_that_cannot_be_are_refused_before_a_jet_is_scored(dataset):
    def never(jets):
        raise AssertionError("a jet was scored")

    with pytest.raises(SettingsError, match="replicas = 1 have no spread"):
        safety_report(never, dataset, window=EVERYTHING, replicas=1)
    with pytest.raises(SettingsError, match="replicas = 1 have no spread"):
        resilience_report({"never": never}, dataset, {"itself": dataset}, window=EVERYTHING, replicas=1)
