"""What inference costs: jets per second of processor time on one core."""

from __future__ import annotations

import time
from collections.abc import Callable

from jetgram.errors import DatasetError
from jetgram.models.model import CHUNK, JetModel
from jetgram.momenta import Jets
from jetgram.storage.dataset import Dataset

SHORTEST = 0.1  # CPU-seconds of a measurement, at least
ROUNDS = 3


def first_jets(dataset: Dataset) -> Jets:
    """The first test jets, as many as a model reads at a time."""
    jets = dataset.first(CHUNK, "test")
    if not isinstance(jets, Jets):
        raise DatasetError(f"{dataset.path} holds {dataset.kind}; networks are compared on jets")
    return jets


def speeds(model: JetModel, jets: Jets) -> tuple[float, float]:
    """Jets per CPU-second of inference: from inputs that are ready, and from jets as they were found."""
    inputs = model.read(jets)
    reading = cpu_seconds(lambda: model.read(jets))
    scoring = cpu_seconds(lambda: model.network.predict(inputs))
    return len(jets) / scoring, len(jets) / (reading + scoring)


def cpu_seconds(work: Callable[[], object]) -> float:
    """Processor time of one call, the shortest of a few rounds: what others do on the machine only makes it longer."""
    work()
    times = []
    for _ in range(ROUNDS):
        calls, begin = 0, time.process_time()
        while calls == 0 or time.process_time() - begin < SHORTEST / ROUNDS:
            work()
            calls += 1
        times.append((time.process_time() - begin) / calls)
    return max(min(times), 1e-9)
