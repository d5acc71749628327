"""Clones that lack a part of the past, and what is kept of them."""

import shutil
from collections.abc import Callable
from datetime import timedelta
from pathlib import Path

import pytest

from benchpin.measures.history import _history as history_module
from benchpin.project.defects import _knowledge as knowledge_module
from benchpin.project.defects import know, knowledge_source
from benchpin.project.defects._knowledge import Knowledge
from benchpin.project.defects._model import shipped_weights
from defect_kit import BUGGIEST, DAYS, three_years
from repositories import START, Step, Tree, import_steps
from selections import select_all


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Tree:
    tree = three_years(tmp_path_factory.mktemp("made") / "workspace")
    tree.git("config", "uploadpack.allowFilter", "true")
    return tree


def clone(tree: Tree, place: Path, *options: str) -> Tree:
    tree.git("clone", "--quiet", *options, f"file://{tree.root}", str(place))
    return Tree(place, is_new=False)


def learn(tree: Tree, cache: Path) -> Knowledge:
    return know(select_all(tree.root, cache))


def is_by_code_alone(known: Knowledge) -> bool:
    return known.past is None and known.model.weights == shipped_weights().static


def days_before_the_end(days: int) -> str:
    return f"{START + timedelta(days=DAYS - days):%Y-%m-%d}"


@pytest.mark.parametrize("depth", [1, 5, 182])
def test_a_shallow_clone_that_ends_within_half_a_year_tells_no_rate(
    made: Tree, tmp_path: Path, depth: int
) -> None:
    known = learn(clone(made, tmp_path / "clone", f"--depth={depth}"), tmp_path / "cache")
    assert is_by_code_alone(known)
    edge = days_before_the_end(depth)
    assert known.model.reason == f"the clone is shallow and lacks commits before {edge}"


@pytest.mark.parametrize("depth", [190, 400, 729])
def test_a_shallow_clone_of_half_a_year_uses_what_is_there(
    made: Tree, tmp_path: Path, depth: int
) -> None:
    whole = learn(made, tmp_path / "cache")
    known = learn(clone(made, tmp_path / "clone", f"--depth={depth}"), tmp_path / "cache")
    assert known.past is not None
    assert whole.past is not None
    assert known.past.fixed_lately == whole.past.fixed_lately
    assert known.model.weights == shipped_weights().history
    edge = days_before_the_end(depth)
    assert known.model.reason == f"the clone is shallow and lacks commits before {edge}"
    # What is missing is made up for as if the commits had gone on like that.
    activity = known.past.activity[BUGGIEST].commits
    assert activity == pytest.approx(whole.past.activity[BUGGIEST].commits, rel=0.1)


def test_a_shallow_clone_of_more_than_two_years_has_all_of_its_churn(
    made: Tree, tmp_path: Path
) -> None:
    whole = learn(made, tmp_path / "cache")
    known = learn(clone(made, tmp_path / "clone", "--depth=800"), tmp_path / "cache")
    assert known == whole


def test_a_clone_that_is_no_longer_shallow_is_learnt_anew(made: Tree, tmp_path: Path) -> None:
    tree = clone(made, tmp_path / "workspace", "--depth=1")
    assert is_by_code_alone(learn(tree, tmp_path / "cache"))
    tree.git("fetch", "--quiet", "--unshallow")
    assert learn(tree, tmp_path / "cache") == learn(made, tmp_path / "other")


def test_a_shallow_clone_does_not_recall_what_a_whole_one_showed(
    made: Tree, tmp_path: Path
) -> None:
    assert learn(made, tmp_path / "cache").past is not None
    tree = clone(made, tmp_path / "workspace", "--depth=1")
    assert is_by_code_alone(learn(tree, tmp_path / "cache"))


def unpack(tree: Tree) -> None:
    """Have every object in a file of its own."""
    (pack,) = (tree.root / ".git/objects/pack").glob("*.pack")
    content = pack.read_bytes()
    shutil.rmtree(pack.parent)
    tree.git("unpack-objects", "-q", stdin=content)


def test_where_a_tree_is_missing_git_says_so_and_nothing_is_kept(
    made: Tree, tmp_path: Path
) -> None:
    tree = clone(made, tmp_path / "workspace")
    unpack(tree)
    lost = tree.git("rev-parse", "HEAD~50^{tree}").decode()
    (tree.root / ".git/objects" / lost[:2] / lost[2:]).unlink()
    known = learn(tree, tmp_path / "cache")
    assert is_by_code_alone(known)
    assert known.model.reason.startswith("git failed: ")


def test_a_clone_without_the_files_of_the_past_has_all_of_its_churn(
    made: Tree, tmp_path: Path
) -> None:
    whole = learn(made, tmp_path / "cache")
    tree = clone(made, tmp_path / "clone", "--filter=blob:none")
    known = learn(tree, tmp_path / "other")
    assert known.past == whole.past
    assert known.model.weights == shipped_weights().history
    assert known.model.reason == ""


def test_what_is_missing_is_remembered_as_missing_until_there_are_new_objects(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # Git compares the contents of files that may have been renamed, and of no others.
    lines = b"".join(b"x = %d\n" % at for at in range(40))
    days = [Step({b"a.py": b"%d\n" % at}, (at - 1,) if at else ()) for at in range(300)]
    made = import_steps(
        tmp_path / "made",
        [
            *days,
            Step({b"old.py": lines}, (299,)),
            Step({b"old.py": None, b"new.py": lines + b"y = 0\n"}, (300,)),
            Step({b"new.py": b"z = 0\n"}, (301,)),
        ],
    )
    made.git("config", "uploadpack.allowFilter", "true")
    tree = clone(made, tmp_path / "clone", "--filter=blob:none")
    first = know(select_all(tree.root, tmp_path / "cache"))
    assert first.past is not None
    with monkeypatch.context() as patched:
        patched.delattr(knowledge_module, "_read_past")
        assert know(select_all(tree.root, tmp_path / "cache")) == first
    content = made.git("cat-file", "blob", "HEAD~2:old.py")
    assert tree.git("hash-object", "-w", "--stdin", stdin=content)
    monkeypatch.delattr(knowledge_module, "_read_past")
    with pytest.raises(NameError):
        know(select_all(tree.root, tmp_path / "cache"))


def test_a_clone_without_contents_knows_what_changed_all_the_same(
    made: Tree, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    tree = clone(made, tmp_path / "clone", "--filter=blob:none")
    first = know(select_all(tree.root, tmp_path / "cache"))
    assert first.past == learn(made, tmp_path / "other").past
    content = made.git("cat-file", "blob", f"HEAD~5:{BUGGIEST}")
    assert tree.git("hash-object", "-w", "--stdin", stdin=content)
    monkeypatch.delattr(knowledge_module, "_read_past")
    assert know(select_all(tree.root, tmp_path / "cache")) == first


def test_a_history_that_is_too_long_counts_as_far_as_it_was_read(
    made: Tree, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole = learn(made, tmp_path / "whole")
    monkeypatch.setattr(history_module, "MAX_CHANGES", 2 * 800)
    some = learn(made, tmp_path / "some")
    assert some == whole
    monkeypatch.setattr(history_module, "MAX_CHANGES", 2 * 150)
    little = learn(made, tmp_path / "little")
    assert is_by_code_alone(little)
    assert little.model.reason.startswith("history not read: commits before 20")


def of_days(root: Path, days: int) -> Tree:
    """Make a repository with a fix a day."""
    steps = [
        Step({b"a.py": b"x = %d\n" % at}, (at - 1,) if at else (), subject=b"Fix crash")
        for at in range(days)
    ]
    return import_steps(root, steps)


def test_less_than_half_a_year_of_history_tells_no_rate(tmp_path: Path) -> None:
    known = learn(of_days(tmp_path / "workspace", 150), tmp_path / "cache")
    assert is_by_code_alone(known)
    assert known.model.reason == "the history is shorter than half a year"


def test_after_half_a_year_there_are_shipped_weights_and_its_own_churn(tmp_path: Path) -> None:
    known = learn(of_days(tmp_path / "workspace", 200), tmp_path / "cache")
    assert known.past is not None
    assert known.past.fixed_lately == 1
    assert known.model.weights == shipped_weights().history
    assert known.model.reason == ""


def add_mailmap(tree: Tree) -> None:
    (tree.root / ".mailmap").write_text("Ada <ada@example.org> Bob <bob@example.org>\n")


def replace_parent(tree: Tree) -> None:
    tree.git("replace", "--graft", "HEAD~3", "HEAD~9")


def pack_a_replacement(tree: Tree) -> None:
    replace_parent(tree)
    tree.git("pack-refs", "--all")


def graft_parent(tree: Tree) -> None:
    newest, other = (tree.git("rev-parse", name).decode() for name in ("HEAD~3", "HEAD~9"))
    (tree.root / ".git/info").mkdir(exist_ok=True)
    (tree.root / ".git/info/grafts").write_text(f"{newest} {other}\n")


@pytest.mark.parametrize("change", [add_mailmap, replace_parent, pack_a_replacement, graft_parent])
def test_what_changes_the_history_of_a_commit_is_learnt_anew(
    tmp_path: Path, change: Callable[[Tree], None]
) -> None:
    tree = of_days(tmp_path / "workspace", 380)
    first = learn(tree, tmp_path / "cache")
    assert learn(tree, tmp_path / "cache") == first
    before = knowledge_source(select_all(tree.root, tmp_path / "cache"))
    change(tree)
    assert knowledge_source(select_all(tree.root, tmp_path / "cache")) != before
    again = learn(tree, tmp_path / "cache")
    assert again == learn(tree, tmp_path / "other")
