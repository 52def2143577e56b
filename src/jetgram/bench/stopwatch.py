"""A stopwatch held from outside: it knows which functions make up a stage, and the functions know nothing of it."""

from __future__ import annotations

import inspect
import sys
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from types import CodeType, FrameType
from typing import Any, Self


class Stopwatch:
    """Seconds that all threads spend in each of some stages, by the wall clock.

    A stage is a set of Python functions. Where a function of one stage calls one of another, the time goes to the inner
    one. It works inside a `with` block, for the thread that enters it and for threads that are started in it.

    Args:
        stages: the functions of each stage.

    Example:
        >>> import json, statistics
        >>> with Stopwatch({"averaging": [statistics.mean], "writing": [json.dumps]}) as stopwatch:
        ...     text = json.dumps({"mean": statistics.mean(range(1000))})
        >>> {stage: seconds > 0 for stage, seconds in stopwatch.seconds.items()}
        {'averaging': True, 'writing': True}
    """

    def __init__(self, stages: Mapping[str, Sequence[Callable[..., Any]]]) -> None:
        self._stages = tuple(stages)
        self._stage_of: dict[CodeType, str] = {
            inspect.unwrap(function).__code__: stage for stage, functions in stages.items() for function in functions
        }
        self._threads: list[_Thread] = []
        self._own = threading.local()

    @property
    def seconds(self) -> dict[str, float]:
        """Of each stage, all threads together."""
        return {stage: sum(thread.seconds.get(stage, 0.0) for thread in self._threads) for stage in self._stages}

    def __enter__(self) -> Self:
        self._before = sys.getprofile(), threading.getprofile()
        threading.setprofile(self._notice)
        sys.setprofile(self._notice)
        return self

    def __exit__(self, *_: object) -> None:
        sys.setprofile(self._before[0])
        threading.setprofile(self._before[1])

    def _notice(self, frame: FrameType, event: str, _: object) -> None:
        """Called by Python at every call and return in every thread."""
        stage = self._stage_of.get(frame.f_code)
        if stage is None or event not in ("call", "return"):
            return
        thread = getattr(self._own, "thread", None)
        if thread is None:
            thread = self._own.thread = _Thread()
            self._threads.append(thread)
        if event == "call":
            thread.enter(stage)
        else:
            thread.leave()


class _Thread:
    """What one thread has done: the stages it is in, and the seconds of those it has left."""

    def __init__(self) -> None:
        self.seconds: dict[str, float] = {}
        self._inside: list[str] = []
        self._since = 0.0

    def enter(self, stage: str) -> None:
        self._book()
        self._inside.append(stage)

    def leave(self) -> None:
        self._book()
        self._inside.pop()

    def _book(self) -> None:
        """Give the time since the last event to the innermost stage."""
        now = time.perf_counter()
        if self._inside:
            stage = self._inside[-1]
            self.seconds[stage] = self.seconds.get(stage, 0.0) + now - self._since
        self._since = now
