"""The C++ package by itself, without pip."""

from .conftest import ROOT, configure


def test_it_is_configured_without_python(programs, tmp_path):
    """Built and installed from nothing it is by a slow test, as a shared library."""
    configure(ROOT, tmp_path)
    assert (tmp_path / "native" / "model" / "jetgramConfig.cmake").exists()
    assert not (tmp_path / "native" / "python").exists()
    assert "Python_EXECUTABLE" not in (tmp_path / "CMakeCache.txt").read_text()
