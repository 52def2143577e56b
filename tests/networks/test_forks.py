"""Forked processes predict; they do not wait for threads that a fork does not copy."""

import subprocess
import sys

import pytest

FORKS = """
import os, sys, threading, time, warnings
import numpy as np
import torch
from jetgram.networks.maxout import MaxOut

warnings.simplefilter("ignore", DeprecationWarning)  # Python warns of forks in a process with threads
torch.set_num_threads(2)
layer, images = MaxOut(900, 256, 5), torch.randn(400, 900)


def predict():
    with torch.no_grad():
        return layer(images)


expected = predict()


def predict_on():
    while True:
        predict()


for _ in range(2):
    threading.Thread(target=predict_on, daemon=True).start()
time.sleep(0.2)
for number in range(20):
    child, deadline = os.fork(), time.monotonic() + 30
    if child == 0:
        os._exit(0 if torch.allclose(predict(), expected, atol=1e-5) else 1)
    while (found := os.waitpid(child, os.WNOHANG)) == (0, 0):
        if time.monotonic() > deadline:
            os.kill(child, 9)
            print("child", number, "hangs", flush=True)
            os._exit(3)
        time.sleep(0.001)
    if os.waitstatus_to_exitcode(found[1]):
        print("child", number, "found other numbers", flush=True)
        os._exit(2)
os._exit(0)
"""


@pytest.mark.parametrize("module", ["jetgram.networks.network", "jetgram.networks.maxout"])
def test_processes_forked_while_threads_use_torch(module):
    program = f"import {module}\n" + FORKS
    found = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=600)
    assert (found.returncode, found.stdout) == (0, ""), found.stderr
