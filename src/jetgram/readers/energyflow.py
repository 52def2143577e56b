"""EnergyFlow's quark and gluon jets (10.5281/zenodo.3164691): padded (pT, y, phi, PDG id) in an npz file."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar

from jetgram.columns import Assembled, Column
from jetgram.errors import BadJetError
from jetgram.readers.files.npz import NpzFile
from jetgram.readers.files.table_file import TableFile
from jetgram.readers.tables import TableSource


class EnergyFlow(TableSource):
    """Arrays `X (jets, particles, 4)` with pT, rapidity, azimuth and PDG id, and `y`; masses are those of the ids."""

    layout = "energyflow"
    title = "EnergyFlow: npz with X (jets, particles, 4) = pT, y, phi, PDG id, and y"
    momentum: ClassVar[Mapping[str, str]] = {"ptyphipid": "X"}
    label = "y"

    @classmethod
    def fits(cls, file: TableFile, table: str) -> bool:
        """Whether there is an array `X` with four columns."""
        return isinstance(file, NpzFile) and super().fits(file, table) and file.headers["X"].shape[2:] == (4,)

    def _assemble(self, table: Mapping[str, Column]) -> Assembled:
        try:
            return super()._assemble(table)
        except BadJetError as error:
            raise BadJetError(
                f"{error}; if X has other columns than pT, y, phi, PDG id, name them: layout columns, map ptetaphim=X"
            ) from None
