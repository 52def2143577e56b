import pytest

from jetgram.boundary import environment_number, parsing
from jetgram.errors import DatasetError, ModelError, SettingsError
from jetgram.settings import Settings, read_toml


@pytest.mark.parametrize(
    ("problem", "message"),
    [
        (ValueError("no number"), "f is damaged: no number$"),
        (ValueError(), "f is damaged: ValueError: $"),
        (KeyError("px"), "f is damaged: KeyError: 'px'$"),
        (MemoryError(), "f is damaged: it asks for more memory than there is$"),
        (RecursionError("maximum"), "f is damaged: it is nested too deep$"),
        (RuntimeError("two\n  lines " + "x" * 10_000), "f is damaged: RuntimeError: two lines x{290}"),
    ],
)
def test_what_a_parser_raises_is_an_error_that_names_the_file(problem, message):
    with pytest.raises(DatasetError, match=message) as found, parsing("f"):
        raise problem
    assert found.value.__cause__ is problem
    assert len(str(found.value)) < 400


def test_our_own_errors_pass():
    with pytest.raises(ModelError, match="^as it was$"), parsing("f"):
        raise ModelError("as it was")


def test_ctrl_c_passes():
    with pytest.raises(KeyboardInterrupt), parsing("f"):
        raise KeyboardInterrupt


def test_error_and_advice_are_the_callers():
    with (
        pytest.raises(SettingsError, match="f cannot be read: x; write it again$"),
        parsing("f", SettingsError, "cannot be read", "write it again"),
    ):
        raise ValueError("x")


@pytest.mark.parametrize(
    "content",
    [
        b"a = " + b"[" * 5000,
        b"a." * 5000 + b"b = 1",
        b"\xff\xfe",
        b"a = ",
        b"a = 1\na = 2",
        b"a = 99999-99-99",
        b"\x00",
    ],
)
def test_settings_that_cannot_be_read_name_their_file(tmp_path, content):
    file = tmp_path / "settings.toml"
    file.write_bytes(content)
    with pytest.raises(SettingsError, match=r"settings.toml cannot be read|there is no setting"):
        Settings.from_toml(file)


def test_settings_are_in_utf8_whatever_the_locale(tmp_path):
    (tmp_path / "a.toml").write_bytes('name = "Δη"\n'.encode())
    assert read_toml(tmp_path / "a.toml") == {"name": "Δη"}
    with pytest.raises(SettingsError, match=r"b.toml cannot be read"):
        read_toml(tmp_path / "b.toml")


@pytest.mark.parametrize("value", ["two", "-1", "0", "1.5", "10000001"])
def test_a_variable_that_is_no_number_is_an_error(monkeypatch, value):
    monkeypatch.setenv("WORLD_SIZE", value)
    with pytest.raises(SettingsError, match=f"WORLD_SIZE is '{value}'; expected a number from 1 to 10000000"):
        environment_number("WORLD_SIZE", 1, 10**7)
