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
