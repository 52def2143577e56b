"""The command line as a user meets it: help, versions, errors without tracebacks."""

import warnings

import pytest
import typer

from jetgram import __version__, cli
from jetgram.backend import NativeCoreWarning
from jetgram.errors import DatasetError


def run(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, str, str]:
    """Exit code, standard output and standard error of `jetgram ARGUMENTS`."""
    with pytest.raises(SystemExit) as end:
        cli.main(arguments)
    captured = capsys.readouterr()
    return int(end.value.code or 0), captured.out, captured.err


@pytest.fixture
def failing(monkeypatch: pytest.MonkeyPatch):
    """An app with one verb, `fail`, that raises, or warns, what it is given."""

    def install(error: BaseException) -> None:
        app = typer.Typer(pretty_exceptions_enable=False)

        @app.callback()
        def options() -> None: ...

        @app.command()
        def fail() -> None:
            if isinstance(error, Warning):
                warnings.simplefilter("default")
                warnings.warn(error, stacklevel=1)
            else:
                raise error

        monkeypatch.setattr(cli, "app", app)

    return install


def test_version(capsys) -> None:
    assert run(capsys, "--version") == (0, f"jetgram {__version__}\n", "")


@pytest.mark.parametrize("verb", cli.VERBS)
def test_every_verb_has_help_with_an_example(capsys, verb: str) -> None:
    code, out, _ = run(capsys, verb, "--help")
    assert code == 0
    assert f"jetgram {verb}" in out.split("Usage", 1)[1].split("\n", 1)[1], "no example in the help"


def test_a_misspelt_verb_names_the_near_one(capsys) -> None:
    code, _, err = run(capsys, "docter")
    assert code == 2
    assert "Did you mean 'doctor'?" in err


def test_an_expected_error_is_one_line(capsys, failing) -> None:
    failing(DatasetError("jets/00000.parquet: [page 3] has a wrong checksum"))
    assert run(capsys, "fail") == (1, "", "error: jets/00000.parquet: [page 3] has a wrong checksum\n")


def test_an_error_of_the_system_names_the_file(capsys, failing) -> None:
    failing(PermissionError(13, "Permission denied", "jets"))
    assert run(capsys, "fail") == (1, "", "error: jets: Permission denied\n")


def test_a_bug_keeps_its_traceback(failing) -> None:
    failing(ZeroDivisionError("a bug"))
    with pytest.raises(ZeroDivisionError):
        cli.main(["fail"])


def test_a_warning_is_one_line(capsys, failing) -> None:
    failing(NativeCoreWarning("jetgram runs without its native core"))
    assert run(capsys, "fail") == (0, "", "warning: jetgram runs without its native core\n")


def test_control_c(capsys, failing) -> None:
    failing(KeyboardInterrupt())
    assert run(capsys, "fail") == (130, "", "stopped by Ctrl-C\n")
