"""Which test runs in which process of `pytest -n`: those that share something expensive run in one.

Tests of one file share what its fixtures make: a model, a browser. Those of the folders in `SHARED` share more than
that: a study, the C++ library. What takes longest comes first, so that at the end no process waits for another.
"""

import pytest
from xdist.scheduler import LoadFileScheduling

SHARED = ("tests/studies", "tests/cpp")  # folders that run as one file
LONGEST = (
    *SHARED,
    "tests/test_pages.py",
    "tests/collisions/test_generate.py",
    "tests/cli/test_train.py",
    "tests/report/test_explorer.py",
)


class BySharedFixtures(LoadFileScheduling):
    """Whole files, and whole folders where these share their fixtures; the longest first."""

    def _split_scope(self, nodeid: str) -> str:
        file = super()._split_scope(nodeid)
        return next((folder for folder in SHARED if file.startswith(f"{folder}/")), file)

    def _assign_work_unit(self, node: object) -> None:
        first = next((scope for scope in LONGEST if scope in self.workqueue), None)
        if first is not None:
            self.workqueue.move_to_end(first, last=False)
        super()._assign_work_unit(node)


@pytest.hookimpl(optionalhook=True)  # without pytest-xdist there is one process
def pytest_xdist_make_scheduler(config: pytest.Config, log: object) -> BySharedFixtures:
    return BySharedFixtures(config, log)
