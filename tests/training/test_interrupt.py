import signal
import threading

import pytest

from jetgram.training.interrupt import deferred_interrupt


def test_the_first_request_waits_and_the_second_does_not():
    with deferred_interrupt() as interrupt:
        assert not interrupt.requested
        signal.raise_signal(signal.SIGINT)
        assert interrupt.requested
        with pytest.raises(KeyboardInterrupt):
            signal.raise_signal(signal.SIGTERM)
    with pytest.raises(KeyboardInterrupt):
        signal.raise_signal(signal.SIGINT)


def test_a_signal_that_is_ignored_stays_ignored():
    """As SIGINT is in what a shell script starts in the background."""
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        with deferred_interrupt() as interrupt:
            signal.raise_signal(signal.SIGINT)
            assert not interrupt.requested
            signal.raise_signal(signal.SIGTERM)
            assert interrupt.requested
        assert signal.getsignal(signal.SIGINT) is signal.SIG_IGN
    finally:
        signal.signal(signal.SIGINT, before)


def test_in_another_thread_it_does_nothing():
    before = signal.getsignal(signal.SIGINT)
    seen = []

    def work():
        with deferred_interrupt() as interrupt:
            seen.append((interrupt.requested, signal.getsignal(signal.SIGINT)))

    thread = threading.Thread(target=work)
    thread.start()
    thread.join()
    assert seen == [(False, before)]
