"""Events out of Pythia 8, many at a time.

`nextBatch` hands over whole batches as Awkward arrays without a Python loop over particles; what is visible is cut out
with array operations. `benchmarks/generation.py` compares the cost with a bare `next()` loop.
"""

from __future__ import annotations

import importlib
import importlib.util
from types import ModuleType
from typing import Any

import numpy as np
from numpy.typing import NDArray

from jetgram import kinematics
from jetgram.collisions.processes import ENERGY, Process, Truth
from jetgram.collisions.truth import KEPT
from jetgram.coordinates import NEUTRINOS
from jetgram.errors import GenerationError
from jetgram.extras import needed_for
from jetgram.momenta import Events

MAX_SEED = 900_000_000  # Pythia's largest
GENERATING = "generating collisions"


def import_pythia() -> ModuleType:
    """Pythia's Python module, or an error that says how to install it."""
    with needed_for(GENERATING):
        return importlib.import_module("pythia8mc")


def require_pythia() -> None:
    """The same error, without loading it: a process that only sends tasks to others needs no Pythia."""
    with needed_for(GENERATING):
        if importlib.util.find_spec("pythia8mc") is None:
            raise ModuleNotFoundError(name="pythia8mc")


class Collider:
    """One process, running.

    Args:
        process: what to generate.
        seed: any integers; the same ones give the same events.
        hook: Pythia's user hook, e.g. `LeadingJetVeto`.
        eta_max: particles beyond this pseudorapidity are not visible; None takes all.
        energy: of the collisions, in GeV.
        truth: which particles of the record are kept.
    """

    def __init__(
        self,
        process: Process,
        seed: tuple[int, ...],
        hook: Any = None,
        eta_max: float | None = None,
        energy: float = ENERGY,
        truth: Truth = "boson",
    ) -> None:
        pythia8mc = import_pythia()
        self._truth = truth
        self._process = process
        self._eta_max = eta_max
        self.pythia = pythia8mc.Pythia("", False)
        self._hook = hook  # Pythia keeps no reference that Python could see
        if hook is not None:
            self.pythia.setUserHooksPtr(hook)
        state = int(np.random.SeedSequence(seed).generate_state(1, np.uint64)[0]) % MAX_SEED + 1
        first = ("Print:quiet = on", "Random:setSeed = on", f"Random:seed = {state}", f"Beams:eCM = {energy}")
        for line in (*first, *process.pythia):
            if not self.pythia.readString(line):
                raise GenerationError(f"Pythia does not understand the setting {line!r}")
        if not self.pythia.init():
            raise GenerationError(f"Pythia could not start with these settings: {'; '.join(process.pythia)}")

    def events(self, count: int) -> Events:
        """About `count` events (those that Pythia gives up are left out): their visible stable particles.

        Columns: `pt_hat` and `weight` per event, `pdgid` per particle; the truth as ragged rows `bosons`, `tops` or
        `partons`, see `jetgram.collisions.truth`.
        """
        batch = self.pythia.nextBatch(count)
        if getattr(self._hook, "is_hopeless", False):
            of = f" or of the partons {self._process.partons}" if self._process.partons else ""
            found = f"no event has a jet that is hard enough{of}: {'; '.join(self._process.pythia)}"
            raise GenerationError(f"{found}; lower the pt range of the sample, or raise its pT-hat limits")
        if len(batch) == 0:
            raise GenerationError(f"Pythia gave up {count} events in a row: {'; '.join(self._process.pythia)}")
        offsets, record = _flatten(batch.prt)
        visible = is_visible(record, self._eta_max)
        info = batch.info
        name, find = KEPT[self._truth]
        return Events(
            record["p4"][visible],
            _count_in_groups(visible, offsets),
            columns={
                "pt_hat": np.sqrt(np.asarray(info.pT2Hat, dtype=np.float64)),
                "weight": np.asarray(info.weights[:, 0], dtype=np.float64),
            },
            particles={"pdgid": record["id"][visible].astype(np.int32)},
            ragged={name: find(record, offsets, self._process)},
        )


def _flatten(particles: Any) -> tuple[NDArray[np.int64], dict[str, NDArray[Any]]]:
    """Offsets of the events and the columns of all particles in all of them, intermediate ones included."""
    import awkward as ak

    offsets = np.concatenate([[0], np.cumsum(np.asarray(ak.num(particles, axis=1)))])
    flat = ak.flatten(particles, axis=1)
    p4 = np.stack([np.asarray(flat["p", name]) for name in ("px", "py", "pz", "e")], axis=-1)
    return offsets, {"p4": p4} | {name: np.asarray(flat[name]) for name in ("id", "status", "mother1", "mother2")}


def is_visible(record: dict[str, NDArray[Any]], eta_max: float | None = None) -> NDArray[np.bool_]:
    """Stable, no neutrino, and below `eta_max`; of millions of particles, Pythia leaves one without any energy."""
    visible: NDArray[np.bool_] = (record["status"] > 0) & ~np.isin(np.abs(record["id"]), NEUTRINOS)
    visible &= record["p4"][:, 3] > 0
    if eta_max is not None:
        visible[visible] = np.abs(kinematics.eta(record["p4"][visible])) < eta_max
    return visible


def _count_in_groups(chosen: NDArray[np.bool_], offsets: NDArray[np.int64]) -> NDArray[np.int64]:
    """Offsets of the groups once only the chosen rows are kept."""
    return np.concatenate([[0], np.cumsum(chosen)])[offsets]
