"""Numbers of seeds from several files, put together: those that belong into a study, and why the others do not."""

from __future__ import annotations

import csv
import dataclasses
import io
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path

from jetgram.storage import atomic
from jetgram.storage.dataset import Dataset
from jetgram.storage.manifest import MANIFEST
from jetgram.studies.contestants import Contestant
from jetgram.studies.digests import provenance_digest, settings_digest
from jetgram.studies.scales import generation_settings
from jetgram.studies.seeds import DIGITS, SeedRecord, read_seeds
from jetgram.studies.tables import Row
from jetgram.studies.workspace import Workspace

REFUSED = "refused.csv"

DAMAGED = "damaged line"
NO_ROW = "no such row"
WRONG_SEED = "seed does not fit"
OTHER_SETTINGS = "other settings"
OTHER_PROVENANCE = "dataset made with other settings or versions"
OTHER_DATASET = "another dataset"
CONTRADICTION = "contradicts another line"

Key = tuple[str, int | None]  # a row's name and the seed


@dataclasses.dataclass(frozen=True)
class Refusal:
    """A line that does not count.

    Args:
        file: where it stands.
        line: its number in the file.
        name: the row and seed it speaks of, as far as it can be read.
        reason: one of the few above.
        details: what was found, and what was expected.
    """

    file: Path
    line: int
    name: str
    reason: str
    details: str


@dataclasses.dataclass(frozen=True)
class Merged:
    """What files of seeds have to say.

    Args:
        records: those that count, by row and seed.
        refused: those that do not.
        lines: how many each file has.
    """

    records: Mapping[Key, SeedRecord]
    refused: tuple[Refusal, ...]
    lines: Mapping[Path, int]

    def of(self, row: Row, seeds: Iterable[int | None]) -> list[SeedRecord]:
        """The records of a row for these seeds, as far as there are any."""
        return [self.records[row.name, seed] for seed in seeds if (row.name, seed) in self.records]

    @property
    def seeds(self) -> set[int]:
        """The seeds of all records."""
        return {seed for _, seed in self.records if seed is not None}

    def minutes(self, contestant: Contestant) -> float | None:
        """Mean time of a training of this network; None where none is known."""
        times = {seed: each.minutes for (_, seed), each in self.records.items() if each.key == contestant.key}
        known = [time for time in times.values() if time is not None]
        return sum(known) / len(known) if known else None

    @property
    def summary(self) -> list[tuple[Path, str, list[Refusal]]]:
        """The refusals by file and reason, in this order."""
        found: dict[tuple[Path, str], list[Refusal]] = {}
        for refusal in self.refused:
            found.setdefault((refusal.file, refusal.reason), []).append(refusal)
        return [(file, reason, members) for (file, reason), members in found.items()]


def collect_seeds(workspace: Workspace, rows: Iterable[Row]) -> Merged:
    """The numbers of these rows in the study's file of seeds and in those to be merged with it.

    A line counts if it is of a dataset and of settings that this study would use itself. Where the dataset is in the
    study's folder, its digest decides. Where it is not, the digest of its provenance does, of which the bytes are a
    function; and all lines must speak of the same bytes. Of two lines for the same training the first counts.

    Args:
        workspace: the study's folder and scale, and the files to merge.
        rows: every other line is refused.
    """
    check = _Check(workspace, {row.name: row for row in rows})
    files = [workspace.seeds_file] if workspace.seeds_file.exists() else []
    lines: dict[Path, int] = {}
    for file in dict.fromkeys([*files, *workspace.merge]):
        found = read_seeds(file)
        lines[file] = len(found)
        for number, record in found:
            check.take(file, number, record)
    return Merged(check.records, tuple(check.refused), lines)


class _Check:
    """Takes line after line, or refuses it."""

    def __init__(self, workspace: Workspace, rows: Mapping[str, Row]) -> None:
        self.workspace, self.rows = workspace, rows
        self.records: dict[Key, SeedRecord] = {}
        self.refused: list[Refusal] = []
        self.sources: dict[Key, str] = {}
        self.expected: dict[str, tuple[str, str | None]] = {}

    def take(self, file: Path, number: int, record: SeedRecord | str) -> None:
        """One line."""
        if isinstance(record, str):
            self.refused.append(Refusal(file, number, "", DAMAGED, record))
            return
        name = record.name if record.seed is None else f"{record.name}, seed {record.seed}"
        objection = next(self._objections(record), None)
        if objection is not None:
            self.refused.append(Refusal(file, number, name, *objection))
            return
        key = (record.name, record.seed)
        if key not in self.records:
            self.records[key] = record
            self.sources[key] = f"line {number} of {file}"
        self.expected[self.rows[record.name].contestant.data] = record.recipe, record.dataset

    def _objections(self, record: SeedRecord) -> Iterator[tuple[str, str]]:
        """What speaks against a line."""
        row = self.rows.get(record.name)
        if row is None:
            yield NO_ROW, f"found {record.name!r}, which this version of jetgram does not have"
            return
        if (row.contestant.model is None) != (record.seed is None):
            wanted = "none, as for every observable" if record.seed is not None else "one, as for every network"
            yield WRONG_SEED, f"found {'no seed' if record.seed is None else f'seed {record.seed}'}; expected {wanted}"
        settings = settings_digest(row.contestant, row.scenario, self.workspace.training_settings(row.contestant))[
            :DIGITS
        ]
        if record.settings != settings:
            yield OTHER_SETTINGS, f"found settings {record.settings}, expected {settings}: model, training or scenario"
        provenance, dataset = self._data(row.contestant.data)
        if record.recipe != provenance:
            yield OTHER_PROVENANCE, f"found provenance {record.recipe}, expected {provenance}"
        if dataset is not None and record.dataset != dataset:
            yield OTHER_DATASET, f"found dataset {record.dataset}, expected {dataset}"
        key = (record.name, record.seed)
        if key in self.records and record.numbers != self.records[key].numbers:
            both = [f"AUC {each.auc:.6f}, R {each.r:g}" for each in (record, self.records[key])]
            yield CONTRADICTION, f"found {both[0]}, but {self.sources[key]} says {both[1]}"

    def _data(self, data: str) -> tuple[str, str | None]:
        """The digests of a dataset's provenance and of the dataset, as far as they are known."""
        if data not in self.expected:
            folder = self.workspace.dataset(data)
            if (folder / MANIFEST).exists():
                dataset = Dataset(folder)
                self.expected[data] = provenance_digest(dataset.provenance)[:DIGITS], dataset.digest[:DIGITS]
            else:
                made_with = generation_settings(data, self.workspace.scale).provenance()
                self.expected[data] = provenance_digest(made_with)[:DIGITS], None
        return self.expected[data]


def write_refused(file: Path, refused: Sequence[Refusal]) -> None:
    """Write a table of all refused lines, each with its reason; an old one goes where none is refused any more."""
    if not refused:
        file.unlink(missing_ok=True)
        return
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(["file", "line", "row", "reason", "details"])
    writer.writerows([each.file, each.line, each.name, each.reason, each.details] for each in refused)
    atomic.write_bytes(file, text.getvalue().encode())
