import re
from contextlib import closing
from pathlib import Path

import pytest

from benchpin.app import Workbench
from benchpin.core.errors import BenchpinError, InvalidParams
from repositories import Tree

CODE = b"def f(a):\n    return a\n\n\nclass A:\n    def g(self):\n        return 1\n"


@pytest.fixture
def tree(workspace: Path) -> Tree:
    made = Tree(workspace)
    made.commit({"a.py": CODE, "doc.md": b"# A\n"})
    return made


def show(workspace: Path, **given: object) -> str:
    bench = Workbench.open(workspace)
    try:
        return bench.call("show_changes", **given).to_text()
    finally:
        bench.close()


def test_uncommitted_work_is_shown_by_function_and_by_file(tree: Tree) -> None:
    tree.write({"a.py": CODE.replace(b"return a", b"return a + 1"), "doc.md": b"# B\n"})
    text = show(tree.root)
    assert "uncommitted changes: 2 files, +2 -2 lines; symbols: 1 changed" in text
    assert "changed  function  f     a.py:1-2" in text
    assert "doc.md" in text


def test_nothing_changed_is_said(tree: Tree) -> None:
    tree.commit({"a.py": CODE + b"\n"})
    known = "No uncommitted changes. For the last commit: diff=HEAD~1..HEAD"
    assert show(tree.root, diff="uncommitted") == known
    assert show(tree.root, change="staged") == "No staged changes."


def test_a_first_commit_is_not_compared_with_one_that_is_not_there(tmp_path: Path) -> None:
    tree = Tree(tmp_path)
    assert show(tmp_path) == "No uncommitted changes, and no commit before HEAD."
    tree.commit({"a.py": CODE})
    assert show(tmp_path) == "No uncommitted changes, and no commit before HEAD."


@pytest.mark.parametrize("tool", ["show_changes", "review_change", "analyze_impact"])
@pytest.mark.parametrize("given", [{}, {"diff": "HEAD"}, {"diff": "@"}])
def test_where_nothing_is_uncommitted_the_last_commit_is_meant(
    tree: Tree, tool: str, given: dict[str, str]
) -> None:
    tree.commit({"a.py": CODE.replace(b"return a", b"return a + 1")})
    with closing(Workbench.open(tree.root)) as bench:
        text = bench.call(tool, **given).to_text()
    assert re.match(r"(?s).*the last commit, [0-9a-f]{12} \(nothing is uncommitted\)", text)
    assert "a.py" in text


def test_who_asks_for_uncommitted_work_is_told_that_there_is_none(tree: Tree) -> None:
    tree.commit({"a.py": CODE.replace(b"return a", b"return a + 1")})
    assert show(tree.root, diff="uncommitted").startswith("No uncommitted changes.")


def test_uncommitted_work_is_meant_rather_than_the_last_commit(tree: Tree) -> None:
    tree.commit({"a.py": CODE.replace(b"return a", b"return a + 1")})
    tree.write({"doc.md": b"# B\n"})
    assert show(tree.root).startswith("uncommitted changes: 1 file, +1 -1 lines")


def test_the_lines_are_shown_on_request(tree: Tree) -> None:
    tree.write({"a.py": CODE.replace(b"return a", b"return b")})
    assert "-    return a\n+    return b" in show(tree.root, include_diff=True)


def test_a_patch_that_is_not_applied_is_shown(tree: Tree) -> None:
    patch = "--- a/a.py\n+++ b/a.py\n@@ -1,2 +1,2 @@\n-def f(a):\n+def f(a, b):\n     return a\n"
    text = show(tree.root, patch=patch, format="full")
    assert "the patch: 1 file" in text
    assert "f(a, b)" in text
    assert (tree.root / "a.py").read_bytes() == CODE


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"change": "nowhere"}, "no revision 'nowhere'"),
        ({"patch": "nothing"}, "changes no file"),
        ({"patch": "nothing", "change": "staged"}, "not with a revision"),
    ],
)
def test_what_is_no_change_is_refused_with_a_way_out(
    tree: Tree, given: dict[str, object], message: str
) -> None:
    with pytest.raises(InvalidParams, match=message) as caught:
        show(tree.root, **given)
    assert caught.value.suggestion


def test_a_folder_without_history_is_refused(workspace: Path) -> None:
    with pytest.raises(BenchpinError, match="No git repository"):
        show(workspace)


def test_the_last_of_many_parameters_that_changed_is_shown(tree: Tree) -> None:
    parameters = ", ".join(f"parameter_number_{at}" for at in range(30))
    tree.commit({"wide.py": f"def wide({parameters}):\n    pass\n".encode()})
    tree.write({"wide.py": f"def wide({parameters}, last):\n    pass\n".encode()})
    assert "parameter_number_29, last)" in show(tree.root, format="full")
