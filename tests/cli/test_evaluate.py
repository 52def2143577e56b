"""`jetgram evaluate` as a user meets it."""

import csv
import dataclasses
import json

import numpy as np
import pytest
from toys import toy_scores

from jetgram import cli
from jetgram.evaluation.evaluate import evaluate
from jetgram.evaluation.score_files import read_scores, write_scores
from jetgram.evaluation.selection import Window


def run(capsys: pytest.CaptureFixture[str], *arguments: object) -> tuple[int, str, str]:
    """Exit code, standard output and standard error of `jetgram evaluate ARGUMENTS`."""
    with pytest.raises(SystemExit) as end:
        cli.main(["evaluate", *map(str, arguments)])
    captured = capsys.readouterr()
    return int(end.value.code or 0), captured.out, captured.err


@pytest.fixture
def files(tmp_path, monkeypatch):
    monkeypatch.setenv("COLUMNS", "140")
    found = [tmp_path / f"{model}-{seed}.parquet" for model, seed in (("simple", 1), ("simple", 2), ("gated", 1))]
    for file, distance in zip(found, (1.4, 1.5, 2.0), strict=True):
        model, seed = file.stem.split("-")
        write_scores(file, toy_scores(model, int(seed), distance=distance))
    return found


def test_the_table_has_a_row_for_each_model(capsys, files) -> None:
    code, out, err = run(capsys, *files, "--bootstrap", 20)
    assert code == 0
    report = evaluate([read_scores(file) for file in files], replicas=20)
    assert out.startswith("250 < pT < 300 GeV, 50 <= m <= 110 GeV, flat in pT: ")
    rows = {line.split()[0]: line for line in reversed(out.splitlines()) if line}  # the first table counts
    simple, gated = report.models
    assert f"{simple.auc.mean:.4f}    ± {simple.auc.deviation:.4f}   ± {simple.errors.auc:.4f}" in rows["simple"]
    assert f"{gated.auc.mean:.4f}               ± {gated.errors.auc:.4f}" in rows["gated"]
    assert "R at 50 %" in rows["model"]
    assert "3 of 3 files" in err


def test_one_file_over_all_jets(capsys, files) -> None:
    code, out, err = run(capsys, files[2], "--all-pt", "--efficiency", 0.3, "--efficiency", 0.8, "--bootstrap", 0)
    assert (code, err) == (0, "")
    assert out.startswith("all jets: 1,000 signal and 1,000 background jets")
    heading = out.splitlines()[2]
    assert heading.split() == ["model", "AUC", "R", "at", "30", "%", "R", "at", "80", "%"]
    code, flat, _ = run(capsys, files[2], "--all-pt", "--flat", "--bootstrap", 0)
    assert flat.startswith("flat in pT: 1,000 signal")


def test_an_efficiency_is_headed_with_all_its_digits(capsys, files) -> None:
    code, out, _ = run(capsys, files[2], "--all-pt", "--efficiency", 0.99999, "--bootstrap", 0)
    assert code == 0
    assert "R at 99.999 %" in out
    assert "1/JSD at 99.999 %" in out


def test_a_bound_has_no_error(capsys, tmp_path) -> None:
    """No background jet of seed 1 passes, some of seed 2 do: the mean is a bound, and its spread is no error."""
    for seed in (1, 2):
        scores = toy_scores("a", seed)
        outputs = {"score": scores.label + (scores.label == 0) * (np.arange(len(scores)) % 50 < 2) * 2.0 * (seed == 2)}
        write_scores(tmp_path / f"{seed}.parquet", dataclasses.replace(scores, outputs=outputs))
    code, out, _ = run(capsys, *sorted(tmp_path.iterdir()), "--all-pt", "--bootstrap", 20)
    assert code == 0
    row = next(line for line in out.splitlines() if line.startswith("a "))
    assert row.count("±") == 2  # of the AUC
    assert row.split()[-2] == ">"


def test_json_is_the_report(capsys, files) -> None:
    code, out, _ = run(capsys, *files, "--json", "--bootstrap", 20)
    assert code == 0
    report = evaluate([read_scores(file) for file in files], replicas=20)
    found = json.loads(out)
    assert found["window"]["pt"] == [250, 300]
    assert found["models"][0]["auc"]["mean"] == pytest.approx(report.models[0].auc.mean, rel=1e-9)
    assert [seed["source"] for seed in found["seeds"]] == [str(file) for file in files]
    assert found["seeds"][0]["rejection"][0]["is_bound"] is False


def test_pictures(capsys, files, tmp_path) -> None:
    code, _, err = run(capsys, *files, "--bootstrap", 0, "--out", tmp_path / "pictures", "--format", "pdf")
    assert code == 0
    assert sorted(file.name for file in (tmp_path / "pictures").iterdir()) == [
        "calibration.csv",
        "calibration.pdf",
        "mass-sculpting.csv",
        "mass-sculpting.pdf",
        "roc.pdf",
        "scores.pdf",
        "working-point.pdf",
    ]
    assert err.count("drawn: ") == 5
    with (tmp_path / "pictures" / "mass-sculpting.csv").open() as file:
        rows = list(csv.DictReader(file))
    for column in ("before", "after"):
        assert sum(float(row[column]) for row in rows if row["model"] == "gated") == pytest.approx(1, abs=1e-4)


def test_an_unknown_format_is_an_error_before_the_work(capsys, files, tmp_path, monkeypatch) -> None:
    monkeypatch.chdir(tmp_path)
    code, out, err = run(capsys, *files, "--format", "jpg", "--out", "pictures")
    assert (code, out) == (1, "")
    assert err.startswith("error: no format of pictures 'jpg'")
    assert not (tmp_path / "pictures").exists()


def test_calibration_and_sculpting_have_a_table(capsys, files, tmp_path) -> None:
    logits = read_scores(files[2])
    scores = dataclasses.replace(logits, outputs={"score": 1 / (1 + np.exp(-logits.score))}).named("probable")
    write_scores(tmp_path / "probable.parquet", scores)
    code, out, _ = run(capsys, files[2], tmp_path / "probable.parquet", "--all-pt")
    assert code == 0
    report = evaluate([logits, scores], Window.everything())
    heading, gated, probable = out.splitlines()[-3:]
    assert "1/JSD at 50 %" in heading
    found = report.seeds[1].calibration
    assert f"{found.ece:.4f}  ± {found.error:.4f}" in probable
    assert f"{report.seeds[1].sculpting.inverse:.1f}" in probable
    assert len(gated.split()) == len(probable.split()) - 4, "logits are no probabilities"


def test_dropped_seeds_and_other_jets_are_said(capsys, tmp_path) -> None:
    for seed in range(7):
        write_scores(tmp_path / f"a-{seed}.parquet", toy_scores("a", seed, jets=6000, distance=1.5 if seed else 0.0))
    write_scores(tmp_path / "b.parquet", toy_scores("b", 1, dataset_digest="other"))
    code, out, _ = run(capsys, *sorted(tmp_path.glob("*.parquet")), "--all-pt", "--bootstrap", 0)
    assert code == 0
    report = evaluate([read_scores(file) for file in tmp_path.glob("a*")], Window.everything(), replicas=0)
    assert f"a: {report.models[0].dropped} of 7 seeds dropped" in out
    assert "not all of these scores are of the same dataset" in out


def test_a_bad_file_is_one_line(capsys, files, tmp_path) -> None:
    code, out, err = run(capsys, files[0], tmp_path / "missing.parquet")
    assert (code, out) == (1, "")
    assert err == f"error: {tmp_path / 'missing.parquet'} is missing\n"
    code, _, err = run(capsys, files[0], "--efficiency", 1.5)
    assert (code, err) == (1, "error: a signal efficiency is above 0 and below 1; found 1.5\n")
