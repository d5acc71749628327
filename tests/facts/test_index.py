import os
import shutil
import sqlite3
import threading
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path

import pytest

from benchpin.core.calls import Job, Progress
from benchpin.core.errors import Cancelled, FileMissing
from benchpin.facts import SourceIndex, SourceQuery, Sources
from benchpin.facts.store import AnySection
from benchpin.facts.workers import _worker as worker
from benchpin.workspace.walking import WalkOptions
from workers import Spy

ALL = SourceQuery()
OFFLINE = SourceQuery(strategy="offline")
FRESH = SourceQuery(strategy="force-refresh")
EVERYTHING = SourceQuery(sections=("outline", "links", "comments", "tokens"))


@pytest.fixture
def spy(monkeypatch: pytest.MonkeyPatch) -> Spy:
    return Spy(monkeypatch)


@pytest.fixture
def make(workspace: Path, tmp_path: Path) -> Iterator[Callable[[], SourceIndex]]:
    made: list[SourceIndex] = []

    def index() -> SourceIndex:
        made.append(SourceIndex(workspace, tmp_path / "facts"))
        return made[-1]

    yield index
    for one in made:
        one.close()


@pytest.fixture
def no_wait(monkeypatch: pytest.MonkeyPatch) -> None:
    """Trust stamps at once, as if all files were old."""
    monkeypatch.setattr(worker, "RACY_NS", 0)


def write(root: Path, **contents: str) -> None:
    for name, content in contents.items():
        place = root / f"{name.replace('__', '/')}.py"
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(content, encoding="utf-8")


def names(found: Sources) -> dict[str, list[str]]:
    return {file.path: [it.name for it in file.outline.functions] for file in found.files}


@pytest.mark.usefixtures("no_wait")
def test_only_what_changed_is_measured_again(
    workspace: Path, make: Callable[[], SourceIndex], spy: Spy
) -> None:
    write(workspace, a="def a(): pass\n", b="def b(): pass\n", c__d="def d(): pass\n")
    index = make()
    assert names(index.read(ALL, Job())) == {"a.py": ["a"], "b.py": ["b"], "c/d.py": ["d"]}
    assert spy.take() == (["a.py", "b.py", "c/d.py"], 3)
    index.read(ALL, Job())
    assert spy.take() == ([], 0)
    write(workspace, b="def other(): pass\n")
    assert names(index.read(ALL, Job()))["b.py"] == ["other"]
    assert spy.take() == (["b.py"], 1)


@pytest.mark.usefixtures("no_wait")
def test_another_process_finds_everything_on_disk(
    workspace: Path, make: Callable[[], SourceIndex], spy: Spy
) -> None:
    write(workspace, a="def a(): pass  # c\n", b="import x\n")
    first = make().read(EVERYTHING, Job())
    spy.take()
    assert make().read(EVERYTHING, Job()) == first
    assert spy.take() == ([], 0)
    assert {type(it) for it in first.files[0].sections.values()} >= {type(first.files[0].tokens)}


def test_a_file_that_just_changed_is_read_again_but_not_parsed_again(
    workspace: Path,
    make: Callable[[], SourceIndex],
    spy: Spy,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    write(workspace, a="def a(): pass\n", b="def b(): pass\n")
    for index in (make(), make()):
        index.read(ALL, Job())
    assert spy.take() == (["a.py", "a.py", "b.py", "b.py"], 2)
    monkeypatch.setattr(worker, "RACY_NS", 0)  # the time has passed
    make().read(ALL, Job())
    assert spy.take() == (["a.py", "b.py"], 0)
    make().read(ALL, Job())
    assert spy.take() == ([], 0)


def test_a_change_that_leaves_size_and_time_as_they_were_is_seen(
    workspace: Path, make: Callable[[], SourceIndex], spy: Spy
) -> None:
    index = make()
    place = workspace / "a.py"
    for name in ("a", "b", "c"):
        write(workspace, a=f"def {name}(): pass\n")
        os.utime(place, ns=(10**18, 10**18))
        assert names(index.read(ALL, Job())) == {"a.py": [name]}
    assert spy.parsed == 3


@pytest.mark.usefixtures("no_wait", "spy")
def test_a_file_exchanged_for_one_of_equal_size_and_time_is_seen(
    workspace: Path, make: Callable[[], SourceIndex]
) -> None:
    index = make()
    write(workspace, a="def a(): pass\n", new="def b(): pass\n")
    for name in ("a.py", "new.py"):
        os.utime(workspace / name, ns=(10**18, 10**18))
    assert names(index.read(ALL, Job()))["a.py"] == ["a"]
    (workspace / "new.py").replace(workspace / "a.py")
    assert names(index.read(ALL, Job())) == {"a.py": ["b"]}


@pytest.mark.usefixtures("no_wait")
def test_offline_looks_up_and_names_what_is_not_there(
    workspace: Path, make: Callable[[], SourceIndex], spy: Spy
) -> None:
    write(workspace, a="def a(): pass\n", b="def b(): pass\n")
    index = make()
    found = index.read(OFFLINE, Job())
    assert (found.files, set(found.unmeasured)) == ([], {"a.py", "b.py"})
    index.read(ALL, Job())
    write(workspace, b="def c(): pass\n")
    found = index.read(OFFLINE, Job())
    assert names(found) == {"a.py": ["a"]}
    assert found.unmeasured == {"b.py": "not in the cache"}
    assert spy.parsed == 2


@pytest.mark.usefixtures("no_wait")
def test_force_refresh_measures_everything_anew(
    workspace: Path, make: Callable[[], SourceIndex], spy: Spy
) -> None:
    write(workspace, a="def a(): pass\n")
    index = make()
    for query, parsed in ((FRESH, 1), (FRESH, 1), (ALL, 0)):
        assert names(index.read(query, Job())) == {"a.py": ["a"]}
        assert spy.take()[1] == parsed


@pytest.mark.usefixtures("no_wait")
def test_facts_whose_rows_were_damaged_are_made_again(
    workspace: Path, tmp_path: Path, make: Callable[[], SourceIndex], spy: Spy
) -> None:
    write(workspace, a="def a(): pass\n", b="def b(): pass\n")
    index = make()
    before = index.read(ALL, Job())
    index.close()
    [file] = (tmp_path / "facts").glob("*.sqlite")
    with closing(sqlite3.connect(file)) as connection, connection:
        connection.execute("UPDATE outline SET data = zeroblob(50) WHERE rowid = 1")
    connection.close()
    spy.take()
    assert make().read(ALL, Job()) == before
    assert spy.take()[1] == 1


@pytest.mark.usefixtures("no_wait", "spy")
def test_languages_and_starts_choose_files(
    workspace: Path, make: Callable[[], SourceIndex]
) -> None:
    write(workspace, a="x = 1\n", c__d="x = 1\n")
    (workspace / "e.js").write_text("f();\n", encoding="utf-8")
    (workspace / "tool").write_text("#!/usr/bin/env python3\n", encoding="utf-8")
    (workspace / "README").write_text("read me\n", encoding="utf-8")
    index = make()
    python = SourceQuery(languages=frozenset({"python"}))
    assert [it.path for it in index.read(python, Job()).files] == ["a.py", "c/d.py", "tool"]
    assert [it.path for it in index.read(SourceQuery(start="c"), Job()).files] == ["c/d.py"]
    assert [it.path for it in index.read(SourceQuery(start="e.js"), Job()).files] == ["e.js"]
    (workspace / "tool").write_text("#!/bin/cat\n", encoding="utf-8")
    assert "tool" not in names(index.read(ALL, Job()))
    with pytest.raises(FileMissing):
        index.read(SourceQuery(start="none"), Job())


def test_files_in_no_language_can_be_had_too(
    workspace: Path, make: Callable[[], SourceIndex]
) -> None:
    write(workspace, a="x = 1\n")
    for name in ("README", "b.txt", "tool"):
        (workspace / name).write_text("#!/usr/bin/python" * (name == "tool"), encoding="utf-8")
    others = make().others(WalkOptions(), Job())
    assert [file.path for file in others] == ["README", "b.txt"]


@pytest.mark.usefixtures("no_wait", "spy")
def test_a_closed_index_can_still_be_read(workspace: Path, make: Callable[[], SourceIndex]) -> None:
    write(workspace, a="def a(): pass\n")
    index = make()
    for _ in range(2):
        assert names(index.read(ALL, Job())) == {"a.py": ["a"]}
        index.close()


@pytest.mark.usefixtures("spy")
def test_what_cannot_be_measured_is_named_and_the_rest_is(
    workspace: Path, make: Callable[[], SourceIndex]
) -> None:
    write(workspace, a="x = 1\n")
    (workspace / "zeros.py").write_bytes(b"\0" * 10)
    (workspace / os.fsdecode(b"\xff.py")).write_bytes(b"x = 1\n")
    with (workspace / "huge.py").open("wb") as file:
        file.truncate(worker.MAX_FILE_BYTES + 1)
    found = make().read(ALL, Job())
    assert [file.path for file in found.files] == ["a.py"]
    assert found.unmeasured == {
        "huge.py": "larger than 4 MiB",
        "zeros.py": "binary",
        "\ufffd.py": "its name is not UTF-8",
    }


@pytest.mark.usefixtures("no_wait")
def test_what_could_not_be_measured_as_it_is_is_not_tried_again(
    workspace: Path, make: Callable[[], SourceIndex], spy: Spy
) -> None:
    (workspace / "zeros.py").write_bytes(b"\0" * 10)
    index = make()
    for _ in range(2):
        assert index.read(ALL, Job()).unmeasured == {"zeros.py": "binary"}
    assert spy.take() == (["zeros.py"], 0)
    index.read(FRESH, Job())
    assert spy.take() == (["zeros.py"], 0)


def test_files_that_go_or_turn_into_something_else_after_the_walk_are_named(
    workspace: Path, make: Callable[[], SourceIndex], spy: Spy
) -> None:
    write(workspace, a="x = 1\n", gone="x = 1\n", link="x = 1\n", pipe="x = 1\n", x__deep="x = 1\n")

    def change() -> None:
        for name in ("gone", "link", "pipe"):
            (workspace / f"{name}.py").unlink()
        (workspace / "link.py").symlink_to("a.py")
        os.mkfifo(workspace / "pipe.py")
        shutil.rmtree(workspace / "x")

    spy.before = change
    found = make().read(ALL, Job())
    assert [file.path for file in found.files] == ["a.py"]
    assert found.unmeasured == {
        "gone.py": "no such file or directory",
        "link.py": "not a regular file",
        "pipe.py": "not a regular file",
        "x/deep.py": "no such file or directory",
    }


@pytest.mark.usefixtures("no_wait", "spy")
def test_files_that_are_gone_are_forgotten_in_memory_and_on_disk(
    workspace: Path, make: Callable[[], SourceIndex]
) -> None:
    write(workspace, a="x = 1\n", b="x = 2\n", c__d="x = 3\n")
    index = make()
    index.read(ALL, Job())
    (workspace / "b.py").rename(workspace / "e.py")
    index.read(SourceQuery(start="c"), Job())
    assert index._entries.keys() == {"a.py", "b.py", "c/d.py"}
    narrow = SourceQuery(options=WalkOptions(exclude_patterns=("a.py",)))
    assert names(index.read(narrow, Job())).keys() == {"c/d.py", "e.py"}
    assert index._entries.keys() == {"a.py", "c/d.py", "e.py"}
    assert make()._entries.keys() == {"a.py", "c/d.py", "e.py"}


@pytest.mark.usefixtures("no_wait", "spy")
def test_bulky_sections_do_not_stay_in_memory(
    workspace: Path, make: Callable[[], SourceIndex]
) -> None:
    write(workspace, a="x = 1  # y\n")
    index = make()
    for _ in range(2):
        [file] = index.read(EVERYTHING, Job()).files
        assert file.tokens.texts
        assert file.comments.comments
        assert index._entries["a.py"].sections.keys() == {"outline", "links"}


def test_when_the_time_is_up_what_there_is_is_returned_and_the_rest_named(
    workspace: Path, make: Callable[[], SourceIndex], spy: Spy
) -> None:
    write(workspace, a="x = 1\n", b="x = 2\n", c="x = 3\n")
    index = make()
    index.read(ALL, Job())
    write(workspace, a="x = 10\n", b="x = 20\n", c="x = 30\n")
    now = [0.0]
    job = Job(time_limit_s=10, monotonic=lambda: now[0])
    spy.before = lambda: now.__setitem__(0, 11.0)
    found = index.read(ALL, job)
    assert [file.path for file in found.files] == ["a.py"]
    assert found.unmeasured == {"b.py": "out of time", "c.py": "out of time"}
    assert job.missing == ["2 of 3 files"]


def test_progress_is_reported(workspace: Path, make: Callable[[], SourceIndex], spy: Spy) -> None:
    assert spy.parsed == 0
    write(workspace, a="x = 1\n", b="x = 2\n")
    heard: list[Progress] = []
    make().read(ALL, Job(on_progress=heard.append))
    assert heard[-1] == Progress(2, 2, "files")


def test_who_waits_for_another_to_measure_can_be_cancelled_or_run_out_of_time(
    workspace: Path,
    make: Callable[[], SourceIndex],
    spy: Spy,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    write(workspace, a="x = 1\n")
    index = make()
    now = [0.0]
    late = Job(time_limit_s=10, monotonic=lambda: now[0])
    cancelled = Job()
    jobs = iter((lambda: now.__setitem__(0, 11.0), cancelled.cancel))

    def recall_and_go_on(*_arguments: object) -> dict[str, dict[str, AnySection]]:
        next(jobs)()
        return {}

    with index._measuring, monkeypatch.context() as patch:
        patch.setattr(index, "_recall", recall_and_go_on)
        assert index.read(ALL, late).unmeasured == {"a.py": "out of time"}
        with pytest.raises(Cancelled):
            index.read(ALL, cancelled)
    assert late.missing == ["1 of 1 files"]
    assert spy.ordered == []
    assert names(index.read(ALL, Job())) == {"a.py": []}


@pytest.mark.usefixtures("no_wait")
def test_who_needs_nothing_measured_does_not_wait(
    workspace: Path, make: Callable[[], SourceIndex], spy: Spy
) -> None:
    write(workspace, a="x = 1\n", c__d="x = 2\n")
    index = make()
    index.read(SourceQuery(start="c"), Job())
    inside: list[Sources] = []
    spy.before = lambda: inside.append(index.read(SourceQuery(start="c"), Job()))
    index.read(ALL, Job())
    assert [names(found) for found in inside] == [{"c/d.py": []}]


@pytest.mark.usefixtures("no_wait")
def test_many_threads_get_the_same_and_measure_once(
    workspace: Path, make: Callable[[], SourceIndex], spy: Spy
) -> None:
    write(workspace, **{f"f{number}": f"def f{number}(): pass\n" for number in range(40)})
    index = make()
    found: list[Sources] = []
    threads = [
        threading.Thread(target=lambda: found.append(index.read(EVERYTHING, Job())))
        for _ in range(6)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(found) == 6
    assert all(one == found[0] for one in found)
    assert len(found[0].files) == 40
    assert spy.parsed == 40
