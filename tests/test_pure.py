"""Without a compiler: the package installs, works with one clear warning, and gives the same trees."""

import json
import os
import shutil
import subprocess
import sys
import sysconfig
import venv
from pathlib import Path

import numpy as np
import pytest

import jetgram
from jetgram.kinematics import from_ptetaphim
from jetgram.momenta import Jets
from jetgram.trees.topologies import TOPOLOGIES, build_trees

ROOT = Path(__file__).parents[1]

# What a user does, in the environment under test: every topology twice, counting the warnings.
PROGRAM = """
import json, sys, warnings
import numpy as np
import jetgram
from jetgram.momenta import Jets
from jetgram.trees.topologies import TOPOLOGIES, build_trees

jets = Jets(np.load(sys.argv[1]), np.load(sys.argv[2]))
with warnings.catch_warnings(record=True) as caught:
    warnings.simplefilter("always")
    children = {name: [build_trees(jets, name, seed=5) for _ in range(2)][1].children.tolist() for name in TOPOLOGIES}
print(json.dumps({"home": jetgram.__file__, "warnings": [str(w.message) for w in caught], "children": children}))
"""


@pytest.fixture
def jets() -> Jets:
    rng = np.random.default_rng(3)
    sizes = (1, 2, 17, 40)
    return Jets.from_lists(
        [from_ptetaphim(rng.exponential(5, n) + 0.1, rng.normal(0, 0.4, n), rng.normal(0, 0.4, n)) for n in sizes]
    )


def run_program(python: Path | str, jets: Jets, folder: Path, **environment: str) -> dict:
    np.save(folder / "momenta.npy", jets.momenta)
    np.save(folder / "offsets.npy", jets.offsets)
    command = [str(python), "-c", PROGRAM, str(folder / "momenta.npy"), str(folder / "offsets.npy")]
    result = subprocess.run(command, cwd=folder, env={**os.environ, **environment}, capture_output=True, text=True)
    assert result.returncode == 0, result.stderr
    return json.loads(result.stdout)


def assert_same_trees_with_one_warning(report: dict, jets: Jets, reason: str) -> None:
    (warning,) = report["warnings"]
    assert warning.startswith("jetgram runs without its native core")
    assert reason in warning
    for name in TOPOLOGIES:
        assert report["children"][name] == build_trees(jets, name, seed=5).children.tolist(), name


def test_switched_off(jets, tmp_path) -> None:
    here = str(Path(jetgram.__file__).parents[1])
    report = run_program(sys.executable, jets, tmp_path, JETGRAM_NO_NATIVE="1", PYTHONPATH=here)
    assert_same_trees_with_one_warning(report, jets, "JETGRAM_NO_NATIVE")


def build_without_compiler(folder: Path) -> Path:
    """The wheel of a copy of the sources, made where neither `c++` nor `cc` works."""
    source = folder / "source"
    ignored = shutil.ignore_patterns("*.so", "__pycache__")
    for name in ("src", "native"):
        shutil.copytree(ROOT / name, source / name, ignore=ignored)
    for name in ("pyproject.toml", "CMakeLists.txt", "README.md", "LICENSE"):
        shutil.copy(ROOT / name, source)
    command = [sys.executable, "-m", "pip", "wheel", ".", "--no-deps", "--no-build-isolation", "-w", str(folder)]
    environment = {**os.environ, "CC": "/bin/false", "CXX": "/bin/false"}
    result = subprocess.run(command, cwd=source, env=environment, capture_output=True, text=True)
    assert result.returncode == 0, result.stdout + result.stderr
    (wheel,) = folder.glob("*.whl")
    return wheel


def install(wheel: Path, folder: Path) -> Path:
    """A new environment with the wheel; it borrows the other packages from this one. Returns its Python."""
    venv.create(folder, with_pip=False)
    site = Path(sysconfig.get_path("purelib", vars={"base": str(folder)}))
    (site / "borrowed.pth").write_text(sysconfig.get_path("purelib") + "\n")
    python = folder / "bin" / "python"
    command = [sys.executable, "-m", "pip", "--python", str(python), "install", "--no-deps", "--no-index", str(wheel)]
    subprocess.run(command, check=True, capture_output=True)
    return python


def test_a_wheel_built_without_a_compiler(jets, tmp_path, monkeypatch) -> None:
    monkeypatch.delenv("PYTHONPATH", raising=False)
    wheel = build_without_compiler(tmp_path)
    assert wheel.name.endswith("-py3-none-any.whl")
    python = install(wheel, tmp_path / "env")
    report = run_program(python, jets, tmp_path)
    assert report["home"].startswith(str(tmp_path / "env"))
    assert_same_trees_with_one_warning(report, jets, "(it was not built)")

    doctor = subprocess.run([python.parent / "jetgram", "doctor", "--json"], capture_output=True, text=True, check=True)
    assert json.loads(doctor.stdout)["native_core"]["present"] is False
