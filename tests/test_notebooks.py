"""The notebooks: each one runs from top to bottom in an empty folder, as a reader would, and holds no outputs."""

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

import jetgram

NOTEBOOKS = sorted((Path(__file__).parents[1] / "examples" / "notebooks").glob("*.ipynb"))


def code(notebook: Path) -> str:
    """The code of all cells in their order, each with a line that says where an error is."""
    cells = [cell for cell in json.loads(notebook.read_text())["cells"] if cell["cell_type"] == "code"]
    return "\n".join(f"# cell {number}\n{''.join(cell['source'])}\n" for number, cell in enumerate(cells, start=1))


def test_there_are_three():
    assert [notebook.stem for notebook in NOTEBOOKS] == ["embeddings", "first-tagger", "own-head"]


@pytest.mark.parametrize("notebook", NOTEBOOKS, ids=lambda notebook: notebook.stem)
def test_it_runs(notebook, tmp_path):
    script = tmp_path / f"{notebook.stem}.py"
    script.write_text(code(notebook))
    environment = {
        **os.environ,
        "MPLBACKEND": "agg",
        "PYTHONPATH": str(Path(jetgram.__file__).parents[1]),
    }
    ended = subprocess.run([sys.executable, script], cwd=tmp_path, env=environment, capture_output=True, text=True)
    assert ended.returncode == 0, ended.stderr


@pytest.mark.parametrize("notebook", NOTEBOOKS, ids=lambda notebook: notebook.stem)
def test_it_is_a_notebook_without_outputs(notebook):
    content = json.loads(notebook.read_text())
    assert (content["nbformat"], content["nbformat_minor"]) == (4, 5)
    assert content["metadata"]["kernelspec"]["name"] == "python3"
    for cell in content["cells"]:
        assert set(cell) == {"cell_type", "id", "metadata", "source"} | (
            {"execution_count", "outputs"} if cell["cell_type"] == "code" else set()
        )
        assert re.fullmatch("[a-zA-Z0-9-_]{1,64}", cell["id"])
        assert not cell.get("outputs")
        assert cell.get("execution_count") is None
    assert len({cell["id"] for cell in content["cells"]}) == len(content["cells"])


def test_links_lead_to_pages():
    for notebook in NOTEBOOKS:
        for link in re.findall(r"\]\((\.\./[^)#]+)", notebook.read_text()):
            assert (notebook.parent / link).is_file(), link
