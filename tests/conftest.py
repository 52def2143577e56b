"""Real collisions for all tests, generated once a run; and a real cluster for those that ask for it."""

import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import hypothesis
import numpy as np
import pytest

from browser import chromium, phone, visit
from distribution import pytest_xdist_make_scheduler
from jetgram.momenta import Events, Jets
from jetgram.ragged import offsets_of

__all__ = ["chromium", "phone", "pytest_xdist_make_scheduler", "visit"]  # for all tests, like the fixtures below

os.environ.setdefault("OMP_NUM_THREADS", "1")  # before torch: test workers share the cores already

if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:  # a shell starts what runs in the background deaf to Ctrl-C
    signal.signal(signal.SIGINT, signal.default_int_handler)

hypothesis.settings.register_profile(
    "jetgram",
    deadline=None,  # a slow machine is no failure
    suppress_health_check=[hypothesis.HealthCheck.too_slow],
    derandomize="JETGRAM_TORTURE" not in os.environ,  # `make torture` looks for new examples
)
hypothesis.settings.load_profile("jetgram")

NEUTRINOS = (12, 14, 16)
CARD = (
    "Print:quiet = on",
    "Beams:eCM = 13000.",
    "HardQCD:all = on",
    "PhaseSpace:pTHatMin = 180.",
    "Random:setSeed = on",
    "Random:seed = 1702",
)


@pytest.fixture(scope="session")
def qcd_events() -> Events:
    """Two hundred dijet events at 13 TeV: visible stable particles with |eta| < 5, and their PDG ids."""
    import awkward as ak
    import pythia8mc

    pythia = pythia8mc.Pythia("", False)
    for line in CARD:
        assert pythia.readString(line)
    assert pythia.init()
    particles = pythia.nextBatch(200).prt
    flat = ak.flatten(particles)
    momenta = np.stack([ak.to_numpy(flat.p[axis]) for axis in ("px", "py", "pz", "e")], axis=-1)
    pdgid = ak.to_numpy(flat.id)
    visible = (ak.to_numpy(flat.status) > 0) & ~np.isin(np.abs(pdgid), NEUTRINOS)
    visible &= np.abs(momenta[:, 2]) < np.sinh(5.0) * np.hypot(momenta[:, 0], momenta[:, 1])
    event = np.repeat(np.arange(len(particles)), ak.to_numpy(ak.num(particles)))
    counts = np.bincount(event[visible], minlength=len(particles))
    return Events(momenta[visible], offsets_of(counts), particles={"pdgid": pdgid[visible]})


@pytest.fixture(scope="session")
def qcd_jets(qcd_events: Events) -> Jets:
    """The two hardest anti-kt R = 1 jets of each event, with the soft particles that fell into them."""
    from jetgram.jets.clustering import find_jets
    from jetgram.jets.soft import SoftParticles

    return find_jets(qcd_events, hardest=2, min_pt=20.0, soft=SoftParticles())


@pytest.fixture(scope="session")
def pflow_jets(qcd_events: Events) -> Jets:
    """The two hardest jets of each event as energy flow sees it: every particle has its class, `pclass`."""
    from jetgram.collisions.detector import simulate
    from jetgram.jets.clustering import find_jets

    jets = find_jets(simulate(qcd_events, "pflow", seed=1), hardest=2, min_pt=20.0)
    return Jets(jets.momenta, jets.offsets, particles=jets.particles)


class DaskCluster:
    """A Dask scheduler and two workers, as processes of this machine."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._scheduler = self._start(
            "dask_scheduler", "--host", "127.0.0.1", "--port", "0", "--dashboard-address", ":0"
        )
        self.address = self._find_address(folder / "dask_scheduler.log")
        self.workers: list[subprocess.Popen[bytes]] = []
        for _ in range(2):
            self.add_worker()

    def add_worker(self) -> None:
        """One more process that works."""
        options = ("--nthreads", "1", "--no-dashboard", "--no-nanny", "--local-directory", str(self._folder))
        self.workers.append(self._start("dask_worker", self.address, *options))

    def _start(self, *arguments: str) -> subprocess.Popen[bytes]:
        command = [sys.executable, "-m", "distributed.cli." + arguments[0], *arguments[1:]]
        with (self._folder / f"{arguments[0]}.log").open("ab") as file:
            return subprocess.Popen(command, stdout=file, stderr=subprocess.STDOUT, start_new_session=True)

    def _find_address(self, log: Path) -> str:
        for _ in range(1200):
            found = re.search(r"tcp://127\.0\.0\.1:\d+", log.read_text())
            if found:
                return found.group()
            time.sleep(0.1)
        raise AssertionError(f"the scheduler did not start:\n{log.read_text()}")

    def kill(self, process: subprocess.Popen[bytes]) -> None:
        """Kill one of the processes without a warning."""
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()

    def close(self) -> None:
        """Kill all that is left."""
        for process in (*self.workers, self._scheduler):
            if process.poll() is None:
                self.kill(process)


@pytest.fixture
def dask_cluster(tmp_path: Path) -> Iterator[DaskCluster]:
    """A real Dask cluster."""
    cluster = DaskCluster(tmp_path)
    yield cluster
    cluster.close()
