"""The index with changes, with real workers, and with other processes beside it."""

import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from itertools import count
from pathlib import Path

import psutil
import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    invariant,
    rule,
    run_state_machine_as_test,
)

from benchpin.core.calls import Job, Progress, WorkspaceSession
from benchpin.core.errors import Cancelled
from benchpin.facts import SourceIndex, SourceQuery, open_index
from workers import Spy, install_faulty

ALL = SourceQuery()
OFFLINE = SourceQuery(strategy="offline")
FRESH = SourceQuery(strategy="force-refresh")
EVERYTHING = SourceQuery(sections=("outline", "links", "comments", "tokens"))

_NAMES = st.sampled_from(("a.py", "b.py", "x/a.py", "x/c.js", "tool", "d.ts"))
_CONTENTS = st.sampled_from(
    ("", "x = 1\n", "y = 2\n", "def f(): pass\n", "#!/usr/bin/env python3\n", "<?xml?>", "\0")
)


class Changes(RuleBasedStateMachine):
    """An index that is asked after each change says what a new one says without a cache."""

    def __init__(self) -> None:
        super().__init__()
        self.folder = tempfile.mkdtemp()
        self.root = Path(self.folder, "root")
        self.root.mkdir()
        self.index = SourceIndex(self.root, Path(self.folder, "facts"))

    def teardown(self) -> None:
        self.index.close()
        shutil.rmtree(self.folder)

    @rule(name=_NAMES, content=_CONTENTS)
    def write(self, name: str, content: str) -> None:
        place = self.root / name
        place.parent.mkdir(exist_ok=True)
        place.write_text(content, encoding="utf-8")

    @rule(name=_NAMES)
    def remove(self, name: str) -> None:
        (self.root / name).unlink(missing_ok=True)

    @rule(old=_NAMES, new=_NAMES)
    def rename(self, old: str, new: str) -> None:
        if (self.root / old).exists() and (self.root / new).parent.exists():
            (self.root / old).replace(self.root / new)

    @rule(name=_NAMES)
    def backdate(self, name: str) -> None:
        if (self.root / name).exists():
            os.utime(self.root / name, ns=(10**18, 10**18))

    @rule()
    def ignore(self) -> None:
        place = self.root / ".gitignore"
        place.write_text("" if place.exists() and place.stat().st_size else "x/\n", "utf-8")

    @rule()
    def restart(self) -> None:
        self.index.close()
        self.index = SourceIndex(self.root, Path(self.folder, "facts"))

    @rule(query=st.sampled_from((SourceQuery(start="x"), FRESH, OFFLINE)))
    def ask_otherwise(self, query: SourceQuery) -> None:
        if query.start != "x" or (self.root / "x").is_dir():
            self.index.read(query, Job())

    @invariant()
    def is_as_a_new_one(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            fresh = SourceIndex(self.root, Path(folder))
            expected = fresh.read(EVERYTHING, Job())
            fresh.close()
        assert self.index.read(EVERYTHING, Job()) == expected
        alive = {it.relative_to(self.root).as_posix() for it in self.root.rglob("*")}
        self.index._forget_gone((), "")
        assert self.index._entries.keys() <= alive


@pytest.mark.slow
def test_an_index_that_saw_changes_is_as_a_new_one(monkeypatch: pytest.MonkeyPatch) -> None:
    Spy(monkeypatch)
    bounds = settings(max_examples=15, stateful_step_count=10, derandomize=True)
    run_state_machine_as_test(Changes, settings=bounds)


def children() -> set[int]:
    return {child.pid for child in psutil.Process().children(recursive=True)}


@pytest.fixture
def index(workspace: Path, tmp_path: Path) -> Iterator[SourceIndex]:
    before = children()
    made = SourceIndex(workspace, tmp_path / "facts")
    yield made
    made.close()
    assert children() <= before


def fill(root: Path, count: int) -> None:
    for number in range(count):
        (root / f"f{number}.py").write_text(f"def f{number}(): pass\n", encoding="utf-8")


def test_workers_measure_what_a_single_process_measures(
    workspace: Path, tmp_path: Path, index: SourceIndex, monkeypatch: pytest.MonkeyPatch
) -> None:
    fill(workspace, 30)
    found = index.read(EVERYTHING, Job())
    Spy(monkeypatch)
    alone = SourceIndex(workspace, tmp_path / "other")
    assert alone.read(EVERYTHING, Job()) == found
    alone.close()


@pytest.mark.slow
def test_a_file_that_crashes_a_worker_is_named_and_not_tried_again_until_it_changes(
    workspace: Path, tmp_path: Path, index: SourceIndex
) -> None:
    fill(workspace, 5)
    (workspace / "bad.py").write_text("CRASH\n", encoding="utf-8")
    only_bad = SourceQuery(start="bad.py")
    # A context, for the fixture's own `undo` would take back what other fixtures patched.
    with pytest.MonkeyPatch.context() as patch:
        install_faulty(tmp_path / "faults", patch)
        found = index.read(ALL, Job())
        assert len(found.files) == 5
        assert found.unmeasured == {"bad.py": "crashes the parser"}
        patch.setattr(index._pool, "_idle_or_new", None)
        assert index.read(only_bad, Job()).unmeasured == {"bad.py": "crashes the parser"}
    (workspace / "bad.py").write_text("good = 1\n", encoding="utf-8")
    assert index.read(only_bad, Job()).unmeasured == {}


@pytest.mark.slow
def test_cancelling_leaves_no_worker_and_the_next_call_goes_on(
    workspace: Path, tmp_path: Path, index: SourceIndex, monkeypatch: pytest.MonkeyPatch
) -> None:
    install_faulty(tmp_path / "faults", monkeypatch)
    before = children()
    fill(workspace, 3)
    (workspace / "z.py").write_text("HANG\n", encoding="utf-8")

    def cancel(progress: Progress) -> None:
        if progress.message == "files":
            job.cancel()

    job = Job(on_progress=cancel, monotonic=map(float, count()).__next__)
    with pytest.raises(Cancelled):
        index.read(SourceQuery(workers=1), job)
    assert children() == before
    (workspace / "z.py").unlink()
    assert len(index.read(ALL, Job()).files) == 3


_READER = """
import sys
from pathlib import Path
from benchpin.core.calls import Job
from benchpin.facts import SourceIndex, SourceQuery
index = SourceIndex(Path(sys.argv[1]), Path(sys.argv[2]))
found = index.read(SourceQuery(sections=("outline", "tokens")), Job())
index.close()
print(len(found.files), len(found.unmeasured), sum(len(it.tokens.stream) for it in found.files))
"""


@pytest.mark.slow
@pytest.mark.parametrize("count", [2, 4])
def test_several_processes_share_one_cache(workspace: Path, tmp_path: Path, count: int) -> None:
    fill(workspace, 60)
    readers = [
        subprocess.Popen(
            [sys.executable, "-c", _READER, str(workspace), str(tmp_path / "facts")],
            stdout=subprocess.PIPE,
        )
        for _ in range(count)
    ]
    said = {reader.communicate()[0] for reader in readers}
    assert len(said) == 1
    assert said.pop().startswith(b"60 0 ")


def test_a_workspace_has_one_index(workspace: Path, tmp_path: Path) -> None:
    session = WorkspaceSession(workspace, tmp_path)
    assert open_index(session) is open_index(session)
    session.close()
