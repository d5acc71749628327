"""Repositories whose files lead git elsewhere, make it wait, or are too large."""

import hashlib
import os
import zlib
from pathlib import Path

import pytest

from benchpin.core.calls import Job
from benchpin.core.errors import FileTooLarge, InvalidPath, PathOutsideWorkspace
from benchpin.measures.history import read_history
from benchpin.workspace.git import GitFailed, find_head, find_repository
from benchpin.workspace.git import _command as git
from benchpin.workspace.git import _safe_files as git_files
from repositories import Tree


@pytest.fixture
def tree(workspace: Path) -> Tree:
    made = Tree(workspace)
    made.commit({"a.txt": b"one\n"})
    return made


@pytest.fixture
def private(tmp_path: Path) -> Tree:
    made = Tree(tmp_path / "private")
    made.commit({"secret.txt": b"secret\n"})
    return made


def borrow(tree: Tree, objects: str) -> None:
    (tree.root / ".git/objects/info").mkdir(exist_ok=True)
    (tree.root / ".git/objects/info/alternates").write_text(f"# x\n{objects}\n", encoding="utf-8")


def show_commit_of(private: Tree, tree: Tree) -> None:
    (tree.root / ".git/refs/heads/main").write_bytes(private.git("rev-parse", "HEAD") + b"\n")


def by_alternate(private: Tree, tree: Tree) -> None:
    borrow(tree, f"{private.root}/.git/objects")


def by_relative_alternate(private: Tree, tree: Tree) -> None:
    borrow(tree, os.path.relpath(private.root / ".git/objects", tree.root / ".git/objects"))


def by_quoted_alternate(private: Tree, tree: Tree) -> None:
    borrow(tree, f'"{private.root}/.git/objects"')


def by_alternate_of_an_alternate(private: Tree, tree: Tree) -> None:
    inner = tree.root / "inner/objects"
    (inner / "info").mkdir(parents=True)
    (inner / "info/alternates").write_text(f"{private.root}/.git/objects\n", encoding="utf-8")
    borrow(tree, str(inner))


def by_linked_folder(private: Tree, tree: Tree) -> None:
    for place in (private.root / ".git/objects").iterdir():
        here = tree.root / ".git/objects" / place.name
        if not here.exists():
            here.symlink_to(place)


def by_linked_object(private: Tree, tree: Tree) -> None:
    for place in (private.root / ".git/objects").glob("??/*"):
        here = tree.root / ".git/objects" / place.parent.name / place.name
        here.parent.mkdir(exist_ok=True)
        here.symlink_to(place)


def by_linked_pack(private: Tree, tree: Tree) -> None:
    private.git("gc", "--quiet")
    for place in (private.root / ".git/objects/pack").iterdir():
        (tree.root / ".git/objects/pack" / place.name).symlink_to(place)


def by_link_to_a_folder_with_links(private: Tree, tree: Tree) -> None:
    (tree.root / "inner").mkdir()
    (tree.root / "inner/x").symlink_to(private.root / ".git/objects")
    (tree.root / ".git/objects/aa").symlink_to(tree.root / "inner")


def by_linked_log(private: Tree, tree: Tree) -> None:
    place = tree.root / ".git/logs/HEAD"
    place.unlink()
    place.symlink_to(private.root / ".git/logs/HEAD")


@pytest.mark.parametrize(
    "lead_astray",
    [
        by_alternate,
        by_relative_alternate,
        by_quoted_alternate,
        by_alternate_of_an_alternate,
        by_linked_folder,
        by_linked_object,
        by_linked_pack,
        by_link_to_a_folder_with_links,
        by_linked_log,
    ],
)
def test_objects_outside_the_workspace_are_not_read(
    tree: Tree, private: Tree, lead_astray: "object"
) -> None:
    assert callable(lead_astray)
    lead_astray(private, tree)
    show_commit_of(private, tree)
    with pytest.raises(PathOutsideWorkspace) as caught:
        read_history(tree.root, tree.root, Job())
    assert "--git-folders" in caught.value.suggestion


def test_objects_in_a_folder_that_the_operator_allows_are_read(tree: Tree, private: Tree) -> None:
    by_alternate(private, tree)
    show_commit_of(private, tree)
    [commit] = read_history(tree.root, tree.root, Job(), git_folders=(private.root,)).commits
    assert [it.path for it in commit.files] == ["secret.txt"]


def test_alternates_within_the_workspace_are_read(tree: Tree) -> None:
    tree.git("clone", "--quiet", "--shared", ".", "copy")
    assert (tree.root / "copy/.git/objects/info/alternates").exists()
    assert len(read_history(tree.root / "copy", tree.root, Job()).commits) == 1


def test_a_work_tree_of_a_repository_with_alternates_is_read(private: Tree, tmp_path: Path) -> None:
    private.git("clone", "--quiet", "--shared", str(private.root), str(tmp_path / "shared"))
    Tree(tmp_path / "shared").git("worktree", "add", "--quiet", str(tmp_path / "linked"))
    assert len(read_history(tmp_path / "linked", tmp_path / "linked", Job()).commits) == 1


@pytest.mark.parametrize(
    "name",
    [
        "index",
        "objects/aa/" + "b" * 38,
        "objects/info/alternates",
        "objects/info/commit-graphs/commit-graph-chain",
        "objects/pack/multi-pack-index",
        "objects/pack/pack-1.idx",
        "logs/HEAD",
        "refs/replace/x",
    ],
)
def test_a_pipe_that_git_would_wait_for_is_refused(tree: Tree, name: str) -> None:
    place = tree.root / ".git" / name
    place.unlink(missing_ok=True)
    place.parent.mkdir(parents=True, exist_ok=True)
    os.mkfifo(place)
    with pytest.raises(InvalidPath):
        find_repository(tree.root, tree.root)


@pytest.mark.parametrize("name", ["HEAD", "config", "packed-refs", "refs/heads/main", "shallow"])
def test_a_file_that_git_would_read_into_memory_is_limited(tree: Tree, name: str) -> None:
    with (tree.root / ".git" / name).open("ab") as file:
        file.truncate(300 << 20)
    with pytest.raises(FileTooLarge, match=name.rpartition("/")[2]):
        find_repository(tree.root, tree.root)


def test_a_git_folder_with_too_many_files_is_refused(
    tree: Tree, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(git_files, "_MAX_ENTRIES", 5)
    with pytest.raises(InvalidPath, match="more than 5 files"):
        find_repository(tree.root, tree.root)


@pytest.mark.skipif(not Path("/proc").exists(), reason="only Linux can limit another process")
def test_an_object_that_unpacks_to_much_more_is_an_error(
    tree: Tree, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(git, "MEMORY_BYTES", 64 << 20)
    size = 100 << 20
    head = f"commit {size}\0".encode()
    content = zlib.compress(head + bytes(size))
    name = hashlib.sha1(head + bytes(size), usedforsecurity=False).hexdigest()
    place = tree.root / ".git/objects" / name[:2] / name[2:]
    place.parent.mkdir(exist_ok=True)
    place.write_bytes(content)
    (tree.root / ".git/refs/heads/main").write_text(f"{name}\n", encoding="utf-8")
    assert find_head(find_repository(tree.root, tree.root), Job()) == name
    with pytest.raises(GitFailed, match="memory"):
        read_history(tree.root, tree.root, Job())
