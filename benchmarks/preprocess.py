"""Subjets and preprocessing next to FastJet, jet finding next to its clustering alone: ratios, one core, interleaved.

Times are those of the thread's own processor time, so that other work on the machine does not count.
"""

import os
import statistics
import time
from collections.abc import Callable

import numpy as np

from jetgram import kinematics
from jetgram.jets.clustering import cluster, cluster_sequence, find_jets, jet_definition
from jetgram.jets.preprocess import preprocess
from jetgram.jets.soft import SoftParticles
from jetgram.jets.subjets import find_subjets
from jetgram.momenta import Events, Jets

EVENTS, PARTICLES = 200, 420
JETS, CONSTITUENTS = 2000, 60
ROUNDS = 7


def toy(groups: int, size: int, width: float, seed: int) -> tuple[np.ndarray, np.ndarray]:
    """Momenta around two prongs on a flat floor: the multiplicity and spread of real jets and events."""
    rng = np.random.default_rng(seed)
    n = groups * size
    prong = rng.integers(0, 3, n)
    spread = np.array([0.1, 0.2, width])[prong]
    eta = np.clip(np.array([0.0, 0.5, 0.0])[prong] + spread * rng.normal(size=n), -5, 5)
    phi = np.array([0.0, 0.3, 0.0])[prong] + spread * rng.normal(size=n)
    pt = np.array([4.0, 2.0, 0.5])[prong] * rng.exponential(size=n)
    return kinematics.from_ptetaphim(pt, eta, phi, 0.14), np.arange(0, n + 1, size)


def interleaved(tasks: dict[str, Callable[[], object]]) -> dict[str, float]:
    """Median seconds of each task, one of each in every round."""
    times: dict[str, list[float]] = {name: [] for name in tasks}
    for _ in range(ROUNDS):
        for name, task in tasks.items():
            start = time.thread_time()
            task()
            times[name].append(time.thread_time() - start)
    return {name: statistics.median(values) for name, values in times.items()}


def main() -> None:
    os.environ["JETGRAM_THREADS"] = "1"
    jets = Jets(*toy(JETS, CONSTITUENTS, 0.4, seed=1))
    events = Events(*toy(EVENTS, PARTICLES, 2.0, seed=2))
    same = Events(jets.momenta, jets.offsets)
    kt, antikt = jet_definition("kt", 0.3), jet_definition("antikt", 1.0)
    median = interleaved(
        {
            "fastjet kt 0.3": lambda: cluster_sequence(jets, kt),
            "fastjet kt 0.3 + index": lambda: cluster(same, kt),
            "find_subjets": lambda: find_subjets(jets),
            "preprocess": lambda: preprocess(jets),
            "preprocess, trimmed": lambda: preprocess(jets, trim=0.05),
            "fastjet antikt 1": lambda: cluster_sequence(events, antikt),
            "find_jets": lambda: find_jets(events),
            "find_jets, soft": lambda: find_jets(events, soft=SoftParticles()),
        }
    )
    print(f"{JETS} jets of {CONSTITUENTS} particles, one core:")
    for name in ("fastjet kt 0.3", "fastjet kt 0.3 + index", "find_subjets", "preprocess", "preprocess, trimmed"):
        ratio = median["fastjet kt 0.3"] / median[name]
        print(f"  {name:24}{JETS / median[name]:9,.0f} jets/s   {ratio:5.2f} x FastJet's clustering")
    print(f"{EVENTS} events of {PARTICLES} particles, one core:")
    for name in ("fastjet antikt 1", "find_jets", "find_jets, soft"):
        ratio = median[name] / median["fastjet antikt 1"]
        print(f"  {name:24}{1e3 * median[name] / EVENTS:9.3f} ms/event {ratio:5.2f} x FastJet's time")


if __name__ == "__main__":
    main()
