from typing import ClassVar

import pydantic
import pytest
from pydantic_core import PydanticSerializationError

from jetgram.settings import GrownSettings


class Inner(GrownSettings):
    later: ClassVar[tuple[str, ...]] = ("depth",)
    radius: float = 1.0
    depth: int | None = None


class Outer(GrownSettings):
    inner: Inner = Inner()


def test_a_later_setting_is_said_where_it_is_not_the_default_inside_others_too():
    assert Outer().model_dump() == {"inner": {"radius": 1.0}}
    assert Outer(inner=Inner(depth=2)).model_dump() == {"inner": {"radius": 1.0, "depth": 2}}


@pytest.mark.parametrize(
    ("error", "expected"),
    [(KeyboardInterrupt, KeyboardInterrupt), (ZeroDivisionError, PydanticSerializationError)],
)
def test_ctrl_c_while_settings_are_written_is_ctrl_c(error, expected):
    class Interrupted(GrownSettings):
        radius: float = 1.0

        @pydantic.field_serializer("radius")
        def _stop(self, value: float) -> float:
            raise error

    with pytest.raises(expected):
        Interrupted().model_dump()
