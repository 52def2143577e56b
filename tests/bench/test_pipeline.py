import dataclasses

import pytest

from jetgram.bench.pipeline import REST, STAGES, PipelineBench, median_round
from jetgram.bench.sample import first_jets


@pytest.mark.parametrize("threads", [1, 2])
def test_shares_add_up_to_one(dataset, threads: int) -> None:
    found = PipelineBench(dataset, "test", first_jets(dataset, "test", 50), threads).round()
    assert found.jets == len(dataset)
    assert list(found.stages) == [*STAGES, REST]
    assert sum(stage.share for stage in found.stages.values()) == pytest.approx(1)
    assert all(stage.share > 0 for stage in found.stages.values())
    seconds = sum(1 / stage.jets_per_second for stage in found.stages.values())
    assert 1 / seconds == pytest.approx(found.jets_per_second)


def test_the_round_of_median_speed(dataset) -> None:
    found = PipelineBench(dataset, "test", first_jets(dataset, "test", 50), 1).round()
    rounds = [dataclasses.replace(found, jets_per_second=speed) for speed in (5.0, 1.0, 3.0, 4.0)]
    assert median_round(rounds) is rounds[2]
