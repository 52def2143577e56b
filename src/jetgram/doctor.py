"""What this installation consists of: versions, the native core and its path, threads, optional parts.

Nothing here raises when something is missing or broken: the report says so instead.
"""

from __future__ import annotations

import dataclasses
import importlib
import importlib.metadata
import platform
from collections.abc import Mapping

from jetgram import backend

# Distribution -> module; what the package cannot do without.
REQUIRED = {
    "numpy": "numpy",
    "awkward": "awkward",
    "pyarrow": "pyarrow",
    "vector": "vector",
    "fastjet": "fastjet",
    "pythia8mc": "pythia8mc",
    "scikit-learn": "sklearn",
    "matplotlib": "matplotlib",
    "mplhep": "mplhep",
    "pydantic": "pydantic",
    "typer": "typer",
    "rich": "rich",
    "safetensors": "safetensors",
    "torch": "torch",
}
# Extra -> distribution -> module; `pip install 'jetgram[EXTRA]'` brings them.
OPTIONAL = {
    "dask": {"distributed": "distributed"},
    "onnx": {"onnx": "onnx", "onnxscript": "onnxscript", "onnxruntime": "onnxruntime"},
}


@dataclasses.dataclass(frozen=True)
class Package:
    """A package that jetgram uses: its version, or the problem with it."""

    version: str | None
    problem: str = ""


@dataclasses.dataclass(frozen=True)
class Extra:
    """An optional part: its packages, and the command that installs them."""

    packages: Mapping[str, Package]
    install: str

    @property
    def present(self) -> bool:
        """Whether every package of this part can be imported."""
        return not any(package.problem for package in self.packages.values())


@dataclasses.dataclass(frozen=True)
class NativeCore:
    """The compiled core: the instruction set it uses, or the reason why it is missing."""

    present: bool
    cpu_path: str
    reason: str


@dataclasses.dataclass(frozen=True)
class Report:
    """The state of an installation, as `jetgram doctor` prints it."""

    jetgram: str
    python: str
    platform: str
    native_core: NativeCore
    threads: int
    packages: Mapping[str, Package]
    extras: Mapping[str, Extra]

    @property
    def healthy(self) -> bool:
        """Whether every required package can be imported; the native core may be missing."""
        return not any(package.problem for package in self.packages.values())


def examine() -> Report:
    """Look at this installation.

    Example:
        >>> report = examine()
        >>> report.healthy, report.packages["torch"].version.partition("+")[0]
        (True, '2.13.0')
    """
    return Report(
        jetgram=importlib.import_module("jetgram").__version__,
        python=platform.python_version(),
        platform=platform.platform(),
        native_core=_native_core(),
        threads=backend.threads(),
        packages={name: _package(name, module) for name, module in REQUIRED.items()},
        extras={
            extra: Extra(
                {name: _package(name, module) for name, module in modules.items()}, f"pip install 'jetgram[{extra}]'"
            )
            for extra, modules in OPTIONAL.items()
        },
    )


def _native_core() -> NativeCore:
    module, reason = backend.load()
    return NativeCore(module is not None, module.cpu_path() if module else "Python reference", reason)


def _package(distribution: str, module: str) -> Package:
    """The package, imported to make sure: an installed package with a broken library has a version too."""
    try:
        version = importlib.metadata.version(distribution)
    except importlib.metadata.PackageNotFoundError:
        return Package(None, "not installed")
    try:
        importlib.import_module(module)
    except Exception as error:  # a broken package may raise anything at import; the report is the place for it
        return Package(version, f"{type(error).__name__}: {error}")
    return Package(version)
