import os
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from benchpin.code.changes import _deltas
from benchpin.core.calls import WorkspaceSession
from benchpin.core.errors import InvalidParams
from benchpin.facts import SourceQuery
from benchpin.project import Project
from benchpin.project.gate import ChangedLines, find_changes
from benchpin.project.gate._values import WHOLE, GateValue, LineRange
from benchpin.workspace.files import read_regular
from benchpin.workspace.git import GitFailed, NotARepository
from repositories import START, Tree
from selections import select_all

TEN = b"".join(b"line %d\n" % number for number in range(1, 11))


@pytest.fixture
def tree(tmp_path: Path) -> Tree:
    tree = Tree(tmp_path / "repo")
    tree.commit({"a.py": TEN, "b.py": TEN.upper(), "lib/c.py": b"one\n"})
    return tree


Compare = Callable[..., ChangedLines]


@pytest.fixture
def changes(tmp_path: Path) -> Iterator[Compare]:
    opened: list[WorkspaceSession] = []

    def compare(
        tree: Tree, *, since: str = "HEAD", root: Path | None = None, start: str = "."
    ) -> ChangedLines:
        everything = select_all(root or tree.root, tmp_path / "cache")
        selection = replace(everything, query=SourceQuery(start=start))
        opened.append(selection.session)
        return find_changes(Project(selection, START), since)

    yield compare
    for session in opened:
        session.close()


def test_nothing_changed_since_the_commit_that_is_there(tree: Tree, changes: Compare) -> None:
    found = changes(tree)
    assert (found.revision, found.commit, found.lines) == ("HEAD", tree.head(), {})


def test_work_that_is_not_committed_counts(tree: Tree, changes: Compare) -> None:
    tree.write({"a.py": TEN.replace(b"line 4\n", b"line 4b\nline 4c\n")})
    assert changes(tree).lines == {"a.py": (LineRange(4, 5),)}
    tree.git("add", "--all")
    assert changes(tree).lines == {"a.py": (LineRange(4, 5),)}


def test_commits_since_a_revision_count(tree: Tree, changes: Compare) -> None:
    tree.git("tag", "v1")
    tree.commit({"a.py": TEN + b"more\n"})
    tree.commit({"b.py": b"other\n"})
    assert set(changes(tree, since="v1").lines) == {"a.py", "b.py"}
    assert set(changes(tree, since="HEAD~1").lines) == {"b.py"}
    assert changes(tree, since="main").lines == {}


def test_a_file_that_git_does_not_know_is_new(tree: Tree, changes: Compare) -> None:
    tree.write({"new.py": b"x\n"})
    assert changes(tree).lines == {"new.py": WHOLE}


def test_a_file_that_was_renamed_is_compared_with_what_it_was(tree: Tree, changes: Compare) -> None:
    tree.write({"a.py": None, "lib/a.py": TEN.replace(b"line 2\n", b"line two\n")})
    assert changes(tree).lines == {"lib/a.py": (LineRange(2, 2),)}
    tree.write({"lib/a.py": None, "lib/z.py": TEN})
    assert changes(tree).lines == {}
    tree.write({"lib/z.py": b"nothing\nof\nthat\n"})
    assert changes(tree).lines == {"lib/z.py": WHOLE}


def test_what_only_the_other_branch_changed_is_no_change(tree: Tree, changes: Compare) -> None:
    base = tree.head()
    tree.git("checkout", "--quiet", "-b", "topic")
    tree.commit({"b.py": b"other\n"})
    tree.git("checkout", "--quiet", "main")
    tree.commit({"a.py": TEN + b"more\n"})
    tree.git("checkout", "--quiet", "topic")
    found = changes(tree, since="main")
    assert (found.commit, found.is_merge_base) == (base, True)
    assert set(found.lines) == {"b.py"}
    assert not changes(tree, since="HEAD~1").is_merge_base


def test_a_file_that_came_from_outside_the_selection_is_no_new_file(
    tree: Tree, changes: Compare
) -> None:
    tree.write({"a.py": None, "lib/a.py": TEN + b"more\n"})
    assert changes(tree, start="lib").lines == {"lib/a.py": (LineRange(11, 11),)}


def test_line_ends_alone_are_no_change(tree: Tree, changes: Compare) -> None:
    tree.write({"a.py": TEN.replace(b"\n", b"\r\n")})
    assert changes(tree).lines == {}


@pytest.mark.parametrize(
    "revision",
    [
        "nowhere",
        "",
        "--output=/tmp/x",
        "-h",
        "HEAD:a.py",
        "HEAD^{tree}",
        "HEAD\nHEAD",
        "x" * 5000,
        "HEAD\0",
    ],
)
def test_a_revision_that_is_none_is_named(tree: Tree, changes: Compare, revision: str) -> None:
    before = sorted(tree.root.rglob("*"))
    with pytest.raises(InvalidParams) as raised:
        changes(tree, since=revision)
    assert raised.value.data["revision"] == revision[:200]
    assert sorted(tree.root.rglob("*")) == before


def test_without_a_repository_there_is_nothing_to_compare_with(
    tree: Tree, changes: Compare, tmp_path: Path
) -> None:
    with pytest.raises(NotARepository):
        changes(tree, root=tmp_path)


def test_no_filter_of_the_repository_runs(tree: Tree, changes: Compare) -> None:
    tree.git("config", "filter.evil.clean", "touch ran; cat")
    tree.write({".gitattributes": b"*.py filter=evil diff=evil\n", "a.py": TEN + b"x\n"})
    tree.git("config", "diff.evil.textconv", "touch ran; cat")
    assert changes(tree).lines == {"a.py": (LineRange(11, 11),)}
    assert not (tree.root / "ran").exists()


def test_a_workspace_may_be_a_folder_of_the_repository(tree: Tree, changes: Compare) -> None:
    tree.write({"lib/c.py": b"two\n", "a.py": b""})
    assert changes(tree, root=tree.root / "lib").lines == {"c.py": (LineRange(1, 1),)}


def test_a_workspace_may_hold_the_repository(tree: Tree, changes: Compare) -> None:
    tree.write({"lib/c.py": b"two\n"})
    found = changes(tree, root=tree.root.parent, start="repo")
    assert found.lines == {"repo/lib/c.py": (LineRange(1, 1),)}


def test_a_submodule_is_compared_with_the_commit_that_was_recorded(
    tree: Tree, changes: Compare, tmp_path: Path
) -> None:
    inner = Tree(tmp_path / "inner")
    inner.commit({"x.py": TEN, "y.py": TEN})
    tree.git("submodule", "--quiet", "add", str(inner.root), "sub")
    tree.commit({})
    assert changes(tree).lines == {}
    tree.write({"sub/x.py": b"new\n" + TEN})
    assert changes(tree).lines == {"sub/x.py": (LineRange(1, 1),)}


def test_a_partial_clone_that_lacks_objects_is_told_how_to_get_them(
    tree: Tree, changes: Compare, tmp_path: Path
) -> None:
    tree.commit({"a.py": TEN + b"more\n"})
    tree.git("config", "uploadpack.allowFilter", "true")
    tree.git("clone", "--quiet", "--filter=blob:none", tree.root.as_uri(), str(tmp_path / "part"))
    part = Tree(tmp_path / "part", is_new=False)
    with pytest.raises(GitFailed) as raised:
        changes(part, since="HEAD~1")
    assert "`git fetch --refetch --no-filter`" in raised.value.suggestion
    part.git("fetch", "--quiet", "--refetch", "--no-filter")
    assert changes(part, since="HEAD~1").lines == {"a.py": (LineRange(11, 11),)}


def test_before_the_first_commit_every_file_of_the_repository_is_new(
    changes: Compare, tmp_path: Path
) -> None:
    tree = Tree(tmp_path / "repo")
    tree.write({"a.py": TEN, "../b.py": TEN})
    found = changes(tree, root=tmp_path, start="repo")
    assert (found.commit, found.lines) == (None, {"repo/a.py": WHOLE})


@pytest.mark.parametrize(
    ("spans", "line", "end_line", "expected"),
    [
        ((LineRange(5, 6),), 1, 4, False),
        ((LineRange(5, 6),), 1, 5, True),
        ((LineRange(5, 6),), 6, 9, True),
        ((LineRange(5, 6),), 7, 9, False),
        ((LineRange(1, 2), LineRange(8, 8)), 3, 7, False),
        ((LineRange(1, 2), LineRange(8, 8)), 3, 8, True),
        ((LineRange(5, 4),), 4, 5, True),  # lines were taken out between 4 and 5
        ((LineRange(5, 4),), 1, 4, False),
        ((LineRange(5, 4),), 5, 9, False),
        (WHOLE, 700, 701, True),
    ],
)
def test_a_function_is_touched_when_lines_of_it_changed(
    spans: tuple[LineRange, ...], line: int, end_line: int, expected: object
) -> None:
    found = ChangedLines("HEAD", "", {"a.py": spans})
    assert found.touch(GateValue(1, "a.py", line, end_line, "f")) is expected
    assert not found.touch(GateValue(1, "b.py", line, end_line, "f"))
    assert found.touch(GateValue(1, "b.py", 1, 1, "cycle", also=("a.py",)))


def test_a_file_is_touched_by_any_change_in_it() -> None:
    found = ChangedLines("HEAD", "", {"a.py": (LineRange(1, 0),)})
    assert found.touch(GateValue(1, "a.py", 1, 10))
    assert not found.touch(GateValue(1, "b.py", 1, 10))


def test_files_that_are_as_they_were_staged_are_not_read(
    tree: Tree, changes: Compare, monkeypatch: pytest.MonkeyPatch
) -> None:
    read: list[str] = []

    def noting(root: bytes, path: str, most: int) -> object:
        read.append(path)
        return read_regular(root, path, most)

    for name in ("a.py", "b.py", "lib/c.py"):
        os.utime(tree.root / name, (1_700_000_000, 1_700_000_000))
    tree.git("update-index", "--refresh")
    monkeypatch.setattr(_deltas, "read_regular", noting)
    assert changes(tree).lines == {}
    assert read == []

    tree.write({"a.py": TEN + b"more\n"})
    assert changes(tree).lines == {"a.py": (LineRange(11, 11),)}
    assert read == ["a.py"]


def test_a_range_is_refused_with_the_revision_to_give(tree: Tree, changes: Compare) -> None:
    with pytest.raises(InvalidParams, match="is a range") as caught:
        changes(tree, since="HEAD..HEAD")
    assert caught.value.suggestion == "Give one revision, such as HEAD."


def test_a_range_from_a_revision_that_is_not_there_says_that(tree: Tree, changes: Compare) -> None:
    with pytest.raises(InvalidParams, match="no revision 'gone'"):
        changes(tree, since="gone..HEAD")
