"""What people type instead of the words that help lists."""

from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import Result

from benchpin import __version__
from benchpin.cli.groups import GROUPS, words_of
from repositories import Tree

Run = Callable[..., Result]


@pytest.fixture
def tree(workspace: Path) -> Tree:
    made = Tree(workspace)
    made.commit({"shop.py": b"def total(rows):\n    return sum(rows)\n"})
    made.commit({"cart.py": b"from shop import total\n\nprint(total([1]))\n"})
    return made


@pytest.mark.parametrize("name", GROUPS)
def test_every_synonym_stands_for_a_word_that_help_lists(name: str) -> None:
    words = words_of(name)
    assert words is not None
    for synonym, meant in GROUPS[name].synonyms.items():
        assert synonym not in words.listed
        assert meant.split()[0] in words.listed


def test_a_name_after_find_is_looked_up(run: Run, tree: Tree) -> None:
    shown = run("find", "total")
    assert shown.exit_code == 0
    assert "shop.py:1" in shown.stdout
    assert tree.commits


@pytest.mark.parametrize(
    ("typed", "found"),
    [
        (("find", "definition", "total"), "shop.py:1"),
        (("find", "usages", "total"), "cart.py"),
        (("find", "files", "sho"), "shop.py"),
        (("find", "callers", "total"), "cart.py"),
        (("find", "files", "*op.py"), "shop.py"),
        (("explore", "how", "is", "the", "total", "made"), "def total(rows)"),
        (("show", "shop.py"), "def total(rows)"),
        (("analyze",), "2 files, 1 function"),
        (("analyze", "--limit", "2", "shop.py"), "1 file, 1 function"),
        (("analyze", "todos"), "0 comments admit debt"),
        (("show", "log", "shop.py"), "1 commit"),
        (("show", "diff", "HEAD~1"), "cart.py"),
    ],
)
def test_other_words_of_the_trade_work_too(
    run: Run, tree: Tree, typed: tuple[str, ...], found: str
) -> None:
    shown = run(*typed)
    assert shown.exit_code == 0, shown.stderr
    assert found in shown.stdout
    assert tree.commits


def test_a_misspelt_word_is_not_taken_for_a_name(run: Run, tree: Tree) -> None:
    shown = run("find", "symbl", "total")
    assert shown.exit_code == 2
    assert "There is no command 'symbl'. Did you mean 'symbol'?" in shown.stderr
    assert tree.commits


@pytest.mark.parametrize("typed", ["HEAD~1", "HEAD~1..HEAD", "main"])
def test_a_revision_may_stand_where_a_path_does(run: Run, tree: Tree, typed: str) -> None:
    shown = run("show", "changes", typed)
    assert shown.exit_code == 0
    assert ("cart.py" in shown.stdout) == (typed != "main")
    assert tree.commits


def test_what_is_neither_a_path_nor_a_revision_is_refused(run: Run, tree: Tree) -> None:
    shown = run("review", "nosuch")
    assert shown.exit_code == 2
    assert "There is nothing at 'nosuch'" in shown.stderr
    assert tree.commits


def test_a_file_goes_before_a_branch_of_that_name(run: Run, tree: Tree) -> None:
    tree.git("branch", "shop.py", "HEAD~1")
    tree.write({"shop.py": b"def total(rows):\n    return sum(rows) + 1\n"})
    shown = run("show", "changes", "shop.py")
    assert "uncommitted changes: 1 file" in shown.stdout


def test_help_and_version_are_words_too(run: Run) -> None:
    assert run("help").stdout == run("--help").stdout
    assert run("help", "find").stdout == run("find", "--help").stdout
    for typed in ("version", "-V", "--version"):
        assert run(typed).stdout == f"benchpin, version {__version__}\n"


def test_a_comment_needs_no_tag(run: Run, tree: Tree) -> None:
    assert run("comments", "add", "shop.py", "1", "look here").exit_code == 0
    assert "NOTE" in run("comments", "show", "shop.py").stdout
    assert tree.commits


def test_a_line_may_be_typed_after_a_colon(run: Run, tree: Tree) -> None:
    assert "at shop.py:2" in run("comments", "add", "shop.py:2", "why?").stdout
    assert "why?" in run("comments").stdout
    assert tree.commits


@pytest.mark.parametrize(
    ("typed", "hint"),
    [
        (("analyze", "complexity", "--top", "5"), "'--top-files'"),
        (("analyze", "--top", "5", "shop.py"), "'--limit'"),
        (("analyze", "complexity", "-n", "5"), "'--top-files'"),
        (("find", "text", "total", "--include", "*.py"), "'--file-types'"),
        (("analyze", "duplicates", "--exclude", "*.py"), "'--exclude-patterns'"),
        (("review", "--branch", "main"), "'--diff'"),
        (("find", "dead-code"), "'analyze dead-code'"),
        (("show", "owners"), "'analyze owners'"),
        (("callers", "total"), "'find callers'"),
    ],
)
def test_a_wrong_guess_is_answered_with_what_works(
    run: Run, tree: Tree, typed: tuple[str, ...], hint: str
) -> None:
    ended = run(*typed)
    assert ended.exit_code == 2
    assert f"Did you mean {hint}?" in ended.stderr
    assert tree.commits


def test_an_option_unlike_any_other_is_refused_without_a_guess(run: Run, tree: Tree) -> None:
    ended = run("analyze", "complexity", "--xyzzy")
    assert ended.stderr.rstrip().endswith("No such option '--xyzzy'.")
    assert tree.commits
