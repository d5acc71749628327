"""Commits that were read before: only new ones are read, and nothing else differs."""

from collections.abc import Callable, Iterable, Iterator
from datetime import timedelta
from pathlib import Path

import pytest

from benchpin.core.calls import Job, WorkspaceSession
from benchpin.measures.history import History, read_history, read_recent
from benchpin.measures.history import _history as module
from benchpin.workspace.git_objects import LogEntry, read_log
from repositories import BOB, START, Tree

LINES = b"".join(b"line %d\n" % at for at in range(20))
SINCE = START - timedelta(days=1)


@pytest.fixture
def read_ids(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Note which commits git shows in full."""
    noted: list[str] = []

    def noting(pieces: Iterable[bytes]) -> Iterator[LogEntry]:
        for entry in read_log(pieces):
            noted.append(entry.id)
            yield entry

    monkeypatch.setattr(module, "read_log", noting)
    return noted


@pytest.fixture
def tree(tmp_path: Path) -> Tree:
    made = Tree(tmp_path / "work")
    for number in range(4):
        made.commit({"a.txt": LINES + b"%d\n" % number, f"{number}.txt": LINES})
    return made


def recent(tree: Tree) -> History:
    """Read the history as the next process would."""
    session = WorkspaceSession(tree.root, tree.root.parent / "cache")
    try:
        return read_recent(session, tree.root, SINCE, Job())
    finally:
        session.close()


def from_nothing(tree: Tree) -> History:
    return read_history(tree.root, tree.root, Job(), since=SINCE)


def test_after_new_commits_only_those_are_read(tree: Tree, read_ids: list[str]) -> None:
    recent(tree)
    read_ids.clear()
    new = [tree.commit({"a.txt": LINES + b"more %d\n" % at}) for at in range(10)]
    found = recent(tree)
    assert read_ids == new[::-1]
    assert found == from_nothing(tree)


def moved(tree: Tree) -> None:
    tree.commit({"0.txt": None, "moved/0.txt": LINES + b"and more\n"})


def amended(tree: Tree) -> None:
    tree.commit({"a.txt": b"other\n"}, "Amended", BOB, "--amend")


def another_branch(tree: Tree) -> None:
    tree.git("checkout", "--quiet", "-b", "side", "HEAD~2")
    tree.commit({"side.txt": LINES})


def merged(tree: Tree) -> None:
    another_branch(tree)
    tree.git("checkout", "--quiet", "main")
    tree.commit({"main.txt": LINES})
    tree.git("merge", "--quiet", "--no-ff", "--no-edit", "side")


def forced(tree: Tree) -> None:
    tree.git("reset", "--quiet", "--hard", "HEAD~3")
    tree.commit({"1.txt": b"another one\n"})


def other_names(tree: Tree) -> None:
    tree.write({".mailmap": b"Countess <ada@example.org>\n"})


def binary_texts(tree: Tree) -> None:
    tree.commit({"sub/.gitattributes": b"*.txt binary\n", "sub/a.txt": LINES})


@pytest.mark.parametrize(
    "change",
    [moved, amended, another_branch, merged, forced, other_names, binary_texts],
)
def test_the_history_is_that_of_a_reading_from_nothing(
    tree: Tree, change: Callable[[Tree], None]
) -> None:
    tree.commit({"sub/a.txt": b"text\n"})
    assert recent(tree) == from_nothing(tree)
    change(tree)
    assert recent(tree) == from_nothing(tree)
    tree.git("checkout", "--quiet", "--force", "main")
    assert recent(tree) == from_nothing(tree)


def test_a_clone_that_was_deepened_has_what_its_edge_hid(tree: Tree, tmp_path: Path) -> None:
    clone = Tree(tmp_path / "clone", is_new=False)
    tree.git("clone", "--quiet", "--depth=2", f"file://{tree.root}", str(clone.root))
    shallow = recent(clone)
    assert shallow == from_nothing(clone)
    clone.git("fetch", "--quiet", "--unshallow")
    deep = recent(clone)
    assert deep == from_nothing(clone) == from_nothing(tree)
    assert len(shallow.commits) < len(deep.commits)


def test_many_new_commits_are_read_in_one_go(
    tree: Tree, read_ids: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "_MAX_NEW_COMMITS", 1)
    recent(tree)
    read_ids.clear()
    tree.commit({"a.txt": b"one\n"})
    tree.commit({"a.txt": b"two\n"})
    assert recent(tree) == from_nothing(tree)
    assert len(read_ids) == 2 * 6


def test_a_fresh_reading_uses_no_rows(tree: Tree, read_ids: list[str]) -> None:
    recent(tree)
    read_ids.clear()
    session = WorkspaceSession(tree.root, tree.root.parent / "cache")
    read_recent(session, tree.root, SINCE, Job(), is_fresh=True)
    session.close()
    assert len(read_ids) == 4
