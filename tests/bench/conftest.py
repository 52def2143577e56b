"""A small dataset to measure with."""

import numpy as np
import pytest

from jetgram.momenta import Jets
from jetgram.storage.dataset import Dataset, save


@pytest.fixture(scope="session")
def dataset(qcd_jets: Jets, tmp_path_factory: pytest.TempPathFactory) -> Dataset:
    jets = Jets(qcd_jets.momenta, qcd_jets.offsets, {"label": np.arange(len(qcd_jets)) % 2})
    return save(tmp_path_factory.mktemp("bench") / "jets", jets, {"source": "tests"}, "test")
