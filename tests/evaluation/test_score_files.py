import numpy as np
import pyarrow as pa
import pytest

from jetgram.errors import DatasetError
from jetgram.evaluation.score_files import KIND, read_scores, write_scores
from jetgram.evaluation.scores import Provenance, Scores
from jetgram.storage.tables import Column, encode_table


@pytest.fixture
def scores():
    rng = np.random.default_rng(1)
    values = rng.uniform(size=(4, 50))
    label = np.arange(50) % 2
    return Scores.create(
        {"score": values[0]}, label=label, pt=200 + values[1], mass=values[2], provenance=Provenance(model="kt", seed=3)
    )


def same(found, scores):
    columns = all(np.array_equal(getattr(found, name), getattr(scores, name)) for name in ("score", "label", "pt"))
    return columns and found.provenance == scores.provenance


def test_no_flipped_bit_changes_a_number_or_the_provenance(scores, tmp_path):
    file, rng = tmp_path / "scores.parquet", np.random.default_rng(5)
    write_scores(file, scores)
    whole = file.read_bytes()
    refused = 0
    for number in range(600):
        damaged = bytearray(whole)
        damaged[len(whole) - 1 - number if number < 400 else rng.integers(len(whole))] ^= 1 << rng.integers(8)
        file.write_bytes(damaged)
        try:
            assert same(read_scores(file), scores)
        except DatasetError as error:
            assert str(file) in str(error)  # noqa: PT017
            refused += 1
    assert refused > 100


def test_files_without_a_seal_are_read(scores, tmp_path):
    columns = [Column("score", "output", pa.array(scores.score))]
    columns += [Column(name, "column", pa.array(values)) for name, values in scores.columns.items()]
    file = tmp_path / "scores.parquet"
    file.write_bytes(encode_table(columns, KIND, scores.provenance.model_dump(mode="json", exclude={"training"})))
    assert same(read_scores(file), scores)
    file.write_bytes(encode_table(columns, KIND, scores.provenance.model_dump(mode="json"), {"dhgest": "0"}))
    with pytest.raises(DatasetError, match="damaged header: found 'dhgest'"):
        read_scores(file)
