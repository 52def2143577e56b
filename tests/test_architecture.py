"""The page about the house says what is there: the import graph, and the files that a change touches.

The examples of the page are run by `test_pages.py`.
"""

import ast
import functools
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np

from jetgram.storage.dataset import save

ROOT = Path(__file__).parents[1]
SOURCE = ROOT / "src" / "jetgram"
PAGE = (ROOT / "docs" / "architecture.md").read_text()

sys.path.append(str(ROOT / "docs" / "figures"))
from import_graph import BLOCK, PARTS, SIZES, graph, measure  # noqa: E402


def test_the_import_graph_is_that_of_the_sources() -> None:
    assert BLOCK.search(PAGE)[0] == graph(), "run python docs/figures/import_graph.py"


def test_the_sizes_are_about_those_of_the_sources() -> None:
    rows = [line.split() for line in SIZES.search(PAGE)[0].splitlines() if line.split()[:1] == ["now"]]
    for part, row in zip(PARTS, rows, strict=True):
        files, lines, *_ = (int(number.replace(",", "")) for number in row[1:])
        found = measure(part)
        assert abs(files - found[0]) <= 5, f"{part}: run python docs/figures/import_graph.py"
        assert abs(lines - found[1]) <= 0.05 * found[1], f"{part}: run python docs/figures/import_graph.py"


# What there is one of -> what its code looks like, and the files or folders where alone it is.
ONE_PLACE = {
    "a writer of Parquet": (r"\bwrite_table\(|ParquetWriter\(", {"storage/tables.py"}),
    "a writer of CSV": (r"csv\.(Dict)?[wW]riter\(", {"storage/csv_files.py"}),
    "a histogram of weights": (
        r"np\.histogram\([^\n]*weights=",
        {"evaluation/bands.py", "evaluation/score_histograms.py"},
    ),
    "a value with its error": (r"f\"[^\"\n]*(±|\+-) \{", {"notation.py"}),
    "a table in plain text": (r"\bstr\.rjust\b", {"notation.py"}),
    "a table without lines": (r"Table\([^)]*header_style=\"bold\"", {"cli/output.py"}),
    "FastJet": (r"ClusterSequence\(", {"jets/clustering.py"}),
    "pictures": (r"\.subplots\(|matplotlib\.pyplot", {"plots"}),
    "a grid behind curves": (r"\baxes\.grid\(|set_axisbelow\(", {"plots/style.py"}),
    "what asks for the kind of a head": (r"head\.kind ==|\bhead ==", set()),
}


def test_there_is_one_place_for_each() -> None:
    for what, (pattern, places) in ONE_PLACE.items():
        found = set()
        for path in SOURCE.rglob("*.py"):
            code = re.sub(r"^ *>>> .*$", "", path.read_text(), flags=re.MULTILINE)
            name = path.relative_to(SOURCE)
            if re.search(pattern, code):
                found.add(name.parts[0] if name.parts[0] in places else str(name))
        assert found == places, what


def python_files(name: str) -> set[str]:
    """The modules whose code (not their text) has this name."""
    return {path for path, names in names_of_modules().items() if name in names}


@functools.cache
def names_of_modules() -> dict[str, set[str]]:
    found = {}
    for path in SOURCE.rglob("*.py"):
        nodes = list(ast.walk(ast.parse(path.read_text())))
        names = {node.id for node in nodes if isinstance(node, ast.Name)}
        names |= {node.name for node in nodes if isinstance(node, ast.ClassDef | ast.FunctionDef | ast.alias)}
        names |= {node.attr for node in nodes if isinstance(node, ast.Attribute)}
        found[str(path.relative_to(SOURCE))] = names
    return found


def native_files(name: str) -> set[str]:
    """The files of the native core whose code has this name; its bindings for Python have none of them."""
    found = set()
    for path in (ROOT / "native").rglob("*.?pp"), (ROOT / "native").rglob("*.inc"):
        for file in path:
            code = re.sub("//.*", "", file.read_text())
            if re.search(rf"\b{name}(_cell)?\b", code, re.IGNORECASE):
                found.add(str(file.relative_to(ROOT)))
    return found


POOLING = {"networks/cells.py", "native/engine/readout.hpp", "native/engine/readout.cpp"}
BEYOND = {"export/cells.py", "native/model/card.cpp"}  # ONNX and C++ programs, which the page names apart


def test_the_files_of_each_change_are_those_of_one_that_was_made() -> None:
    """The table against the sources: where the names of things that are there occur."""
    measured = {
        "a seventh topology": python_files("ascending_pt"),
        "a cell": (python_files("Blend") | native_files("blend") | {"trees/features.py"} | POOLING) - BEYOND,
        "a reader": python_files("EnergyFlow"),
        "a loss": python_files("huber_loss") | native_files("huber"),
        "a head": python_files("RegressorSettings"),
        "a peer": python_files("PfnSettings"),
        "an exporter": python_files("export_onnx"),
    }
    rows = {match[1]: match[0] for match in re.finditer(r"^\| ((?:an?) [\w ]+).*\|$", PAGE, re.MULTILINE)}
    for change, files in measured.items():
        row = next(text for name, text in rows.items() if name.startswith(change))
        _, _, now, which = (cell.strip() for cell in row.strip("|").split("|"))
        assert set(re.findall(r"`([\w/]+\.\w+)`", which)) == files, change
        in_python = len(files) - (change == "a loss")  # the kernel of a loss is not needed
        assert int(now) == in_python, change


def test_files_that_the_page_names_are_there() -> None:
    for name in re.findall(r"`((?:native|networks|trees|models|export|readers|cli|tests|studies)/[\w/.]+)`", PAGE):
        assert (ROOT / name).exists() or (SOURCE / name).exists() or "NEW" in name, name


MEDIAN = '''
"""A head that learns the median, with the pinball loss."""

from typing import Literal

import torch

from jetgram.networks.regression import Regression, RegressorSettings


class Median(Regression):
    def losses(self, outputs, targets):
        return (outputs - targets).abs().mean(dim=1) / 2


class MedianSettings(RegressorSettings):
    kind: Literal["median"] = "median"

    def build(self, inputs, hidden, one_per_class=False):
        return Median(inputs, self.targets, hidden, self.loss)
'''


WIDEST = '''
"""A network that reads the largest of each feature over the constituents."""

from typing import ClassVar, Literal

import torch

from jetgram.inputs.particles import ParticleSetInput
from jetgram.networks.family import TorchSettings
from jetgram.networks.peers.layers import BucketedEmbedding, padded


class Widest(BucketedEmbedding):
    outputs = 6

    def __init__(self):
        super().__init__()
        self.scale = torch.nn.Parameter(torch.ones(6))

    def bucket(self, jets):
        return padded(jets, self.scale).features.amax(dim=1) * self.scale


class WidestSettings(TorchSettings):
    reads = ParticleSetInput
    name: ClassVar[str] = "Widest"
    head_widths: ClassVar[tuple[int, ...]] = (8,)

    kind: Literal["widest"] = "widest"

    def embedding(self, read):
        return Widest()
'''


def add_line(file: Path, after: str, line: str) -> None:
    """Write a line, or a part of one, behind a text that is there once."""
    text = file.read_text()
    assert text.count(after) == 1, after
    file.write_text(text.replace(after, after + line))


def test_a_head_and_a_peer_are_a_file_and_a_line_each(tmp_path, qcd_jets) -> None:
    """In a copy of the package: the files in `networks/`, and the lines in `HEADS` and in `PEERS`."""
    house = tmp_path / "house" / "jetgram"
    shutil.copytree(SOURCE, house, ignore=shutil.ignore_patterns("__pycache__"))
    (house / "networks" / "median.py").write_text(MEDIAN)
    (house / "networks" / "peers" / "widest.py").write_text(WIDEST)
    for file, name, after in (
        ("models/flat.py", "networks.median import MedianSettings", "networks.regression import RegressorSettings\n"),
        ("networks/families.py", "networks.peers.widest import WidestSettings", "peers.pfn import PfnSettings\n"),
    ):
        add_line(house / file, after, f"from jetgram.{name}\n")
    add_line(house / "models" / "flat.py", '"regressor": RegressorSettings', ', "median": MedianSettings')
    add_line(house / "networks" / "families.py", '"part": ParTSettings,\n', '    "widest": WidestSettings,\n')
    jets = qcd_jets.with_columns(jet_pt=qcd_jets.pt, label=np.arange(len(qcd_jets)) % 2)
    save(tmp_path / "jets", {"train": jets[:200], "test": jets[200:]}, {"source": "test"})
    program = """
import sys
from jetgram.cli import main
for line in (
    "train jets --out model --set head=median --set targets=jet_pt --epochs 2",
    "predict model jets",
    "train jets --out peer --set network=widest --epochs 2",
    "predict peer jets --out peer.parquet",
):
    try:
        main(line.split())
    except SystemExit as end:
        assert not end.code, end.code
from jetgram.models.store import load_model
model = load_model("model")
assert type(model.network.head).__name__ == "Median" and model.network.engine() == "torch"
assert load_model("peer").title == "Widest"
"""
    # Without `site` (-S) an editable install is not seen, whose finder would come before the copy.
    others = [folder for folder in sys.path if "site-packages" in folder]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join([str(house.parent), *others])}
    result = subprocess.run(
        [sys.executable, "-S", "-c", program], cwd=tmp_path, env=environment, capture_output=True, text=True
    )
    assert result.returncode == 0, result.stderr
    assert (tmp_path / "scores.parquet").exists()
    assert (tmp_path / "peer.parquet").exists()
