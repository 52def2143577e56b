"""Jets with something to learn, as collections and as a stored dataset."""

import numpy as np
import pytest

from jetgram.jets.clustering import find_jets
from jetgram.momenta import Events, Jets
from jetgram.storage.dataset import Dataset, save


@pytest.fixture(scope="session")
def labelled_jets(qcd_jets: Jets) -> Jets:
    """QCD jets; `label` tells the harder half from the other, which a network learns from a few of them."""
    pt = qcd_jets.pt
    label = (pt > np.median(pt)).astype(np.int8)
    weight = np.random.default_rng(1).uniform(0.5, 1.5, len(label))
    jets = Jets(qcd_jets.momenta, qcd_jets.offsets)
    return jets.with_columns(label=label, importance=weight, hard=np.where(label == 1, pt, np.nan))


@pytest.fixture(scope="session")
def labelled_events(qcd_events: Events) -> Events:
    """QCD events; `label` tells those with the harder second jet, `second` is its pT."""
    second = find_jets(Events(qcd_events.momenta, qcd_events.offsets), hardest=2).pt[1::2]
    return Events(
        qcd_events.momenta,
        qcd_events.offsets,
        {"label": (second > np.median(second)).astype(np.int8), "second": second},
    )


@pytest.fixture(scope="session")
def event_dataset(labelled_events: Events, tmp_path_factory: pytest.TempPathFactory) -> Dataset:
    """The same events on disk."""
    return save(tmp_path_factory.mktemp("data") / "events", labelled_events, {"source": "tests"})


@pytest.fixture(scope="session")
def dataset(labelled_jets: Jets, tmp_path_factory: pytest.TempPathFactory) -> Dataset:
    """The same jets on disk."""
    return save(tmp_path_factory.mktemp("data") / "jets", labelled_jets, {"source": "tests"})
