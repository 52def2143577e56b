"""`history.jsonl`: one record per epoch and line, sealed by a digest in the last line."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from jetgram.errors import ModelError
from jetgram.models.card import CARD, UNSEALED_HISTORY, read_card
from jetgram.storage import atomic
from jetgram.storage.sealed import DIGEST, digest_of, parse_object, read_regular

HISTORY = "history.jsonl"
ADVICE = "copy it again; the model itself does not depend on it"
LARGEST = 256 * 2**20  # bytes

Records = Sequence[Mapping[str, Any]]


def write_history(folder: Path, history: Records) -> None:
    """Write `history.jsonl`: the digest of all records stands in the last one, or alone if there is none.

    Example:
        >>> import tempfile
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     write_history(Path(folder), [{"epoch": 1, "loss": 0.5}])
        ...     read_history(Path(folder))
        [{'epoch': 1, 'loss': 0.5}]
    """
    lines = [dict(record) for record in history]
    last = {**(lines.pop() if lines else {}), DIGEST: _digest(history)}
    content = "".join(f"{json.dumps(line)}\n" for line in [*lines, last])
    atomic.write_bytes(folder / HISTORY, content.encode())


def read_history(folder: Path) -> list[dict[str, Any]]:
    """The records of `history.jsonl`; none where there is no such file yet. What was changed is a `ModelError`."""
    file = folder / HISTORY
    if not file.exists():
        return []
    content = read_regular(file, ModelError, LARGEST)
    lines = content.removesuffix(b"\n").split(b"\n") if content else []
    records = [parse_object(line, f"{file}, line {i}", ModelError, ADVICE) for i, line in enumerate(lines, start=1)]
    found = records[-1].pop(DIGEST, None) if records else None
    if found is None and (folder / CARD).exists() and read_card(folder).format == UNSEALED_HISTORY:
        return records
    if records and not records[-1]:
        records.pop()  # there was nothing but the digest
    if found != _digest(records):
        raise ModelError(f"{file} is cut off or was changed: its digest does not fit its content; {ADVICE}")
    return records


def history_so_far(folder: Path) -> list[dict[str, Any]]:
    """The records of a training under way, for its display: none where they cannot be read."""
    try:
        return read_history(folder)
    except ModelError:
        return []


def _digest(history: Records) -> str:
    return digest_of({"history": [dict(record) for record in history]})
