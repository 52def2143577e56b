"""What this installation consists of: versions, the native core and its path, threads, optional parts.

Which packages there should be is in the metadata of jetgram itself; see `jetgram.extras`. Nothing here raises when
something is missing or broken: the report says so instead.
"""

from __future__ import annotations

import dataclasses
import importlib
import importlib.metadata
import platform
from collections.abc import Mapping, Sequence

from jetgram import backend
from jetgram.extras import install_command, requirements


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
class Diagnosis:
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


def examine() -> Diagnosis:
    """Look at this installation.

    Example:
        >>> report = examine()
        >>> report.healthy, report.packages["torch"].version.partition("+")[0]
        (True, '2.13.0')
        >>> sorted(report.extras)
        ['dask', 'generate', 'onnx', 'readers', 'report']
    """
    wanted, modules = requirements(), _modules()
    return Diagnosis(
        jetgram=importlib.import_module("jetgram").__version__,
        python=platform.python_version(),
        platform=platform.platform(),
        native_core=_native_core(),
        threads=backend.threads(),
        packages=_packages(wanted[""], modules),
        extras={
            extra: Extra(_packages(names, modules), install_command(extra)) for extra, names in wanted.items() if extra
        },
    )


def _native_core() -> NativeCore:
    module, reason = backend.load()
    return NativeCore(module is not None, module.cpu_path() if module else "Python reference", reason)


def _modules() -> dict[str, str]:
    """The name with which a distribution is imported, where it is another one: scikit-learn is sklearn."""
    found: dict[str, list[str]] = {}
    for module, distributions in importlib.metadata.packages_distributions().items():
        for distribution in distributions:
            found.setdefault(distribution, []).append(module)
    return {name: min(modules) for name, modules in found.items() if name not in modules}


def _packages(names: Sequence[str], modules: Mapping[str, str]) -> dict[str, Package]:
    return {name: _package(name, modules.get(name, name)) for name in names}


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
