import os
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path, PurePosixPath

import msgspec
import psutil
import pytest

from benchpin.facts import Outline
from benchpin.facts.store import FactCache
from benchpin.facts.workers import FileBatch, FileResult, Strategy
from benchpin.facts.workers import _worker as module
from benchpin.facts.workers._worker import LENGTH, MAX_FILE_BYTES, UNSETTLED_NS, Answer, measure
from benchpin.workspace.files import RACY_NS, Unreadable, open_beneath, read_regular
from benchpin.workspace.files import _reading as opening

OLD_NS = 1_700_000_000_000_000_000


@pytest.fixture
def cache(tmp_path: Path) -> Iterator[FactCache]:
    made = FactCache(tmp_path / "facts")
    yield made
    made.close()


@pytest.fixture
def parsed(monkeypatch: pytest.MonkeyPatch) -> list[bytes]:
    """Return the sources that were parsed, not looked up."""
    sources: list[bytes] = []
    real = module.encode

    def note(source: bytes, language: str) -> dict[str, bytes]:
        sources.append(source)
        return real(source, language)

    monkeypatch.setattr(module, "encode", note)
    return sources


def order(
    root: Path, *names: str, strategy: Strategy = "normal", language: str = "python"
) -> FileBatch:
    files = tuple((name, language) for name in names)
    return FileBatch(os.fsencode(root), b"", files, ("outline",), strategy)


def outline(measured: FileResult) -> Outline:
    return msgspec.msgpack.decode(measured.sections["outline"], type=Outline)


def problem(root: Path, name: str, cache: FactCache) -> str:
    [measured] = measure(order(root, name), cache)
    return measured.problem


def test_files_are_answered_in_their_order(workspace: Path, cache: FactCache) -> None:
    names = ("b.py", "a.py", "c.py")
    for name in names:
        (workspace / name).write_text(f"def {name[0]}(): pass\n", encoding="utf-8")
    measured = list(measure(order(workspace, *names), cache))
    assert [item.path for item in measured] == list(names)
    assert [outline(item).functions[0].name for item in measured] == ["b", "a", "c"]


def test_equal_files_are_parsed_once(
    workspace: Path, cache: FactCache, parsed: list[bytes]
) -> None:
    for name in ("a.py", "b.py"):
        (workspace / name).write_bytes(b"x = 1\n")
    assert len(list(measure(order(workspace, "a.py", "b.py"), cache))) == 2
    assert parsed == [b"x = 1\n"]


def test_the_same_bytes_in_two_languages_are_two_things(
    workspace: Path, cache: FactCache, parsed: list[bytes]
) -> None:
    (workspace / "a").write_bytes(b"f(x)\n")
    languages = [
        outline(item).language
        for language in ("python", "javascript", "python")
        for item in measure(order(workspace, "a", language=language), cache)
    ]
    assert languages == ["python", "javascript", "python"]
    assert len(parsed) == 2


def test_strategies_say_when_to_parse(
    workspace: Path, cache: FactCache, parsed: list[bytes]
) -> None:
    (workspace / "a.py").write_bytes(b"x = 1\n")
    [unknown] = measure(order(workspace, "a.py", strategy="offline"), cache)
    assert unknown.problem == "not in the cache"
    assert parsed == []
    strategies: tuple[tuple[Strategy, int], ...] = (
        *(("normal", 1), ("normal", 1), ("offline", 1), ("force-refresh", 2)),
    )
    for strategy, times in strategies:
        [known] = measure(order(workspace, "a.py", strategy=strategy), cache)
        assert outline(known).lines == 1
        assert len(parsed) == times


def test_a_file_is_settled_only_when_neither_content_nor_name_is_young(
    workspace: Path, cache: FactCache, monkeypatch: pytest.MonkeyPatch
) -> None:
    place = workspace / "a.py"
    place.write_bytes(b"x = 1\n")
    [young] = measure(order(workspace, "a.py"), cache)
    assert young.mtime_ns == UNSETTLED_NS
    os.utime(place, ns=(OLD_NS, OLD_NS))
    [backdated] = measure(order(workspace, "a.py"), cache)
    assert backdated.mtime_ns == UNSETTLED_NS
    later = place.stat().st_ctime_ns + RACY_NS
    monkeypatch.setattr(time, "time_ns", lambda: later)
    [settled] = measure(order(workspace, "a.py"), cache)
    assert settled.mtime_ns == OLD_NS


def test_what_cannot_be_measured_is_named_with_the_reason(
    workspace: Path, cache: FactCache
) -> None:
    (workspace / "target.py").touch()
    (workspace / "link.py").symlink_to("target.py")
    (workspace / "folder.py").mkdir()
    (workspace / "folder.py/a.py").touch()
    (workspace / "way").symlink_to("folder.py")
    os.mkfifo(workspace / "pipe.py")
    (workspace / "zeros.py").write_bytes(b"x = 1\n\0\n")
    with (workspace / "huge.py").open("wb") as file:
        file.truncate(MAX_FILE_BYTES + 1)
    reasons = {
        "link.py": "not a regular file",
        "folder.py": "not a regular file",
        "pipe.py": "not a regular file",
        "way/a.py": "not a regular file",
        "gone.py": "no such file or directory",
        "gone/a.py": "no such file or directory",
        "zeros.py": "binary",
        "huge.py": "larger than 4 MiB",
    }
    measured = measure(order(workspace, *reasons, "target.py"), cache)
    assert {item.path: item.problem for item in measured} == reasons | {"target.py": ""}


def test_a_file_at_the_limit_is_measured(
    workspace: Path, cache: FactCache, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "MAX_FILE_BYTES", 6)
    (workspace / "a.py").write_bytes(b"x = 1\n")
    (workspace / "b.py").write_bytes(b"x = 12\n")
    assert problem(workspace, "a.py", cache) == ""
    assert problem(workspace, "b.py", cache) != ""


def test_a_file_that_may_not_be_read_is_named(
    workspace: Path, cache: FactCache, monkeypatch: pytest.MonkeyPatch
) -> None:
    (workspace / "a.py").touch()
    (workspace / "b.py").touch()
    real = open_beneath

    def refuse(folder: int, path: PurePosixPath, flags: int) -> int:
        if path.name == "a.py":
            raise PermissionError(13, "Permission denied")
        return real(folder, path, flags)

    monkeypatch.setattr(opening, "open_beneath", refuse)
    assert problem(workspace, "a.py", cache) == "permission denied"
    assert problem(workspace, "b.py", cache) == ""


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16"])
def test_encodings_that_editors_write_are_read(
    workspace: Path, cache: FactCache, encoding: str
) -> None:
    (workspace / "a.py").write_text("def grüße():\n    pass\n", encoding=encoding)
    [measured] = measure(order(workspace, "a.py"), cache)
    assert [it.name for it in outline(measured).functions] == ["grüße"]
    assert outline(measured).error_line == 0


def test_only_the_bytes_that_are_asked_for_are_read(workspace: Path) -> None:
    (workspace / "a").write_bytes(b"12345")
    assert read_regular(os.fsencode(workspace), "a", 3)[0] == b"123"
    assert read_regular(os.fsencode(workspace), "a", 9)[0] == b"12345"
    with pytest.raises(Unreadable):
        read_regular(os.fsencode(workspace), "../workspace/b", 9)


def test_no_handle_is_left_open(workspace: Path) -> None:
    (workspace / "x").mkdir()
    (workspace / "x/a").touch()
    before = psutil.Process().num_fds()
    for name in ("x/a", "x", "x/none", "none/a", "x/a/b"):
        try:
            read_regular(os.fsencode(workspace), name, 9)
        except Unreadable:
            continue
    assert psutil.Process().num_fds() == before


def answers(stdout: bytes) -> list[Answer]:
    found: list[Answer] = []
    while stdout:
        [size] = LENGTH.unpack_from(stdout)
        body = stdout[LENGTH.size : LENGTH.size + size]
        found.append(msgspec.msgpack.decode(body, type=Answer))
        stdout = stdout[LENGTH.size + size :]
    return found


def test_the_process_answers_orders_and_ends_with_its_pipe(workspace: Path, tmp_path: Path) -> None:
    (workspace / "a.py").write_bytes(b"x = 1\n")
    one = msgspec.structs.replace(
        order(workspace, "a.py", "none.py"), cache_folder=os.fsencode(tmp_path / "facts")
    )
    message = msgspec.msgpack.encode(one)
    made = subprocess.run(
        [sys.executable, "-m", module.__name__],
        input=(LENGTH.pack(len(message)) + message) * 2 + b"\x07",
        stdout=subprocess.PIPE,
        check=True,
    )
    started, *rest = answers(made.stdout)
    assert started is None
    named = [None if item is None else (item.path, bool(item.problem)) for item in rest]
    assert named == [("a.py", False), ("none.py", True), None] * 2
