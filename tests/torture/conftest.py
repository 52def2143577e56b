"""Jets, a dataset and a trained model for all groups; and the summary."""

import numpy as np
import pytest

from jetgram.momenta import Jets
from jetgram.storage.dataset import Dataset, save
from jetgram.tagger import JetTagger


def pytest_terminal_summary(terminalreporter):
    """Print what was done and found, also by other processes."""
    reports = [report for name in ("passed", "failed") for report in terminalreporter.stats.get(name, ())]
    lines = [line for report in reports for name, line in report.user_properties if name == "torture"]
    if lines:
        terminalreporter.section("torture")
        for line in lines:
            terminalreporter.write_line(line)


@pytest.fixture
def tell(record_property):
    """A line of the summary at the end of the run."""
    return lambda line: record_property("torture", line)


def simple_jets(count: int, seed: int = 1) -> Jets:
    """Jets of 3 to 15 particles around one direction, half of them with label 1 and a second prong."""
    rng = np.random.default_rng(seed)
    sizes = rng.integers(3, 16, count)
    label = np.arange(count) % 2
    total, jet = int(sizes.sum()), np.repeat(np.arange(count), sizes)
    pt = rng.exponential(15.0, total) + 1.0
    eta = rng.normal(0.0, 0.2, total) + 0.5 * label[jet] * rng.integers(0, 2, total)
    phi = rng.normal(0.0, 0.2, total)
    momenta = np.stack([pt * np.cos(phi), pt * np.sin(phi), pt * np.sinh(eta), 1.0001 * pt * np.cosh(eta)], axis=-1)
    return Jets(momenta, np.concatenate([[0], np.cumsum(sizes)]), {"label": label.astype(np.int8)})


@pytest.fixture(scope="session")
def some_jets() -> Jets:
    return simple_jets(300)


@pytest.fixture(scope="session")
def some_dataset(some_jets, tmp_path_factory) -> Dataset:
    return save(tmp_path_factory.mktemp("torture") / "jets", some_jets, {"source": "torture"})


@pytest.fixture(scope="session")
def some_tagger(some_jets) -> JetTagger:
    return JetTagger(hidden=6, epochs=1, validation=50).fit(some_jets, some_jets.columns["label"])
