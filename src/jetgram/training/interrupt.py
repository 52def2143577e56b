"""Ctrl-C, and the request to end that batch systems send, wait for the end of a step."""

from __future__ import annotations

import contextlib
import signal
import threading
from collections.abc import Iterator
from types import FrameType

SIGNALS = (signal.SIGINT, signal.SIGTERM)


class Interrupt:
    """Whether the end of the training was asked for; a second request ends it at once."""

    def __init__(self) -> None:
        self.requested = False

    def __call__(self, number: int, frame: FrameType | None) -> None:
        """Note a signal."""
        if self.requested:
            raise KeyboardInterrupt
        self.requested = True


@contextlib.contextmanager
def deferred_interrupt() -> Iterator[Interrupt]:
    """A context in which the signals are only noted, but for those that this process ignores.

    Outside the main thread, where none arrives, it does nothing.
    """
    interrupt = Interrupt()
    if threading.current_thread() is not threading.main_thread():
        yield interrupt
        return
    heard = [number for number in SIGNALS if signal.getsignal(number) not in (signal.SIG_IGN, None)]
    before = {number: signal.signal(number, interrupt) for number in heard}
    try:
        yield interrupt
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
