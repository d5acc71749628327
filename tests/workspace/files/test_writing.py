import os
import stat
from pathlib import Path, PurePosixPath

import pytest

from benchpin.core.calls import Job
from benchpin.core.errors import AccessDenied, DiskFull, InvalidPath
from benchpin.workspace.writing import write_atomically


def write(root: Path, path: str, content: bytes = b"new") -> bool:
    return write_atomically(root, PurePosixPath(path), content, Job())


def test_a_new_file_has_the_mode_that_the_user_wants(tmp_path: Path) -> None:
    before = os.umask(0o027)
    try:
        assert write(tmp_path, "a/b/new.txt")
    finally:
        os.umask(before)
    place = tmp_path / "a/b/new.txt"
    assert place.read_bytes() == b"new"
    assert stat.S_IMODE(place.stat().st_mode) == 0o640


def test_a_file_keeps_its_mode(tmp_path: Path) -> None:
    place = tmp_path / "run.sh"
    place.write_text("old")
    place.chmod(0o751)
    assert not write(tmp_path, "run.sh")
    assert place.read_bytes() == b"new"
    assert stat.S_IMODE(place.stat().st_mode) == 0o751


def test_a_file_with_two_names_is_not_written(tmp_path: Path) -> None:
    outside, root = tmp_path / "outside.txt", tmp_path / "root"
    outside.write_text("precious")
    root.mkdir()
    (root / "name.txt").hardlink_to(outside)
    with pytest.raises(AccessDenied, match="2 hard links"):
        write(root, "name.txt")
    assert outside.read_text() == "precious"


@pytest.mark.parametrize("target", ["/etc/hostname", "../outside.txt", "inside.txt", "gone.txt"])
def test_a_link_is_not_written_through(tmp_path: Path, target: str) -> None:
    root = tmp_path / "root"
    root.mkdir()
    (root / "inside.txt").write_text("inside")
    (tmp_path / "outside.txt").write_text("outside")
    (root / "link").symlink_to(target)
    with pytest.raises(InvalidPath):
        write(root, "link")
    assert (root / "inside.txt").read_text() == "inside"
    assert (tmp_path / "outside.txt").read_text() == "outside"
    assert not (root / "gone.txt").exists()


def test_a_folder_and_a_pipe_are_not_replaced(tmp_path: Path) -> None:
    (tmp_path / "folder").mkdir()
    os.mkfifo(tmp_path / "pipe")
    for name in ("folder", "pipe"):
        with pytest.raises(InvalidPath):
            write(tmp_path, name)


def test_a_read_only_file_is_left_alone(tmp_path: Path) -> None:
    place = tmp_path / "kept.txt"
    place.write_text("kept")
    place.chmod(0o444)
    with pytest.raises(AccessDenied, match="read-only"):
        write(tmp_path, "kept.txt")
    assert place.read_text() == "kept"


def test_a_file_in_the_way_of_a_folder_is_an_error(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("x")
    for path in ("file/inner.txt", "file/deep/inner.txt"):
        with pytest.raises(InvalidPath, match="'file' is a file, not a folder"):
            write(tmp_path, path)
    assert (tmp_path / "file").read_text() == "x"


def test_nothing_is_left_behind_when_a_write_fails(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    root = tmp_path / "root"
    root.mkdir()
    (root / "file.txt").write_text("old")

    def fail(_descriptor: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", fail)
    with pytest.raises(DiskFull, match=r"The disk is full, file\.txt was not written"):
        write(root, "file.txt")
    assert [place.name for place in root.iterdir()] == ["file.txt"]
    assert (root / "file.txt").read_text() == "old"


def test_a_name_as_long_as_names_can_be(tmp_path: Path) -> None:
    assert write(tmp_path, "n" * 250)
