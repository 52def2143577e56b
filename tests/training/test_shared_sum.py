"""Sums through shared memory: exact, the same bits for all, and an error where a process is gone."""

import contextlib
import itertools
import os
import socket
import subprocess
import sys
import textwrap
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

from jetgram.training.shared_sum import SharedSum


@contextlib.contextmanager
def connected(size):
    """Sums of so many processes, here threads of one."""
    sockets = {rank: {} for rank in range(size)}
    for one, other in itertools.combinations(range(size), 2):
        sockets[one][other], sockets[other][one] = socket.socketpair()
    members = [SharedSum(rank, sockets[rank]) for rank in range(size)]
    try:
        yield members
    finally:
        for member in members:
            member.close()


def sum_up(shared, vectors):
    """The totals of one process, vector by vector."""
    found = []
    for vector in vectors:
        shared.row(len(vector), vector.dtype)[:] = vector
        found.append(shared.total())
    return found


@pytest.mark.parametrize("size", [2, 3, 5])
def test_all_get_the_sum_in_the_order_of_ranks(size):
    vectors = np.random.default_rng(size).normal(size=(size, 200, 1000)).astype(np.float32)
    with connected(size) as members, ThreadPoolExecutor(size) as pool:
        found = list(pool.map(sum_up, members, vectors))
    expected = vectors[0].copy()
    for others in vectors[1:]:
        expected += others
    for totals in found:
        np.testing.assert_array_equal(totals, expected)


def test_a_total_is_not_changed_by_what_follows():
    with connected(2) as members, ThreadPoolExecutor(2) as pool:
        totals, _ = pool.map(sum_up, members, [[np.full(3, float(n)) for n in range(6)]] * 2)
    assert [total.tolist() for total in totals] == [[2.0 * n] * 3 for n in range(6)]


@pytest.mark.parametrize("survivor", [0, 1])
def test_a_process_that_is_gone_is_an_error(survivor):
    with connected(2) as members, ThreadPoolExecutor(2) as pool:
        list(pool.map(sum_up, members, [[np.ones(4)]] * 2))
        members[1 - survivor].close()
        with pytest.raises(ConnectionError):
            sum_up(members[survivor], [np.ones(4)])


def test_a_process_that_is_gone_before_the_first_sum_is_an_error():
    with connected(2) as (first, second):
        first.close()
        with pytest.raises(ConnectionError):
            sum_up(second, [np.ones(4)])


PROGRAM = textwrap.dedent("""
    import os, sys
    import torch
    from jetgram.training.group import open_group

    with open_group() as group:
        gradient = torch.full((4,), float(group.rank + 1))
        for step in range(50):
            gradient.fill_(group.rank + 1 + step)
            loss, stop = group.combine(gradient, 10.0 * group.rank, jets=group.rank, stop=step == 7 and group.rank == 1)
            assert stop == (step == 7), step
            assert abs(loss - 50 / 3) < 1e-5, loss
            assert torch.allclose(gradient, torch.full((4,), 8 / 3 + step)), gradient
        group.wait()
""")


@pytest.mark.slow
@pytest.mark.parametrize("neighbours", [3, 1])
def test_processes_average_over_their_jets(neighbours, tmp_path):
    """Gradients r + 1 with r jets, r = 0, 1, 2: their mean is (2 + 2 * 3) / 3. With one per machine it is gloo's."""
    program = tmp_path / "program.py"
    program.write_text(PROGRAM)
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    place = {"MASTER_ADDR": "127.0.0.1", "MASTER_PORT": str(port), "WORLD_SIZE": "3", "OMP_NUM_THREADS": "1"}
    started = [
        subprocess.Popen(
            [sys.executable, str(program)],
            env={**os.environ, **place, "RANK": str(rank), "LOCAL_WORLD_SIZE": str(neighbours)},
            stderr=subprocess.PIPE,
            text=True,
        )
        for rank in range(3)
    ]
    for process in started:
        _, err = process.communicate(timeout=120)
        assert process.returncode == 0, err
