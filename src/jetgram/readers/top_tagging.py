"""The top-tagging reference set (arXiv:1902.09914): one row per jet, E_0, PX_0, PY_0, PZ_0, ... in flat columns.

Published as a data frame in HDF5 (10.5281/zenodo.2603256); copies of it in Parquet have the same columns.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar

from jetgram.readers.tables import TableSource


class TopTagging(TableSource):
    """Flat columns `E_0, PX_0, PY_0, PZ_0, ...`, zero-padded; the class is `is_signal_new`."""

    layout = "top-tagging"
    title = "top-tagging reference set: HDF5 (pandas) or Parquet, E_0, PX_0, PY_0, PZ_0, ..."
    special = TableSource.special | {"table"}
    momentum: ClassVar[Mapping[str, str]] = {"E": "E_*", "px": "PX_*", "py": "PY_*", "pz": "PZ_*"}
    label = "is_signal_new"
