import os
from collections.abc import Iterator
from pathlib import Path

import psutil
import pytest

from benchpin.core.calls import Job
from benchpin.core.errors import Cancelled
from benchpin.workspace.git import GitFailed, Repository, find_repository
from benchpin.workspace.git_objects import ObjectReader, open_objects
from benchpin.workspace.git_objects import _objects as git_objects
from repositories import Tree


@pytest.fixture
def tree(workspace: Path) -> Tree:
    made = Tree(workspace)
    made.commit({"a.txt": b"one\n", "empty": b"", "sub/ü b.txt": b"\0\n\xff"})
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


def test_objects_are_read_by_id_and_by_path_one_after_another(
    tree: Tree, repository: Repository
) -> None:
    blob = tree.git("rev-parse", "HEAD:a.txt").decode()
    with open_objects(repository, Job()) as objects:
        for _ in range(3):
            assert objects.read(blob) == b"one\n"
            assert objects.read(f"{tree.head()}:empty") == b""
            assert objects.read(f"{tree.head()}:sub/ü b.txt") == b"\0\n\xff"


def test_what_is_not_there_is_none_and_the_next_one_is_read(
    tree: Tree, repository: Repository
) -> None:
    with open_objects(repository, Job()) as objects:
        assert objects.read("0" * 40) is None
        assert objects.read(f"{tree.head()}:missing.txt") is None
        assert objects.read(f"{tree.head()}:a.txt") == b"one\n"


def test_many_objects_are_given_in_the_order_in_which_they_are_asked_for(
    tree: Tree, repository: Repository
) -> None:
    head = tree.head()
    some = [f"{head}:a.txt", "no id", f"{head}:missing.txt", f"{head}:empty"]
    with open_objects(repository, Job()) as objects:
        assert list(objects.read_each(some * 10)) == [b"one\n", None, None, b""] * 10
        assert list(objects.read_each([])) == []


@pytest.mark.parametrize("name", ["HEAD", "HEAD:a.txt", "", "main", "--help", "a\nb", "0" * 39])
def test_a_name_that_is_no_id_is_not_asked_for(repository: Repository, name: str) -> None:
    with open_objects(repository, Job()) as objects:
        assert objects.read(name) is None


def test_a_path_with_a_line_feed_asks_for_nothing_else(tree: Tree, repository: Repository) -> None:
    with open_objects(repository, Job()) as objects:
        assert objects.read(f"{tree.head()}:a.txt\n{tree.head()}:empty") is None
        assert objects.read(f"{tree.head()}:a.txt") == b"one\n"


def test_a_large_object_is_passed_over(
    tree: Tree, repository: Repository, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(git_objects, "MAX_OBJECT_BYTES", 1000)
    tree.commit({"large": b"x" * 300_000, "small": b"y" * 1000})
    with open_objects(repository, Job()) as objects:
        assert objects.read(f"{tree.head()}:large") is None
        assert objects.read(f"{tree.head()}:small") == b"y" * 1000


def read_often(objects: ObjectReader) -> None:
    for _ in range(100):
        objects.read("0" * 40)


def test_git_that_ends_meanwhile_is_a_failure(
    tree: Tree, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "bin"
    folder.mkdir()
    (folder / "git").write_text("#!/bin/sh\necho broken >&2\nexit 3\n", encoding="utf-8")
    (folder / "git").chmod(0o755)
    monkeypatch.setenv("PATH", str(folder), prepend=os.pathsep)
    repository = find_repository(tree.root, tree.root)
    with open_objects(repository, Job()) as objects, pytest.raises(GitFailed):
        read_often(objects)


def test_a_cancelled_job_ends_git(repository: Repository) -> None:
    job = Job()
    with open_objects(repository, job) as objects:
        job.cancel()
        with pytest.raises(Cancelled):
            read_often(objects)
