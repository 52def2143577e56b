"""How much is done: a little within `make test`, all of it with `make torture`."""

import os

FRACTION = float(os.environ.get("JETGRAM_TORTURE", "0"))  # of all that `make torture` does; 0 is the short version
FULL = FRACTION > 0


def amount(short: int, full: int) -> int:
    """How many, in the short version and with `make torture`."""
    return max(short, round(FRACTION * full))
