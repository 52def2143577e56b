"""tau21, and mass + tau21, of trimmed jets in the paper's window: a check of the sample without a network.

All jets of the test split are judged, and once more with the signal jets that are not the boson's left out.

    python validation/baselines.py DATASET
"""

from __future__ import annotations

import argparse
from pathlib import Path

import numpy as np
from rich.console import Console
from rich.table import Table

from jetgram.cli.progress import progress
from jetgram.evaluation.baselines import fit_mass_tau21, measure, score_tau21
from jetgram.evaluation.evaluate import evaluate
from jetgram.evaluation.scores import Provenance, Scores
from jetgram.evaluation.selection import Window
from jetgram.momenta import Jets
from jetgram.storage.dataset import Dataset

MATCHED = 1.0


def measured(jets: Jets, what: str) -> Jets:
    """The jets with the columns that both classifiers read."""
    with progress(f"measuring {what}", len(jets), "jets") as advance:
        return measure(jets, advance=advance)


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("dataset", type=Path)
    dataset = Dataset(parser.parse_args().dataset)
    train, test = (measured(dataset.read(split), f"{split}ing jets") for split in ("train", "test"))
    trees = fit_mass_tau21(train, train.columns["label"])
    table = Table(title="250 < pT < 300 GeV, 50 <= m <= 110 GeV, flat in pT")
    for heading in ("signal", "classifier", "jets", "AUC", "R at 50 %"):
        table.add_column(heading, justify="right")
    own = (test.columns["label"] == 0) | (test.columns["boson_dr"] < MATCHED)
    for which, jets in (("all", test), ("matched", test[np.flatnonzero(own)])):
        outputs = {"tau21": score_tau21(jets), "mass + tau21": trees.score(jets)}
        pt, mass = jets.columns["trimmed_pt"], jets.columns["trimmed_mass"]
        scores = [Scores.from_rows({"score": o}, jets, pt, mass, Provenance(model=name)) for name, o in outputs.items()]
        for judged in evaluate(scores, Window()).seeds:
            auc = f"{judged.auc:.4f} ± {judged.errors.auc:.4f}" if judged.errors else ""
            rejection = f"{judged.rejection[0].value:.1f} ± {judged.errors.rejection[0]:.1f}" if judged.errors else ""
            table.add_row(which, judged.model, f"{judged.signal} + {judged.background}", auc, rejection)
    Console().print(table)


if __name__ == "__main__":
    main()
