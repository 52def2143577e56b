"""Real jets with a class and PDG ids, to be written in any layout."""

import numpy as np
import pytest

from jetgram.momenta import Jets


@pytest.fixture(scope="session")
def jets(qcd_jets: Jets) -> Jets:
    """Three hundred jets of three classes."""
    some = qcd_jets[:300]
    label = np.arange(len(some)) % 3
    return Jets(some.momenta, some.offsets, {"label": label}, {"pdgid": some.particles["pdgid"]})


@pytest.fixture(scope="session")
def two_classes(jets: Jets) -> Jets:
    """The same jets with classes 0 and 1."""
    return jets.with_columns(label=jets.columns["label"] % 2)
