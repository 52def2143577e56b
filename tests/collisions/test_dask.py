"""The same shards on a real Dask cluster: a scheduler and two workers as processes, one worker killed half-way."""

import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from jetgram.collisions.generate import generate
from jetgram.collisions.processes import W_VS_QCD
from jetgram.collisions.recipe import Recipe
from jetgram.errors import JetgramError
from jetgram.fanout import open_executor

RECIPE = Recipe(sample=W_VS_QCD, rows=200, seed=5)


def start(*arguments: str, log: Path) -> subprocess.Popen[bytes]:
    command = [sys.executable, "-m", "distributed.cli." + arguments[0], *arguments[1:]]
    with log.open("wb") as file:
        return subprocess.Popen(command, stdout=file, stderr=subprocess.STDOUT, start_new_session=True)


def kill(process: subprocess.Popen[bytes]) -> None:
    os.killpg(process.pid, signal.SIGKILL)
    process.wait()


def address_in(log: Path) -> str:
    for _ in range(300):
        found = re.search(r"tcp://127\.0\.0\.1:\d+", log.read_text())
        if found:
            return found.group()
        time.sleep(0.1)
    raise AssertionError(f"the scheduler did not start:\n{log.read_text()}")


@pytest.fixture
def cluster(tmp_path):
    """Address of a scheduler on this machine, and its two workers."""
    log = tmp_path / "scheduler.log"
    scheduler = start("dask_scheduler", "--host", "127.0.0.1", "--port", "0", "--no-dashboard", log=log)
    address = address_in(log)
    options = ("--nthreads", "1", "--no-dashboard", "--no-nanny", "--local-directory", str(tmp_path))
    workers = [start("dask_worker", address, *options, log=tmp_path / f"worker{i}.log") for i in range(2)]
    yield address, workers
    for process in (*workers, scheduler):
        if process.poll() is None:
            kill(process)


def test_a_killed_worker_changes_nothing(cluster, tmp_path):
    address, workers = cluster
    killed = []

    def kill_one(rows: int) -> None:
        if not killed:
            killed.append(workers[0])
            kill(workers[0])

    with open_executor(dask=address) as executor:
        from_cluster = generate(RECIPE, tmp_path / "cluster", executor, kill_one)
    assert killed
    with open_executor(2) as executor:
        assert generate(RECIPE, tmp_path / "here", executor).digest == from_cluster.digest


def test_no_scheduler_is_a_clear_error():
    with (
        pytest.raises(JetgramError, match="no Dask scheduler answers at 'tcp://127.0.0.1:9'"),
        open_executor(dask="tcp://127.0.0.1:9"),
    ):
        pass
