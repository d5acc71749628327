"""What may not be read is neither looked at nor named anywhere."""

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from benchpin.core.calls import Job
from benchpin.facts import SourceIndex, SourceQuery
from benchpin.facts import _file_choices as file_choices
from benchpin.workspace.files import _reading as opening
from benchpin.workspace.walking import SourceFile, WalkOptions


def test_what_may_not_be_read_is_not_even_looked_at(
    workspace: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (workspace / "open.py").write_text("def shown(): pass\n")
    (workspace / "secret.py").write_text("def launch_codes(): pass\n")
    (workspace / "id_rsa").write_text("#!/usr/bin/python\n")
    looked_at: list[str] = []

    def note(_root: bytes, file: SourceFile) -> None:
        looked_at.append(file.path)

    monkeypatch.setattr(file_choices, "_language_inside", note)
    monkeypatch.setattr(opening, "RACY_NS", 0)
    index = SourceIndex(workspace, tmp_path / "cache")
    found = index.read(SourceQuery(), Job(), lambda path: path == "open.py")
    others = index.others(WalkOptions(), Job(), lambda path: path == "open.py")
    index.close()
    assert [file.path for file in found.files] == ["open.py"]
    assert found.skipped["not permitted"] >= 1
    assert others == []
    assert looked_at == []
    kept = b"".join(place.read_bytes() for place in (tmp_path / "cache").iterdir())
    assert b"launch_codes" not in kept
    assert b"secret.py" not in kept


def test_who_only_walks_leaves_no_names(
    workspace: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (workspace / "secret.py").touch()
    monkeypatch.setattr(opening, "RACY_NS", 0)
    index = SourceIndex(workspace, tmp_path / "cache")
    assert [file.path for file in index.walk(WalkOptions(), "", Job()).files] == ["secret.py"]
    index.close()
    kept = b"".join(place.read_bytes() for place in (tmp_path / "cache").iterdir())
    assert b"secret.py" not in kept


@pytest.mark.parametrize("closed", ["", "deep"])
def test_a_folder_that_the_system_keeps_closed_is_named_as_not_measured(
    workspace: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, closed: str
) -> None:
    (workspace / "deep").mkdir()
    (workspace / "a.py").write_text("def f(): pass\n")
    scandir = os.scandir

    def refuse(place: str) -> Iterator[os.DirEntry[str]]:
        if Path(place) == workspace / closed:
            raise PermissionError(13, "Permission denied")
        return scandir(place)

    monkeypatch.setattr(os, "scandir", refuse)
    index = SourceIndex(workspace, tmp_path / "cache")
    found = index.read(SourceQuery(), Job())
    index.close()
    assert found.unmeasured == {f"{closed or '.'}/": "a folder that cannot be read"}
    assert len(found.files) == bool(closed)


def test_other_files_are_found_without_a_second_look_at_code(
    workspace: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (workspace / "code.py").write_text("def shown(): pass\n")
    (workspace / "notes.txt").write_text("shown\n")
    index, job = SourceIndex(workspace, tmp_path / "cache"), Job()
    index.read(SourceQuery(start="."), job)
    looked_at: list[str] = []
    lstat = os.lstat

    def noting(path: str | Path) -> os.stat_result:
        looked_at.append(Path(path).name)
        return lstat(path)

    monkeypatch.setattr(os, "lstat", noting)
    assert [file.path for file in index.others(WalkOptions(), job)] == ["notes.txt"]
    monkeypatch.undo()
    index.close()
    assert looked_at.count("notes.txt") == 1
    assert "code.py" not in looked_at
