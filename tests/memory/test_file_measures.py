"""Values of files are kept by content."""

from collections.abc import Sequence
from pathlib import Path

from benchpin.core.calls import Job, Permissions, WorkspaceSession
from benchpin.facts import FileFacts, FileSelection
from benchpin.memory import FileMeasure


def sizes(folder: Path, measured: list[str], option: float = 1.0) -> dict[str, int]:
    """Return the size of each file, with a new process's memory."""
    session = WorkspaceSession(folder / "work", folder / "cache")
    selection = FileSelection(session, Permissions(), Job())

    def measure(
        files: Sequence[FileFacts], _selection: FileSelection, _option: float
    ) -> dict[str, int]:
        measured.extend(file.path for file in files)
        return {file.path: file.size_bytes for file in files}

    try:
        return FileMeasure[int]("sizes", int, measure).of(
            selection, selection.list_files().files, option
        )
    finally:
        session.close()


def test_only_files_that_changed_are_measured_again(tmp_path: Path) -> None:
    work, measured = tmp_path / "work", list[str]()
    work.mkdir()
    for name in ("a.py", "b.py", "c.py"):
        (work / name).write_text("x = 1\n", encoding="utf-8")
    assert sizes(tmp_path, measured) == {"a.py": 6, "b.py": 6, "c.py": 6}
    (work / "b.py").write_text("x = 1000\n", encoding="utf-8")
    (work / "c.py").unlink()
    measured.clear()

    assert sizes(tmp_path, measured) == {"a.py": 6, "b.py": 9}
    assert measured == ["b.py"]


def test_another_option_has_values_of_its_own(tmp_path: Path) -> None:
    work, measured = tmp_path / "work", list[str]()
    work.mkdir()
    (work / "a.py").write_text("x = 1\n", encoding="utf-8")

    sizes(tmp_path, measured, 1.0)
    sizes(tmp_path, measured, 2.0)
    sizes(tmp_path, measured, 1.0)

    assert measured == ["a.py", "a.py"]
