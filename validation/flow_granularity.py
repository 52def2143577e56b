"""Why energy flow gains over towers here, and did not for the paper's authors: is it the fine cells of the ECAL?

The same collisions are seen as towers, as energy flow, and as energy flow with an ECAL that has no finer cells than the
HCAL, as in cards of Delphes with a single calorimeter. The paper's simple network reads the kt trees of each; a half of
the jets is for the test. Printed are AUC and R at 50 % in the paper's window, with the error of the finite test sample.

    python validation/flow_granularity.py [--jets 24000] [--seeds 3]
"""

from __future__ import annotations

import argparse
import itertools
from collections.abc import Mapping

import numpy as np

from jetgram.collisions.collider import Collider
from jetgram.collisions.detector import simulate
from jetgram.collisions.detector.card import ATLAS, DetectorCard
from jetgram.collisions.processes import W_VS_QCD
from jetgram.evaluation.evaluate import evaluate
from jetgram.evaluation.scores import Provenance, Scores
from jetgram.evaluation.selection import Window
from jetgram.fanout import open_executor
from jetgram.jets.clustering import find_jets
from jetgram.joining import concatenate
from jetgram.momenta import Jets
from jetgram.tagger import JetTagger

BATCH = 500
CELLS_OF_HCAL = {"eta_edges": ATLAS.hcal.eta_edges, "phi_cells": ATLAS.hcal.phi_cells}
COARSE = ATLAS.model_copy(update={"ecal": ATLAS.ecal.model_copy(update=CELLS_OF_HCAL)})
VIEWS: Mapping[str, tuple[str, DetectorCard]] = {
    "towers": ("towers", ATLAS),
    "energy flow": ("pflow", ATLAS),
    "energy flow, cells of the HCAL": ("pflow", COARSE),
}


def see(label: int, count: int) -> dict[str, Jets]:
    """Leading jets of one class in each view, of about so many collisions."""
    process = W_VS_QCD.signal if label else W_VS_QCD.background
    collider = Collider(process, (23, label))
    found: dict[str, list[Jets]] = {name: [] for name in VIEWS}
    for batch in range(-(-count // BATCH)):
        events = collider.events(BATCH)
        for name, (level, card) in VIEWS.items():
            seen = simulate(events, level, seed=(23, label, batch), card=card)
            found[name].append(find_jets(seen, radius=W_VS_QCD.radius, hardest=1))
    return {name: _labelled(concatenate(parts), label) for name, parts in found.items()}


def _labelled(jets: Jets, label: int) -> Jets:
    return Jets(jets.momenta, jets.offsets, {"label": np.full(len(jets), label)})


def score(name: str, jets: Jets, seed: int) -> Scores:
    """The test half, scored by a network trained on the other."""
    train, test = jets[::2], jets[1::2]
    tagger = JetTagger(recipe="paper", topology="kt", seed=seed).fit(train, train.columns["label"])
    outputs = {"score": tagger.predict_proba(test)[:, 1]}
    return Scores.from_rows(outputs, test, test.pt, test.mass, Provenance(model=name, seed=seed))


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--jets", type=int, default=24_000)
    parser.add_argument("--seeds", type=int, default=3)
    arguments = parser.parse_args()
    with open_executor(2) as executor:
        classes = list(executor.map(see, (0, 1), [arguments.jets // 2] * 2))
        jets = {name: concatenate([found[name] for found in classes]) for name in VIEWS}
        tasks = list(itertools.product(VIEWS, range(1, arguments.seeds + 1)))
        scores = list(executor.map(score, *zip(*((name, jets[name], seed) for name, seed in tasks), strict=True)))
    for judged in evaluate(scores, Window()).seeds:
        assert judged.errors is not None
        auc = f"{judged.auc:.4f} ± {judged.errors.auc:.4f}"
        r = judged.rejection[0].with_error(judged.errors.rejection[0])
        print(f"{judged.model:32} seed {judged.seed}  {judged.signal} + {judged.background} jets  AUC {auc}  R {r}")


if __name__ == "__main__":
    main()
