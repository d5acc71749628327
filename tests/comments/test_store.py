"""Sidecars on disk: atomic writes, locks, concurrent writers and crashes."""

import json
import os
import signal
import subprocess
import sys
import threading
from pathlib import Path, PurePosixPath

import pytest

from benchpin.comments import CommentStore, parse
from benchpin.comments._errors import SidecarCorrupt
from benchpin.core.calls import Job
from benchpin.core.errors import AccessDenied, PathError, TimeLimitExceeded
from comment_kit import add, write_source

TESTS = Path(__file__).parents[1]
PATH = PurePosixPath("src/app.py")
WRITER = """
import sys
from pathlib import Path
from benchpin.comments import CommentStore
from comment_kit import add
root, name, count = Path(sys.argv[1]), sys.argv[2], int(sys.argv[3])
store = CommentStore(root)
for number in range(count):
    print(add(store, "src/app.py", 1 + number % 9, f"{name} {number}").id, flush=True)
"""


def writer(root: Path, name: str, count: int) -> "subprocess.Popen[str]":
    return subprocess.Popen(
        [sys.executable, "-c", WRITER, str(root), name, str(count)],
        env={**os.environ, "PYTHONPATH": os.pathsep.join([str(TESTS), *sys.path])},
        stdout=subprocess.PIPE,
        text=True,
    )


def names(folder: Path) -> list[str]:
    return sorted(place.name for place in folder.iterdir())


def test_only_the_sidecar_is_written_beside_a_file(workspace: Path) -> None:
    write_source(workspace)
    comment = add(CommentStore(workspace), "src/app.py", 5, "hello")
    assert names(workspace) == ["src"]
    assert names(workspace / "src") == ["app.py", "app.py.comments"]
    assert [it.id for it in CommentStore(workspace).read(PATH).comments] == [comment.id]


def test_the_central_store_has_all_sidecars(workspace: Path) -> None:
    write_source(workspace)
    store = CommentStore(workspace, PurePosixPath(".benchpin/comments"))
    add(store, "src/app.py", 5, "hello")
    assert names(workspace / "src") == ["app.py"]
    assert (workspace / ".benchpin/comments/src/app.py.comments").is_file()


def test_the_sidecar_is_deleted_with_its_last_comment(workspace: Path) -> None:
    write_source(workspace)
    store = CommentStore(workspace)
    comment = add(store, "src/app.py", 5, "hello")
    with store.editing([PATH], Job()) as [editor]:
        editor.remove(comment.id)
    assert names(workspace / "src") == ["app.py"]


def test_nothing_is_written_when_something_goes_wrong(workspace: Path) -> None:
    write_source(workspace)
    store = CommentStore(workspace)
    comment = add(store, "src/app.py", 5, "hello")
    before = (workspace / "src/app.py.comments").read_bytes()

    def fail_halfway() -> None:
        with store.editing([PATH], Job()) as [editor]:
            editor.remove(comment.id)
            raise KeyError

    with pytest.raises(KeyError):
        fail_halfway()
    assert (workspace / "src/app.py.comments").read_bytes() == before


def test_a_damaged_sidecar_is_never_overwritten(workspace: Path) -> None:
    write_source(workspace)
    store = CommentStore(workspace)
    comment = add(store, "src/app.py", 5, "hello")
    place = workspace / "src/app.py.comments"
    place.write_bytes(place.read_bytes()[:-40])
    before = place.read_bytes()
    with pytest.raises(SidecarCorrupt) as refused:
        add(store, "src/app.py", 5, "more")
    assert refused.value.data["readableComments"] == [comment.id]
    assert "not JSON" in str(refused.value.data["parseError"])
    assert place.read_bytes() == before
    assert [it.text for it in store.read(PATH).comments] == ["hello"]


def test_no_link_is_followed(workspace: Path, tmp_path: Path) -> None:
    write_source(workspace)
    victim = tmp_path / "victim.comments"
    victim.write_text('{"comments": []}', encoding="utf-8")
    (workspace / "src/app.py.comments").symlink_to(victim)
    with pytest.raises(PathError):
        add(CommentStore(workspace), "src/app.py", 5, "hello")
    (workspace / "src/app.py.comments").unlink()
    (workspace / "linked").symlink_to(tmp_path)
    with (
        pytest.raises(PathError),
        CommentStore(workspace).editing([PurePosixPath("linked/x")], Job()),
    ):
        pass
    assert victim.read_text(encoding="utf-8") == '{"comments": []}'


def test_a_read_only_sidecar_is_not_changed(workspace: Path) -> None:
    write_source(workspace)
    store = CommentStore(workspace)
    add(store, "src/app.py", 5, "hello")
    (workspace / "src/app.py.comments").chmod(0o444)
    with pytest.raises(AccessDenied):
        add(store, "src/app.py", 5, "more")


def test_a_writer_that_does_not_get_the_lock_fails(workspace: Path) -> None:
    write_source(workspace)
    store = CommentStore(workspace)
    clock = iter(range(1_000))
    hasty = Job(time_limit_s=3, monotonic=lambda: float(next(clock)))
    with (
        store.editing([PATH], Job()),
        pytest.raises(TimeLimitExceeded),
        store.editing([PATH], hasty),
    ):
        pass


def test_two_threads_do_not_lose_each_others_comments(workspace: Path) -> None:
    write_source(workspace)
    store = CommentStore(workspace)

    def write() -> None:
        for number in range(20):
            add(store, "src/app.py", 5, str(number))

    threads = [threading.Thread(target=write) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(store.read(PATH).comments) == 40


@pytest.mark.slow
def test_ten_processes_write_at_once_and_no_comment_is_lost(workspace: Path) -> None:
    write_source(workspace)
    writers = [writer(workspace, f"writer {number}", 30) for number in range(10)]
    written = [line for it in writers for line in it.communicate()[0].split()]
    assert [it.returncode for it in writers] == [0] * 10
    found = CommentStore(workspace).read(PATH)
    assert not found.problem
    assert len(set(written)) == 300
    assert {it.id for it in found.comments} == set(written)
    assert len({it.marker_id for it in found.comments}) == 300
    assert names(workspace / "src") == ["app.py", "app.py.comments"]


@pytest.mark.slow
def test_a_killed_writer_loses_nothing_that_it_acknowledged(workspace: Path) -> None:
    write_source(workspace)
    acknowledged: set[str] = set()
    place = workspace / "src/app.py.comments"
    for attempt in range(20):
        process = writer(workspace, f"victim {attempt}", 1_000)
        assert process.stdout is not None
        for _ in range(10):
            acknowledged.add(process.stdout.readline().strip())

        process.send_signal(signal.SIGKILL)
        acknowledged.update(process.communicate()[0].split())
        found = parse(place.read_bytes())
        assert not found.problem
        assert acknowledged <= {it.id for it in found.comments}
    assert len(acknowledged) >= 200
    add(CommentStore(workspace), "src/app.py", 5, "after")
    assert names(workspace / "src") == ["app.py", "app.py.comments"]
    assert json.loads(place.read_bytes())["filePath"] == "src/app.py"
