import hashlib
import os
import stat
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from benchpin.app import Workbench
from benchpin.core.calls import Job
from benchpin.core.errors import (
    FileChanged,
    FileMissing,
    InvalidParams,
    InvalidPath,
    TimeLimitExceeded,
)
from benchpin.toolsets.workspace.edit_file import FileEdited, FileEditParams, edit_file
from benchpin.toolsets.workspace.read_file import FileReadParams, read_file
from benchpin.toolsets.workspace.write_file import FileWriteParams, FileWritten, write_file


def write(shop: Workbench, path: str, content: str) -> FileWritten:
    return shop.run(write_file, FileWriteParams(path=path, content=content))


def edit(shop: Workbench, path: str, *edits: tuple[str, str], dry_run: bool = False) -> FileEdited:
    params = {
        "path": path,
        "edits": [{"old_text": old, "new_text": new} for old, new in edits],
        "dry_run": dry_run,
    }
    return shop.run(edit_file, FileEditParams.model_validate(params))


def test_a_file_is_made_with_its_folders(shop: Workbench, workspace: Path) -> None:
    written = write(shop, "deep/er/new.txt", "héllo\n")
    assert (written.is_new, written.size_bytes) == (True, 7)
    assert written.to_text() == "Created deep/er/new.txt, 7 bytes"
    assert (workspace / "deep/er/new.txt").read_text(encoding="utf-8") == "héllo\n"
    assert not write(shop, "deep/er/new.txt", "").is_new


def test_shell_characters_are_only_characters(shop: Workbench, workspace: Path) -> None:
    name = "$(touch pwned); `id` && x\nnewline"
    write(shop, name, "$(touch pwned)")
    assert [place.name for place in workspace.iterdir()] == [name]


def test_the_workspace_itself_is_no_file(shop: Workbench) -> None:
    with pytest.raises(InvalidPath):
        write(shop, ".", "x")


def test_half_a_character_is_refused(shop: Workbench, workspace: Path) -> None:
    with pytest.raises(InvalidParams, match="lone surrogate at position 1"):
        write(shop, "a.txt", "x\ud83d")
    assert list(workspace.iterdir()) == []


def test_edits_are_made_in_turn_and_shown_as_a_diff(shop: Workbench, workspace: Path) -> None:
    (workspace / "a.py").write_text("one\ntwo\nthree\n")
    edited = edit(shop, "a.py", ("two", "2"), ("2\nthree", "2\n3"))
    assert (workspace / "a.py").read_text() == "one\n2\n3\n"
    assert edited.is_written
    assert edited.diff.splitlines() == [
        "--- a/a.py",
        "+++ b/a.py",
        "@@ -1,3 +1,3 @@",
        " one",
        "-two",
        "-three",
        "+2",
        "+3",
    ]


def test_a_dry_run_writes_nothing(shop: Workbench, workspace: Path) -> None:
    (workspace / "a.py").write_text("one")
    edited = edit(shop, "a.py", ("one", "1"), dry_run=True)
    assert not edited.is_written
    assert "\\ No newline at end of file" in edited.diff
    assert edited.to_text().endswith("[dry run: nothing was written]")
    assert (workspace / "a.py").read_text() == "one"


@pytest.mark.parametrize(
    ("edits", "message"),
    [
        ([("one", "1"), ("nowhere", "x")], "edit 2: 'nowhere' does not occur in a.py"),
        ([("o", "0")], "edit 1: 'o' occurs 3 times"),
    ],
)
def test_all_edits_or_none(
    shop: Workbench, workspace: Path, edits: list[tuple[str, str]], message: str
) -> None:
    (workspace / "a.py").write_text("one two foo bar\n".replace("foo", "fo"))
    with pytest.raises(InvalidParams) as raised:
        edit(shop, "a.py", *edits)
    assert message in raised.value.message
    assert (workspace / "a.py").read_text() == "one two fo bar\n"


def test_a_near_miss_names_the_line(shop: Workbench, workspace: Path) -> None:
    (workspace / "a.py").write_text("def first():\n    return  1\n")
    with pytest.raises(InvalidParams) as raised:
        edit(shop, "a.py", ("    return 1", "    return 2"))
    assert "The nearest is line 2: '    return  1'." in raised.value.suggestion


def test_line_ends_of_windows_are_kept(shop: Workbench, workspace: Path) -> None:
    (workspace / "a.txt").write_bytes(b"one\r\ntwo\r\n")
    edit(shop, "a.txt", ("one\ntwo", "1\n2"))
    assert (workspace / "a.txt").read_bytes() == b"1\r\n2\r\n"


def test_bytes_that_are_not_text_survive_an_edit(shop: Workbench, workspace: Path) -> None:
    (workspace / "a.txt").write_bytes(b"caf\xe9 one\n")
    edit(shop, "a.txt", ("one", "two"))
    assert (workspace / "a.txt").read_bytes() == b"caf\xe9 two\n"


def test_what_cannot_be_edited_is_said(shop: Workbench, workspace: Path) -> None:
    (workspace / "a.bin").write_bytes(b"a\0b")
    with pytest.raises(InvalidParams, match="binary"):
        edit(shop, "a.bin", ("a", "b"))
    with pytest.raises(FileMissing):
        edit(shop, "nothing", ("a", "b"))


def test_a_file_is_written_only_if_it_has_the_expected_content(
    shop: Workbench, workspace: Path
) -> None:
    (workspace / "a.txt").write_text("old")
    seen = shop.run(read_file, FileReadParams(path="a.txt")).sha256
    assert seen == hashlib.sha256(b"old").hexdigest()
    params = FileWriteParams(path="a.txt", content="mine", expected_sha256=seen.upper())
    written = shop.run(write_file, params)
    assert written.sha256 == hashlib.sha256(b"mine").hexdigest()
    with pytest.raises(FileChanged, match=rf"a\.txt has changed.*{written.sha256}") as caught:
        shop.run(write_file, params)
    assert caught.value.data == {
        "path": "a.txt",
        "expected_sha256": seen.upper(),
        "sha256": written.sha256,
    }
    assert [place.read_text() for place in workspace.iterdir()] == ["mine"]


def test_a_file_that_is_gone_is_not_written_for_its_old_content(
    shop: Workbench, workspace: Path
) -> None:
    with pytest.raises(FileChanged, match="does not exist now"):
        shop.run(write_file, FileWriteParams(path="a", content="", expected_sha256="0" * 64))
    assert list(workspace.iterdir()) == []


def test_an_edit_is_repeated_on_what_another_program_wrote(
    shop: Workbench, workspace: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = workspace / "a.txt"
    file.write_text("one two")
    _write_behind(monkeypatch, lambda: file.write_text("ONE two"), times=1)
    edited = edit(shop, "a.txt", ("two", "2"))
    assert file.read_text() == "ONE 2"
    assert "-ONE two" in edited.diff
    assert edited.sha256 == hashlib.sha256(b"ONE 2").hexdigest()


def test_an_edit_is_refused_when_another_program_does_not_stop_writing(
    shop: Workbench, workspace: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = workspace / "a.txt"
    file.write_text("two")
    _write_behind(monkeypatch, lambda: file.write_text("x" + file.read_text()), times=100)
    with pytest.raises(FileChanged, match=r"a\.txt has changed since it was read") as caught:
        edit(shop, "a.txt", ("two", "2"))
    assert "Read the file again" in caught.value.suggestion
    assert set(file.read_text()) == set("xtwo")
    assert list(workspace.iterdir()) == [file]


def _write_behind(
    monkeypatch: pytest.MonkeyPatch, write: Callable[[], object], *, times: int
) -> None:
    """Have another program write while the new content is synced to disk."""
    left = [None] * times
    sync = os.fsync

    def fsync(descriptor: int) -> None:
        if left and stat.S_ISREG(os.fstat(descriptor).st_mode):
            left.pop()
            write()
        sync(descriptor)

    monkeypatch.setattr(os, "fsync", fsync)


def test_the_time_limit_ends_edits_and_nothing_is_changed(shop: Workbench, workspace: Path) -> None:
    (workspace / "a.txt").write_text("a b", encoding="utf-8")
    params = FileEditParams.model_validate(
        {"path": "a.txt", "edits": [{"old_text": "b", "new_text": "c"}]}
    )
    with pytest.raises(TimeLimitExceeded, match="edit 1 of 1; nothing was changed"):
        edit_file(params, replace(shop.bench, job=Job(time_limit_s=0)))
    assert (workspace / "a.txt").read_text(encoding="utf-8") == "a b"


def test_the_nearest_line_is_found_among_long_lines(shop: Workbench, workspace: Path) -> None:
    alphabet = [chr(code) for code in range(200, 400)]
    line = "".join(alphabet * 2_000)
    (workspace / "a.txt").write_text(f"short\n{line}\n", encoding="utf-8")
    with pytest.raises(InvalidParams) as refused:
        edit(shop, "a.txt", (line[1:] + line[:2], "x"))
    assert "The nearest is line 2" in (refused.value.suggestion or "")
