"""The same study on a cluster, and killed at random moments: the same scores, to the last bit."""

import contextlib
import itertools
import os
import random
import shutil
import signal
import subprocess
import sys
import threading
import time

import numpy as np
import pytest
from amounts import amount
from commands import SIGNALS

from jetgram.evaluation.score_files import read_scores
from jetgram.fanout import RETRIES, cluster, open_executor
from jetgram.studies.merge import collect_seeds
from jetgram.studies.run import run_study
from jetgram.studies.study import make_study
from jetgram.studies.workspace import Workspace

from .conftest import SILENT, TINY

FEW = ("particles-simple-kt", "particles-tau21-trimmed", "events-2-jets-kt")
PRODUCTS = ["table1", "table2", "table3"]

STUDY = f"""
import sys
from contextlib import nullcontext
from pathlib import Path

from jetgram.fanout import open_executor
from jetgram.studies.run import ProgressDisplays, run_study
from jetgram.studies.scales import Scale
from jetgram.studies.study import make_study
from jetgram.studies.workspace import Workspace
from jetgram.training.ensemble import EnsembleWatcher

if __name__ == "__main__":
    workspace = Workspace(Path(sys.argv[1]), Scale(**{TINY.model_dump()!r}), {TINY.seeds})
    shows = ProgressDisplays(lambda *_: nullcontext(lambda count: None), lambda epochs: nullcontext(EnsembleWatcher()))
    with open_executor(2) as executor:
        failures = run_study(make_study(workspace, {PRODUCTS}, {FEW}), executor, shows)
    raise SystemExit(len(failures))
"""


def kill(process, signal_number):
    """End a study and its workers; with Ctrl-C and SIGTERM they have time to end by themselves."""
    if process.poll() is None:
        os.killpg(process.pid, signal_number)
        process.wait(timeout=120)
    with contextlib.suppress(ProcessLookupError):  # as a rule none is left
        os.killpg(process.pid, signal.SIGKILL)


def copy_of_data(study, folder):
    """A study with nothing but the collisions of another."""
    shutil.copytree(study.workspace.out / "data", folder / "data")
    return make_study(Workspace(folder, TINY, TINY.seeds), PRODUCTS, FEW)


def assert_same_scores(study, other):
    """Every score file of `other` says what that of `study` says."""
    assert other.plan.finished
    for task in other.plan.scorings:
        same = study.workspace.out / task.file.relative_to(other.workspace.out)
        assert np.array_equal(read_scores(task.file).outputs["score"], read_scores(same).outputs["score"])


def test_a_cluster_gives_the_same(study, dask_cluster, tmp_path):
    other = copy_of_data(study, tmp_path / "cluster")
    with open_executor(dask=dask_cluster.address) as executor:
        assert run_study(other, executor, SILENT) == []
    assert len(other.plan.scorings) == 2 * (1 + 6 + 1) - 2 + 1
    assert_same_scores(study, other)


class Killer(threading.Thread):
    """Kills the oldest worker of a cluster at random moments and puts another in its place, until enough are dead.

    A study lasts about as long as a worker, so the moments go on from one study to the next. A task may lose few
    workers before Dask gives it up, and on slow cores all deaths may hit the same one: each study has its share.

    Args:
        cluster: with its workers.
        enough: how many die.
    """

    def __init__(self, cluster, enough):
        super().__init__()
        self.cluster, self.enough, self.killed, self.share = cluster, enough, 0, 0
        self.over, self.moments = threading.Event(), random.Random(7)

    def run(self):
        while self.killed < self.enough and not self.over.wait(self.moments.uniform(4.0, 10.0)):
            if self.share > 0:
                self.cluster.add_worker()
                self.cluster.kill(self.cluster.workers.pop(0))
                self.killed += 1
                self.share -= 1

    def __enter__(self):
        self.start()
        return self

    def __exit__(self, *_):
        self.over.set()
        self.join()


@pytest.mark.slow
def test_killed_workers_leave_the_same_tables(study, dask_cluster, tmp_path):
    """Workers die at random moments, and others take their places; one study after the other, until enough are dead."""
    with Killer(dask_cluster, amount(2, 50)) as killer:
        for number in itertools.count():
            killer.share = RETRIES
            run_on_cluster(study, dask_cluster, tmp_path / f"killed-{number}")
            if not killer.is_alive():
                break
    assert killer.killed == killer.enough


def run_on_cluster(study, dask_cluster, folder):
    other = copy_of_data(study, folder)
    shutil.rmtree(other.workspace.dataset("events"))
    with cluster(dask_cluster.address) as executor:
        assert run_study(other, executor, SILENT) == []
    assert_same_scores(study, other)
    whole, again = (collect_seeds(each.workspace, other.rows).records for each in (study, other))
    assert {key: record.numbers for key, record in again.items()} == {key: whole[key].numbers for key in again}
    assert len(again) == len(other.plan.scorings)


@pytest.mark.slow
def test_killed_anywhere_it_goes_on(study, tmp_path):
    other = copy_of_data(study, tmp_path / "killed")
    shutil.rmtree(other.workspace.dataset("events"))
    script = tmp_path / "study.py"
    script.write_text(STUDY)
    command = [sys.executable, str(script), str(other.workspace.out)]
    moments = random.Random(5)
    kept = {}
    for number in range(amount(6, 50)):
        process = subprocess.Popen(command, stderr=subprocess.DEVNULL, start_new_session=True)
        time.sleep(moments.uniform(3.0, 9.0))
        kill(process, SIGNALS[number % len(SIGNALS)])
        found = collect_seeds(other.workspace, other.rows)
        assert found.refused == ()  # what is there is whole
        assert set(kept) <= set(found.records)
        kept = found.records
    subprocess.run(command, check=True, timeout=300)
    assert_same_scores(study, other)
    whole, again = (collect_seeds(each.workspace, other.rows).records for each in (study, other))
    assert {key: record.numbers for key, record in again.items()} == {key: whole[key].numbers for key in again}
    assert len(again) == len(other.plan.scorings)
