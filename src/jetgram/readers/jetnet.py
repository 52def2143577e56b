"""JetNet (10.5281/zenodo.6975118): particles relative to their jet in HDF5, one file per class."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from jetgram.columns import Assembled, Column, assemble, require_columns
from jetgram.errors import DatasetError
from jetgram.ragged import Offsets
from jetgram.readers.files.table_file import TableFile
from jetgram.readers.tables import TableSource

PARTICLES, JETS = "particle_features", "jet_features"
JET_COLUMNS = ("jet_pt", "jet_eta", "jet_mass", "jet_particles")


class JetNet(TableSource):
    r"""Arrays `particle_features (jets, particles, 4)` and `jet_features (jets, 4)`.

    Particles are massless, $p_T = p_T^\mathrm{rel}\, p_T^\mathrm{jet}$ and
    $\eta = \eta^\mathrm{rel} + \eta^\mathrm{jet}$; the file has no azimuth of the jet, so $\phi = \phi^\mathrm{rel}$.
    """

    layout = "jetnet"
    title = "JetNet: HDF5 with particle_features (etarel, phirel, ptrel, mask) and jet_features (pt, eta, mass)"
    momentum: ClassVar[Mapping[str, str]] = {"etaphiptmask": PARTICLES}

    @classmethod
    def fits(cls, file: TableFile, table: str) -> bool:
        """Whether both arrays are there."""
        return {PARTICLES, JETS} <= set(file.columns(table))

    def _require_lists(self, names: Sequence[str]) -> None:
        """Also what the momenta are relative to."""
        require_columns(self.columns, [JETS])
        super()._require_lists([*names, JETS])

    def _to_read(self) -> list[str]:
        """Also what the momenta are relative to, whichever columns were asked for."""
        return [*dict.fromkeys([*super()._to_read(), JETS])]

    def _assemble(self, table: Mapping[str, Column]) -> Assembled:
        jets = np.asarray(table[JETS])
        if jets.ndim != 2 or jets.shape[1] < 3:
            raise DatasetError(f"{JETS} has shape {jets.shape}; expected (jets, 4): pt, eta, mass, particles")

        def absolute(flat: Mapping[str, NDArray[Any]], offsets: Offsets) -> dict[str, NDArray[Any]]:
            pt, eta = (np.repeat(jets[:, i].astype(np.float64), np.diff(offsets)) for i in (0, 1))
            return {"pt": flat["pt"] * pt, "eta": flat["eta"] + eta, "phi": flat["phi"]}

        others = {name: column for name, column in table.items() if name != JETS}
        made = assemble(others, self._momentum, absolute=absolute)
        names = JET_COLUMNS[: jets.shape[1]]
        made.columns.update({name: jets[:, i] for i, name in enumerate(names) if self.options.carries(name)})
        return made
