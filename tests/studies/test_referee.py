"""The page for referees: every row and statement of the paper, with or without numbers of ours."""

import dataclasses
from pathlib import Path

import pytest

from jetgram.studies import paper
from jetgram.studies.digests import settings_digest
from jetgram.studies.referee import (
    NUMBERS_HEAD,
    decided,
    lines_by_name,
    number_rows,
    published_tables,
    read_lines,
    summarise,
)
from jetgram.studies.scales import STANDARD
from jetgram.studies.seeds import append_seeds
from jetgram.studies.statements import STATEMENTS
from jetgram.studies.study import TABLES
from jetgram.studies.workspace import Workspace

from .conftest import DOCS
from .numbers import line_of, paper_lines

ROWS = {row.name: row for make in TABLES.values() for row in make().rows}


def cells(table, lines):
    return [row for row in number_rows(table, lines) if len(row) > 1]


def test_the_paper_has_55_rows():
    counts = [len(table.rows) for table in published_tables()]
    assert counts == [29, 12, 14]
    assert sum(counts) == len(paper.TABLE1) + len(paper.TABLE2) + len(paper.TABLE3)
    assert all(row.published.source == "paper" for table in published_tables() for row in table.rows)


def test_rows_without_numbers_say_so():
    for table in published_tables():
        for row, found in zip(table.rows, cells(table, {}), strict=True):
            assert len(found) == len(NUMBERS_HEAD)
            assert found[1] == found[4] == "not run"
            assert f"{row.published.auc:.4f}" in found[2]
    assert str(summarise({})) == "None of the paper's 55 rows has been run yet."


def test_equal_numbers_differ_by_nothing():
    lines = paper_lines()
    for table in published_tables():
        for row, found in zip(table.rows, cells(table, lines), strict=True):
            assert found[3].startswith("+0.0000 ± 0.00")
            assert found[3].endswith("(+0.0 σ)")
            assert (found[6] == "") == (row.published.rejection is None)
    assert summarise(lines).run == 55
    assert summarise(lines).far == ()


def test_a_row_beyond_three_sigma_is_named_and_bold():
    lines = paper_lines()
    row = ROWS["towers-simple-ca"]
    lines[row.name] = line_of(row, 0.8731, 0.0010, 24.2, 0.7)
    assert summarise(lines).far == ("towers-simple-ca",)
    table = published_tables()[0]
    (found,) = (each for shown, each in zip(table.rows, cells(table, lines), strict=True) if shown.name == row.name)
    sigma = (0.001**2 / 30 * 2 + 2 * 0.0015**2 + 1e-8 / 12) ** 0.5
    assert found[3] == f"**-0.0100 ± {sigma:.4f} ({-0.01 / sigma:+.1f} σ)**"


def test_statements_are_about_rows_that_exist():
    for statement in STATEMENTS:
        assert set(statement.claim.names) <= set(ROWS), statement.text


def test_the_papers_numbers_contradict_none_of_its_statements():
    """The rule for verdicts, and the rows of each statement, tried on the paper's own numbers."""
    verdicts = {text: verdict for _, text, verdict in decided(paper_lines())}
    refuted = [text for text, verdict in verdicts.items() if verdict.word == "does not hold"]
    assert [text[:45] for text in refuted] == [
        "The recursive network is more data-efficient "
    ]  # its MaxOut had more data
    holding = [text for text, verdict in verdicts.items() if verdict.word == "holds"]
    assert len(holding) >= 10
    assert "Embeddings of jets improve significantly on their momenta alone" in holding
    assert "Two jets are significantly better than one" in holding


def test_opposite_numbers_contradict_statements():
    lines = paper_lines()
    for level in ("towers", "particles"):
        row = ROWS[f"{level}-simple-random"]
        lines[row.name] = line_of(row, 0.95, 0.001, 100.0, 1.0)
    verdicts = {text: verdict.word for _, text, verdict in decided(lines)}
    assert verdicts["Random trees do poorly"] == "does not hold"


def test_the_line_with_the_papers_numbers_wins():
    row = ROWS["particles-simple-kt"]
    plain = dataclasses.replace(row, published=None)
    lines = [line_of(each, 0.9, 0.001, 50.0, 1.0) for each in (row, plain)]
    assert lines_by_name([lines])[row.name].row.published is not None


def current(line):
    """Its records, with the digest of the settings of today."""
    training = Workspace(Path(), STANDARD, 1).training_settings(line.row.contestant)
    digest = settings_digest(line.row.contestant, line.row.scenario, training)[:16]
    return [record.model_copy(update={"settings": digest}) for record in line.records]


def test_lines_are_read_from_a_file_of_seeds(tmp_path):
    line = line_of(ROWS["particles-simple-kt"], 0.9185, 0.0006, 68.3, 1.8, seeds=3)
    file = tmp_path / "seeds.csv"
    assert read_lines(file) == {}
    good = current(line)
    bad = [
        good[0].model_copy(update={"auc": 0.5}),  # the same seed again
        line.records[1],  # other settings
        good[2].model_copy(update={"seed": 4, "dataset": "f" * 16}),
        good[2].model_copy(update={"seed": 5, "scale": "quick"}),
        good[2].model_copy(update={"seed": 6, "key": "particles-simple-forest"}),
    ]
    append_seeds(file, [*good, *bad])
    (found,) = read_lines(file).values()
    assert found.records == tuple(good)
    assert found.auc.ours.mean == pytest.approx(0.9185)


def test_pages_are_made_of_the_file(hook, tmp_path, monkeypatch):
    lines = paper_lines()
    names = ("particles-simple-kt", "particles-simple-antikt", "towers-tau21-trimmed")
    append_seeds(tmp_path / "seeds.csv", [record for name in names for record in current(lines[name])])
    monkeypatch.setattr(hook, "FOLDER", tmp_path)
    page = "<!-- referee: summary -->\n\n<!-- referee: table1 -->\n\n<!-- referee: statements -->\n"
    made = hook.on_page_markdown(page)
    assert "5 of the paper's 55 rows" not in made
    assert "4 of the paper's 55 rows have been run. Beyond 3 σ in AUC or R: none." in made  # kt is in two tables
    assert "| particles, kt | 0.9185 ± 0.0006 | 0.9185 ± 0.0006 | +0.0000 ± 0.0021 (+0.0 σ) | 68.3 ± 1.8 |" in made
    assert made.count("| not run |") >= 2 * (29 - 3)
    widths = {line.count("|") for line in made.splitlines() if line.startswith("|")}
    assert widths == {len(NUMBERS_HEAD) + 1, 5}
    assert "<!--" not in made


def test_the_documentations_own_pages_can_be_made(hook):
    for page in ("reproduce.md", "referee.md", "beyond.md"):
        made = hook.on_page_markdown((DOCS / page).read_text())
        assert "<!-- re" not in made
        assert "<!-- comparison" not in made
