"""The same shards on a real Dask cluster: a scheduler and two workers as processes, one worker killed half-way."""

import time
from concurrent.futures import ThreadPoolExecutor

import pytest

import jetgram
from jetgram.collisions.generate import generate
from jetgram.collisions.processes import W_VS_QCD
from jetgram.collisions.settings import GenerationSettings
from jetgram.errors import JetgramError
from jetgram.fanout import cluster_executor, open_executor

RECIPE = GenerationSettings(sample=W_VS_QCD, rows=120, seed=5)


def test_a_killed_worker_changes_nothing(dask_cluster, tmp_path):
    killed = []

    def kill_one(rows: int) -> None:
        if not killed:
            killed.append(dask_cluster.workers[0])
            dask_cluster.kill(killed[0])

    with jetgram.cluster(dask_cluster.address):
        from_cluster = generate(RECIPE, tmp_path / "cluster", on_rows=kill_one)
    assert killed
    assert cluster_executor() is None
    with ThreadPoolExecutor(1) as executor:
        assert generate(RECIPE, tmp_path / "here", executor).digest == from_cluster.digest


def test_no_scheduler_is_a_clear_error():
    with (
        pytest.raises(JetgramError, match="no Dask scheduler answers at 'tcp://127.0.0.1:9'"),
        open_executor(dask="tcp://127.0.0.1:9"),
    ):
        pass


def test_what_goes_wrong_inside_is_what_one_sees(dask_cluster):
    def fail_with_a_task_underway() -> None:
        with jetgram.cluster(dask_cluster.address) as executor:
            executor.submit(time.sleep, 60)
            raise ValueError("of my own")

    with pytest.raises(ValueError, match="of my own"):
        fail_with_a_task_underway()
