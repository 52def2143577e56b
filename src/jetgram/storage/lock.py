"""One writer at a time in a folder, and whoever comes second is told who the first one is."""

from __future__ import annotations

import contextlib
import errno
import json
import os
import socket
import sys
import time
import weakref
from pathlib import Path

from jetgram.errors import JetgramError

LOCK = ".writer.lock"
SECONDS_BETWEEN_TRIES = 0.2
_NO_LOCKS = (errno.ENOLCK, errno.ENOSYS, errno.EOPNOTSUPP)  # a file system without locks: nobody can be kept out


class FolderLock:
    """The right to write in a folder, from when it is made until `release`.

    The lock is the system's, on an open file: it ends with the process, however that ends. The file says who has it,
    and is removed with the lock.

    Args:
        folder: made if missing.
        error: what is raised if another writer has it.
        wait: wait for the other writer instead.
        name: of the file.

    Example:
        >>> import tempfile
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     with FolderLock(Path(folder), JetgramError):
        ...         FolderLock(Path(folder), JetgramError)
        Traceback (most recent call last):
        jetgram.errors.JetgramError: another run writes in ...: process ... on ..., since ...; wait for it, or choose
            another folder
    """

    def __init__(self, folder: Path, error: type[JetgramError], wait: bool = False, name: str = LOCK) -> None:
        self._path = folder / name
        if folder.is_file():
            raise error(f"{folder} cannot be written: it is a file; expected a folder, or a new name")
        try:
            folder.mkdir(parents=True, exist_ok=True)
            held = self._acquire(error, wait)
        except OSError as problem:
            raise error(f"{folder} cannot be written: {problem}") from None
        self._process = os.getpid()
        self._close = weakref.finalize(self, os.close, held)  # a lock that nobody has any more locks nothing

    def release(self) -> None:
        """Let others write; a second call does nothing."""
        if self._close.alive:
            if os.getpid() == self._process:  # a forked child has the open file, not the lock
                self._path.unlink(missing_ok=True)  # while it is locked: nobody else can have it
            self._close()

    def __enter__(self) -> FolderLock:
        return self

    def __exit__(self, *exception: object) -> None:
        self.release()

    def _acquire(self, error: type[JetgramError], wait: bool) -> int:
        """The descriptor of the locked file."""
        while True:
            file = os.open(self._path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o644)
            try:
                held = _try_lock(file)
                if held and self._is_there(file):
                    _sign(file)
                    return file
                owner = "" if held else _owner(file)
            except BaseException:
                os.close(file)
                raise
            os.close(file)
            if not held and not wait:
                raise error(
                    f"another run writes in {self._path.parent}: {owner}; wait for it, or choose another folder"
                )
            if not held:
                time.sleep(SECONDS_BETWEEN_TRIES)

    def _is_there(self, file: int) -> bool:
        """Whether the locked file is still the one of that name: the writer before removes its own."""
        with contextlib.suppress(FileNotFoundError):
            return os.path.samestat(self._path.stat(), os.fstat(file))
        return False


def _try_lock(file: int) -> bool:
    import fcntl

    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    except OSError as problem:
        if problem.errno not in _NO_LOCKS:
            raise
    return True


def _sign(file: int) -> None:
    """Write into the file who has the lock, since when, and with which command."""
    owner = {
        "process": os.getpid(),
        "host": socket.gethostname(),
        "since": time.strftime("%Y-%m-%d %H:%M:%S"),
        "command": " ".join(sys.argv)[:200],
    }
    os.ftruncate(file, 0)
    os.pwrite(file, (json.dumps(owner) + "\n").encode(), 0)


def _owner(file: int) -> str:
    """Who has the lock, as far as the file says."""
    try:
        owner = json.loads(os.pread(file, 4096, 0))
        who = f"process {owner['process']} on {owner['host']}, since {owner['since']}"
    except (ValueError, KeyError, TypeError, OSError):
        return "a process that has just begun"
    return who + (f" ({owner['command']})" if owner.get("command") else "")
