"""What moves accuracy beyond the `modern` recipe?

Every variant is trained with the same jets and judged on others, which are kept aside from the training split; the test
split is not opened.

Of each variant and seed: the smallest validation loss, AUC, and R at a signal efficiency of 50 %, over all jets that
are kept aside. The difference to the recipe is paired: mean over seeds of the difference on the same jets.

    python validation/search.py DATASET --out search --seeds 2 --only base --only 'rate*'

A variant that is taught learns from the mean answer of other variants in the folder, which are trained first.

A variant that is there is not trained again; the table is made from all that are in the folder.
"""

from __future__ import annotations

import argparse
import csv
import dataclasses
import fnmatch
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

import jetgram
from jetgram.cli.study_output import parse_seeds
from jetgram.fanout import open_executor
from jetgram.models.settings import make_settings
from jetgram.models.store import load_model
from jetgram.roc import roc_curve
from jetgram.training.ensemble import different_preparations, prepare_all, train_alone
from jetgram.training.job import Job
from jetgram.training.start import split_jets

VALIDATION = 20_000
VARIANTS: dict[str, dict[str, Any]] = {
    "base": {},
    "rate 2.5e-3": {"rate": 2.5e-3},
    "rate 1e-2": {"rate": 1e-2},
    "rate 1.5e-2": {"rate": 1.5e-2},
    "batch 128": {"batch": 128},
    "batch 512, rate 7e-3": {"batch": 512, "rate": 7e-3},
    "24 epochs": {"epochs": 24},
    "24 epochs, decay 0.1": {"epochs": 24, "weight_decay": 0.1},
    "no weight decay": {"weight_decay": 0.0},
    "weight decay 0.1": {"weight_decay": 0.1},
    "no clipping": {"clip": None},
    "48 units": {"hidden": 48},
    "64 units": {"hidden": 64},
    "24 epochs, 48 units": {"epochs": 24, "hidden": 48},
    "24 epochs, 64 units": {"epochs": 24, "hidden": 64},
    "kt trees": {"topology": "kt"},
    "desc-pT trees": {"topology": "desc-pt"},
    "C/A and kt": {"topology": "ca+kt"},
    "root alone": {"readout": "root"},
    "simple cell": {"cell": "simple"},
    "gated cell": {"cell": "gated"},
    "features of the paper": {"features": "paper"},
    "student of three": {"recipe": "student"},
    "student of three, rate 1e-2": {"recipe": "student", "rate": 1e-2},
    "student of five": {"recipe": "student"},
    "student of five, 32 units": {"recipe": "student", "hidden": 32},
    "12 epochs, taught by five, half": {"teacher_weight": 0.5},
    "12 epochs, taught by five alone": {"teacher_weight": 1.0},
    "student of two students": {"recipe": "student"},
}
# Who learns from the mean answer of whom: a variant, and its seeds.
TEACHERS: dict[str, tuple[str, range]] = {
    "student of three": ("base", range(1, 4)),
    "student of three, rate 1e-2": ("base", range(1, 4)),
    "student of five": ("base", range(1, 6)),
    "student of five, 32 units": ("base", range(1, 6)),
    "12 epochs, taught by five, half": ("base", range(1, 6)),
    "12 epochs, taught by five alone": ("base", range(1, 6)),
    "student of two students": ("student of five", range(11, 13)),
}


@dataclasses.dataclass(frozen=True)
class Result:
    """Of one variant and seed, on the jets kept aside."""

    variant: str
    seed: int
    parameters: int
    loss: float
    auc: float
    rejection: float


def job(variant: str, seed: int, dataset: Path, out: Path) -> Job:
    """The training of a variant."""
    values = {"recipe": "modern", "validation": VALIDATION, **VARIANTS[variant]}
    teachers = ",".join(str(job(name, each, dataset, out).out) for name, each in taught_by(variant))
    folder = out / variant.replace(" ", "-").replace("/", "") / f"seed-{seed}"
    settings = make_settings(seed=seed, **values)
    return Job(dataset, folder, *settings, cache=out / "prepared", teacher=teachers or None)


def taught_by(variant: str) -> list[tuple[str, int]]:
    """Variants and seeds from whose mean answer a variant learns."""
    name, seeds = TEACHERS.get(variant, ("", range(0)))
    return [(name, seed) for seed in seeds]


def generations(wanted: Sequence[tuple[str, int]]) -> list[list[tuple[str, int]]]:
    """Variants and seeds in the order in which they can be trained: teachers before those whom they teach."""
    teachers = [each for variant, _ in wanted for each in taught_by(variant)]
    if not teachers:
        return [list(wanted)]
    earlier = generations(list(dict.fromkeys(teachers)))
    known = {each for generation in earlier for each in generation}
    return [*earlier, [each for each in wanted if each not in known]]


def judge(task: Job, variant: str, jets: jetgram.Jets) -> Result:
    """The numbers of a trained variant."""
    model = load_model(task.out)
    score = model.predict(jets)[:, 0]
    curve = roc_curve(score, jets.columns["label"])
    loss = model.record["metrics"]["validation_loss"]
    parameters = sum(weight.numel() for weight in model.network.parameters())
    return Result(variant, task.training.seed, parameters, loss, curve.auc, 1 / float(curve.fpr_at(0.5)))


def kept_aside(dataset: Path) -> jetgram.Jets:
    """The jets that all trainings leave to be judged on."""
    jets = jetgram.read(dataset, split="train")
    numbers: NDArray[np.int64] = split_jets(np.ones(len(jets), dtype=np.bool_), VALIDATION, 0)[1]
    return jets[numbers]


def show(results: list[Result]) -> None:
    """One line per variant, next to the recipe with the same seeds."""
    base = {each.seed: each for each in results if each.variant == "base"}
    print(
        f"{'variant':24}{'parameters':>11}{'seeds':>6}{'loss':>9}{'AUC':>9}{'R50':>7}   AUC - recipe's, R50 / recipe's"
    )
    for variant in dict.fromkeys(each.variant for each in results):
        own = [each for each in results if each.variant == variant]
        loss, auc, rejection = np.mean([[each.loss, each.auc, each.rejection] for each in own], axis=0)
        paired = [each for each in own if each.seed in base]
        auc_gain = [each.auc - base[each.seed].auc for each in paired]
        ratio = [each.rejection / base[each.seed].rejection for each in paired]
        gains = f"{np.mean(auc_gain):+.4f}, {np.mean(ratio):.2f}" if paired else ""
        print(f"{variant:24}{own[0].parameters:11,}{len(own):6}{loss:9.4f}{auc:9.4f}{rejection:7.1f}   {gains}")


def main() -> None:
    """Train what is missing, and print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("dataset", type=Path)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--seeds", default="2", metavar="N", help="how many, or from a first to a last one: 11-12")
    parser.add_argument("--only", action="append", default=[], metavar="NAME")
    parser.add_argument("--workers", type=int, default=2)
    arguments = parser.parse_args()
    chosen = [name for name in VARIANTS if any(fnmatch.fnmatch(name, only) for only in arguments.only or ["*"])]
    first, last = parse_seeds(arguments.seeds)
    wanted = [(name, seed) for seed in range(first, last + 1) for name in chosen]
    jets, results, path = kept_aside(arguments.dataset), [], arguments.out / "search.csv"
    with open_executor(arguments.workers) as executor:
        for generation in generations(wanted):
            tasks = {key: job(*key, arguments.dataset, arguments.out) for key in generation}
            for _ in prepare_all(different_preparations(list(tasks.values())), executor):
                pass
            running = {key: executor.submit(train_alone, task) for key, task in tasks.items()}
            for (name, seed), future in running.items():
                future.result()
                results.append(judge(tasks[name, seed], name, jets))
                print(dataclasses.astuple(results[-1]), flush=True)
                with path.open("w", newline="") as file:
                    rows = csv.writer(file)
                    rows.writerow(field.name for field in dataclasses.fields(Result))
                    rows.writerows(dataclasses.astuple(each) for each in results)
    show(results)


if __name__ == "__main__":
    main()
