"""How many jets of `w-vs-qcd-inclusive` do the pT-hat floors and the early veto cost, in the paper's window and in all?

Two measurements for signal and background, both with events of equal weight:

- jets collected from a floor far below that of jetgram: the share that lies under jetgram's floor is what a lower floor
  would still add;
- events with a much looser veto than that of jetgram, which is only asked, not obeyed: the share of wanted jets that it
  would have dropped.

    python validation/floor.py --jets 2000 --events 4000 --figure docs/figures/floor.png
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pythia8mc
from numpy.typing import NDArray

from jetgram.cli.progress import progress
from jetgram.collisions.collider import Collider
from jetgram.collisions.generate import find_rows, select_jets, start
from jetgram.collisions.processes import W_VS_QCD_INCLUSIVE, Process, Sample
from jetgram.collisions.settings import GenerationSettings
from jetgram.collisions.veto import Cuts, LeadingJetVeto
from jetgram.momenta import Jets

SAMPLE = W_VS_QCD_INCLUSIVE
PT = (200.0, 500.0)  # of the sample
WINDOW = (250.0, 300.0)
LOWEST = {"signal": 0.0, "background": 80.0}  # the signal has no floor
LOOSE = Cuts(emissions=8, early_boson=0.65, early=0.65, late=0.75)
LABEL = {"signal": 1, "background": 0}
BATCH = 100


class Watcher(LeadingJetVeto):
    """Vetoes loosely, asks the questions of a stricter veto, and writes the answers down."""

    def __init__(self, strict: LeadingJetVeto, sample: Sample, process: Process, cuts: Cuts | None = None) -> None:
        super().__init__((sample.pt or PT)[0], sample.radius, process, cuts)
        self._asked = strict
        self.dropped: list[bool] = []
        self._now = False

    def doVetoStep(self, position: int, initial: int, final: int, event: pythia8mc.Event) -> bool:  # noqa: N802, D102
        self._now = self._asked.doVetoStep(position, initial, final, event)
        return super().doVetoStep(position, initial, final, event)

    def doVetoPT(self, position: int, event: pythia8mc.Event) -> bool:  # noqa: N802, D102
        self._now |= self._asked.doVetoPT(position, event)
        given_up = super().doVetoPT(position, event)
        self._now &= not given_up  # the next answer is of another event
        return given_up

    def doVetoPartonLevel(self, event: pythia8mc.Event) -> bool:  # noqa: N802, D102
        answer, self._now = self._now or self._asked.doVetoPartonLevel(event), False
        if super().doVetoPartonLevel(event):
            return True
        self.dropped.append(answer)
        return False


def with_floor(name: str, floor: float) -> Sample:
    """The sample with another floor in one of its processes."""
    process: Process = getattr(SAMPLE, name)
    kept = tuple(line for line in process.pythia if "pTHatMin" not in line)
    lower = process.model_copy(update={"pythia": (*kept, f"PhaseSpace:pTHatMin = {floor}")})
    return SAMPLE.model_copy(update={name: lower})


def floor_of(name: str) -> float:
    """The floor in the card of jetgram."""
    lines = getattr(SAMPLE, name).pythia
    return float(next(line for line in lines if "pTHatMin" in line).split("=")[1])


def jets_from_below(name: str, count: int) -> Jets:
    """Jets of one class, collected from the lowest floor."""
    sample = with_floor(name, LOWEST[name])
    recipe = GenerationSettings(sample=sample, rows=2)
    collider = start(recipe, LABEL[name], (11, LABEL[name]))
    parts = []
    with progress(f"{name} from {LOWEST[name]:.0f} GeV", count, "jets") as advance:
        for number in range(-(-count // BATCH)):
            parts.append(find_rows([recipe], collider, LABEL[name], BATCH, (11, number, LABEL[name]))[0])
            advance(BATCH)
    return Jets(
        np.concatenate([part.total for part in parts]),
        np.arange(sum(len(part) for part in parts) + 1),
        {key: np.concatenate([part.columns[key] for part in parts]) for key in ("pt_hat", "boson_dr")},
    )


def vetoed_jets(name: str, events: int) -> tuple[NDArray[np.float64], NDArray[np.bool_]]:
    """The pT of wanted jets, and whether the veto would have dropped them."""
    process = getattr(SAMPLE, name)
    recipe = GenerationSettings(sample=SAMPLE, rows=2)
    watcher = Watcher(LeadingJetVeto(PT[0], SAMPLE.radius, process), SAMPLE, process, LOOSE)
    parts = list(asked_jets(recipe, LABEL[name], watcher, events))
    return np.concatenate([jets.pt for jets in parts]), np.concatenate([jets.columns["dropped"] for jets in parts])


def asked_jets(recipe: GenerationSettings, label: int, watcher: Watcher, events: int) -> Iterator[Jets]:
    """Wanted jets of one class, in batches; the column `dropped` tells whether the watcher's strict veto drops them."""
    sample = recipe.sample
    collider = Collider(recipe.process(label), (12, label), watcher, sample.eta_max, sample.energy, sample.truth)
    with progress(f"{sample.name}, label {label}, with a loose veto", events, "events") as advance:
        for number in range(-(-events // BATCH)):
            watcher.dropped.clear()
            batch = collider.events(BATCH)
            advance(BATCH)
            if len(watcher.dropped) != len(batch):  # Pythia retried an event (one in thousands): whose answer is which?
                continue
            asked = batch.with_columns(dropped=np.array(watcher.dropped))
            yield select_jets(recipe, asked, label, np.arange(len(asked)), (12, number))


def share(lost: NDArray[np.bool_]) -> dict[str, float]:
    """A share, its binomial error and the number of jets it is of."""
    value = float(np.mean(lost))
    return {
        "share": value,
        "error": float(np.sqrt(max(value * (1 - value), 1 / len(lost)) / len(lost))),
        "of": len(lost),
    }


def report(name: str, jets: Jets, pt: NDArray[np.float64], dropped: NDArray[np.bool_]) -> dict[str, Any]:
    """Shares lost to floor and veto, and of jets that are not the boson's, in the window and over the whole range."""
    result = {}
    for region, (low, high) in (("window", WINDOW), ("range", PT)):
        inside = (jets.pt > low) & (jets.pt < high)
        below = jets.columns["pt_hat"][inside] < floor_of(name)
        result[region] = {
            "below floor": share(below),
            "vetoed": share(dropped[(pt > low) & (pt < high)]),
        }
        if name == "signal":
            result[region]["not the W's, above the floor"] = share(jets.columns["boson_dr"][inside][~below] >= 1)
    return result


def draw(samples: dict[str, Jets], path: Path) -> None:
    """The share of jets that a floor at each pT-hat would lose."""
    import matplotlib.pyplot as plt

    figure, axes = plt.subplots(1, 2, figsize=(9, 3.6), layout="constrained", sharey=True)
    for axis, (name, jets) in zip(axes, samples.items(), strict=True):
        for low, high in (WINDOW, PT):
            pt_hat = np.sort(jets.columns["pt_hat"][(jets.pt > low) & (jets.pt < high)])
            lost = np.arange(1, len(pt_hat) + 1) / len(pt_hat)
            axis.plot(pt_hat, lost, label=f"jets of {low:.0f}-{high:.0f} GeV", drawstyle="steps-post")
        axis.axvline(floor_of(name), color="black", linestyle=":", label="floor in jetgram")
        axis.axvline(180, color="grey", linestyle="--", linewidth=1, label="a floor at 180 GeV")
        axis.axhline(0.01, color="crimson", linewidth=0.8, label="1 %")
        axis.set(title=name, xlabel=r"floor in $\hat{p}_T$ [GeV]", yscale="log", ylim=(1e-3, 1.2), xlim=(0, 320))
        axis.grid(alpha=0.2)
    axes[0].set_ylabel("share of jets lost")
    axes[0].legend(fontsize=8, loc="lower right")
    figure.savefig(path, dpi=130)


def main() -> None:
    """Print the shares, and draw them if asked to."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--jets", type=int, default=2000, help="jets of each class from the lowest floor")
    parser.add_argument("--events", type=int, default=4000, help="events of each class with the loose veto")
    parser.add_argument("--figure", type=Path, help="draw the shares into this file")
    arguments = parser.parse_args()
    samples = {name: jets_from_below(name, arguments.jets) for name in LABEL}
    shares = {name: report(name, jets, *vetoed_jets(name, arguments.events)) for name, jets in samples.items()}
    print(json.dumps(shares, indent=2))
    if arguments.figure:
        draw(samples, arguments.figure)


if __name__ == "__main__":
    main()
