"""Awkward arrays as tables of named columns, and back; nothing is lost on the way.

Three forms are understood: a list of particles per jet; a record per jet with such a list and anything else; and a
record per jet with one list per coordinate, as ROOT trees and Parquet files give them.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from numpy.typing import NDArray

from jetgram.columns import Assembled, Column, Jagged, assemble, guess_momentum
from jetgram.errors import BadJetError
from jetgram.kinematics import COLUMNS
from jetgram.ragged import Offsets, Ragged

if TYPE_CHECKING:
    import awkward as ak

# How vector names coordinates besides those of `jetgram.coordinates`.
_VECTOR = {"x", "y", "z", "t", "rho", "theta", "tau", "M", "m", "mass", "phi", "eta", "pt", "pz", "E", "e", "energy"}


def assemble_awkward(array: ak.Array, momentum: Mapping[str, str] | None = None) -> Assembled:
    """What jets, or events, are made of, out of an Awkward array.

    Args:
        array: with one entry per jet, see above.
        momentum: from coordinates to names of fields, where they cannot be guessed; a field of the list `constituents`
            is named `constituents.px`.
    """
    fields = awkward_columns(array)
    per_particle: dict[str, Column] = {name: column for name, column in fields.items() if isinstance(column, Jagged)}
    if momentum is None:
        momentum = _only_guess(array, per_particle)
    if momentum is None:
        converted = _through_vector(array, per_particle)
        per_particle, momentum = converted, {name: name for name in COLUMNS}
        fields = {name: column for name, column in fields.items() if name not in per_particle} | converted
    inner = {name.rpartition(".")[0] for name in momentum.values()}
    if inner == {""} or len(inner) > 1:
        return assemble(fields, momentum)
    start = f"{inner.pop()}."
    inside = {name: column for name, column in fields.items() if name.startswith(start)}
    outside = {name: column for name, column in fields.items() if name not in inside}
    return assemble(inside, momentum, {name: name.removeprefix(start) for name in inside}, outside)


def to_awkward(
    inner: str,
    momenta: NDArray[np.float64],
    offsets: Offsets,
    particles: Mapping[str, NDArray[Any]],
    columns: Mapping[str, NDArray[Any]],
    ragged: Mapping[str, Ragged],
) -> ak.Array:
    """One record per row: the list `inner` of `Momentum4D` records with the particle columns, and all other columns."""
    import awkward as ak

    flat = {name: momenta[:, i] for i, name in enumerate(COLUMNS)} | dict(particles)
    record = ak.contents.RecordArray(
        [_content(values) for values in flat.values()],
        list(flat),
        length=len(momenta),
        parameters={"__record__": "Momentum4D"},
    )
    contents = {inner: ak.contents.ListOffsetArray(ak.index.Index64(offsets), record)}
    contents |= {name: _content(values) for name, values in columns.items()}
    for name, rows in ragged.items():
        contents[name] = ak.contents.ListOffsetArray(ak.index.Index64(rows.offsets), _content(rows.values))
    return ak.Array(ak.contents.RecordArray(list(contents.values()), list(contents), length=len(offsets) - 1))


def awkward_columns(array: ak.Array, missing: Literal["raise", "nan"] = "raise") -> dict[str, Column]:
    """The columns of an array by dotted names; a list of records has one jagged column per field.

    Args:
        array: with one entry per row.
        missing: `raise` an error where a value is missing, or take it as NaN, and a missing list as an empty one.
    """
    import awkward as ak

    return _fields(ak.to_packed(array, highlevel=False), "", missing)


def _content(values: NDArray[Any]) -> Any:
    import awkward as ak

    return ak.from_numpy(np.ascontiguousarray(values), regulararray=True, highlevel=False)


def _fields(layout: Any, name: str, missing: str) -> dict[str, Column]:
    layout = _without_options(layout, name, missing)
    if layout.is_record:
        found: dict[str, Column] = {}
        for field in layout.fields:
            found |= _fields(layout[field], f"{name}.{field}" if name else field, missing)
        return found
    if layout.is_list and layout.parameter("__array__") is None and not (layout.is_regular and layout.content.is_numpy):
        lists = layout.to_ListOffsetArray64(start_at_zero=True)
        offsets = np.asarray(lists.offsets)
        inside = _fields(lists.content[: offsets[-1]], name, missing)
        nested = next((field for field, column in inside.items() if isinstance(column, Jagged)), None)
        if nested is not None:
            raise BadJetError(f"field {nested!r} is a list per particle; expected numbers; leave it out of the array")
        return {field: Jagged(column, offsets) for field, column in inside.items() if not isinstance(column, Jagged)}
    import awkward as ak

    return {name: ak.to_numpy(ak.Array(layout), allow_missing=False)}


def _without_options(layout: Any, name: str, missing: str) -> Any:
    """The same without an option type."""
    import awkward as ak

    while layout.is_option or layout.is_indexed:
        if layout.is_option and np.any(np.asarray(layout.mask_as_bool(valid_when=False))):
            if missing == "raise":
                where = f"field {name!r}" if name else "the array"
                raise BadJetError(f"{where} has missing values (None); fill them (ak.fill_none) or drop them")
            text = layout.content.parameter("__array__") in ("string", "bytestring")
            empty: Any = "" if text else [] if layout.content.is_list else np.nan
            layout = ak.fill_none(ak.Array(layout), empty, axis=0, highlevel=False)
        else:
            layout = layout.project()
    return layout


def _only_guess(array: ak.Array, per_particle: Mapping[str, Column]) -> dict[str, str] | None:
    """The momenta among the fields; None if there are none, an error if there are several."""
    if not per_particle:
        raise BadJetError(
            f"the Awkward array has {array.ndim} dimension(s) and no lists of particles; "
            "expected 2: jets, then particles"
        )
    guesses = guess_momentum(list(per_particle))
    if len(guesses) > 1:
        found = "; ".join(", ".join(guess.values()) for guess in guesses)
        raise BadJetError(f"several fields make momenta: {found}; name those of the particles with map={{'px': ...}}")
    return guesses[0] if guesses else None


def _through_vector(array: ak.Array, per_particle: Mapping[str, Column]) -> dict[str, Column]:
    """Columns px, py, pz, E instead of the coordinates that only vector knows."""
    import awkward as ak
    import vector

    try:
        p4 = ak.Array(ak.with_name(array, "Momentum4D"), behavior=vector.backends.awkward.behavior)
        momenta = ak.zip({"px": p4.px, "py": p4.py, "pz": p4.pz, "E": p4.E})
    except (AttributeError, TypeError, ValueError) as error:
        raise BadJetError(f"fields {list(per_particle)} make no four-momentum; expected px, py, pz, E") from error
    others = {name: column for name, column in per_particle.items() if name not in _VECTOR}
    return awkward_columns(momenta) | others
