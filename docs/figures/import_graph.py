"""The import graph of docs/architecture.md: which package imports which, from the sources themselves.

Run as `python docs/figures/import_graph.py`; it writes the graph into the page.
"""

from __future__ import annotations

import ast
import re
from pathlib import Path

ROOT = Path(__file__).parents[2]
SOURCE = ROOT / "src" / "jetgram"
PAGE = ROOT / "docs" / "architecture.md"
BLOCK = re.compile(r"(?<=<!-- import graph -->\n```text\n).*?(?=```)", re.DOTALL)
FOUNDATION = "foundation"


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


if __name__ == "__main__":
    text = PAGE.read_text()
    PAGE.write_text(BLOCK.sub(lambda match: graph(), text, count=1))
