import subprocess
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


def test_only_commits_that_git_log_follows_the_function_through_are_listed(tree: Tree) -> None:
    """A function that stood elsewhere in the file before, and others that were changed there."""
    text = (tree.root / "a.py").read_text()
    many = "".join(f"def h{at}():\n    return {at}\n\n\n" for at in range(30))
    tree.commit({"a.py": (many + text).encode()}, "Add many")
    for at in range(5):
        many = many.replace(f"return {at}\n", f"return -{at} - 1\n")
        tree.commit({"a.py": (many + text).encode()}, f"Change h{at}")
    later = text.replace("two = 3", "two = 4")
    tree.commit({"a.py": (many + later).encode()}, "Change g")
    tree.commit({"a.py": (later + many).encode()}, "Move f and g up")
    line = (tree.root / "a.py").read_text().split("\n").index("def g():") + 1
    listed = tree.git("log", f"-L{line},{line + 2}:a.py", "--no-patch", "--format=%s")
    found = [it[0] for it in history(tree, path="a.py", symbol="g")]
    assert found == listed.decode().split("\n")


def test_lines_of_a_file_that_was_split_come_from_their_commits(tree: Tree) -> None:
    body = "".join(f"    value_{at} = call_number({at}, 'with an argument')\n" for at in range(9))
    text = (tree.root / "a.py").read_text()
    tree.commit({"a.py": f"{text}\n\ndef h():\n{body}".encode()}, "Add h", BOB)
    tree.commit({"a.py": text.encode(), "b.py": f"def h():\n{body}".encode()}, "Split off b", ADA)
    found = {subject: lines for subject, _, lines in history(tree, path="b.py")}
    assert found["Add h"] == ["1-10"]
    assert found["Split off b"] == []
    by_lines = history(tree, path="b.py", start_line=2, end_line=3)
    assert ("Add h", "Bob", ["2-3"]) in by_lines


def test_lines_that_a_merge_took_from_both_sides_are_followed_into_both(tree: Tree) -> None:
    text = (tree.root / "a.py").read_text()
    tree.git("checkout", "--quiet", "-b", "topic")
    tree.commit({"a.py": text.replace("one = 1", "one = 7").encode()}, "Seven", BOB)
    tree.git("checkout", "--quiet", "main")
    tree.commit({"a.py": text.replace("return one", "return -one").encode()}, "Minus", ADA)
    tree.git("merge", "--quiet", "--no-commit", "--strategy=ours", "topic")
    both = text.replace("one = 1", "one = 7").replace("return one", "return -one")
    tree.commit({"a.py": both.encode()}, "Merge topic")
    found = [it[0] for it in history(tree, path="a.py", symbol="f")]
    assert sorted(found) == ["Merge topic", "Minus", "Seven", "Write f and g"]


def test_lines_that_are_not_committed_have_no_other_history(tree: Tree) -> None:
    with (tree.root / "a.py").open("a", encoding="utf-8") as file:
        file.write("\n\ndef h():\n    return 4\n")
    assert history(tree, path="a.py", symbol="h") == [("", "", ["11-12"])]


def test_a_shallow_clone_and_one_with_long_ids_have_a_history_too(
    tree: Tree, tmp_path: Path
) -> None:
    place = tmp_path / "shallow"
    tree.git("clone", "--quiet", "--depth=1", f"file://{tree.root}", str(place))
    assert history(Tree(place, is_new=False), path="a.py") == [("Correct g", "Bob", ["1-8"])]
    long = tmp_path / "long"
    subprocess.run(["git", "init", "--quiet", "--object-format=sha256", str(long)], check=True)  # noqa: S607 - git of the tests
    made = Tree(long, is_new=False)
    made.commit({"a.py": FIRST.encode()}, "Write f and g")
    assert history(made, path="a.py", symbol="f") == [("Write f and g", "Ada", ["1-3"])]
