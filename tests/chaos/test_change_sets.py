"""Changes of several files are made as a whole, whatever call fails or kills the writer."""

import errno
import os
import resource
import threading
from collections.abc import Callable, Mapping
from pathlib import Path, PurePosixPath

import pytest

from benchpin.app import Workbench, configure
from benchpin.core.calls import Job
from benchpin.core.errors import BenchpinError
from benchpin.templates import rendered_file
from benchpin.templates.projects import write_files
from benchpin.workspace.writing import FileChange, apply_changes, settle_abandoned
from chaos.faults import CAN_INJECT, Kind, Trace, run

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(not CAN_INJECT, reason="faults are injected on Linux on x86_64 only"),
]
IS_COMPLETE = os.environ.get("CHAOS") == "all"
Files = Mapping[str, bytes]
BEFORE = {
    "bom.py": b"\xef\xbb\xbfa = 1\r\nb = 2\r\n",
    "latin/caf\udce9.txt": b"caf\xe9\n",
    "gone/only.py": b"x = 1\n",
    "kept.py": b"unchanged\n",
}
CHANGES = [
    FileChange("bom.py", BEFORE["bom.py"], b"\xef\xbb\xbfa = 3\r\n"),
    FileChange("gone/only.py", BEFORE["gone/only.py"], None),
    FileChange("latin/caf\udce9.txt", BEFORE["latin/caf\udce9.txt"], b"th\xe9\n"),
    FileChange("new/deep/tool.sh", None, b"#!/bin/sh\n", is_executable=True),
]
AFTER = {
    **{it.path: it.after for it in CHANGES if it.after is not None},
    "kept.py": BEFORE["kept.py"],
}


def make(root: Path, files: Files = BEFORE) -> None:
    for path, content in files.items():
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_bytes(content)


def found(root: Path) -> dict[str, bytes]:
    return {str(it.relative_to(root)): it.read_bytes() for it in root.rglob("*") if it.is_file()}


def change(root: Path) -> None:
    apply_changes(root, CHANGES, Job(), root.parent / "cache")


def scaffold(root: Path) -> None:
    files = [rendered_file(it, f"{it}\n", "template://x/y/z") for it in ("a", "b/c", "b/d/e")]
    cache_dir = root.parent / "cache"
    write_files(root, PurePosixPath("shop"), files, Job(), cache_dir, overwrite=True)


def fresh(tmp_path: Path) -> Path:
    root = tmp_path / str(len(list(tmp_path.iterdir()))) / "work"
    root.mkdir(parents=True)
    make(root)
    return root


def traced(write: Callable[[Path], None], root: Path, kind: Kind, at: int) -> Trace:
    def program(send: Callable[[str], None]) -> None:
        try:
            write(root)
        except BenchpinError as error:
            send(f"refused {error.kind}")
        else:
            send("done")

    return run(program, root.parent, kind, at)


def settle(root: Path) -> None:
    settle_abandoned(root.parent / "cache", root, Job())


def start(root: Path) -> None:
    """Start on the root, which settles; that takes longer than settling alone."""
    Workbench(configure(root=root, cache_dir=root.parent / "cache")).close()


def require_clean(root: Path, *, folders: bool = True) -> None:
    """Check that nothing temporary is left: no file, no folder made in vain, no note, no link."""
    empty = [it for it in root.rglob("*") if it.is_dir() and not any(it.iterdir())]
    assert not (folders and empty)
    assert not list(root.parent.joinpath("cache/journal").glob("*"))
    assert {it.stat().st_nlink for it in root.rglob("*") if it.is_file()} == {1}


@pytest.mark.timeout(300)
@pytest.mark.parametrize("kind", ["kill", "no space", "input/output error"])
@pytest.mark.parametrize("write", [change, scaffold])
def test_after_a_fault_at_any_call_all_files_are_old_or_all_are_new(
    tmp_path: Path, write: Callable[[Path], None], kind: Kind
) -> None:
    root = fresh(tmp_path)
    calls = traced(write, root, "none", -1).calls
    after = found(root)
    assert after != BEFORE
    outcomes = set()
    # `make chaos` tries every call of everything.
    is_whole = IS_COMPLETE or (write is change and kind == "kill")
    for point in range(0, len(calls), 1 if is_whole else 7):
        root = fresh(tmp_path)
        trace = traced(write, root, kind, point)
        where = f"{kind} at call {point}, {calls[point]}: {trace.messages}"
        settle(root)
        now = found(root)
        assert now in (BEFORE, after), where
        if trace.messages == ["done"]:
            assert now == after, where
        elif trace.messages:
            assert now == BEFORE or kind == "input/output error", where
        # One that the disk fails to remove may stay.
        require_clean(root, folders=kind != "input/output error")
        outcomes.add(now == after)
        write(root) if now == BEFORE else None
        assert found(root) == after, where
    assert outcomes == {False, True}


@pytest.mark.timeout(300)
def test_a_start_that_is_killed_while_it_settles_leaves_the_rest_to_the_next(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    """Kill the writer amid the replacing, then the one that takes it back, at each of its calls."""
    calls = traced(change, fresh(tmp_path), "none", -1).calls
    middle = max(at for at, it in enumerate(calls) if it.startswith("rename") and "work/" in it)

    def cut_off() -> Path:
        root = fresh(tmp_path)
        traced(change, root, "kill", middle)
        assert found(root) != BEFORE
        return root

    for point in range(len(traced(settle, cut_off(), "none", -1).calls)):
        root = cut_off()
        traced(settle, root, "kill", point)
        settle(root)
        assert found(root) == BEFORE
        require_clean(root)
    assert "was edited" not in caplog.text


def cut_off_amid(tmp_path: Path) -> Path:
    """Return a root where some files are replaced and the writer is dead."""
    calls = traced(change, fresh(tmp_path), "none", -1).calls
    root = fresh(tmp_path)
    replacing = [at for at, it in enumerate(calls) if it.startswith("rename") and "work/" in it]
    traced(change, root, "kill", replacing[-1])
    return root


def test_what_a_person_edits_after_the_kill_stays(tmp_path: Path) -> None:
    root = cut_off_amid(tmp_path)
    (root / "bom.py").write_bytes(b"mine\n")
    start(root)
    assert found(root) == {**BEFORE, "bom.py": b"mine\n"}


def test_the_next_writer_settles_as_the_next_start_does(tmp_path: Path) -> None:
    root = cut_off_amid(tmp_path)
    change(root)
    assert found(root) == AFTER
    require_clean(root)


def test_a_start_in_a_folder_below_settles_only_what_lies_there(tmp_path: Path) -> None:
    root = cut_off_amid(tmp_path)
    before = found(root)
    cache_dir = root.parent / "cache"
    Workbench(configure(root=root / "latin", cache_dir=cache_dir)).close()
    assert found(root) == before  # the note has files outside
    Workbench(configure(root=root.parent, cache_dir=cache_dir)).close()
    assert found(root) == BEFORE


def test_a_start_that_may_only_read_changes_nothing(tmp_path: Path) -> None:
    root = cut_off_amid(tmp_path)
    before = found(root)
    Workbench(configure(root=root, cache_dir=root.parent / "cache", read_only=True)).close()
    assert found(root) == before


def test_a_start_leaves_a_writer_alone_that_is_alive(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    root = fresh(tmp_path)
    replace = os.replace

    def start_meanwhile(*names: str, src_dir_fd: int, dst_dir_fd: int) -> None:
        replace(*names, src_dir_fd=src_dir_fd, dst_dir_fd=dst_dir_fd)
        start(root)

    monkeypatch.setattr(os, "replace", start_meanwhile)
    change(root)
    assert found(root) == AFTER


def test_two_writers_at_once_make_one_change_after_the_other(tmp_path: Path) -> None:
    root = fresh(tmp_path)
    outcomes = []

    def write(value: int) -> None:
        changes = [
            FileChange(path, BEFORE[path], f"{value}\n".encode()) for path in ("bom.py", "kept.py")
        ]
        try:
            apply_changes(root, changes, Job(), root.parent / "cache")
        except BenchpinError as error:
            outcomes.append(error.kind)
        else:
            outcomes.append(str(value))

    threads = [threading.Thread(target=write, args=(it,)) for it in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    [winner] = [it for it in outcomes if it.isdigit()]
    assert outcomes.count("file_changed") == 3
    assert {found(root)[it] for it in ("bom.py", "kept.py")} == {f"{winner}\n".encode()}
    require_clean(root)


def test_a_file_system_without_links_keeps_copies(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: object, **__: object) -> None:
        raise OSError(errno.EPERM, os.strerror(errno.EPERM))

    monkeypatch.setattr(os, "link", refuse)
    root = cut_off_amid(tmp_path)
    assert found(root) != BEFORE
    start(root)
    assert found(root) == BEFORE
    require_clean(root)


@pytest.mark.parametrize("place", ["file", "pipe", "link"])
def test_without_a_place_for_the_note_nothing_is_changed(tmp_path: Path, place: str) -> None:
    root = fresh(tmp_path)
    journal = root.parent / "cache/journal"
    journal.parent.mkdir()
    if place == "file":
        journal.write_bytes(b"")
    elif place == "pipe":
        os.mkfifo(journal)
    else:
        journal.symlink_to("/dev/full")
    with pytest.raises(BenchpinError, match=r"Nothing was changed: .*journal"):
        change(root)
    assert found(root) == BEFORE


def test_a_disk_that_is_full_and_stays_so_is_named(tmp_path: Path) -> None:
    root = fresh(tmp_path)
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    # No file grows, as on a full disk; the kernel allows to raise the soft limit again.
    resource.setrlimit(resource.RLIMIT_FSIZE, (0, before[1]))
    try:
        with pytest.raises(BenchpinError, match="Nothing was changed: the note about it cannot"):
            change(root)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
    assert found(root) == BEFORE
    require_clean(root)


NOTES = {
    "no JSON": b"{",
    "another shape": b'{"root": 1}',
    "deep": b"[" * 200_000,
    "foreign names": b'{"root": "ROOT", "created": [], "steps": '
    b'[{"path": "kept.py", "new": "", "old": "bom.py", "after": ""}]}',
    "a path outside": b'{"root": "ROOT", "created": ["../../x"], "steps": '
    b'[{"path": "../kept.py", "new": "", "old": "", "after": ""}]}',
    "a link as parent": b'{"root": "ROOT", "created": [], "steps": [{"path": "way/kept.py", '
    b'"new": "", "old": "", "after": '
    b'"7cfcc1d3d48afe8c3e1ed87d0ad0f1f8fe8eb8bfae1e7d2ba7d4f6c4b3a5fb6a"}]}',
}


@pytest.mark.parametrize("content", NOTES.values(), ids=NOTES)
def test_a_foreign_note_changes_nothing(tmp_path: Path, content: bytes) -> None:
    root = fresh(tmp_path)
    outside = root.parent / "outside"
    make(outside, {"kept.py": BEFORE["kept.py"]})
    (root / "way").symlink_to(outside)
    journal = root.parent / "cache/journal"
    journal.mkdir(parents=True)
    (journal / f"{'0' * 32}.replacing").write_bytes(content.replace(b"ROOT", bytes(root)))
    os.mkfifo(journal / f"{'1' * 32}.replacing")
    (journal / f"{'2' * 32}.replacing").mkdir()
    start(root)
    assert {**found(root)} == BEFORE
    assert found(outside) == {"kept.py": BEFORE["kept.py"]}
