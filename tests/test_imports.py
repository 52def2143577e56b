"""The direction of the imports: each part of the package knows only the parts below it."""

import ast
import subprocess
import sys
from pathlib import Path

import pytest

import jetgram

SOURCE = Path(jetgram.__file__).parent

# Lowest first. A part may import itself and what stands before it; `jetgram/__init__.py` is the face of all of them.
LAYERS = (
    "errors",
    "extras",
    "notation",
    "boundary",
    "progress",
    "kinematics",
    "pdg",
    "ragged",
    "coordinates",
    "columns",
    "interchange",
    "settings",
    "backend",
    "numpy_bits",
    "fanout",
    "momenta",
    "classes",
    "joining",
    "validity",
    "roc",
    "trees",
    "jets",
    "storage",
    "readers",
    "collisions",
    "histograms",
    "separation",
    "inspection",
    "levels",
    "inputs",
    "networks",
    "registry",
    "models",
    "doctor",
    "evaluation",
    "plots",
    "training",
    "estimator",
    "tagger",
    "report",
    "studies",
    "bench",
    "export",
    "cli",
    "__main__",
)
NETWORKS = ("networks", "models", "training", "estimator", "tagger", "report", "studies", "bench", "export")
TORCH_FREE = tuple(part for part in LAYERS if part not in NETWORKS)  # name no torch themselves
PHYSICS = (*LAYERS[: LAYERS.index("networks")], "doctor", "plots")  # nor does anything that they import
HEAVY = (
    "torch",
    "awkward",
    "pyarrow",
    "fastjet",
    "pythia8mc",
    "vector",
    "matplotlib",
    "plotly",
    "sklearn",
    "distributed",
    "onnx",
)

MODULES = sorted(p for p in SOURCE.rglob("*.py") if p != SOURCE / "__init__.py")


def part_of(path: Path) -> str:
    return path.relative_to(SOURCE).parts[0].removesuffix(".py")


def name_of(path: Path) -> str:
    return ".".join(path.relative_to(SOURCE.parent).with_suffix("").parts).removesuffix(".__init__")


def imported_names(path: Path) -> set[str]:
    """Dotted names of all modules that a file imports, inside its functions too."""
    names = set()
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path.name} has a relative import"
            names |= {f"{node.module}.{alias.name}" for alias in node.names}
    return names


@pytest.mark.parametrize("path", MODULES, ids=lambda path: str(path.relative_to(SOURCE)))
def test_imports_run_downward(path: Path) -> None:
    part = part_of(path)
    assert part in LAYERS, f"{part} has no place in LAYERS yet"
    inside = {name.split(".")[1] for name in imported_names(path) if name.startswith("jetgram.")}
    allowed = {*LAYERS[: LAYERS.index(part) + 1], "_native", "__version__"}
    assert inside <= allowed, f"{part} reaches up to {sorted(inside - allowed)}"


@pytest.mark.parametrize("path", MODULES, ids=lambda path: str(path.relative_to(SOURCE)))
def test_the_physics_half_has_no_torch(path: Path) -> None:
    if part_of(path) in TORCH_FREE:
        assert not {name for name in imported_names(path) if name.split(".")[0] == "torch"}


@pytest.mark.parametrize("there", [True, False], ids=["with torch", "without torch"])
def test_the_physics_half_imports_no_torch(there: bool) -> None:
    """All its modules in one process, torch installed or not."""
    modules = [name_of(path) for path in MODULES if part_of(path) in PHYSICS]
    probe = f"""
import importlib, sys
if not {there}:
    sys.modules["torch"] = None  # what Python makes of a module that cannot be imported
for name in {modules!r}:
    importlib.import_module(name)
print("loaded:", *sorted(name for name, module in sys.modules.items() if name.startswith("torch") and module))
"""
    result = subprocess.run([sys.executable, "-W", "error", "-c", probe], capture_output=True, text=True)
    assert result.returncode == 0, result.stderr
    assert result.stdout.splitlines()[-1].split() == ["loaded:"]


@pytest.mark.parametrize("statement", ["import jetgram", "from jetgram.cli import main; main(['--help'])"])
def test_first_contact_imports_nothing_heavy(statement: str) -> None:
    probe = f"""
import sys
try:
    {statement}
except SystemExit:
    pass
print("loaded:", *sorted({{name.partition(".")[0] for name in sys.modules}}.intersection({HEAVY!r})))
"""
    result = subprocess.run([sys.executable, "-c", probe], capture_output=True, text=True, check=True)
    assert result.stdout.splitlines()[-1].split() == ["loaded:"]
