"""Any ROOT, Parquet, Arrow, HDF5 or npz file whose columns are named by the user, or by what they are."""

from __future__ import annotations

from collections.abc import Mapping

from jetgram.columns import Assembled, Column, guess_momentum, same_layout
from jetgram.coordinates import momentum_names
from jetgram.errors import SettingsError
from jetgram.readers.files.table_file import TableFile
from jetgram.readers.tables import TableSource, split_map


class NamedColumns(TableSource):
    """Lists of particles per row, or padded arrays, under any names."""

    layout = "columns"
    title = "any ROOT, Parquet, Arrow, HDF5 or npz file, its columns named with --map px=NAME,..."
    special = TableSource.special | {"table", "map"}
    weight = "weight"

    @classmethod
    def fits(cls, file: TableFile, table: str) -> bool:
        """Whether the names of some columns are those of momenta, or begin alike and end so."""
        return len(_guesses(file, table)) == 1

    def _table(self) -> str:
        if self.options.table is None:
            wanted = {name for name in split_map(self.options.map)[0].values() if "*" not in name}
            fitting = [table for table in self.file.tables() if wanted <= set(self.file.columns(table))]
            if wanted and len(fitting) == 1:
                return fitting[0]
        return super()._table()

    def _mapping(self) -> tuple[dict[str, str], dict[str, str]]:
        momentum, renamed = split_map(self.options.map)
        if not momentum:
            guesses = _guesses(self.file, self.table)
            if len(guesses) != 1:
                found = "; ".join(", ".join(guess.values()) for guess in guesses) or ", ".join(list(self.columns)[:30])
                raise SettingsError(
                    f"which columns are the momenta? Name them: map px=NAME,py=NAME,...; found: {found}"
                )
            momentum = guesses[0]
        elif len(momentum) > 1 and momentum_names(list(momentum)) is None:
            raise SettingsError(
                f"{', '.join(momentum)} makes no momentum; expected px, py, pz, or pt, eta (or y), phi; "
                "and E, mass, pdgid, or none of these for massless particles"
            )
        return momentum, {**self._without_start(momentum), **renamed}

    def _assemble(self, table: Mapping[str, Column]) -> Assembled:
        """A mask that was guessed counts if it has the shape of the momenta; else it is a column like others."""
        mask, first = self._momentum.get("mask"), table[next(iter(self._momentum.values()))]
        if mask is not None and "mask" not in self.options.map and not same_layout(table[mask], first):
            del self._momentum["mask"]
        return super()._assemble(table)


def _guesses(file: TableFile, table: str) -> list[dict[str, str]]:
    """The momenta among a table's columns: of lists if there are any."""
    columns = file.columns(table)
    lists, rows = ([name for name, shape in columns.items() if shape == kind] for kind in ("list", "row"))
    return guess_momentum(lists) or guess_momentum(rows)
