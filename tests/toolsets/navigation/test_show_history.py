from pathlib import Path

import pytest

from benchpin.app import Workbench
from benchpin.core.errors import BenchpinError, InvalidParams
from repositories import ADA, BOB, Tree

FIRST = "def f():\n    one = 1\n    return one\n\n\ndef g():\n    two = 2\n    return two\n"


@pytest.fixture
def tree(workspace: Path) -> Tree:
    made = Tree(workspace)
    made.commit({"a.py": FIRST.encode()}, "Write f and g")
    made.commit({"a.py": FIRST.replace("two = 2", "two = 3").encode()}, "Correct g", BOB)
    return made


def history(tree: Tree, **given: object) -> list[tuple[str, str, list[str]]]:
    bench = Workbench.open(tree.root)
    try:
        found = bench.call("show_history", **given).model_dump()["commits"]
    finally:
        bench.close()
    return [(it["subject"], it["author"], it["lines"]) for it in found]


def test_every_line_is_said_to_come_from_the_commit_that_added_it(tree: Tree) -> None:
    assert history(tree, path="a.py") == [
        ("Correct g", "Bob", ["7"]),
        ("Write f and g", "Ada", ["1-6", "8"]),
    ]


def test_only_commits_that_changed_a_function_are_listed(tree: Tree) -> None:
    assert history(tree, path="a.py", symbol="f") == [("Write f and g", "Ada", ["1-3"])]
    assert [it[0] for it in history(tree, path="a.py", symbol="g")] == [
        "Correct g",
        "Write f and g",
    ]


def test_lines_can_be_named_and_the_oldest_be_first(tree: Tree) -> None:
    found = history(tree, path="a.py", start_line=6, end_line=8, oldest_first=True)
    assert [it[0] for it in found] == ["Write f and g", "Correct g"]


def test_a_renamed_file_keeps_its_history(tree: Tree) -> None:
    text = (tree.root / "a.py").read_bytes()
    tree.commit({"a.py": None, "b.py": text}, "Rename")
    found = history(tree, path="b.py")
    assert [it[0] for it in found if it[2]] == ["Correct g", "Write f and g"]


def test_work_that_is_not_committed_is_told(tree: Tree) -> None:
    tree.write({"a.py": b"# new\n" + (tree.root / "a.py").read_bytes()})
    bench = Workbench.open(tree.root)
    first, *_ = bench.call("show_history", path="a.py").model_dump()["commits"]
    bench.close()
    assert (first["commit"], first["lines"]) == ("uncommitted", ["1"])


def test_lines_of_two_branches_come_from_their_commits_and_not_from_the_merge(tree: Tree) -> None:
    before = (tree.root / "a.py").read_text()
    tree.git("checkout", "--quiet", "-b", "topic")
    tree.commit({"a.py": f"{before}\n\ndef h():\n    return 4\n".encode()}, "Add h", BOB)
    tree.git("checkout", "--quiet", "main")
    tree.commit({"a.py": before.replace("one = 1", "one = 5").encode()}, "Correct f", ADA)
    tree.git("merge", "--quiet", "--no-edit", "topic")
    found = {subject: lines for subject, _, lines in history(tree, path="a.py")}
    assert found["Add h"] == ["9-12"]
    assert found["Correct f"] == ["2"]


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"path": "."}, "is not a file"),
        ({"path": "a.py", "symbol": "nothing"}, "has no function or type 'nothing'"),
        ({"path": "a.py", "start_line": 5, "end_line": 2}, "is before start_line"),
    ],
)
def test_what_has_no_history_is_refused_with_a_way_out(
    tree: Tree, given: dict[str, object], message: str
) -> None:
    with pytest.raises(InvalidParams, match=message) as caught:
        history(tree, **given)
    assert caught.value.suggestion


def test_a_folder_without_history_is_refused(workspace: Path) -> None:
    (workspace / "a.py").write_text("a = 1\n")
    bench = Workbench.open(workspace)
    with pytest.raises(BenchpinError, match="No git repository"):
        bench.call("show_history", path="a.py")


def test_a_change_of_the_first_line_that_was_changed_again_is_listed(tree: Tree) -> None:
    text = (tree.root / "a.py").read_text()
    tree.commit({"a.py": text.replace("def g():", "def g(a):").encode()}, "Take a")
    tree.commit({"a.py": text.replace("def g():", "def g(b):").encode()}, "Take b")
    found = [it[0] for it in history(tree, path="a.py", symbol="g")]
    assert found == ["Take b", "Take a", "Correct g", "Write f and g"]


def test_a_subject_of_megabytes_is_cut(tree: Tree) -> None:
    long = "x" * 3_000_000
    tree.write({"a.py": b"new = 1\n"})
    tree.git("add", "a.py")
    tree.git("commit", "--quiet", "--file=-", stdin=long.encode())
    (subject, _, lines), *_ = history(tree, path="a.py")
    assert len(subject) == 256
    assert lines == ["1"]


def test_a_start_behind_the_end_is_refused(tree: Tree) -> None:
    with pytest.raises(InvalidParams, match="has 8 lines, and start_line is 900"):
        history(tree, path="a.py", start_line=900)
