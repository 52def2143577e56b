import os

import pytest

from jetgram import backend
from jetgram.errors import SettingsError


def test_threads_are_what_the_variable_says(monkeypatch):
    monkeypatch.setenv("JETGRAM_THREADS", " 3 ")
    assert backend.threads() == 3


@pytest.mark.parametrize("wish", [None, "", " "])
def test_threads_are_by_default_the_cores_of_this_process(monkeypatch, wish):
    monkeypatch.delenv("JETGRAM_THREADS", raising=False)
    if wish is not None:
        monkeypatch.setenv("JETGRAM_THREADS", wish)
    assert backend.threads() == len(os.sched_getaffinity(0))


@pytest.mark.parametrize("wish", ["abc", "0", "-1", "2.0", "1e3", "1025", "9" * 5000, "²", "٣"])
def test_no_number_of_threads_is_an_error(monkeypatch, wish):
    monkeypatch.setenv("JETGRAM_THREADS", wish)
    with pytest.raises(SettingsError, match="JETGRAM_THREADS is .*; expected a number from 1 to 1024"):
        backend.threads()
