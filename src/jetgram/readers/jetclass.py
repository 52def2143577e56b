"""JetClass (10.5281/zenodo.6619768) and the files that weaver reads: ragged `part_*`, `jet_*` and `label_*`."""

from __future__ import annotations

from jetgram.columns import guess_momentum
from jetgram.errors import SettingsError
from jetgram.readers.files.table_file import TableFile
from jetgram.readers.tables import TableSource


class JetClass(TableSource):
    """A tree with `part_px, part_py, part_pz, part_energy`, other `part_*`, and one column `label_*` per class."""

    layout = "jetclass"
    title = "JetClass: ROOT, tree with part_px, part_py, part_pz, part_energy, ... and label_*"
    format = "ROOT"
    special = TableSource.special | {"table"}
    label = "label_*"

    @classmethod
    def fits(cls, file: TableFile, table: str) -> bool:
        """Whether a table has momenta that begin with `part_`."""
        return file.format == cls.format and _momentum(file, table) is not None

    def _mapping(self) -> tuple[dict[str, str], dict[str, str]]:
        momentum = _momentum(self.file, self.table)
        if momentum is None:
            raise SettingsError("there are no lists part_px, part_py, part_pz, part_energy (or part_pt, ...)")
        return momentum, self._without_start(momentum)


class Weaver(JetClass):
    """The same columns in Parquet; the class may be one column `label`."""

    layout = "weaver"
    title = "weaver: Parquet with part_*, jet_* and label or label_*"
    format = "Parquet"
    special = TableSource.special


def _momentum(file: TableFile, table: str) -> dict[str, str] | None:
    """The columns `part_*` of the momenta."""
    lists = [name for name, shape in file.columns(table).items() if name.startswith("part_") and shape == "list"]
    return next(iter(guess_momentum(lists)), None)
