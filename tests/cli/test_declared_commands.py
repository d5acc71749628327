"""Commands that differ from their tools, or that no tool has."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import Result

from benchpin.app import Workbench
from benchpin.toolsets.workspace.search_files import SearchResults

Run = Callable[..., Result]


@pytest.fixture
def words(workspace: Path) -> Path:
    (workspace / "a.txt").write_text("Flask\nflask\nFLASK\n", encoding="utf-8")
    return workspace


@pytest.mark.usefixtures("words")
@pytest.mark.parametrize(
    ("pattern", "options", "lines"),
    [
        ("flask", [], [1, 2, 3]),
        ("Flask", [], [1]),
        ("Flask", ["--ignore-case"], [1, 2, 3]),
        ("flask", ["--no-ignore-case"], [2]),
        (r"flask\W*", [], [1, 2, 3]),
        (r"\p{L}lask", [], [1, 2, 3]),
        (r"\Qflask", [], [1, 2, 3]),
        ("[A-Z]l", [], [1]),
    ],
)
def test_case_counts_in_a_search_if_the_pattern_has_a_capital(
    run: Run, pattern: str, options: list[str], lines: list[int]
) -> None:
    found = json.loads(run("search", "files", pattern, *options, "--json").stdout)
    assert [it["line"] for it in found["matches"]] == lines


def test_over_mcp_case_is_ignored_by_default_as_documented(words: Path) -> None:
    found = Workbench.open(words).call("search_files", pattern="Flask")
    assert isinstance(found, SearchResults)
    assert [it.line for it in found.matches] == [1, 2, 3]


@pytest.mark.usefixtures("words")
def test_comments_can_be_listed_without_a_query(run: Run) -> None:
    assert run("list", "comments").stdout == "Found 0 matching comments.\n"
    for line, text in ((1, "first"), (2, "second")):
        added = run("add", "comment", "a.txt", str(line), text, "note")
        assert added.exit_code == 0, added.stderr
    listed = json.loads(run("list", "comments", "--json").stdout)
    assert sorted(it["text"] for it in listed["comments"]) == ["first", "second"]
    only = json.loads(run("list", "comments", "sec", "--json").stdout)
    assert [it["text"] for it in only["comments"]] == ["second"]


def test_a_repository_is_analyzed_where_one_stands(run: Run) -> None:
    assert run("analyze", "repository").exit_code == 0
    assert "[PATH]" in run("analyze", "repository", "--help").stdout


@pytest.mark.slow
@pytest.mark.parametrize(
    ("command", "status"),
    [("exit 0", 0), ("exit 7", 7), ("kill -TERM $$", 143), ("echo out; echo err >&2; exit 3", 3)],
)
def test_the_exit_status_of_a_program_is_passed_on(run: Run, command: str, status: int) -> None:
    ended = run("execute", "command", command)
    assert ended.exit_code == status, ended.output
    assert ended.stdout == ("out\n" if "out" in command else "")
    assert ("err" in ended.stderr) is ("err" in command)


@pytest.mark.slow
def test_a_program_that_is_stopped_ends_as_with_timeout(run: Run) -> None:
    ended = run("execute", "command", "sleep 30", "--timeout", "1")
    assert ended.exit_code == 124
    assert ended.stderr == "Stopped after 1 s\n"


@pytest.mark.slow
def test_the_exit_status_of_a_script_is_passed_on(run: Run) -> None:
    assert run("python", "executor", "import sys; sys.exit(9)").exit_code == 9
