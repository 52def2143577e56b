"""How much the numbers of two models move together with the test jets that they are judged on.

    python validation/correlation.py SCORES.parquet SCORES.parquet ...

reads score files of the same jets, judges the same bootstrap replicas of them with each, and prints the correlation
of AUC and of the false-positive rate at half of the signal, pair by pair. Two rows whose numbers are correlated by rho
differ by less than their single errors suggest; see `jetgram.studies.verdicts`, which takes its constants from here.
"""

from __future__ import annotations

import itertools
import sys
from pathlib import Path

import numpy as np

from jetgram.evaluation.score_files import read_scores
from jetgram.evaluation.selection import EFFICIENCY, Window, select
from jetgram.evaluation.uncertainty import resample

REPLICAS = 400  # give a correlation of 0.8 to 0.02


def main(files: list[str]) -> None:
    """Print the correlations of all pairs."""
    replicas = {}
    first = None
    for file in files:
        scores = read_scores(Path(file))
        scores = select(scores, Window.of_paper(scores.provenance.rows))
        first = first or scores
        if not np.array_equal(scores.jet, first.jet):
            raise SystemExit(f"{file} has other jets in the window than {files[0]}; choose rows with the same window")
        efficiency = (EFFICIENCY[scores.provenance.rows],)
        replicas[file] = resample(scores.score, scores.label, scores.weight, efficiency, REPLICAS)
    for one, other in itertools.combinations(replicas, 2):
        auc = np.corrcoef(replicas[one][0], replicas[other][0])[0, 1]
        fpr = np.corrcoef(replicas[one][1][:, 0], replicas[other][1][:, 0])[0, 1]
        print(f"AUC {auc:.2f}  R {fpr:.2f}  {one}  {other}")


if __name__ == "__main__":
    main(sys.argv[1:])
