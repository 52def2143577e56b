"""Do the pT-hat floor and the early veto of `w-vs-qcd` bite into the paper's window, 250 < pT < 300 GeV?

Events are generated from a floor far below, biased towards large pT-hat with known weights, and without the veto. Two
numbers come out for signal and background: the share of window jets below the floor that jetgram uses, and the share
of window jets (and of all jets) whose event the veto would have dropped. Both must be below 1 % in the window.

Signal jets count here if they are the W's: its pT is 200 to 500 GeV, as in the sample, and it lies within the jet's
radius. The rest, led by a jet that recoils against W and Z together, comes from any pT-hat, however low: their share in
the sample depends on the floor and is reported as `unmatched`.

    python validation/floor.py --events 20000 --figure docs/figures/floor.png
"""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path

import numpy as np
import pythia8mc

from jetgram import kinematics
from jetgram.cli.progress import progress
from jetgram.collisions.collider import Collider
from jetgram.collisions.processes import W_VS_QCD, Process
from jetgram.collisions.truth import add_truth
from jetgram.collisions.veto import LeadingJetVeto
from jetgram.jets.clustering import find_jets

WINDOW = (250.0, 300.0)
LOWEST = {"signal": 25.0, "background": 80.0}
BIAS_POWER = {"signal": 3.0, "background": 4.0}
LIMIT = 0.01
BATCH = 200


class Watcher(LeadingJetVeto):
    """Asks the veto's questions, writes the answers down, and lets every event pass."""

    def __init__(self, process: Process) -> None:
        super().__init__(W_VS_QCD.pt[0], W_VS_QCD.radius, process)
        self.dropped: list[bool] = []
        self._now = False

    def doVetoPT(self, position: int, event: pythia8mc.Event) -> bool:  # noqa: N802, D102
        self._now |= super().doVetoPT(position, event)
        return False

    def doVetoPartonLevel(self, event: pythia8mc.Event) -> bool:  # noqa: N802, D102
        self.dropped.append(self._now or super().doVetoPartonLevel(event))
        self._now = False
        return False


def biased(name: str) -> Process:
    """The process from a lower floor, with events at large pT-hat made often and weighted down."""
    process: Process = getattr(W_VS_QCD, name)
    kept = [line for line in process.pythia if "pTHatMin" not in line]
    bias = (
        f"PhaseSpace:pTHatMin = {LOWEST[name]}",
        "PhaseSpace:bias2Selection = on",
        f"PhaseSpace:bias2SelectionPow = {BIAS_POWER[name]}",
        "PhaseSpace:bias2SelectionRef = 100.",
    )
    return Process(pythia=(*kept, *bias), bosons=process.bosons, boson_pt=process.boson_pt)


def floor_of(name: str) -> float:
    """The floor in the card of jetgram."""
    lines = getattr(W_VS_QCD, name).pythia
    return float(next(line for line in lines if "pTHatMin" in line).split("=")[1])


def measure(name: str, events: int) -> dict[str, np.ndarray]:
    """Leading-jet pT, pT-hat, weight and the veto's answer of each event."""
    process = biased(name)
    watcher = Watcher(process)
    collider = Collider(process, (11,), watcher)
    columns: dict[str, list[np.ndarray]] = {"pt": [], "pt_hat": [], "weight": [], "dropped": [], "own": []}
    with progress(f"{name} from {LOWEST[name]:.0f} GeV", events, "events") as advance:
        for _ in range(events // BATCH):
            watcher.dropped.clear()
            batch = collider.events(BATCH)
            advance(len(batch))
            if len(watcher.dropped) != len(batch):  # Pythia retried an event (one in thousands): whose answer is which?
                continue
            jets = add_truth(find_jets(batch, hardest=1), batch)
            if process.boson_pt:
                boson_pt = kinematics.pt(jets.columns["boson"])
                jets = jets[(boson_pt > process.boson_pt[0]) & (boson_pt < process.boson_pt[1])]
            columns["own"].append(~(jets.columns["boson_dr"] >= W_VS_QCD.radius))  # NaN, no boson: all are its own
            columns["pt"].append(jets.pt)
            columns["pt_hat"].append(jets.columns["pt_hat"])
            columns["weight"].append(jets.columns["weight"])
            columns["dropped"].append(np.array(watcher.dropped)[jets.columns["event"]])
    return {key: np.concatenate(parts) for key, parts in columns.items()}


def shares(sample: dict[str, np.ndarray], floor: float) -> dict[str, float]:
    """Weighted shares below the floor and vetoed, in the window and over the whole range, with statistical errors."""
    report = {}
    for region, (low, high) in (("window", WINDOW), ("range", W_VS_QCD.pt)):
        inside = (sample["pt"] > low) & (sample["pt"] < high)
        above = inside & (sample["pt_hat"] > floor)
        report[f"{region}_unmatched"] = float(np.average(~sample["own"][above], weights=sample["weight"][above]))
        inside &= sample["own"]
        weight = sample["weight"][inside]
        for what, lost in (("below_floor", sample["pt_hat"] < floor), ("vetoed", sample["dropped"])):
            share = np.sum(weight[lost[inside]]) / np.sum(weight)
            error = np.sqrt(np.sum((weight * (lost[inside] - share)) ** 2)) / np.sum(weight)
            report[f"{region}_{what}"] = float(share)
            report[f"{region}_{what}_error"] = float(error)
    return report


def draw(samples: dict[str, dict[str, np.ndarray]], path: Path) -> None:
    """Where jets come from: the share that a floor at each pT-hat would lose."""
    import matplotlib.pyplot as plt

    figure, axes = plt.subplots(1, 2, figsize=(9, 3.6), layout="constrained", sharey=True)
    for axis, (name, sample) in zip(axes, samples.items(), strict=True):
        for low, high in (WINDOW, W_VS_QCD.pt):
            inside = (sample["pt"] > low) & (sample["pt"] < high) & sample["own"]
            order = np.argsort(sample["pt_hat"][inside])
            lost = np.cumsum(sample["weight"][inside][order])
            axis.plot(
                sample["pt_hat"][inside][order],
                lost / lost[-1],
                label=f"jets of {low:.0f}-{high:.0f} GeV",
                drawstyle="steps-post",
            )
        axis.axvline(floor_of(name), color="black", linestyle=":", label="floor in jetgram")
        axis.axvline(180, color="grey", linestyle="--", linewidth=1, label="a floor at 180 GeV")
        axis.axhline(LIMIT, color="crimson", linewidth=0.8, label="1 %")
        axis.set(
            title=f"{name}: jets of the W" if name == "signal" else name,
            xlabel=r"floor in $\hat{p}_T$ [GeV]",
            yscale="log",
            ylim=(3e-4, 1.2),
            xlim=(20, 320),
        )
        axis.grid(alpha=0.2)
    axes[0].set_ylabel("share of jets lost")
    axes[0].legend(fontsize=8, loc="lower right")
    figure.savefig(path, dpi=130)


def main() -> int:
    """Print the shares; exit code 1 if one in the window exceeds the limit by more than two standard errors."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--events", type=int, default=20000, help="events of each process")
    parser.add_argument("--figure", type=Path, help="draw the shares into this file")
    arguments = parser.parse_args()
    samples = {name: measure(name, arguments.events) for name in ("signal", "background")}
    report = {name: shares(sample, floor_of(name)) for name, sample in samples.items()}
    print(json.dumps(report, indent=2))
    if arguments.figure:
        draw(samples, arguments.figure)
    certain = [
        found[f"window_{what}"] - 2 * found[f"window_{what}_error"]
        for found in report.values()
        for what in ("below_floor", "vetoed")
    ]
    return int(max(certain) > LIMIT)


if __name__ == "__main__":
    sys.exit(main())
