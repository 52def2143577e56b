"""The native objects: kept for the next call, and only a few of them."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from jetgram import backend
from jetgram.networks.engine.native_engine import ENGINES_KEPT, native_object

pytestmark = pytest.mark.skipif(backend.load()[0] is None, reason="there is no native core")

SIZES = """
import os, sys
import torch
from random_trees import random_schedule
from jetgram.networks.cells import cell_named
from jetgram.networks.engine.native_engine import embed


def resident():
    with open("/proc/self/statm") as file:
        return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE") / 2**20


schedule = random_schedule([60] * 100)
with torch.no_grad():
    for number in range(80):
        if number == 20:
            before = resident()
        embed(cell_named("gated", 7, 40 + number % 20 * 4 + number // 20), schedule)
print(resident() - before)
"""


def test_an_engine_is_kept_for_the_next_call():
    sizes = ("simple", 7, 5, (5, 1))
    assert native_object("Engine", *sizes) is native_object("Engine", *sizes)


def test_few_engines_are_kept():
    for hidden in range(1, 3 * ENGINES_KEPT):
        native_object("Engine", "simple", 7, hidden, (hidden, 1))
    assert native_object.cache_info().currsize == ENGINES_KEPT


@pytest.mark.skipif("libasan" in os.environ.get("LD_PRELOAD", ""), reason="the sanitizer keeps freed memory")
def test_the_memory_of_many_sizes_is_bounded():
    """60 more sizes of engines take no more memory than the first 20 did."""
    found = subprocess.run(
        [sys.executable, "-c", SIZES],
        env={**os.environ, "PYTHONPATH": str(Path(__file__).parent)},
        capture_output=True,
        text=True,
        check=True,
    )
    assert float(found.stdout) < 30
