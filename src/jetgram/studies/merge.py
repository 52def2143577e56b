"""Numbers of seeds from several files, put together: those that belong into a study, and why the others do not."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Mapping

from jetgram.storage.dataset import Dataset
from jetgram.storage.manifest import MANIFEST
from jetgram.studies.contestants import Contestant
from jetgram.studies.digests import provenance_digest, settings_digest
from jetgram.studies.records import DIGITS
from jetgram.studies.refusals import (
    NO_ROW,
    WRONG_SEED,
    Collected,
    LineCheck,
    Objections,
    data_objections,
    settings_objections,
)
from jetgram.studies.scales import generation_settings
from jetgram.studies.seeds import Key, SeedRecord, read_seeds
from jetgram.studies.tables import Row
from jetgram.studies.workspace import Workspace


@dataclasses.dataclass(frozen=True)
class Merged(Collected):
    """What files of seeds have to say.

    Args:
        refused: lines that do not count.
        lines: how many each file has.
        records: those that count, by row and seed.
    """

    records: Mapping[Key, SeedRecord]

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
    for file in dict.fromkeys([*files, *workspace.merge]):
        check.take(file, read_seeds(file))
    records = {record.identity: record for record in check.records.values()}
    return Merged(tuple(check.refused), check.lines, records)


class _Check(LineCheck[SeedRecord]):
    def __init__(self, workspace: Workspace, rows: Mapping[str, Row]) -> None:
        super().__init__()
        self.workspace, self.rows = workspace, rows
        self.expected: dict[str, tuple[str, str | None]] = {}

    def taken(self, record: SeedRecord) -> None:
        self.expected[self.rows[record.name].contestant.data] = record.recipe, record.dataset

    def objections(self, record: SeedRecord) -> Objections:
        row = self.rows.get(record.name)
        if row is None:
            yield NO_ROW, f"found {record.name!r}, which this version of jetgram does not have"
            return
        if (row.contestant.model is None) != (record.seed is None):
            wanted = "none, as for every observable" if record.seed is not None else "one, as for every network"
            yield WRONG_SEED, f"found {'no seed' if record.seed is None else f'seed {record.seed}'}; expected {wanted}"
        training = self.workspace.training_settings(row.contestant)
        settings = settings_digest(row.contestant, row.scenario, training)[:DIGITS]
        yield from settings_objections(record.settings, settings, "model, training or scenario")
        yield from data_objections((record.recipe, record.dataset), self._data(row.contestant.data))

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
