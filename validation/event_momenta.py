"""How much the momenta of the hardest jets tell about events, without any network: boosted trees of scikit-learn.

The event-level baseline on momenta alone differs from the paper's. If another learner finds as little in the same
numbers, it is the sample that differs; if it finds more, the network is at fault.

    python validation/event_momenta.py EVENTS [--train 25000] [--test 20000]

EVENTS is a dataset of `jetgram generate wprime-vs-qcd`.
"""

from __future__ import annotations

import argparse

import numpy as np
from numpy.typing import NDArray

from jetgram.cli.progress import progress
from jetgram.inputs.sequences import COLUMNS
from jetgram.models.settings import ModelSettings
from jetgram.momenta import Events
from jetgram.roc import roc_curve
from jetgram.storage.dataset import Dataset

HARDEST = 2


def jet_momenta(events: Events) -> NDArray[np.float32]:
    """(phi, eta, pT, m) of the hardest jets side by side, NaN for those an event does not have, `(events, 8)`."""
    found = ModelSettings(event="jet-momenta", hardest=HARDEST).read(events).inputs
    columns = np.full((len(events), HARDEST, len(COLUMNS)), np.nan, dtype=np.float32)
    jets = np.diff(found.offsets)
    for rank in range(HARDEST):
        columns[jets > rank, rank] = found.momenta[found.offsets[:-1][jets > rank] + rank]
    return columns.reshape(len(events), -1)


def read(dataset: Dataset, split: str, rows: int) -> tuple[NDArray[np.float32], NDArray[np.int8]]:
    """Momenta and labels of the first events."""
    events = dataset.first(min(rows, dataset.splits[split]), split)
    assert isinstance(events, Events)
    parts = []
    with progress(f"finding the jets of {split} events", len(events), "events") as advance:
        for begin in range(0, len(events), 1000):
            parts.append(jet_momenta(events[begin : begin + 1000]))
            advance(len(parts[-1]))
    return np.concatenate(parts), events.columns["label"]


def main() -> None:
    """Print the AUC of boosted trees on the momenta of one jet, and of two."""
    from sklearn.ensemble import HistGradientBoostingClassifier

    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("events", type=Dataset)
    parser.add_argument("--train", type=int, default=25_000)
    parser.add_argument("--test", type=int, default=20_000)
    given = parser.parse_args()
    (x, y), (x_test, y_test) = read(given.events, "train", given.train), read(given.events, "test", given.test)
    for jets in range(1, HARDEST + 1):
        columns = slice(len(COLUMNS) * jets)
        trees = HistGradientBoostingClassifier(max_iter=300, learning_rate=0.05, early_stopping=True, random_state=1)
        scores = trees.fit(x[:, columns], y).predict_proba(x_test[:, columns])[:, 1]
        print(f"momenta of {jets} jet{'s' * (jets > 1)}: AUC {roc_curve(scores, y_test).auc:.4f}")


if __name__ == "__main__":
    main()
