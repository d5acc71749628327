import io
import os
import threading
from collections.abc import Iterator
from pathlib import Path

import psutil
import pytest

from benchpin.core.calls import Job
from benchpin.core.errors import Cancelled, DependencyMissing, TimeLimitExceeded
from benchpin.workspace.git import (
    ErrorOutput,
    GitFailed,
    Repository,
    find_head,
    find_repository,
    stream,
)
from repositories import Tree
from waiting import WAIT_S


@pytest.fixture
def tree(workspace: Path) -> Tree:
    made = Tree(workspace)
    made.commit({"a.txt": b"one\n"})
    return made


@pytest.fixture
def repository(tree: Tree) -> Repository:
    return find_repository(tree.root, tree.root)


@pytest.fixture(autouse=True)
def no_child_left() -> Iterator[None]:
    before = {child.pid for child in psutil.Process().children(recursive=True)}
    yield
    after = {child.pid for child in psutil.Process().children(recursive=True)}
    assert after <= before


def pretend_git(folder: Path, monkeypatch: pytest.MonkeyPatch, script: str) -> None:
    folder.mkdir()
    program = folder / "git"
    program.write_text(f"#!/bin/sh\n{script}\n", encoding="utf-8")
    program.chmod(0o755)
    monkeypatch.setenv("PATH", str(folder), prepend=os.pathsep)


def test_an_option_in_place_of_a_revision_is_a_revision_that_is_not_there(
    repository: Repository, tmp_path: Path
) -> None:
    target = tmp_path / "written"
    with pytest.raises(GitFailed):
        list(stream(repository, "log", ("-p",), (f"--output={target}",), (), Job()))
    assert not target.exists()


@pytest.mark.parametrize("path", ["-h", "--output=written", ":(exclude)a.txt", "*", "$(touch x)"])
def test_a_path_is_a_name_whatever_it_looks_like(
    tree: Tree, repository: Repository, path: str
) -> None:
    assert list(stream(repository, "log", ("-p",), ("HEAD",), (path,), Job())) == []
    assert sorted(it.name for it in tree.root.iterdir()) == [".git", "a.txt"]


def test_the_head_is_found_on_a_branch_and_off_it(tree: Tree, repository: Repository) -> None:
    head = tree.head()
    assert find_head(repository, Job()) == head
    tree.git("checkout", "--quiet", "--detach")
    assert find_head(repository, Job()) == head


def test_the_head_of_an_empty_repository_is_none(workspace: Path) -> None:
    Tree(workspace)
    assert find_head(find_repository(workspace, workspace), Job()) is None


def test_a_repository_that_git_cannot_read_is_a_failure(tree: Tree, repository: Repository) -> None:
    (tree.root / ".git" / "config").write_text("[core\n", encoding="utf-8")
    with pytest.raises(GitFailed) as caught:
        find_head(repository, Job())
    assert caught.value.kind == "git_failed"
    assert "config" in caught.value.message


def test_without_git_the_error_says_what_to_install(
    repository: Repository, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(DependencyMissing):
        find_head(repository, Job())


def test_a_flood_of_complaints_is_read_and_cut(
    repository: Repository, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    flood = "head -c 3000000 /dev/zero | tr '\\0' '\\033' >&2; exit 3"
    pretend_git(tmp_path / "bin", monkeypatch, flood)
    with pytest.raises(GitFailed) as caught:
        find_head(repository, Job())
    assert caught.value.data == {"exit_code": 3}
    assert caught.value.message == "git failed: " + "?" * 300


def test_output_given_before_a_failure_is_not_lost(
    repository: Repository, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pretend_git(tmp_path / "bin", monkeypatch, "echo first; echo 'fatal: no' >&2; exit 128")
    seen: list[bytes] = []
    with pytest.raises(GitFailed, match="fatal: no"):
        seen.extend(stream(repository, "log", (), ("HEAD",), (), Job()))
    assert seen == [b"first\n"]


def test_an_abandoned_iterator_ends_git_and_its_children(
    repository: Repository, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pretend_git(tmp_path / "bin", monkeypatch, "sleep 1000 & echo $!; wait")
    pieces = stream(repository, "log", (), ("HEAD",), (), Job())
    grandchild = psutil.Process(int(next(pieces)))
    pieces.close()
    psutil.wait_procs([grandchild], timeout=WAIT_S)
    assert not grandchild.is_running() or grandchild.status() == psutil.STATUS_ZOMBIE


def test_a_cancelled_job_ends_git_while_it_is_silent(tree: Tree, repository: Repository) -> None:
    blocked = block_config(tree)
    job = Job()

    def cancel_once_git_reads() -> None:
        handle = os.open(blocked, os.O_WRONLY)  # returns when the other end is opened
        job.cancel()
        os.close(handle)

    waiting = threading.Thread(target=cancel_once_git_reads)
    waiting.start()
    with pytest.raises(Cancelled):
        find_head(repository, job)
    waiting.join()


def test_a_cancelled_job_starts_nothing(repository: Repository) -> None:
    job = Job()
    job.cancel()
    with pytest.raises(Cancelled):
        find_head(repository, job)


def test_a_job_that_is_cancelled_between_pieces_ends(tree: Tree, repository: Repository) -> None:
    tree.commit({"big.txt": b"line\n" * 100_000})
    job = Job()
    pieces = stream(repository, "log", ("-p",), ("HEAD",), (), job)
    assert next(pieces)
    job.cancel()
    with pytest.raises(Cancelled):
        list(pieces)


def test_git_that_says_nothing_is_ended_when_the_time_is_up(
    tree: Tree, repository: Repository
) -> None:
    block_config(tree)
    with pytest.raises(TimeLimitExceeded):
        find_head(repository, Job(time_limit_s=0.05))


def test_time_that_runs_out_between_pieces_ends_git(tree: Tree, repository: Repository) -> None:
    tree.commit({"big.txt": b"line\n" * 100_000})
    ticks = iter(range(1000))
    job = Job(time_limit_s=3, monotonic=lambda: next(ticks))
    with pytest.raises(TimeLimitExceeded):
        list(stream(repository, "log", ("-p",), ("HEAD",), (), job))


def block_config(tree: Tree) -> Path:
    """Put a pipe where git expects a file, so that git waits for ever."""
    config = tree.root / ".git" / "config"
    config.unlink()
    os.mkfifo(config)
    return config


def test_errors_of_a_child_whose_pipe_an_interruption_closed_are_what_was_read(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    failed: list[object] = []
    monkeypatch.setattr(threading, "excepthook", failed.append)
    pipe = io.BytesIO(b"fatal")
    pipe.close()
    errors = ErrorOutput(pipe)
    errors.wait()
    assert (errors.text(), failed) == ("", [])
