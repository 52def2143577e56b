"""From a stored dataset of constituents to scores, by the very functions of `jetgram predict`."""

from __future__ import annotations

import dataclasses
import statistics
import time
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from jetgram.bench.stopwatch import Stopwatch
from jetgram.evaluation.predict import predict_dataset
from jetgram.evaluation.scores import Scores
from jetgram.inputs.schedule import Schedule
from jetgram.inputs.trees import AnyTreeInput, tree_rows
from jetgram.jets.preprocess import preprocess
from jetgram.models.model import JetModel
from jetgram.models.settings import ModelSettings
from jetgram.momenta import Jets
from jetgram.networks.device import using_threads
from jetgram.networks.network import JetNetwork
from jetgram.storage.dataset import Dataset
from jetgram.trees.features import node_features
from jetgram.trees.topologies import build_trees
from jetgram.validity import require_good

# In the order of the data. Time belongs to the innermost stage: a check inside another stage counts as a check, and
# of `read` and `predict_scaled`, which call other stages, only what they do themselves counts.
STAGES: Mapping[str, Sequence[Callable[..., Any]]] = {
    "reading": (Dataset.read_shard,),
    "checking": (require_good,),
    "preprocessing": (preprocess,),
    "trees and features": (
        AnyTreeInput._read,
        tree_rows,
        build_trees,
        node_features,
        Schedule.from_trees,
        Schedule.scaled,
    ),
    "network": (JetModel.predict_scaled, JetNetwork.predict),
    "table of scores": (Scores.from_rows,),
}
REST = "waiting and the rest"


@dataclasses.dataclass(frozen=True)
class Stage:
    """One stage: its fraction of the time, and the speed if there were no other."""

    share: float
    jets_per_second: float


@dataclasses.dataclass(frozen=True)
class PipelineSpeed:
    """How fast jets become scores.

    Args:
        jets: that were scored.
        jets_per_second: by the wall clock.
        cores: how many cores the process had on average: processor time over time.
        stages: of all threads; their fractions add up to 1.
    """

    jets: int
    jets_per_second: float
    cores: float
    stages: Mapping[str, Stage]


class PipelineBench:
    """A model at the paper's sizes, simple cell and kt trees, on one split of a dataset.

    Args:
        dataset: of jets.
        split: the split to score.
        jets: some of them, for the scaler.
        threads: for everything.
    """

    def __init__(self, dataset: Dataset, split: str, jets: Jets, threads: int) -> None:
        self._dataset, self._split, self._threads = dataset, split, threads
        self._model = JetModel.untrained(ModelSettings(cell="simple", topology="kt"), jets)
        self.round()  # the first time files come from the disk and threads are started

    def round(self) -> PipelineSpeed:
        """All jets twice: the first time for the speed, the second time with a stopwatch for the fractions."""
        with using_threads(self._threads):
            wall, processor = time.perf_counter(), time.process_time()
            jets = len(predict_dataset(self._model, self._dataset, self._split))
            wall, processor = time.perf_counter() - wall, time.process_time() - processor
            shares = self._shares()
        stages = {stage: Stage(share, jets / wall / share) for stage, share in shares.items() if share > 0}
        return PipelineSpeed(jets, jets / wall, processor / wall, stages)

    def _shares(self) -> dict[str, float]:
        start = time.perf_counter()
        with Stopwatch(STAGES) as stopwatch:
            predict_dataset(self._model, self._dataset, self._split)
        whole = self._threads * (time.perf_counter() - start)
        shares = {stage: seconds / whole for stage, seconds in stopwatch.seconds.items()}
        return {**shares, REST: 1 - sum(shares.values())}


def median_round(rounds: Sequence[PipelineSpeed]) -> PipelineSpeed:
    """The round of median speed, so that its fractions still add up."""
    speed = statistics.median_low([found.jets_per_second for found in rounds])
    return next(found for found in rounds if found.jets_per_second == speed)
