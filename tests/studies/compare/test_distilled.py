"""A network that is taught: trained after its teachers, with their costs apart."""

import dataclasses

import pytest

from jetgram.models.card import read_card
from jetgram.studies.compare.comparison import Comparison
from jetgram.studies.compare.networks import TEACHERS
from jetgram.studies.compare.plan import make_plan
from jetgram.studies.compare.record import append_numbers
from jetgram.studies.compare.results import judge

from .conftest import records_of, run


@pytest.fixture(scope="module")
def taught(dataset, tmp_path_factory):
    """One seed of the network that is taught; its teachers come by themselves."""
    out = tmp_path_factory.mktemp("taught")
    comparison = Comparison(dataset.path, out, ("student-32",), rates=1, epochs=1)
    plan = make_plan(comparison)
    assert [(task.network, task.job.training.seed) for task in plan.measurements] == [
        *(("modern", seed) for seed in TEACHERS),
        ("student-32", 1),
    ]
    assert run(comparison) == []
    return comparison


def test_it_learns_from_the_mean_of_its_teachers(taught):
    *teachers, pupil = sorted(records_of(taught), key=lambda record: (record.network, record.seed))
    assert [(record.network, record.seed) for record in teachers] == [("modern", seed) for seed in TEACHERS]
    folders = [taught.job("modern", record.rate, record.seed).out for record in teachers]
    card = read_card(taught.job(pupil.network, pupil.rate, pupil.seed).out)
    assert card.data["teacher"] == [read_card(folder).digest for folder in folders]
    assert pupil.settings != teachers[0].settings
    assert pupil.validation_loss != teachers[0].validation_loss


def test_the_cost_of_its_teachers_is_told_apart(taught):
    records = records_of(taught)
    (pupil,) = (record for record in records if record.network == "student-32")
    teachers = [record for record in records if record is not pupil]
    assert pupil.teacher_cpu_seconds == pytest.approx(sum(record.cpu_seconds for record in teachers))
    assert pupil.cpu_seconds < pupil.teacher_cpu_seconds
    assert {record.teacher_cpu_seconds for record in teachers} == {None}
    (line,) = judge(taught)
    assert "(teachers " in line.cells["training CPU-s"]


def test_where_its_line_is_known_no_teacher_is_needed(taught, tmp_path):
    """Where it is not, the models of the teachers are, though their numbers are known."""
    other = dataclasses.replace(taught, dataset=tmp_path / "away", out=tmp_path / "new", merge=(taught.out,))
    assert make_plan(other).finished
    assert judge(other) == judge(taught)
    append_numbers(tmp_path / "comparison.csv", [each for each in records_of(taught) if each.network == "modern"])
    lost = dataclasses.replace(other, dataset=taught.dataset, merge=(tmp_path / "comparison.csv",))
    plan = make_plan(lost)
    assert [task.share for task in plan.others] == [0, 0, 0, 0]
    assert [task.share for task in plan.measurements] == [1, 1, 1, 0]
    assert run(lost) == []
    assert {each.identity: each.numbers for each in records_of(lost)} == {
        each.identity: each.numbers for each in records_of(taught)
    }
    assert make_plan(lost).finished


def test_a_student_can_teach(dataset, tmp_path):
    """Three generations, one after the other; the last pays for all before it."""
    comparison = Comparison(dataset.path, tmp_path / "out", ("second-student",), rates=1, epochs=1)
    assert [(task.network, task.job.training.seed) for task in make_plan(comparison).measurements] == [
        *(("modern", seed) for seed in TEACHERS),
        *(("student", seed) for seed in TEACHERS),
        ("second-student", 1),
    ]
    assert run(comparison) == []
    records = records_of(comparison)
    (last,) = (record for record in records if record.network == "second-student")
    before = [record for record in records if record is not last]
    assert last.teacher_cpu_seconds == pytest.approx(sum(record.cpu_seconds for record in before))
    taught_by = [comparison.job("student", last.rate, seed).out for seed in TEACHERS]
    card = read_card(comparison.job(last.network, last.rate, last.seed).out)
    assert card.data["teacher"] == [read_card(folder).digest for folder in taught_by]
    first = next(record for record in before if record.network == "student")
    assert last.settings != first.settings  # the same settings, other teachers
    assert last.validation_loss != first.validation_loss
    assert make_plan(comparison).finished
