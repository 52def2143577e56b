import dataclasses

import numpy as np
import pytest

from jetgram import backend
from jetgram.bench.engines import EngineBench, Subject, all_cases, scaled_trees
from jetgram.bench.sample import first_jets

pytestmark = pytest.mark.skipif(backend.load()[0] is None, reason="needs the native core")


@pytest.fixture(scope="module")
def jets(dataset):
    return first_jets(dataset, "test", 40)


def test_both_engines_do_the_same_work(jets) -> None:
    trees, chosen = scaled_trees(jets, "gated", "kt"), np.arange(16)
    native, torch = (Subject("gated", engine) for engine in ("native", "torch"))
    outputs = [subject.work("inference", trees, chosen)() for subject in (native, torch)]
    np.testing.assert_allclose(*outputs, rtol=1e-4, atol=1e-5)


def test_training_changes_the_weights(jets) -> None:
    trees = scaled_trees(jets, "simple", "desc-pt")
    subject = Subject("simple", "native")
    before = [weight.detach().clone() for weight in subject.network.parameters()]
    subject.work("training", trees, np.arange(8))()
    assert any((old != new).any() for old, new in zip(before, subject.network.parameters(), strict=True))


def test_a_round_has_every_case_once_and_its_ratios_fit(jets) -> None:
    bench = EngineBench(jets, [8], threads=1)
    found = dict(bench.round())
    assert list(found) == bench.cases == all_cases([8])
    for one, more in found.values():
        assert one.native_over_torch == pytest.approx(one.native / one.torch)
        assert min(dataclasses.astuple(one)) > 0
        assert more is None


def test_two_threads_beside_one(jets) -> None:
    case, speeds = next(EngineBench(jets, [8], threads=2).round())
    assert case.batch == 8
    assert min(dataclasses.astuple(speeds.more)) > 0
