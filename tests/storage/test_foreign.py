"""Parquet files that somebody else has written, or that say what they are not: an error each, with the file's name."""

import json

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from jetgram.errors import DatasetError
from jetgram.evaluation.score_files import read_scores
from jetgram.momenta import Jets
from jetgram.storage import parquet

HEADER = {"format": 1, "kind": "jets", "provenance": {}}
MOMENTA = [[3.0, 4.0], [6.0]]


def table(header=HEADER, roles=None, **columns):
    """The bytes of a file with `px, py, pz, E` of two jets, and what is changed or added."""
    values = {"px": MOMENTA, "py": MOMENTA, "pz": MOMENTA, "E": [[10.0, 10.0], [20.0]], **columns}
    values = {name: pa.array(value) for name, value in values.items() if value is not None}
    roles = {**dict.fromkeys(("px", "py", "pz", "E"), b"momentum"), **(roles or {})}
    metadata = {"jetgram": header if isinstance(header, bytes) else json.dumps(header)}
    fields = [
        pa.field(name, value.type, metadata={"role": roles.get(name, b"column")}) for name, value in values.items()
    ]
    return written(pa.table(list(values.values()), schema=pa.schema(fields, metadata=metadata)))


def written(content):
    sink = pa.BufferOutputStream()
    pq.write_table(content, sink)
    return sink.getvalue().to_pybytes()


def test_the_plain_file_is_read():
    found = parquet.decode(table(label=[0, 1]), "x")
    assert isinstance(found, Jets)
    assert found.multiplicity.tolist() == [2, 1]
    assert found.columns["label"].tolist() == [0, 1]


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "x is no Parquet file"),
        (b"PAR1", "x is no Parquet file"),
        (b"PAR1" + b"\xff" * 100 + b"PAR1", "x is no Parquet file"),
        (written(pa.table({"px": MOMENTA})), "x is a Parquet file, but not one of jetgram's"),
        (table(header=b"{"), "x has a damaged header"),
        (table(header=b"\xff\xfe"), "x has a damaged header"),
        (table(header=b"[]"), "x has a damaged header: it does not say how"),
        (table(header=b"[" * 100_000), "x has a damaged header: it is nested too deep"),
        (table(header={"format": 1, "kind": "jets"}), "x has a damaged header: it does not say how"),
        (table(header={**HEADER, "provenance": 7}), "x has a damaged header: it does not say how"),
        (table(header={**HEADER, "kind": ["jets"]}), "x has format 1 and kind"),
        (table(header={**HEADER, "preprocessed": 7}), "x has a damaged header: preprocessed is 7"),
        (table(roles={"px": b"\xff"}), "x has a damaged header"),
        (table(px=None), "x has no momenta 'px'; it has: py, pz, E"),
        (table(roles={"pz": b"column"}), "x has no momenta 'pz'"),
        (table(px=[1.0, 2.0]), "column 'px' .momentum. holds double; expected lists of numbers"),
        (table(px=[["a", "b"], ["c"]]), "column 'px' .momentum. holds list.*string.*; expected lists of numbers"),
        (table(px=[[[1.0], [2.0]], [[3.0]]]), "column 'px' .momentum. holds list.*; expected lists of numbers"),
        (table(px=[[1.0, None], [2.0]]), "column 'px' has no value in 1 of 3 places"),
        (table(px=[None, [2.0]]), "column 'px' has no value in 1 of 2 places"),
        (table(py=[[3.0], [4.0, 6.0]]), "the lists of 'py' have other lengths than those of the momenta"),
        (table(py=[[3.0, 4.0], []]), "the lists of 'py' have other lengths than those of the momenta"),
        (table(pid=[[1], [2]], roles={"pid": b"particle"}), "the lists of 'pid' have other lengths"),
        (table(pid=[1, 2], roles={"pid": b"particle"}), "column 'pid' .particle. holds int64; expected lists"),
        (table(soft=[1, 2], roles={"soft": b"ragged"}), "column 'soft' .ragged. holds int64; expected lists"),
        (table(label=[0, None]), "column 'label' has no value in 1 of 2 places"),
        (table(label=[{"a": 1}, {"a": 2}]), "column 'label' .column. holds struct.*; expected one value per row"),
        (table(label=[[0], [1]]), "column 'label' .column. holds list.*; expected one value per row"),
        (table(label=[0, 1], roles={"label": b"lable"}), "column 'label' .lable. holds int64; expected no role"),
        (
            written(
                pa.table([pa.array([1]), pa.array([2])], names=["a", "a"]).replace_schema_metadata(
                    {"jetgram": json.dumps(HEADER)}
                )
            ),
            "x has more than one column 'a'",
        ),
    ],
)
def test_a_foreign_file_is_an_error_that_names_it(content, message):
    with pytest.raises(DatasetError, match=message):
        parquet.decode(content, "x")


def test_a_foreign_score_file_is_an_error_that_names_it(tmp_path):
    file = tmp_path / "scores.parquet"
    for content in (b"", table(), table(header={**HEADER, "kind": "scores"}), table(header=b"[" * 100_000)):
        file.write_bytes(content)
        with pytest.raises(DatasetError, match=str(file)):
            read_scores(file)


@pytest.mark.parametrize("seed", range(5))
def test_flipped_bits_are_an_error_or_leave_the_numbers(seed):
    """Without the digest of a manifest: pages have checksums, and what is wrong in the footer must not be a crash."""
    rng = np.random.default_rng(seed)
    jets = Jets(np.c_[rng.normal(size=(60, 3)), rng.uniform(5, 9, 60)], np.array([0, 20, 60]))
    whole = parquet.encode(jets, {"seed": seed})
    for _ in range(60):
        damaged = bytearray(whole)
        damaged[rng.integers(len(whole))] ^= 1 << rng.integers(8)
        try:
            parquet.decode(bytes(damaged), "x")
        except DatasetError as error:
            assert str(error).startswith("x")  # noqa: PT017
