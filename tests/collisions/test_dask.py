"""The same shards on a real Dask cluster: a scheduler and two workers as processes, one worker killed half-way."""

import pytest

from jetgram.collisions.generate import generate
from jetgram.collisions.processes import W_VS_QCD
from jetgram.collisions.recipe import Recipe
from jetgram.errors import JetgramError
from jetgram.fanout import open_executor

RECIPE = Recipe(sample=W_VS_QCD, rows=200, seed=5)


def test_a_killed_worker_changes_nothing(dask_cluster, tmp_path):
    killed = []

    def kill_one(rows: int) -> None:
        if not killed:
            killed.append(dask_cluster.workers[0])
            dask_cluster.kill(killed[0])

    with open_executor(dask=dask_cluster.address) as executor:
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
