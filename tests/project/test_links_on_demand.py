"""The measures of a project do not hold the links of all files: those are read when needed."""

from datetime import UTC, datetime
from pathlib import Path

from benchpin.core.calls import Job
from benchpin.facts import open_index
from benchpin.project import Project, gather
from selections import select_all

NOW = datetime(2026, 1, 1, tzinfo=UTC)


def test_no_measure_keeps_links_in_memory(tmp_path: Path) -> None:
    work = tmp_path / "work"
    work.mkdir()
    for name, text in {
        "shop.py": "def price():\n    return 1\n",
        "till.py": "import shop\n",
    }.items():
        (work / name).write_text(text, encoding="utf-8")
    selection = select_all(work, tmp_path / "cache", job=Job())
    found = gather(Project(selection, NOW))
    assert found.graph is not None
    assert found.graph.edges
    assert found.dead_code is not None
    entries = open_index(selection.session)._entries
    assert entries.keys() == {"shop.py", "till.py"}
    assert {section for it in entries.values() for section in it.sections} == {"outline"}
    selection.session.close()
