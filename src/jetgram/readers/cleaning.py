"""From what a file says to physical jets: units, rounding, bad particles, bad rows; all of it counted.

Nothing is left out silently: what is, is counted by its fault, and the first of each fault is kept in the file's own
words, with the number of the row and the values as they are in the file.
"""

from __future__ import annotations

import dataclasses
import warnings
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from jetgram import kinematics
from jetgram.columns import one_per_row
from jetgram.errors import BadJetError, SettingsError, SuspiciousJetsWarning
from jetgram.momenta import M, Momenta
from jetgram.ragged import offsets_of
from jetgram.readers.labels import class_codes
from jetgram.readers.options import ReadOptions
from jetgram.readers.source import Chunk
from jetgram.validity import (
    all_physical,
    faults,
    is_physical,
    suspect_energy_first,
    suspect_mev,
    with_settled_energies,
)

ZERO, EMPTY, NO_CLASS, BAD_WEIGHT, CLIPPED = "zero momentum", "no particles", "no class", "no weight", "E set to |p|"
UNUSED_WEIGHT = "original_weight"
CLIPPABLE = ("E < |p|", "E < 0")
ENERGY_FIRST = (
    "Name the columns with map px=NAME,py=NAME,pz=NAME,E=NAME, or a padded array with map Epxpypz=NAME; "
    "save p4 of an npz as p4[:, [1, 2, 3, 0]]"
)


@dataclasses.dataclass
class Tally:
    """What was read and what was left out, and why.

    Args:
        read: rows that were read.
        rows: how many were left out, for each fault.
        particles: how many particles were left out, for each fault.
        clipped: how many particles got E = |p|.
        first: the first row or particle of each fault, in words.
        hint: what may be wrong with all of them.
    """

    read: int = 0
    rows: dict[str, int] = dataclasses.field(default_factory=dict)
    particles: dict[str, int] = dataclasses.field(default_factory=dict)
    clipped: int = 0
    first: dict[str, str] = dataclasses.field(default_factory=dict)
    hint: str = ""

    def add(self, other: Tally) -> None:
        """Add what was counted elsewhere, later in the data."""
        self.read += other.read
        self.clipped += other.clipped
        for mine, more in ((self.rows, other.rows), (self.particles, other.particles)):
            for fault, count in more.items():
                mine[fault] = mine.get(fault, 0) + count
        self.first = {**other.first, **self.first}
        self.hint = self.hint or other.hint

    @property
    def bad_rows(self) -> int:
        """Rows that were left out."""
        return sum(self.rows.values())

    @property
    def first_bad_row(self) -> str:
        """The first row that was left out, in words."""
        return self.first[next(iter(self.rows))]

    def summary(self, what: str) -> list[str]:
        """What was left out, one line per fault.

        Args:
            what: a row is called, in the plural.
        """
        lines = [
            f"{count:,} of {self.read:,} {what} left out: {fault}; the first: {self.first[fault]}"
            for fault, count in self.rows.items()
        ]
        lines += [
            f"{_counted(count, 'particle')} left out: {fault}; the first: {self.first[fault]}"
            for fault, count in self.particles.items()
        ]
        if self.clipped:
            lines.append(f"E set to |p| for {_counted(self.clipped, 'particle')}; the first: {self.first[CLIPPED]}")
        return lines

    def error(self, what: str) -> BadJetError:
        """The error for rows that must not be left out."""
        faults = ", ".join(f"{count:,} {fault}" for fault, count in self.rows.items())
        how = "on_bad drop leaves them out, on_bad clip repairs what can be"
        return BadJetError(
            f"{self.first_bad_row}; {self.bad_rows:,} of {self.read:,} {what} are bad: {faults}{self.hint}; {how}"
        )


def clean(
    chunk: Chunk, options: ReadOptions, classes: Sequence[str] | None = None
) -> tuple[Momenta, NDArray[np.int64], Tally]:
    """The good rows of a chunk, the file's numbers of them, and what was left out.

    Rows that are bad under `on_bad="raise"` are left out and counted too: it is the caller who raises, and who knows
    how many there are in all.
    """
    rows, tally = chunk.rows, Tally(read=len(chunk.rows))
    if options.gev != 1.0:
        rows = dataclasses.replace(rows, momenta=rows.momenta / options.gev)
    settled = with_settled_energies(rows)
    physical = settled is rows or all_physical(settled.momenta)  # what needs no settling is physical
    rows = settled
    fault = np.full(len(rows), "", dtype="<U24")
    if chunk.label is not None:
        codes, known = class_codes(chunk.label, classes, chunk.name)
        rows = rows.with_columns(label=codes)
        fault[~known] = NO_CLASS
    if options.weight == "" and "weight" in rows.columns:
        renamed = {UNUSED_WEIGHT if name == "weight" else name: values for name, values in rows.columns.items()}
        rows = dataclasses.replace(rows, columns=renamed)
    if "weight" in rows.columns:
        rows = rows.with_columns(weight=_weights(rows.columns["weight"], chunk))
        fault[~np.isfinite(rows.columns["weight"])] = BAD_WEIGHT
    if not physical:
        rows = _clean_particles(chunk, rows, fault, options, tally)
    fault[(rows.multiplicity == 0) & (fault == "")] = EMPTY
    bad = fault != ""
    if not bad.any():
        return rows, chunk.numbers, tally
    for name in dict.fromkeys(fault[bad].tolist()):  # that of the first bad row first
        tally.rows[name] = int(np.count_nonzero(fault == name))
        tally.first.setdefault(name, _describe_row(chunk, int(np.argmax(fault == name)), name, classes))
    return rows[~bad], chunk.numbers[~bad], tally


def _weights(found: NDArray[Any], chunk: Chunk) -> NDArray[Any]:
    """One number per row, `(rows,)`."""
    weights = one_per_row(found, "weight")
    if weights.ndim != 1 or weights.dtype.kind not in "biuf":
        raise SettingsError(
            f"{chunk.name(0)}: the weights have shape {found.shape} and type {found.dtype}; expected a number per row"
        )
    return weights


def _clean_particles(chunk: Chunk, rows: M, fault: NDArray[np.str_], options: ReadOptions, tally: Tally) -> M:
    """The rows without the particles that can be left out; the faults of the others become those of their rows."""
    tally.hint = suspect_energy_first(rows.momenta, ENERGY_FIRST)
    policy = "clip" if options.on_bad == "clip" else options.on_bad_particle
    wrong = np.flatnonzero(~is_physical(rows.momenta))
    found = faults(rows.momenta[wrong])
    group = rows.group
    if policy == "clip":
        short = np.isin(found, CLIPPABLE) & (kinematics.momentum(rows.momenta[wrong]) > 0)
        if short.any():
            momenta = rows.momenta.copy()
            momenta[wrong[short], 3] = kinematics.momentum(momenta[wrong[short]])
            rows = dataclasses.replace(rows, momenta=momenta)
            tally.clipped = int(np.count_nonzero(short))
            tally.first[CLIPPED] = _describe(chunk, group, int(wrong[short][0]), str(found[short][0]))
            wrong, found = wrong[~short], found[~short]
    dropped = np.ones(len(wrong), dtype=bool) if policy != "raise" else found == ZERO
    for name in np.unique(found).tolist():
        some = found == name
        tally.first.setdefault(name, _describe(chunk, group, int(wrong[some][0]), name))
        if dropped[some].any():
            tally.particles[name] = int(np.count_nonzero(dropped & some))
    fault[group[wrong[~dropped]][::-1]] = found[~dropped][::-1]  # the fault of a row is that of its first bad particle
    return keep_particles(rows, wrong[dropped])


def keep_particles(rows: M, without: NDArray[np.int64]) -> M:
    """The same rows without some of their particles, given by their numbers."""
    if not len(without):
        return rows
    kept = np.ones(len(rows.momenta), dtype=bool)
    kept[without] = False
    counts = rows.multiplicity - np.bincount(rows.group[without], minlength=len(rows))
    particles = {name: values[kept] for name, values in rows.particles.items()}
    return dataclasses.replace(rows, momenta=rows.momenta[kept], offsets=offsets_of(counts), particles=particles)


def _describe(chunk: Chunk, group: NDArray[np.int64], particle: int, fault: str) -> str:
    """A particle in the file's own words."""
    row = int(group[particle])
    number = particle - int(chunk.rows.offsets[row])
    said = {name: values[particle] for name, values in chunk.found.items()}
    return f"{chunk.name(row)}, particle {number}: {fault} in {_values(said)}"


def _values(said: Mapping[str, Any]) -> str:
    """The values of a particle; where a file has several collections, those of the one that it belongs to."""
    collections: dict[str, dict[str, Any]] = {}
    for name, value in said.items():
        collections.setdefault(name.rpartition(".")[0], {})[name] = value
    filled = [some for some in collections.values() if not all(value != value for value in some.values())]
    shown = filled[0] if filled else said
    return ", ".join(f"{name} = {value}" for name, value in shown.items())


def _describe_row(chunk: Chunk, row: int, fault: str, classes: Sequence[str] | None) -> str:
    """A row whose fault is not one of its particles."""
    if fault == NO_CLASS and chunk.label is not None:
        found = chunk.label[row].tolist()
        if chunk.label.ndim == 1 or classes is None:  # an array (rows, classes) has no names
            return f"{chunk.name(row)}: no class, the label is {found!r}"
        columns = ", ".join(f"{name} = {value}" for name, value in zip(classes, found, strict=True))
        expected = "expected 1 in one of its columns and 0 in the others (label '' reads them as other columns)"
        return f"{chunk.name(row)}: no class; {expected}, found {columns}"
    if fault == BAD_WEIGHT:
        return f"{chunk.name(row)}: the weight is {chunk.rows.columns['weight'][row]}"
    return f"{chunk.name(row)}: {fault}"


def _counted(count: int, what: str) -> str:
    return f"{count:,} {what}{'s' * (count != 1)}"


def require_gev(rows: Momenta, options: ReadOptions, source: object) -> None:
    """Raise a `SettingsError` for momenta that look like MeV, unless the user said what they are."""
    suspicion = suspect_mev(rows) if options.units is None else ""
    if suspicion:
        raise SettingsError(f"{source}: {suspicion} units MeV divides them by 1000, units GeV takes them as they are")


def tell_left_out(tally: Tally, what: str, columns: Mapping[str, str]) -> None:
    """Warn of all that was left out, once for each fault.

    Args:
        tally: of rows and particles.
        what: a row is called, in the plural.
        columns: that are not carried along, with the reasons.
    """
    lines = tally.summary(what)
    for reason in dict.fromkeys(columns.values()):
        names = [name for name, why in columns.items() if why == reason]
        shown = ", ".join([*names[:8], *(["..."] if len(names) > 8 else [])])
        lines.append(f"not carried along: {_counted(len(names), 'column')}: {shown}; {reason}")
    for line in lines:
        warnings.warn(line, SuspiciousJetsWarning, stacklevel=3)
