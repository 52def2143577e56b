"""Numbers that no change of the code's structure may touch: scores, gradients and trained weights, bit for bit.

For a fixed set of settings this makes toy jets from a seed, trains for three epochs, and takes SHA-256 digests of the
losses of all epochs, of the trained weights and their names, and of the scores. They are compared with `frozen.json`.

    python validation/frozen.py            # compare
    python validation/frozen.py --write    # freeze anew, after a change that is meant to change numbers

The native engine has the same bits with AVX2 and AVX-512. First weights have not: they are orthogonal by LAPACK, which
knows the processor's maker; nor have NumPy's logarithms. So there are frozen numbers for each kind of machine; on
another kind the comparison says so and compares nothing, and a model that was not frozen there yet is left out.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import sys
from pathlib import Path
from typing import Any

import numpy as np

from jetgram import backend
from jetgram.momenta import Events, Jets, Momenta
from jetgram.ragged import offsets_of
from jetgram.tagger import EventRegressor, EventTagger, JetRegressor, JetTagger

FILE = Path(__file__).with_suffix(".json")
ROWS = 120
SETTINGS: dict[str, dict[str, Any]] = {
    "simple kt": {},
    "gated ca": {"cell": "gated", "topology": "ca"},
    "simple desc-pt": {"topology": "desc-pt"},
    "gated antikt": {"cell": "gated", "topology": "antikt"},
    "simple asc-pt, modern": {"topology": "asc-pt", "initialisation": "modern"},
    "simple random": {"topology": "random", "tree_seed": 3},
    "simple kt+antikt": {"topology": "kt+antikt"},
    "simple kt, trimmed, hidden 24": {"trim": 0.05, "hidden": 24},
    "simple kt, no preprocessing": {"preprocess": False},
    "simple kt with classes": {"features": "paper+pclass"},
    "simple kt, children": {"readout": "children"},
    "simple kt on pixels": {"input": "pixels"},
    "balanced, weighted": {"class_weight": "balanced"},
    "regressor": {"head": "regressor"},
    "regressor, huber": {"head": "regressor", "loss": "huber", "cell": "gated"},
    "events, 2 jets": {"event": "jets"},
    "events, 3 jets, gated desc-pt": {"event": "jets", "hardest": 3, "cell": "gated", "topology": "desc-pt"},
    "events, momenta": {"event": "jet-momenta", "hardest": 2},
    "events, particles": {"event": "particles", "hardest": 20},
    "events, regressor": {"event": "jets", "head": "regressor"},
}


def toy_jets() -> Jets:
    """Jets of 1 to 40 particles around two axes, from nothing but sums, products and square roots."""
    rng = np.random.default_rng(17)
    counts = rng.integers(1, 41, ROWS)
    offsets = offsets_of(counts)
    jet = np.repeat(np.arange(ROWS), counts)
    axis = np.where(rng.random((offsets[-1], 1)) < 0.5, [[30.0, 5.0, 3.0]], [[28.0, -6.0, 9.0]])
    three = axis * rng.random((offsets[-1], 1)) + rng.normal(size=(offsets[-1], 3)) * (1 + jet[:, None] % 2)
    energy = np.sqrt((three * three).sum(axis=1) + 0.0195)
    momenta = np.concatenate([three, energy[:, None]], axis=1)
    return Jets(momenta, offsets, particles={"pclass": rng.integers(0, 4, offsets[-1])})


def toy_events() -> Events:
    """Three jets of the toys each, turned apart."""
    jets = toy_jets()
    momenta = jets.momenta.copy()
    for number, turn in ((1, (-1, 1)), (2, (-1, -1))):
        some = jets.group % 3 == number
        momenta[some, 0] *= turn[0]
        momenta[some, 1] *= turn[1]
    return Events(momenta, jets.offsets[::3])


def digests(settings: dict[str, Any]) -> dict[str, str]:
    """Of one model: what it says before training, and its scores and weights after three epochs."""
    given = {"epochs": 3, "batch": 16, "validation": 20, "seed": 5, "hidden": 12, "recipe": "paper", **settings}
    regresses = given.pop("head", "") == "regressor"
    rows: Momenta
    if "event" in settings:
        rows, kind = toy_events(), EventRegressor if regresses else EventTagger
        given |= {"validation": 10}
    else:
        rows, kind = toy_jets(), JetRegressor if regresses else JetTagger
    if given.get("event") in ("jet-momenta", "particles"):
        del given["hidden"]
    y = rows.total[:, 3] if regresses else np.arange(len(rows)) % 2
    weight = 1 + np.arange(len(rows)) % 3 if "class_weight" in settings else None
    estimator = kind(**given).fit(rows, y, weight)
    weights = [value.detach().numpy() for value in estimator.model.network.parameters()]
    scores = estimator.model.predict(rows)
    history = [record[name] for record in estimator.history for name in ("loss", "validation_loss")]
    return {
        "weights": digest(*weights),
        "scores": digest(scores),
        "losses": digest(np.array(history)),
        "names": digest_text(*estimator.model.network.state_dict()),
    }


def digest(*arrays: np.ndarray[Any, Any]) -> str:
    """SHA-256 of arrays, shortened."""
    found = hashlib.sha256()
    for array in arrays:
        found.update(np.ascontiguousarray(array).tobytes())
    return found.hexdigest()[:16]


def digest_text(*words: str) -> str:
    """SHA-256 of words, shortened."""
    return hashlib.sha256("\n".join(words).encode()).hexdigest()[:16]


def machine() -> str:
    """The kind of machine that decides the bits: who made the processor, and the best instructions that it has."""
    core = backend.native_core()
    cpuinfo = Path("/proc/cpuinfo")
    lines = cpuinfo.read_text().splitlines() if cpuinfo.exists() else []
    makers = [line.partition(":")[2].strip() for line in lines if line.startswith("vendor_id")]
    return f"{makers[0] if makers else 'unknown'} {core.cpu_path() if core else 'without the native core'}"


def frozen_here() -> dict[str, dict[str, str]] | None:
    """What was frozen on this kind of machine; None if nothing was."""
    found: dict[str, dict[str, str]] | None = json.loads(FILE.read_text()).get(machine())
    return found


def main() -> None:
    """Compare, or freeze."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--write", action="store_true", help="freeze what is found")
    given = parser.parse_args()
    if frozen_here() is None and not given.write:
        sys.exit(f"nothing was frozen on a machine of this kind ({machine()})")
    found = {name: digests(settings) for name, settings in SETTINGS.items()}
    if given.write:
        everywhere = {**json.loads(FILE.read_text()), machine(): found}
        FILE.write_text(json.dumps(everywhere, indent=1) + "\n")
    frozen = frozen_here() or {}
    wrong = [name for name in frozen if found.get(name) != frozen[name]]
    for name in wrong:
        print(f"{name}: found {found.get(name)}, frozen {frozen[name]}")
    print(f"{len(frozen) - len(wrong)} of {len(frozen)} as frozen; {len(found.keys() - frozen)} not frozen here")
    sys.exit(bool(wrong))


if __name__ == "__main__":
    main()
