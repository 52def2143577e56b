"""What models are sealed over must be the same text in C++ as in Python, byte for byte."""

import hashlib
import json
import random
import struct

import numpy as np

NUMBERS = [0.0, -0.0, 1e-4, 1e-5, 1e15, 1e16, 1.5e22, 0.1, 123456.789, 5e-324, 1.7976931348623157e308]


def random_json(chosen: random.Random, depth: int = 0) -> object:
    kind = chosen.randrange(8 if depth < 4 else 6)
    if kind == 0:
        return chosen.choice([None, True, False])
    if kind == 1:
        return chosen.choice([0, -1, 2**63, -(10**30), chosen.randrange(10**6)])
    if kind <= 3:
        bits = struct.pack("<Q", chosen.getrandbits(64))
        value = struct.unpack("<d", bits)[0]
        usual = chosen.choice(
            [0.0, -0.0, 1e-4, 1e-5, 1e15, 1e16, 1.5e22, 0.1, 123456.789, 5e-324, 1.7976931348623157e308]
        )
        return value if kind == 2 and np.isfinite(value) and abs(value) > 1e-300 else usual
    if kind <= 5:
        letters = 'ab"\\/\b\f\n\r\t\x01\x7f\xe9\u20ac\ud7ff\ue000\U0001f600 '
        return "".join(chosen.choices(letters, k=chosen.randrange(8)))
    if kind == 6:
        return [random_json(chosen, depth + 1) for _ in range(chosen.randrange(5))]
    return {str(random_json(chosen, 4)): random_json(chosen, depth + 1) for _ in range(chosen.randrange(5))}


def test_json_is_written_as_python_writes_it(programs):
    chosen = random.Random(3)
    values = [random_json(chosen) for _ in range(3000)]
    for options in ({}, {"ensure_ascii": False}, {"separators": (",", ":")}):
        text = "".join(json.dumps(value, **options) + "\n" for value in values)
        found = programs.run("parts", "json", text=text).split("\n")[:-1]
        assert found == [json.dumps(value, sort_keys=True) for value in values]


def test_sha256_is_that_of_hashlib(programs):
    lines = ["x" * length for length in range(200)]
    found = programs.run("parts", "sha256", text="\n".join(lines) + "\n").split()
    assert found == [hashlib.sha256(line.encode()).hexdigest() for line in lines]
