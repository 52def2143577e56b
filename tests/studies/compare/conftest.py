"""A tiny comparison, really made: rates tried, networks trained, test jets scored, costs measured."""

import dataclasses
import shutil
from concurrent.futures import ThreadPoolExecutor
from contextlib import nullcontext

import numpy as np
import pytest

from jetgram.momenta import Jets
from jetgram.storage.dataset import Dataset, save
from jetgram.studies.compare.comparison import Comparison
from jetgram.studies.compare.ensembles import average_seeds
from jetgram.studies.compare.known import collect, merge_lines
from jetgram.studies.compare.record import read_numbers, read_trials
from jetgram.studies.compare.run import run_comparison
from jetgram.studies.run import ProgressDisplays
from jetgram.training.ensemble import EnsembleWatcher

SILENT = ProgressDisplays(
    lambda what, total, unit, done: nullcontext(lambda count: None), lambda epochs: nullcontext(EnsembleWatcher())
)


def run(comparison):
    """As the command does it; what failed."""
    with ThreadPoolExecutor(1) as executor, comparison.occupied():
        merge_lines(comparison)
        failures = run_comparison(comparison, executor, SILENT)
        average_seeds(comparison, collect(comparison))
        return failures


def records_of(comparison):
    """The lines of its file of numbers, in order."""
    return [record for _, record in read_numbers(comparison.numbers)]


def trials_of(comparison):
    """The lines of its file of trials."""
    return [trial for _, trial in read_trials(comparison.tried)]


def files_of(folder):
    """Every file with the time of its last change."""
    return {file: file.stat().st_mtime_ns for file in folder.rglob("*") if file.is_file()}


@pytest.fixture(scope="session")
def dataset(qcd_jets, tmp_path_factory):
    """Three hundred jets, the harder half of which is signal; the second half of them to test."""
    pt = qcd_jets.pt[:300]
    label = (pt > np.median(pt)).astype(np.int8)
    jets = Jets(qcd_jets.momenta, qcd_jets.offsets)[:300].with_columns(label=label)
    folder = tmp_path_factory.mktemp("data") / "jets"
    save(folder, {"train": jets[:150], "test": jets[150:]}, {"source": "tests"})
    return Dataset(folder)


@pytest.fixture(scope="session")
def small(dataset, tmp_path_factory):
    """Two networks of two seeds, with two rates tried, finished; nobody writes into its folder."""
    out = tmp_path_factory.mktemp("comparison")
    comparison = Comparison(dataset.path, out, ("modern", "pfn"), rates=2, seeds=2, epochs=1)
    assert run(comparison) == []
    return comparison


@pytest.fixture
def copy(small, tmp_path):
    """The same in a folder of its own."""
    shutil.copytree(small.out, tmp_path / "copy")
    return dataclasses.replace(small, out=tmp_path / "copy")
