import numpy as np
import pytest

from jetgram.models.recipes import LATER, TrainingSettings
from jetgram.training.schedule import rate_at


def rates(settings: TrainingSettings, steps: int = 50) -> np.ndarray:
    done = (np.arange(steps) + 0.5) / steps
    return np.array([[rate_at(settings, epoch, x) for x in done] for epoch in range(settings.epochs)])


def test_the_papers_rate_falls_after_every_epoch():
    expected = np.array([5e-4 * 0.9**epoch for epoch in range(25)])  # NumPy's powers depend on the processor
    np.testing.assert_array_equal(rates(TrainingSettings()), np.repeat(expected[:, None], 50, axis=1))


def test_a_cosine_ends_at_zero_and_has_half_the_rate_on_average():
    found = rates(TrainingSettings(schedule="cosine", rate=0.02, epochs=12)).reshape(-1)
    assert (np.diff(found) < 0).all()
    assert found[0] == pytest.approx(0.02, rel=1e-4)
    assert found[-1] == pytest.approx(0, abs=1e-6)
    assert found.mean() == pytest.approx(0.01, rel=1e-6)


@pytest.mark.parametrize("schedule", ["cosine", "exponential"])
def test_the_rate_rises_during_the_warm_up(schedule):
    settings = TrainingSettings(schedule=schedule, rate=0.02, epochs=10, warm_up=0.25)
    found = rates(settings).reshape(-1)
    rising = found[: len(found) // 4]
    np.testing.assert_allclose(rising, 0.02 * (np.arange(len(rising)) + 0.5) / len(rising))
    assert (np.diff(found[len(rising) :]) <= 0).all()


def test_settings_of_old_are_written_as_they_were():
    assert not set(LATER) & set(TrainingSettings().dump())
    others = {"teacher_weight": 0.9, "planing": True, "disco": 1, "augment": ("soft",), "copies": 3, "consistency": 2}
    changed = TrainingSettings(schedule="cosine", warm_up=0.05, weight_decay=0.01, clip=1.0, most=1000, **others)
    assert set(LATER) <= set(changed.dump())
    assert TrainingSettings(**changed.dump()) == changed
