"""Scores and their files: what goes in comes out, and nothing else is taken."""

import json
import re
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from jetgram.errors import DatasetError, EvaluationError
from jetgram.evaluation.score_files import read_scores, write_scores
from jetgram.evaluation.scores import Provenance, Scores, concatenate_scores, measure_seeds
from jetgram.momenta import Jets
from jetgram.storage import dataset

PROVENANCE = Provenance(model="gated kt", seed=3, model_digest="abc", dataset_digest="def", details={"lr": 5e-4})


def make_scores(n=100, **changes) -> Scores:
    rng = np.random.default_rng(n)
    values = {
        "outputs": {"score": rng.uniform(size=n)},
        "label": np.arange(n) % 2,
        "pt": rng.uniform(200, 500, n),
        "mass": rng.uniform(0, 200, n),
        "weight": rng.exponential(size=n),
        "jet": rng.permutation(n),
        "provenance": PROVENANCE,
    }
    return Scores.create(**{**values, **changes})


def test_a_file_gives_back_what_went_in(tmp_path) -> None:
    scores = make_scores()
    write_scores(tmp_path / "scores.parquet", scores)
    found = read_scores(tmp_path / "scores.parquet")
    assert found.provenance == PROVENANCE
    assert found.source == str(tmp_path / "scores.parquet")
    for name, values in {**scores.outputs, **scores.columns}.items():
        read = {**found.outputs, **found.columns}[name]
        np.testing.assert_array_equal(read, values)
        assert read.dtype == values.dtype


def test_equal_scores_are_equal_bytes(tmp_path) -> None:
    for name in ("a", "b"):
        write_scores(tmp_path / name, make_scores())
    assert (tmp_path / "a").read_bytes() == (tmp_path / "b").read_bytes()
    assert sorted(path.name for path in tmp_path.iterdir()) == ["a", "b"], "leftovers"


def test_predictions_of_a_regressor(tmp_path) -> None:
    scores = make_scores(outputs={"groomed_mass": np.arange(100.0), "boson_pt": np.arange(100.0)})
    write_scores(tmp_path / "p.parquet", scores)
    found = read_scores(tmp_path / "p.parquet")
    assert list(found.outputs) == ["groomed_mass", "boson_pt"]
    with pytest.raises(
        EvaluationError, match="p.parquet has no scores of a classifier; it has: groomed_mass, boson_pt"
    ):
        _ = found.score


def test_scores_beside_their_jets() -> None:
    momenta = np.array([[3.0, 4.0, 0.0, 5.0], [30.0, 40.0, 0.0, 60.0]])
    jets = Jets(momenta, np.array([0, 1, 2]), {"label": np.array([1, 0]), "weight": np.array([2.0, 3.0])})
    scores = Scores.from_jets({"score": [0.5, 0.6]}, jets, first_jet=10)
    assert scores.pt.tolist() == [5.0, 50.0]
    assert scores.jet.tolist() == [10, 11]
    assert scores.label.tolist() == [1, 0]
    assert scores.weight.tolist() == [2.0, 3.0]
    bare = Scores.from_jets({"score": [0.5, 0.6]}, Jets(momenta, np.array([0, 1, 2])))
    assert bare.label.tolist() == [-1, -1]
    assert bare.weight.tolist() == [1.0, 1.0]


def test_pieces_put_together() -> None:
    scores = make_scores()
    whole = concatenate_scores([scores[:30], scores[30:]])
    np.testing.assert_array_equal(whole.score, scores.score)
    np.testing.assert_array_equal(whole.jet, scores.jet)
    assert len(scores[scores.label == 1]) == 50


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"outputs": {"score": [*np.zeros(7), np.nan, np.inf, *np.zeros(91)]}}, "row 7: score is nan; .* 2 of 100"),
        ({"pt": np.full(100, -np.inf)}, "row 0: pt is -inf"),
        ({"mass": np.full(100, np.nan)}, "row 0: mass is nan"),
        ({"weight": np.full(100, np.inf)}, "row 0: weight is inf"),
        ({"label": np.full(100, -2)}, "row 0: label is -2"),
        ({"label": np.full(100, 0.5)}, "row 0: label is 0.5"),
        ({"label": np.full(100, np.nan)}, "row 0: label is nan"),
        ({"pt": np.ones(99)}, r"pt has shape \(99,\), label \(100,\)"),
        ({"outputs": {}}, "the outputs are none"),
        ({"outputs": {"pt": np.ones(100)}}, "none named label, pt"),
    ],
)
def test_bad_scores_are_an_error_with_the_row(changes, message) -> None:
    with pytest.raises(EvaluationError, match=f"^scores: .*{message}"):
        make_scores(**changes)


def unsealed(file: Path) -> pa.Table:
    """A score file as somebody else could have written it."""
    table = pq.read_table(file)
    header = json.loads(pq.read_metadata(file).metadata[b"jetgram"])
    del header["digest"]
    return table.replace_schema_metadata({"jetgram": json.dumps(header)})


def test_a_nan_in_a_file_names_file_and_row(tmp_path) -> None:
    file = tmp_path / "scores.parquet"
    write_scores(file, make_scores())
    table = unsealed(file)
    score = table.column("score").to_numpy().copy()
    score[42] = np.nan
    pq.write_table(table.set_column(0, table.schema.field("score"), [score]), file)
    with pytest.raises(EvaluationError, match="scores.parquet: row 42: score is nan"):
        read_scores(file)


def test_a_missing_value_and_words_are_errors(tmp_path) -> None:
    file = tmp_path / "scores.parquet"
    write_scores(file, make_scores())
    table = unsealed(file)
    field = table.schema.field("pt")
    missing, words = pa.nulls(100, pa.float64()), pa.array(["yes"] * 100)
    for values, kind in ((missing, "has no value in 100 of 100 places"), (words, "holds string, 0 missing")):
        pq.write_table(table.set_column(2, field.with_type(values.type), [values]), file)
        with pytest.raises(DatasetError, match=f"column 'pt' {kind}; expected"):
            read_scores(file)


def test_damage_is_an_error_with_the_name(tmp_path) -> None:
    file, scores = tmp_path / "scores.parquet", make_scores(2000)
    write_scores(file, scores)
    content = file.read_bytes()
    rng, refused = np.random.default_rng(1), []
    for position in rng.integers(4, len(content) * 3 // 4, 40):  # in the pages
        flipped = bytearray(content)
        flipped[position] ^= 1 << int(rng.integers(8))
        file.write_bytes(flipped)
        try:  # the smallest and largest value, which stand before each page, change nothing
            np.testing.assert_array_equal(read_scores(file).score, scores.score)
        except DatasetError as error:
            refused.append(str(error))
    assert len(refused) >= 35
    assert all(re.search("scores.parquet .*damaged", message) for message in refused)
    for cut in (0, 3, len(content) // 2, len(content) - 1):
        file.write_bytes(content[:cut])
        with pytest.raises(DatasetError, match="scores.parquet is no Parquet file, or is cut off or damaged"):
            read_scores(file)


def test_foreign_files(tmp_path) -> None:
    file = tmp_path / "scores.parquet"
    with pytest.raises(DatasetError, match="scores.parquet is missing"):
        read_scores(file)
    write_scores(file, make_scores())
    table = unsealed(file)
    pq.write_table(table.replace_schema_metadata({}), file)
    with pytest.raises(DatasetError, match="not one of jetgram's"):
        read_scores(file)
    pq.write_table(table.drop_columns(["mass"]), file)
    with pytest.raises(DatasetError, match="has no column 'mass'; it has: score, label, pt"):
        read_scores(file)
    header = table.schema.metadata[b"jetgram"].decode()
    pq.write_table(table.replace_schema_metadata({"jetgram": header.replace('"seed"', '"sead"')}), file)
    with pytest.raises(DatasetError, match="there is no setting 'sead'; did you mean 'seed'"):
        read_scores(file)


def test_a_shard_of_jets_is_not_a_score_file(tmp_path) -> None:
    jets = Jets(np.array([[3.0, 4.0, 0.0, 5.0]]), np.array([0, 1]), {"label": np.array([1])})
    dataset.save(tmp_path / "data", jets, {})
    with pytest.raises(DatasetError, match="kind 'jets'; expected here are format 1 and the kinds scores"):
        read_scores(tmp_path / "data" / "train-00000.parquet")
    write_scores(tmp_path / "scores.parquet", make_scores())
    with pytest.raises(DatasetError, match="kind 'scores'; expected here .* jets, events"):
        dataset.read(tmp_path / "scores.parquet")


def test_only_a_regular_file_is_replaced(tmp_path) -> None:
    with pytest.raises(DatasetError, match="is not a regular file"):
        write_scores(tmp_path, make_scores())


def test_seeds_and_models_of_which_nothing_can_be_measured_are_left_out() -> None:
    sizes = {
        "both": [make_scores(100), make_scores(50)],
        "one": [make_scores(10), make_scores(70)],
        "none": [make_scores(5)],
    }
    found = measure_seeds(sizes, lambda scores: len(scores) if len(scores) > 20 else None)
    assert found == {"both": [100, 50], "one": [70]}
    assert measure_seeds({"zero": [make_scores(5)]}, lambda scores: 0) == {"zero": [0]}
