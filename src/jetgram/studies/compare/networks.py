"""Who can take part in a comparison."""

from __future__ import annotations

import fnmatch
from collections.abc import Sequence
from typing import Any

from jetgram.errors import SettingsError
from jetgram.models.settings import make_settings

# By name: their settings.
NETWORKS: dict[str, dict[str, Any]] = {
    "modern": {"recipe": "modern"},
    "simple-kt": {"recipe": "paper"},
    **{name: {"recipe": name} for name in ("pfn", "efn", "lundnet", "particlenet", "part")},
}
OTHERS: dict[str, dict[str, Any]] = {
    "gated-ca": {"recipe": "paper", "cell": "gated", "topology": "ca"},
    "gated-kt": {"recipe": "paper", "cell": "gated"},
    "student": {"recipe": "student"},
    "student-32": {"recipe": "student", "hidden": 32},
    "second-student": {"recipe": "student"},
}
EVERYBODY = {**NETWORKS, **OTHERS}

# Those that learn from the mean answer of trainings of another one, at the rate of that; and the seeds of these.
TAUGHT = {"student": "modern", "student-32": "modern", "second-student": "student"}
TEACHERS = (1, 2, 3)


def lineage(network: str) -> tuple[str, ...]:
    """A network, its teacher, and so on to one that is not taught.

    Example:
        >>> lineage("modern"), lineage("second-student")
        (('modern',), ('second-student', 'student', 'modern'))
    """
    return (network, *(lineage(TAUGHT[network]) if network in TAUGHT else ()))


def title_of(network: str) -> str:
    """Its name in tables and pictures: that of its authors, where it is a published one.

    Example:
        >>> title_of("part"), title_of("simple-kt"), title_of("student-32")
        ('ParT', 'simple kt', 'student-32')
    """
    settings = EVERYBODY[network]
    is_ours = settings["recipe"] in ("modern", "student")
    return network if is_ours else make_settings(**settings)[0].title


def choose_networks(patterns: Sequence[str]) -> tuple[str, ...]:
    """The networks that match one of the patterns; the default ones without patterns.

    Example:
        >>> choose_networks(["p*"]), choose_networks(["gated-kt"])
        (('pfn', 'particlenet', 'part'), ('gated-kt',))
    """
    if not patterns:
        return tuple(NETWORKS)
    strange = [pattern for pattern in patterns if not fnmatch.filter(EVERYBODY, pattern)]
    if strange:
        raise SettingsError(f"no network matches {strange[0]!r}; there are: {', '.join(EVERYBODY)}")
    return tuple(name for name in EVERYBODY if any(fnmatch.fnmatchcase(name, pattern) for pattern in patterns))
