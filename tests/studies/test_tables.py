"""The rows of the tables: as many as the paper has, each with its numbers."""

import re
from pathlib import Path

import pytest

from jetgram.studies import paper
from jetgram.studies.contestants import fewer, recursive
from jetgram.studies.scales import QUICK, STANDARD
from jetgram.studies.study import TABLES, make_study
from jetgram.studies.tables import DAGGER, table1, table2, table3
from jetgram.studies.variants import variants
from jetgram.studies.workspace import Workspace

SOURCE = Path(__file__).parents[3] / "shared" / "paper.tex"
EXTRA = {f"particles-{name}-trimmed" for name in ("tau21", "mass-tau21")}  # not in the paper


def test_table1_has_every_row_of_the_paper():
    keys = [row.contestant.key for row in table1().rows]
    assert len(keys) == len(set(keys))
    assert set(keys) == set(paper.TABLE1) | EXTRA
    assert len(paper.TABLE1) == 29


def test_table2_trains_on_nominal_jets_only():
    rows = table2().rows
    assert [(row.contestant.key, row.scenario) for row in rows] == list(paper.TABLE2)
    assert {row.contestant for row in rows} <= {row.contestant for row in table1().rows}


def test_table3_has_every_row_of_the_paper():
    *published, towers = sorted(table3().rows, key=lambda row: row.published is None)
    assert [row.contestant.key for row in published] == list(paper.TABLE3)
    assert (towers.contestant.key, towers.contestant.data) == ("event-towers-2-jets-kt", "event-towers")
    assert "slightly worse" in towers.heading


def test_variants_have_every_number_of_the_notebooks():
    rows = variants().rows
    found = {(row.contestant.key, row.scenario) for row in rows if row.published and row.published.source != "paper"}
    assert found == set(paper.NOTEBOOKS)
    assert all(row.title.endswith(DAGGER) == (row.published.source != "paper") for row in rows if row.published)
    assert all(DAGGER in row.heading for row in rows if row.title.endswith(DAGGER))


def test_rows_that_want_more_jets_than_there_are_have_no_place(tmp_path):
    studies = {scale.name: make_study(Workspace(tmp_path, scale, 1), ["variants"]) for scale in (QUICK, STANDARD)}
    keys = {name: {row.contestant.key for row in study.tables[0].rows} for name, study in studies.items()}
    assert "particles-simple-kt-1000" in keys["quick"]
    assert "particles-simple-kt-10000" not in keys["quick"]
    assert "particles-simple-kt-10000" in keys["standard"]


def test_few_jets_can_be_seen_in_as_many_steps_as_all(tmp_path):
    workspace, kt = Workspace(tmp_path, STANDARD, 1), recursive("particles", "simple", "kt")
    whole = workspace.training_settings(kt)
    for most in (1_000, 10_000):
        few, often = (workspace.training_settings(fewer(kt, most, steps)) for steps in (False, True))
        assert (few.epochs, few.decay, few.most) == (whole.epochs, whole.decay, most)
        assert often.epochs * most == whole.epochs * STANDARD.jets // 2
        assert often.decay**often.epochs == pytest.approx(whole.decay**whole.epochs)


def test_levels_of_events_are_made_of_the_same_collisions(tmp_path):
    plan = make_study(Workspace(tmp_path, QUICK, 1), ["table3"]).plan
    (generation,) = plan.generations
    assert [folder.name for folder in generation.wanted] == ["events", "event-towers"]
    assert (generation.rows, generation.kind) == (QUICK.events, "events")


@pytest.mark.parametrize("name", TABLES)
def test_names_tell_rows_apart(name):
    rows = {(row.contestant.key, row.scenario): row for row in TABLES[name]().rows}
    assert len({row.name for row in rows.values()}) == len(rows)


@pytest.mark.parametrize(
    ("key", "parameters"),
    [
        ("particles-simple-ca", 8_481),
        ("towers-gated-random", 48_761),
        ("events-5-jets-kt", 18_681),
        ("event-towers-2-jets-kt", 18_681),
        ("image-maxout", 975_693),
    ],
)
def test_networks_have_the_papers_sizes(key, parameters):
    contestants = {row.contestant.key: row.contestant for row in (*table1().rows, *table3().rows)}
    network = contestants[key].model.build(0)
    assert sum(weight.numel() for weight in network.parameters()) == parameters


@pytest.mark.skipif(not SOURCE.exists(), reason="the paper's source is not beside this folder")
def test_numbers_are_the_papers():
    text = re.sub(r"\\bf|\\hspace\{[^}]*\}|\$", "", SOURCE.read_text())
    number = r"(\d+\.\d+)(?:\s*\\pm\s*(\d+\.\d+))?"
    found = re.findall(rf"&\s*{number}\s*&\s*(?:{number}|--)\s*\\\\", text)
    rows = [tuple(float(part) if part else None for part in row) for row in found]
    ours = [*paper.TABLE1.values(), *paper.TABLE2.values(), *paper.TABLE3.values()]
    assert rows == [row.numbers for row in ours]
