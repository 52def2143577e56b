"""The cookbook: a page per layout, and its table counts the lines of code that the pages show."""

import re
from pathlib import Path

import pytest

from cookbook_files import FILES
from jetgram.readers.opening import LAYOUTS

PAGES = Path(__file__).parents[1] / "docs" / "cookbook"
BY_HAND = re.compile(r"^By hand .*?^```python\n(.*?)^```", re.MULTILINE | re.DOTALL)
NO_WORK = re.compile(r">>> (import |from |bool\()")  # nor has the comparison with what jetgram reads


def test_every_layout_has_a_page():
    assert {page.stem for page in PAGES.glob("*.md")} - {"index"} == set(LAYOUTS) - {"npz"} == set(FILES)


@pytest.mark.parametrize("layout", FILES)
def test_lines_by_hand_are_counted(layout):
    code = BY_HAND.search((PAGES / f"{layout}.md").read_text())[1].splitlines()
    lines = [line for line in code if line.startswith((">>> ", "... ")) and not NO_WORK.match(line)]
    row = re.search(rf"^\|.*\({layout}\.md\).*?\| (\d+)\D", (PAGES / "index.md").read_text(), re.MULTILINE)
    assert len(lines) == int(row[1])
