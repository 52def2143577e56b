"""One digest for everything that is sealed or told from others by its content."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from typing import Any


def digest_of(content: Mapping[str, Any]) -> str:
    """SHA-256 of anything that JSON can hold; the order of its keys does not matter.

    Example:
        >>> digest_of({"seed": 1, "split": "train"})[:16]
        '529bef369e2e4776'
        >>> digest_of({"split": "train", "seed": 1})[:16]
        '529bef369e2e4776'
    """
    return hashlib.sha256(json.dumps(content, sort_keys=True).encode()).hexdigest()
