"""A tiny study, really made: collisions, networks of both cells, scores."""

import importlib.util
from contextlib import nullcontext
from pathlib import Path

import pytest

from jetgram.fanout import open_executor
from jetgram.studies.run import ProgressDisplays, run_study
from jetgram.studies.scales import Scale
from jetgram.studies.study import make_study
from jetgram.studies.workspace import Workspace
from jetgram.training.ensemble import EnsembleWatcher

DOCS = Path(__file__).parents[2] / "docs"
TINY = Scale(name="tiny", jets=400, events=60, seeds=2, epochs=1, sizes=(40, 80), remark="Much too small.")
ONLY = (
    "particles-simple-kt",
    "particles-simple-kt-*",
    "particles-simple-antikt",
    "particles-tau21-*",
    "events-2-*",
)
SILENT = ProgressDisplays(
    lambda what, total, unit, done: nullcontext(lambda count: None), lambda epochs: nullcontext(EnsembleWatcher())
)


@pytest.fixture(scope="session")
def study(tmp_path_factory):
    """All products for a few contestants, with all tasks done."""
    workspace = Workspace(tmp_path_factory.mktemp("study"), TINY, TINY.seeds)
    made = make_study(workspace, ["all"], ONLY)
    with open_executor(2) as executor:
        assert run_study(made, executor, SILENT) == []
    return made


def load_script(file):
    """A module from its file."""
    spec = importlib.util.spec_from_file_location(file.stem, file)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="session")
def hook():
    """What puts results into the pages of the documentation."""
    return load_script(DOCS / "_hooks" / "results.py")
