"""How a user's file is read: one set of options for `jetgram.read`, `jetgram.convert` and the command line."""

from __future__ import annotations

import fnmatch
from collections.abc import Mapping
from typing import Any, Literal

import pydantic

from jetgram.errors import SettingsError, require_known
from jetgram.settings import Settings
from jetgram.validity import NEEDED

OnBad = Literal["raise", "drop", "clip"]
Level = Literal["eflow", "towers", "particles"]
SPECIAL = frozenset({"table", "map", "label", "weight", "level", "collection", "puppi"})  # not of every layout
OF_CLUSTERING = frozenset({"algorithm", "hardest", "min_pt"})


class ReadOptions(Settings):
    """Options of all layouts; one that a layout does not know is an error there.

    Args:
        table: the tree (ROOT), group or array (HDF5) to read, where a file has several.
        map: from coordinates to the file's columns, `{"px": "part_px", ...}`; `label` and `weight` in it are these
            options, other names rename columns.
        label: the column with the class: integers or names; a pattern such as `label_*` for one column per class;
            "" for none.
        classes: names of classes that come first, in this order; the others follow as they were. The first is the
            background.
        weight: the column with the weight of each row; "" for none: a column of that name is then `original_weight`.
        columns: patterns of the columns to carry along; all by default.
        units: of the momenta, `GeV` or `MeV`; by default GeV, and what looks like MeV is an error.
        level: of Delphes: `eflow` (tracks, photons, neutral hadrons), `towers` or `particles` (status 1).
        collection: of CMS PFNano: the jets that the candidates belong to.
        puppi: of CMS PFNano: multiply momenta by the candidates' PUPPI weights.
        jets: cluster events into jets with this radius.
        algorithm: of these jets: `antikt`, `ca` or `kt`.
        hardest: how many of an event's jets to keep; None for all.
        min_pt: jets below this pT are left out, in GeV.
        on_bad: what to do with a row that holds an unphysical particle, none at all, or no class: `raise` an error,
            `drop` the row, or `clip`: repair its particles as `on_bad_particle="clip"` does, drop what cannot be.
        on_bad_particle: what to do with an unphysical particle: `raise` (it is a fault of its row), `drop` it, or
            `clip`: set E to |p| where E is too small, drop it where that is no help. Zero momenta are always left out.
    """

    table: str | None = None
    map: dict[str, str] = pydantic.Field(default_factory=dict)
    label: str | None = None
    classes: tuple[str, ...] = ()
    weight: str | None = None
    columns: tuple[str, ...] = ("*",)
    units: Literal["GeV", "MeV"] | None = None
    level: Level = "eflow"
    collection: str = "FatJet"
    puppi: bool = False
    jets: float | None = pydantic.Field(default=None, gt=0)
    algorithm: Literal["antikt", "ca", "kt"] = "antikt"
    hardest: int | None = pydantic.Field(default=1, ge=1)
    min_pt: float = pydantic.Field(default=0.0, ge=0)
    on_bad: OnBad = "raise"
    on_bad_particle: OnBad = "raise"

    @pydantic.model_validator(mode="before")
    @classmethod
    def _roles_in_the_map(cls, values: dict[str, Any]) -> dict[str, Any]:
        """The class and the weight that are named in the map, like the momenta, as the options that they are."""
        wish = values.get("map")
        named = {name: wish[name] for name in NEEDED if name in wish} if isinstance(wish, Mapping) else {}
        if not named:
            return values
        twice = next((name for name in named if values.get(name) not in (None, named[name])), None)
        if twice is not None:
            raise ValueError(f"the {twice} is {values[twice]!r}, but {named[twice]!r} in the map; expected one column")
        others = {name: column for name, column in values["map"].items() if name not in named}
        rest = {name: value for name, value in values.items() if name != "map"}
        return rest | named | ({"map": others} if others else {})

    def in_order(self, classes: tuple[str, ...]) -> tuple[str, ...]:
        """Names of classes, those of the option `classes` first.

        Example:
            >>> ReadOptions(classes=("QCD",)).in_order(("Hbb", "QCD", "Wqq"))
            ('QCD', 'Hbb', 'Wqq')
            >>> ReadOptions(classes=("qcd",)).in_order(("Hbb", "QCD", "Wqq"))
            Traceback (most recent call last):
            jetgram.errors.SettingsError: no class 'qcd'; there are: Hbb, QCD, Wqq
        """
        for name in self.classes:
            require_known("no class", name, classes)
        return tuple(dict.fromkeys((*self.classes, *classes)))

    def changed(self) -> dict[str, Any]:
        """The options that are not the defaults."""
        return {name: value for name, value in self.model_dump(mode="json").items() if name in self.model_fields_set}

    @property
    def gev(self) -> float:
        """One GeV in the unit of the file."""
        return 1000.0 if self.units == "MeV" else 1.0

    def carries(self, name: str) -> bool:
        """Whether a column is carried along."""
        return any(fnmatch.fnmatchcase(name, pattern) for pattern in self.columns)

    def require_used(self, layout: str, known: frozenset[str]) -> None:
        """Raise a `SettingsError` for an option of other layouts, or one of clustering where nothing is clustered."""
        given = {name for name in self.model_fields_set if getattr(self, name) not in (None, "")}
        strange = sorted((SPECIAL - known) & given)
        if strange:
            hint = "; the class of a whole file is its name: NAME=FILE" if strange[0] == "label" else ""
            raise SettingsError(f"{strange[0]} is no option of the layout {layout}{hint}")
        idle = sorted(OF_CLUSTERING & given)
        if idle and self.jets is None:
            raise SettingsError(f"{idle[0]} is about the jets that events are clustered into; give their radius: jets")


def parse_map(text: str) -> dict[str, str]:
    """From `px=part_px,py=part_py` to a mapping.

    Example:
        >>> parse_map("pt=trk_pt, eta=trk_eta")
        {'pt': 'trk_pt', 'eta': 'trk_eta'}
    """
    pairs = [part.partition("=") for part in text.split(",") if part.strip()]
    wrong = next(("".join(pair) for pair in pairs if not (pair[0].strip() and pair[2].strip())), None)
    if wrong is not None:
        raise SettingsError(f"{wrong!r} in the map is no pair; expected px=part_px,py=part_py,...")
    return {name.strip(): column.strip() for name, _, column in pairs}
