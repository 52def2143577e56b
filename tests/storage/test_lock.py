import os
import re
import signal
import subprocess
import sys
import threading
import time

import pytest

from jetgram.errors import DatasetError, ModelError
from jetgram.storage import atomic
from jetgram.storage.lock import LOCK, FolderLock
from jetgram.storage.writer import DatasetWriter

HOLD = """
import sys, time
from pathlib import Path
from jetgram.errors import ModelError
from jetgram.storage.lock import FolderLock
lock = FolderLock(Path(sys.argv[1]), ModelError)
print("held", flush=True)
time.sleep(60)
"""


def test_the_second_writer_is_told_who_the_first_one_is(tmp_path):
    with FolderLock(tmp_path / "new", ModelError), pytest.raises(ModelError) as refused:
        FolderLock(tmp_path / "new", ModelError)
    found = re.fullmatch(
        r"another run writes in (.*): process (\d+) on (\S+), since (\d{4}-\d\d-\d\d \d\d:\d\d:\d\d) \(.*\); wait for "
        "it, or choose another folder",
        str(refused.value),
    )
    assert found[1] == str(tmp_path / "new")
    assert found[2] == str(os.getpid())


def test_nothing_is_left_behind(tmp_path):
    with FolderLock(tmp_path, ModelError):
        assert (tmp_path / LOCK).exists()
    assert list(tmp_path.iterdir()) == []
    FolderLock(tmp_path, ModelError).release()


def test_a_killed_writer_keeps_nobody_out(tmp_path):
    holder = subprocess.Popen([sys.executable, "-c", HOLD, str(tmp_path)], stdout=subprocess.PIPE, text=True)
    try:
        assert holder.stdout.readline() == "held\n"
        with pytest.raises(ModelError, match=f"process {holder.pid} on"):
            FolderLock(tmp_path, ModelError)
        holder.send_signal(signal.SIGKILL)
        holder.wait()
        assert (tmp_path / LOCK).exists()
        FolderLock(tmp_path, ModelError).release()
        assert not (tmp_path / LOCK).exists()
    finally:
        holder.kill()
        holder.wait()
        holder.stdout.close()


def test_a_forked_child_does_not_end_the_lock(tmp_path):
    with FolderLock(tmp_path, ModelError) as lock:
        child = os.fork()
        if child == 0:
            lock.release()
            os._exit(0)
        os.waitpid(child, 0)
        with pytest.raises(ModelError, match="another run writes in"):
            FolderLock(tmp_path, ModelError)
    FolderLock(tmp_path, ModelError).release()


def test_one_at_a_time_among_many(tmp_path):
    inside, most, order = 0, 0, threading.Lock()

    def write():
        nonlocal inside, most
        for _ in range(5):
            with FolderLock(tmp_path, ModelError, wait=True):
                with order:
                    inside += 1
                    most = max(most, inside)
                time.sleep(0.002)
                with order:
                    inside -= 1

    writers = [threading.Thread(target=write) for _ in range(6)]
    for writer in writers:
        writer.start()
    for writer in writers:
        writer.join()
    assert most == 1


def test_a_folder_that_cannot_be_made_says_so(tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(ModelError, match="file cannot be written: it is a file; expected a folder"):
        FolderLock(tmp_path / "file", ModelError)


def test_one_dataset_has_one_writer(tmp_path):
    """The second writer neither writes nor cleans up what the first one is writing."""
    with DatasetWriter(tmp_path, "jets", {"source": "first"}):
        part = tmp_path / ".train-00000.parquet.x.part"
        part.touch()
        with pytest.raises(DatasetError, match=f"another run writes in {tmp_path}: process {os.getpid()}"):
            DatasetWriter(tmp_path, "jets", {"source": "second"})
        assert part.exists()
        atomic.remove_leftovers(tmp_path)


def test_a_writer_that_fails_lets_others_write(tmp_path):
    with pytest.raises(RuntimeError, match="no more"), DatasetWriter(tmp_path, "jets", {}):
        raise RuntimeError("no more")
    DatasetWriter(tmp_path, "jets", {}).close()
