"""A plain `pip install jetgram` reads, clusters, builds trees, learns and predicts; of the rest it says what to add.

The packages of the extras are hidden from one process, in which everything happens.
"""

import json
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import jetgram
from jetgram.extras import needed_for, requirements
from jetgram.storage.dataset import save

PROGRAM = '''
import contextlib, io, json, sys
import importlib.abc

class Hidden(importlib.abc.MetaPathFinder):
    """Finds nothing where another finder would."""

    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in HIDDEN:
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)

HIDDEN = set(json.loads(sys.argv[1]))
sys.meta_path.insert(0, Hidden())

import jetgram
from jetgram.cli import main

answers = {}

def run(*arguments):
    """The exit code, and what a command prints."""
    said = io.StringIO()
    with contextlib.redirect_stderr(said), contextlib.redirect_stdout(said):
        try:
            main(list(arguments))
        except SystemExit as end:
            answers[" ".join(arguments[:2])] = end.code, said.getvalue()

jets = jetgram.read("jets")
trees = jetgram.build_trees(jetgram.preprocess(jets), "antikt")
found = jetgram.find_jets(jetgram.Events(jets.momenta, jets.offsets), radius=0.4, min_pt=1.0)
tagger = jetgram.JetTagger(hidden=4, epochs=1).fit(jets, jets.columns["label"])
tagger.save("tagger")
scores = jetgram.JetTagger.load("tagger").predict_proba(jets)
answers["library"] = [len(trees), len(found) > 0, list(scores.shape)]
run("inspect", "jets")
run("train", "jets", "--out", "model", "--set", "epochs=1", "--set", "hidden=4")
run("predict", "model", "jets")
run("evaluate", "scores.parquet", "--bootstrap", "0")
run("doctor")
run("generate", "w-vs-qcd", "--jets", "10", "--out", "generated")
run("report", "jets", "model", "--out", "report.html")
run("show", "jets", "--out", "jet.png")
run("generate", "w-vs-qcd-inclusive", "--jets", "10", "--out", "generated", "--dask", "tcp://127.0.0.1:1")
run("export", "model", "--onnx", "model.onnx")
run("convert", "jets.h5", "--out", "converted")
print(json.dumps(answers))
'''


@pytest.fixture(scope="module")
def light(qcd_jets, tmp_path_factory) -> dict:
    """What a process without the packages of any extra answers."""
    folder = tmp_path_factory.mktemp("light")
    label = (qcd_jets.pt > np.median(qcd_jets.pt)).astype(np.int64)
    jets = qcd_jets.with_columns(label=label)
    save(folder / "jets", {"train": jets[:200], "test": jets[200:]}, {"source": "test"})
    (folder / "jets.h5").write_bytes(b"\x89HDF\r\n\x1a\n" + bytes(100))
    hidden = [name for extra, names in requirements().items() if extra for name in names]
    environment = {**os.environ, "PYTHONPATH": str(Path(jetgram.__file__).parents[1]), "COLUMNS": "200"}
    command = [sys.executable, "-c", PROGRAM, json.dumps(hidden)]
    result = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True)
    assert result.returncode == 0, result.stderr
    return json.loads(result.stdout.splitlines()[-1])


def test_the_library_reads_clusters_builds_trees_and_predicts(light) -> None:
    assert light["library"] == [400, True, [400, 2]]


@pytest.mark.parametrize("command", ["inspect jets", "train jets", "predict model", "evaluate scores.parquet"])
def test_commands_that_need_no_extra(light, command) -> None:
    code, said = light[command]
    assert code == 0, said


def test_a_training_goes_on_without_its_picture(light) -> None:
    wanted = "warning: model gets no picture of its training: drawing needs the package matplotlib"
    assert wanted in light["train jets"][1]


@pytest.mark.parametrize(
    ("command", "message"),
    [
        ("generate w-vs-qcd", "generating collisions needs the package pythia8mc: pip install 'jetgram[generate]'"),
        ("generate w-vs-qcd-inclusive", "a Dask cluster needs the package distributed: pip install 'jetgram[dask]'"),
        ("show jets", "drawing needs the package matplotlib: pip install 'jetgram[report]'"),
        ("report jets", "a report needs the package plotly: pip install 'jetgram[report]'"),
        ("export model", "ONNX needs the package onnx: pip install 'jetgram[onnx]'"),
        ("convert jets.h5", "reading jets.h5 needs the package h5py: pip install 'jetgram[readers]'"),
    ],
)
def test_what_is_missing_is_said_in_one_line(light, command, message) -> None:
    code, said = light[command]
    assert (code, said.strip()) == (1, f"error: {message}")


def test_the_doctor_says_what_to_add(light) -> None:
    said = " ".join(light["doctor"][1].split())
    for extra in requirements():
        assert not extra or f"to add it: pip install 'jetgram[{extra}]'" in said


def test_other_packages_are_no_extras() -> None:
    with pytest.raises(ModuleNotFoundError, match="No module named 'jetgrm'"), needed_for("nothing"):
        import jetgrm  # noqa: F401
