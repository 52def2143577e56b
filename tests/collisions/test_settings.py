import pytest
from hypothesis import given
from hypothesis import strategies as st

from jetgram.collisions.processes import W_VS_QCD
from jetgram.collisions.settings import SHARD_ROWS, GenerationSettings
from jetgram.errors import SettingsError


@given(rows=st.integers(2, 50_000), test_share=st.floats(0, 1))
def test_shards_have_exact_counts_balance_and_one_split_each(rows, test_share):
    tasks = GenerationSettings(sample=W_VS_QCD, rows=rows, test_share=test_share).shards()
    assert sum(task.rows for task in tasks) == rows
    assert sum(task.rows for task in tasks if task.split == "test") == round(rows * test_share)
    assert all(abs(task.signal - task.background) <= 2 for task in tasks)
    for split in ("train", "test"):
        signal, background = (
            sum(getattr(task, name) for task in tasks if task.split == split) for name in ("signal", "background")
        )
        assert background - signal in (0, 1)
    assert [task.index for task in tasks] == list(range(len(tasks)))
    assert len({task.file for task in tasks}) == len(tasks)
    assert all(0 < task.rows <= SHARD_ROWS[1] for task in tasks)


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"rows": 1}, "rows = 1"),
        ({"rows": 10, "level": "tower"}, "'particles', 'towers' or 'pflow'"),
        ({"rows": 10, "test_share": 1.5}, "test_share = 1.5"),
        ({"rows": 10, "match": -1.0}, "match = -1.0"),
        ({"rows": 10, "sed": 1}, "did you mean 'seed'"),
    ],
)
def test_wrong_settings_are_named(wrong, message):
    with pytest.raises(SettingsError, match=message):
        GenerationSettings.create(sample=W_VS_QCD, **wrong)
