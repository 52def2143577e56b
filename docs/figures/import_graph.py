"""The import graph and the sizes in docs/architecture.md, from the sources themselves.

Run as `python docs/figures/import_graph.py`; it writes both into the page.
"""

from __future__ import annotations

import ast
import re
import statistics
from pathlib import Path

ROOT = Path(__file__).parents[2]
SOURCE = ROOT / "src" / "jetgram"
PAGE = ROOT / "docs" / "architecture.md"
BLOCK = re.compile(r"(?<=<!-- import graph -->\n```text\n).*?(?=```)", re.DOTALL)
SIZES = re.compile(BLOCK.pattern.replace("import graph", "sizes"), re.DOTALL)
FOUNDATION = "foundation"

# Files, lines, lines of code, median module and modules below 50 lines at commit 8384516, before the redesign.
BEFORE = {
    "package": (184, 18407, 9045, 104, 20),
    "models": (35, 3474, 1620, 103, 2),
    "pictures": (16, 1298, 658, 81, 2),
}
PARTS = {
    "package": ("",),
    "models": ("models/", "networks/", "inputs/", "estimator", "tagger"),
    "pictures": ("plots/",),
}
NEW = {  # what the parts before did not have
    "models": (
        *("networks/peers/", "networks/device", "inputs/particles", "inputs/declusterings"),
        *("models/ensemble", "models/card_page", "models/torch_dataset"),
    ),
    "pictures": ("plots/calibration", "plots/resilience"),
}


def direct_imports() -> dict[str, set[str]]:
    """The parts of the package (folders, and modules next to them) and the parts that each imports, itself not."""
    found: dict[str, set[str]] = {}
    for path in SOURCE.rglob("*.py"):
        part = path.relative_to(SOURCE).parts[0].removesuffix(".py")
        if part.startswith("__"):
            continue
        names = found.setdefault(part, set())
        for node in ast.walk(ast.parse(path.read_text())):
            modules = [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
            if isinstance(node, ast.ImportFrom) and node.module:
                modules = [f"{node.module}.{alias.name}" for alias in node.names]
            names |= {name.split(".")[1] for name in modules if name.startswith("jetgram.")}
    return {part: names & found.keys() - {part} for part, names in found.items()}


def graph() -> str:
    """One line per package: its name, and the packages that it imports. Modules that import none are the foundation."""
    found = direct_imports()
    foundation = {part for part in found if (SOURCE / f"{part}.py").is_file()}
    while changed := {part for part in foundation if found[part] - foundation}:
        foundation -= changed
    merged = {FOUNDATION: set[str]()}
    for part in found.keys() - foundation:
        merged[part] = {FOUNDATION if name in foundation else name for name in found[part]}
    lines, told = [], set[str]()
    while merged.keys() - told:  # what is imported stands above
        ready = sorted(part for part in merged.keys() - told if merged[part] <= told)
        lines += [f"{part:<12} {' '.join(sorted(merged[part] - {FOUNDATION})) or '-'}" for part in ready]
        told |= set(ready)
    return "\n".join(lines) + f"\n\n{FOUNDATION}: {' '.join(sorted(foundation))}\n"


def code_lines(text: str) -> int:
    """Lines that are neither blank, nor comment, docstring or import."""
    left_out: set[int] = set()
    for node in ast.walk(ast.parse(text)):
        body = getattr(node, "body", None)
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef) and body and ast.get_docstring(node):
            left_out |= set(range(body[0].lineno, body[0].end_lineno + 1))
        elif isinstance(node, ast.Import | ast.ImportFrom):
            left_out |= set(range(node.lineno, (node.end_lineno or 0) + 1))
    lines = enumerate(text.splitlines(), start=1)
    return sum(bool(line.strip()) and not line.strip().startswith("#") and i not in left_out for i, line in lines)


def measure(part: str) -> tuple[int, int, int, int, int]:
    """Files, lines, lines of code, median module and modules below 50 lines of a part today."""
    texts = {str(path.relative_to(SOURCE)): path.read_text() for path in SOURCE.rglob("*.py")}
    chosen = {
        name: text
        for name, text in texts.items()
        if name.startswith(PARTS[part]) and not name.startswith(NEW.get(part, ("-",)))
    }
    lengths = [len(text.splitlines()) for name, text in chosen.items() if not name.endswith("__init__.py")]
    lines, code = sum(len(text.splitlines()) for text in chosen.values()), sum(map(code_lines, chosen.values()))
    return len(chosen), lines, code, int(statistics.median(lengths)), sum(length < 50 for length in lengths)


def sizes() -> str:
    """A table of all parts, before and now."""
    rows = [("", "", "files", "lines", "code", "median", "below 50")]
    for part, before in BEFORE.items():
        rows.append((part, "before", *(f"{number:,}" for number in before)))
        rows.append(("", "now", *(f"{number:,}" for number in measure(part))))
    return "".join(f"{row[0]:<9} {row[1]:<6} " + " ".join(f"{cell:>8}" for cell in row[2:]) + "\n" for row in rows)


if __name__ == "__main__":
    text = BLOCK.sub(lambda match: graph(), PAGE.read_text(), count=1)
    PAGE.write_text(SIZES.sub(lambda match: sizes(), text, count=1))
