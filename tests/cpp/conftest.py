"""The C++ package, as an experiment would use it: built, installed, found by CMake, linked, run.

The library is made where pip built the Python module, of the same objects: only its readers of models are compiled
anew, and what has changed since. The programs that use it are built in a temporary folder.
"""

import dataclasses
import fcntl
import os
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from jetgram import backend
from jetgram.momenta import Jets
from jetgram.tagger import JetTagger

ROOT = Path(__file__).parents[2]
CMAKE = shutil.which("cmake") or shutil.which("cmake", path=Path(sys.executable).parent)
NINJA = shutil.which("ninja") or shutil.which("ninja", path=Path(sys.executable).parent)
CORES = len(os.sched_getaffinity(0))
SANITIZE = os.environ.get("JETGRAM_SANITIZE", "")  # as for `make sanitize`


def run(*command: object, text: str = "") -> str:
    """What a program prints; a failure shows all it said."""
    found = subprocess.run([str(part) for part in command], capture_output=True, text=True, input=text)
    assert found.returncode == 0, f"{command}\n{found.stdout[-3000:]}\n{found.stderr[-3000:]}"
    return found.stdout


def configure(source: Path, folder: Path, *options: str) -> None:
    generator = [f"-DCMAKE_MAKE_PROGRAM={NINJA}", "-G", "Ninja"] if NINJA else []
    run(CMAKE, "-S", source, "-B", folder, *generator, *options)


def build(source: Path, folder: Path, *options: str) -> None:
    configure(source, folder, *options)
    run(CMAKE, "--build", folder, "--parallel", CORES)


def library_folder() -> Path:
    """Where CMake has compiled the core for the Python module; a new folder if it is not there."""
    tag = f"cp{sys.version_info.major}{sys.version_info.minor}-*"
    built = [ROOT / "build" / "sanitize"] if SANITIZE else sorted((ROOT / "build").glob(tag))
    new = ROOT / "build" / ("cpp-sanitize" if SANITIZE else "cpp")
    return next((folder for folder in built if (folder / "CMakeCache.txt").exists()), new)


def install_library(prefix: Path) -> None:
    """Build the library and install it; test workers share the folder in which it is compiled."""
    folder = library_folder()
    folder.mkdir(parents=True, exist_ok=True)
    with folder.with_suffix(".lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not (folder / "CMakeCache.txt").exists():
            configure(ROOT, folder, f"-DJETGRAM_SANITIZE={SANITIZE}")
        run(CMAKE, "--build", folder, "--target", "jetgram", "--parallel", CORES)
        run(CMAKE, "--install", folder / "native" / "model", "--prefix", prefix)


@dataclasses.dataclass(frozen=True)
class Programs:
    """Programs that use the installed package."""

    folder: Path

    def rebuilt(self, folder: Path, *options: str) -> tuple["Programs", Path]:
        """The same with a library that is built from nothing with other options; and where that is installed."""
        build(ROOT, folder / "build", *options)
        run(CMAKE, "--install", folder / "build", "--prefix", folder / "installed")
        prefix = f"-DCMAKE_PREFIX_PATH={folder / 'installed'}"
        build(ROOT / "tests" / "cpp" / "programs", folder / "tests", prefix, "-DJETGRAM_PARTS=OFF")
        return Programs(folder), folder / "installed"

    def scores(self, model: Path, jets: Jets, threads: int = 1) -> tuple[list[str], np.ndarray]:
        """The names of the outputs, and the outputs `(jets, outputs)`."""
        file = model.parent / "jets.txt"
        write_text(jets, file)
        names, *rows = run(self.folder / "example" / "score_jets", model, file, threads).splitlines()
        return names.split("\t"), np.array([[float(x) for x in row.split()] for row in rows])

    def complaint(self, model: Path, jets: Jets) -> str:
        """What the example says of jets that have no scores."""
        file = model.parent / "jets.txt"
        write_text(jets, file)
        found = subprocess.run([self.folder / "example" / "score_jets", model, file], capture_output=True, text=True)
        assert (found.returncode, found.stdout) == (1, "")
        return found.stderr

    def run(self, name: str, *arguments: object, text: str = "") -> str:
        """What one of the tests' own programs prints."""
        return run(self.folder / "tests" / name, *arguments, text=text)

    def load(self, *models: Path) -> list[str]:
        """What loading says of each model: its digest, or an error."""
        return self.run("load", *models).splitlines()


@pytest.fixture(scope="session")
def programs(tmp_path_factory: pytest.TempPathFactory) -> Programs:
    """Built against the package, which is built and installed first."""
    if CMAKE is None or shutil.which("c++") is None or backend.load()[0] is None:
        pytest.skip("no CMake, no C++ compiler, or no native core to compare with")
    folder = tmp_path_factory.mktemp("cpp")
    install_library(folder / "installed")
    build(ROOT / "examples" / "cpp", folder / "example", f"-DCMAKE_PREFIX_PATH={folder / 'installed'}")
    build(ROOT / "tests" / "cpp" / "programs", folder / "tests", f"-DCMAKE_PREFIX_PATH={folder / 'installed'}")
    return Programs(folder)


def write_text(jets: Jets, file: Path) -> None:
    """As the example reads them: with all digits, and the class of particles if they have one."""
    classes = jets.particles.get("pclass")
    lines = []
    for begin, end in zip(jets.offsets, jets.offsets[1:], strict=False):
        for i in range(begin, end):
            numbers = [repr(float(x)) for x in jets.momenta[i]] + ([] if classes is None else [str(classes[i])])
            lines.append(" ".join(numbers))
        lines.append("")
    file.write_text("\n".join(lines) + "\n")


@pytest.fixture(scope="session")
def model(programs, qcd_jets, tmp_path_factory) -> Path:
    """A small model."""
    folder = tmp_path_factory.mktemp("model") / "model"
    JetTagger(hidden=8, trim=0.05, epochs=1).fit(qcd_jets, np.arange(len(qcd_jets)) % 2).save(folder)
    return folder
