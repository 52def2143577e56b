"""Processes beside this one: what fails there is told, and nobody else is touched."""

import multiprocessing
import os
import signal
import time

import pytest

from jetgram.errors import JetgramError
from jetgram.fanout import open_executor


def kill_a_worker():
    with open_executor(1) as executor:
        executor.submit(os.kill, executor.submit(os.getpid).result(), signal.SIGKILL).result()


def fail_while_a_worker_works(stranger):
    with open_executor(1) as executor:
        stranger.start()
        executor.submit(time.sleep, 600.0)
        raise ZeroDivisionError


def test_a_worker_that_dies_is_told_with_what_to_do():
    with pytest.raises(JetgramError, match="a worker died, .* run the same command again, or with fewer --workers"):
        kill_a_worker()


def test_an_error_ends_the_workers_and_nobody_else():
    stranger = multiprocessing.get_context("spawn").Process(target=time.sleep, args=(600.0,))
    with pytest.raises(ZeroDivisionError):
        fail_while_a_worker_works(stranger)
    assert multiprocessing.active_children() == [stranger]
    stranger.kill()
    stranger.join()
