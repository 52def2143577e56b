import os
import subprocess
import sys

import numpy as np
import pytest

from jetgram import numpy_bits
from jetgram.fanout import open_executor

needs_wide = pytest.mark.skipif(not numpy_bits.wide_features(), reason="this machine's NumPy uses no AVX-512")


def test_a_new_process_does_without_wide_instructions():
    code = "from jetgram import numpy_bits; print(numpy_bits.wide_features())"
    environment = {**os.environ, **numpy_bits.environment()}
    found = subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=True)
    assert found.stdout.strip() == "[]"
    assert not found.stderr


def test_so_do_workers_and_the_environment_is_as_before():
    before = dict(os.environ)
    with open_executor(2, same_bits=True) as executor:
        assert executor.submit(numpy_bits.wide_features).result() == []
    assert dict(os.environ) == before


@needs_wide
def test_what_is_disabled_already_stays_so(monkeypatch):
    monkeypatch.setenv(numpy_bits.VARIABLE, "FMA3")
    assert numpy_bits.environment()[numpy_bits.VARIABLE].split()[0] == "FMA3"
    with numpy_bits.for_new_processes():
        assert os.environ[numpy_bits.VARIABLE] != "FMA3"
    assert os.environ[numpy_bits.VARIABLE] == "FMA3"


@needs_wide
def test_the_bits_differ_which_is_why():
    x = np.random.default_rng(1).random(10_000)
    with open_executor(same_bits=True) as executor:
        elsewhere = executor.submit(np.log, x).result()
    np.testing.assert_allclose(elsewhere, np.log(x), rtol=1e-15)
    assert (elsewhere != np.log(x)).any()
