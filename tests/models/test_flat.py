from jetgram.models.flat import DEFAULTS
from jetgram.models.recipes import TrainingSettings


def test_no_name_is_in_both_tables():
    assert not set(DEFAULTS) & set(TrainingSettings.model_fields)
