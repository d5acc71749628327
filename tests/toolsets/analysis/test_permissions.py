from collections.abc import Iterator
from pathlib import Path

import pytest

from benchpin.app import Workbench
from long_texts import Long, whole

from .conftest import Write

RULES = """\
[[resource_permissions]]
pattern = "**"
operations = ["read"]

[[resource_permissions]]
pattern = "private/"
operations = []
"""
DENIED = "def _launch():\n    return 1  # TODO: hack, remove\n"
TOO_LARGE = Long("x = 1\n", 1_000_000)


@pytest.fixture
def guarded(workspace: Path, write: Write) -> Iterator[Workbench]:
    """Give a workbench with a folder that nobody may read, one file of it too large to measure."""
    write("benchpin.toml", RULES)
    write("open.py", "import private.secret\n")
    write("private/secret.py", DENIED)
    write("private/large.py", whole(TOO_LARGE))
    opened = Workbench.open(workspace)
    yield opened
    opened.close()


def test_what_may_not_be_read_is_counted(guarded: Workbench) -> None:
    report = guarded.call("analyze_complexity")
    assert report.model_dump()["looked_at"]["measured"] == 1
    assert report.model_dump()["looked_at"]["skipped"] == {"not permitted": 2}
    assert report.model_dump()["looked_at"]["unmeasured_total"] == 0
