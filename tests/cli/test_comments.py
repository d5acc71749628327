"""Comments that a person writes on the command line."""

from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import Result

from benchpin.app import Workbench
from comment_calls import call
from repositories import Tree

Run = Callable[..., Result]
ARGUMENTS = ("app.py", "1", "why?", "QUESTION")


@pytest.fixture(autouse=True)
def project(workspace: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("GIT_AUTHOR_NAME", raising=False)
    tree = Tree(workspace)
    tree.commit({"app.py": b"x = 1\n"})
    config = workspace / ".git" / "config"
    config.write_text(config.read_text() + "[user]\n\tname = Ada Lovelace\n")


def authors(workspace: Path) -> list[str]:
    found = call(Workbench.open(workspace), "get_file_comments", filePath="app.py")
    return [it["author"] for it in found["comments"]]


def test_a_person_is_the_author_of_their_comment(run: Run, workspace: Path) -> None:
    added = run("add", "comment", *ARGUMENTS)
    assert added.exit_code == 0, added.output
    assert authors(workspace) == ["Ada Lovelace"]
    assert "[default: ai]" not in run("add", "comment", "--help").output


def test_an_author_that_is_given_stays(run: Run, workspace: Path) -> None:
    run("add", "comment", *ARGUMENTS, "--author", "claude")
    assert authors(workspace) == ["claude"]


def test_the_environment_of_git_names_the_author(
    run: Run, workspace: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GIT_AUTHOR_NAME", "Grace\nHopper")
    run("add", "comment", *ARGUMENTS)
    assert authors(workspace) == ["GraceHopper"]


def test_other_callers_are_models_unless_they_say_otherwise(workspace: Path) -> None:
    call(
        Workbench.open(workspace),
        "add_comment",
        filePath="app.py",
        line=1,
        text="why?",
        tag="QUESTION",
    )
    assert authors(workspace) == ["ai"]


def test_a_file_that_is_not_there_is_named(run: Run) -> None:
    shown = run("add", "comment", "nope.py", *ARGUMENTS[1:])
    assert shown.exit_code == 2
    assert shown.stderr == (
        "Error: There is nothing at 'nope.py'\nCheck that the file exists in the workspace\n"
    )


def test_a_comment_is_answered_in_a_sentence(run: Run) -> None:
    added = run("comments", "add", *ARGUMENTS).stdout
    assert added.startswith("Added c_")
    assert added.endswith(" at app.py:1.\n")
    comment = added.split()[1]
    assert run("comments", "resolve", "app.py", comment).stdout == (
        f"{comment} in app.py is resolved.\n"
    )
    assert run("comments", "delete", "app.py", comment).stdout == (
        f"Deleted {comment} from app.py.\n"
    )


def test_comments_are_no_change_of_the_code(run: Run) -> None:
    run("comments", "add", *ARGUMENTS)
    for command in (("show", "changes"), ("review",)):
        assert run(*command).stdout.startswith("No uncommitted changes,"), command


def test_what_to_type_for_the_last_commit_is_an_option(run: Run, workspace: Path) -> None:
    Tree(workspace, is_new=False).commit({"late.py": b"x = 1\n"})
    shown = run("review", "--diff", "uncommitted").stdout
    assert "For the last commit: --diff 'HEAD~1..HEAD'" in shown
