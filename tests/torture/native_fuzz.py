"""Wrong arguments into every entry of the native core that a day's work calls; run as a program, because it may crash.

The work is done once with every call written down. Then each call is repeated with one argument spoilt at a time: an
exception is right, and so is a result where the value is allowed. After it the untouched call works as before.
"""

import copy
import sys
from collections.abc import Iterator
from typing import Any

import numpy as np

from jetgram import backend
from jetgram.momenta import Jets

MOST = 3  # calls of one entry that are kept


class Recorder:
    """Stands before the core, or an object of it, and keeps the arguments of its calls."""

    def __init__(self, target: Any, name: str, calls: dict[str, list[tuple[Any, tuple[Any, ...], dict[str, Any]]]]):
        self._target, self._name, self._calls = target, name, calls

    def __getattr__(self, attribute: str) -> Any:
        found = getattr(self._target, attribute)
        if not callable(found):
            return found

        def call(*arguments: Any, **named: Any) -> Any:
            kept = self._calls.setdefault(f"{self._name}.{attribute}", [])
            if len(kept) < MOST:
                kept.append((found, copy.deepcopy(arguments), copy.deepcopy(named)))
            result = found(*arguments, **named)
            is_core = type(result).__module__.startswith("jetgram._native")
            return Recorder(result, attribute, self._calls) if is_core else result

        return call


def spoilt(value: Any) -> Iterator[tuple[str, Any]]:
    """The same argument, wrong in one way."""
    yield "nothing", None
    if isinstance(value, np.ndarray):
        yield "a list", value.tolist()
        yield "another type", value.astype(np.float16 if value.dtype.kind == "f" else np.float64)
        yield "read-only", _read_only(value)
        yield "one dimension more", value[None]
        yield "short", value[:-1].copy()
        yield "empty", value[:0].copy()
        yield "long", np.concatenate([value, value])
        yield "strided", np.repeat(value, 2, axis=-1)[..., ::2] if value.ndim else value
        if value.ndim == 2:
            yield "columns", np.ascontiguousarray(value[:, :-1])
            yield "order", np.asfortranarray(value) if min(value.shape) > 1 else value[:, :0]
        extremes = (-1, -2, 2**30, 2**62, -(2**63)) if value.dtype.kind == "i" else (np.nan, np.inf, -np.inf, 1e308)
        for extreme in extremes if value.size and value.dtype.kind in "if" else ():
            for place in {0, value.size // 2, value.size - 1}:
                changed = value.copy()
                with np.errstate(all="ignore"):
                    changed.reshape(-1)[place] = np.array(extreme).astype(value.dtype)
                yield f"{extreme} at {place}", changed
    elif isinstance(value, bool):
        yield "a number", 7
    elif isinstance(value, int):
        for number in (-1, 0, 2**31, 2**62, 2**70):
            yield str(number), number
    elif isinstance(value, float):
        for number in (np.nan, np.inf, -1.0, 1e308):
            yield str(number), number
    elif isinstance(value, str):
        yield "no such name", "x" * 1000
    elif isinstance(value, (list, tuple)):
        yield "huge", type(value)([2**40] * 3)
        yield "negative", type(value)([-1])


def _read_only(array: np.ndarray) -> np.ndarray:
    array = array.copy()
    array.flags.writeable = False
    return array


def recorded() -> dict[str, list[tuple[Any, tuple[Any, ...], dict[str, Any]]]]:
    """All calls of a small training, with several networks and ways to read jets."""
    calls: dict[str, list[tuple[Any, tuple[Any, ...], dict[str, Any]]]] = {}
    core = Recorder(backend.load()[0], "core", calls)
    backend.load = lambda: (core, "")  # type: ignore[assignment]
    backend.native_core = lambda: core  # type: ignore[assignment]
    from jetgram.jets.preprocess import preprocess
    from jetgram.tagger import JetTagger
    from jetgram.trees.topologies import TOPOLOGIES, build_trees

    rng = np.random.default_rng(3)
    momenta = rng.normal(size=(240, 4)) * 20
    momenta[:, 3] = np.sqrt((momenta[:, :3] ** 2).sum(axis=1) + 0.02)
    jets = Jets(momenta, np.arange(0, 241, 6))
    preprocess(jets, 0.05)
    for topology in TOPOLOGIES:
        build_trees(jets, topology)
    for cell in ("simple", "gated"):
        JetTagger(cell=cell, hidden=3, epochs=1, validation=8, batch=8).fit(jets, np.arange(40) % 2)
    return calls


def attack(calls: dict[str, list[tuple[Any, tuple[Any, ...], dict[str, Any]]]]) -> tuple[int, int]:
    """Repeat every call with one argument spoilt at a time; how many there were, and how many were refused."""
    tried = refused = 0
    for name, kept in calls.items():
        for function, arguments, named in kept:
            places = [*range(len(arguments)), *named]
            for place in places:
                for what, value in spoilt(named[place] if isinstance(place, str) else arguments[place]):
                    print(f"{name}, argument {place}: {what}", flush=True)
                    changed, others = list(copy.deepcopy(arguments)), copy.deepcopy(named)
                    if isinstance(place, str):
                        others[place] = value
                    else:
                        changed[place] = value
                    tried += 1
                    try:
                        function(*changed, **others)
                    except (ValueError, TypeError, RuntimeError, MemoryError, OverflowError):
                        refused += 1
            function(*copy.deepcopy(arguments), **copy.deepcopy(named))
    return tried, refused


def main() -> None:
    """Print what is tried, and at the end how much was and how much of it was refused."""
    calls = recorded()
    if "--planted" in sys.argv:
        import ctypes

        calls["planted"] = [(ctypes.string_at, (1,), {})]  # reads where nothing is
    tried, refused = attack(calls)
    print(f"{len(calls)} entries, {tried} calls, {refused} refused")


if __name__ == "__main__":
    main()
