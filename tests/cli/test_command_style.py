"""Hints name flags and commands on the command line, and parameters and tools over MCP."""

import re
import shlex
from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import Result

from benchpin.app import Workbench
from benchpin.cli.derived import CommandStyle
from benchpin.cli.tool_options import ToolOptions
from benchpin.core.errors import BenchpinError
from benchpin.toolsets.analysis.analyze_code_churn import ChurnParams
from benchpin.toolsets.analysis.quality_gate import QualityGateParams
from benchpin.toolsets.comments.export_comments import ExportParams
from repositories import Tree

Run = Callable[..., Result]
COMPLEX = "def f{}(a):\n" + "".join(f"    if a == {it}:\n        return {it}\n" for it in range(12))


@pytest.mark.parametrize(
    ("params", "hint", "expected"),
    [
        (ChurnParams, "a greater period_days helps", "a greater --period-days helps"),
        (ChurnParams, "format=full shows the rest", "--format full shows the rest"),
        (ChurnParams, "2 of 3; next_cursor=WyI_-x", "2 of 3; --cursor WyI_-x"),
        (ChurnParams, "Give period_days=90.", "Give --period-days 90."),
        (ChurnParams, "list_runs shows all.", "`benchpin perf runs` shows all."),
        (ChurnParams, "analyze_code_churn", "`benchpin analyze code-churn`"),
        (ChurnParams, "leave `until` out", "leave --until out"),
        (ChurnParams, "the limit of a format until then", "the limit of a format until then"),
        (ChurnParams, "There is no 'period_days'", "There is no 'period_days'"),
        (ChurnParams, "src/list_runs.py and x.list_runs", "src/list_runs.py and x.list_runs"),
        (ChurnParams, "Run `git init`; max_depth", "Run `git init`; max_depth"),
        (ChurnParams, "Give a `project_path`", "Give a PROJECT-PATH"),
        (QualityGateParams, "Give strict=true", "Give --strict"),
        (QualityGateParams, "Give strict=false", "Give --no-strict"),
        (ExportParams, "What to remember and explore", "What to remember and explore"),
        (ExportParams, "`recall` finds it", "`benchpin comments recall` finds it"),
        (ExportParams, "Set outputPath to write", "Set --output-path to write"),
    ],
)
def test_names_in_hints_become_flags_and_commands(params: type, hint: str, expected: str) -> None:
    style = CommandStyle(ToolOptions(params).written, is_colored=False)
    assert style.hint(hint) == expected


@pytest.fixture
def complex_files(workspace: Path) -> None:
    text = "".join(COMPLEX.format(it) for it in range(25))
    (workspace / "a.py").write_text(text, encoding="utf-8")


@pytest.mark.usefixtures("complex_files")
def test_the_next_page_is_a_flag_that_works_when_pasted(run: Run, workspace: Path) -> None:
    first = run("analyze", "complexity")
    found = re.search(r"20 of 25; (--cursor \S+)", first.stdout)
    assert found is not None
    assert "f24" in run("analyze", "complexity", *found[1].split()).stdout
    over_mcp = Workbench.open(workspace).call("analyze_complexity").to_text()
    assert "20 of 25; next_cursor=" in over_mcp


@pytest.mark.usefixtures("complex_files")
def test_the_rest_is_shown_by_a_flag_that_works_when_pasted(run: Run) -> None:
    first = run("analyze", ".")
    assert "of 10; --format full shows the rest" in first.stdout
    assert "shows the rest" not in run("analyze", ".", "--format", "full").stdout


def _commands(text: str) -> list[list[str]]:
    """Return the commands that an advice has in backticks."""
    return [it.split()[1:] for it in re.findall(r"`(benchpin [^`]+)`", text)]


@pytest.mark.parametrize(
    "arguments",
    [
        ["get", "run", "1234"],
        ["perf", "analyze"],
        ["read", "file", "gone.py"],
        ["get", "run", "0123456789abcdef"],
        ["generate", "template", "template://x/y/z", "--parameters", "{}"],
        ["list", "runs"],
    ],
    ids=str,
)
def test_commands_in_advice_exist_and_take_their_flags(run: Run, arguments: list[str]) -> None:
    ended = run(*arguments)
    advised = _commands(ended.stdout + ended.stderr)
    assert advised, ended.stderr
    for command in advised:
        assert run(*command, "--help").exit_code == 0, command


def test_advice_to_write_a_baseline_works_as_it_is_typed(run: Run, workspace: Path) -> None:
    (workspace / "a.py").write_text("x = 1\n", encoding="utf-8")
    Tree(workspace).commit({})
    command = ["quality", "gate", "--baseline", "b.json"]
    missing = run(*command)
    assert "write it with --update-baseline." in missing.stderr
    assert run(*command, "--update-baseline").exit_code == 0
    assert (workspace / "b.json").is_file()


def test_a_read_only_gate_writes_no_baseline(run: Run, workspace: Path) -> None:
    (workspace / "a.py").write_text("x = 1\n", encoding="utf-8")
    command = ["--read-only", "quality", "gate", "--baseline", "b.json", "--update-baseline"]
    assert run(*command).exit_code == 2
    assert not (workspace / "b.json").exists()


def test_wrong_arguments_are_named_as_flags(run: Run) -> None:
    refused = run("quality", "gate", "--defect-threshold", "1", "--thresholds", '{"max_x": true}')
    assert refused.exit_code == 2
    assert "--thresholds" in refused.stderr
    assert "See benchpin quality gate --help." in refused.stderr


@pytest.mark.usefixtures("complex_files")
def test_severities_are_coloured_where_that_is_wanted(
    run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    plain = run("analyze", "complexity").stdout
    assert "\x1b" not in plain
    colored = run("analyze", "complexity", "--color", "always").stdout
    assert re.sub(r"\x1b\[[0-9;]*m", "", colored).replace(_cursor(colored), _cursor(plain)) == plain
    assert "\x1b[33mwarning\x1b[0m" in colored
    gate = run("--color", "always", "quality", "gate", "--checks", "max_cyclomatic").stdout
    assert gate.startswith("\x1b[31m\x1b[1mFAILED\x1b[0m: ")
    monkeypatch.setenv("NO_COLOR", "1")
    assert run("analyze", "complexity", "--color", "always").stdout == colored
    assert run("analyze", "complexity", "--color", "auto").stdout == plain


def _cursor(shown: str) -> str:
    found = re.search(r"--cursor \S+", shown)
    assert found is not None
    return found[0]


def test_an_error_keeps_the_names_that_python_callers_know(workspace: Path) -> None:
    with pytest.raises(BenchpinError, match="period_days"):
        Workbench.open(workspace).call("analyze_code_churn", period_days=0)


@pytest.mark.parametrize(
    "change",
    [
        ("rewrite", "structure", "old($A)", "new($A)"),
        ("rename", "symbol", "old", "fresh"),
    ],
)
def test_a_preview_says_how_to_write_it_in_a_form_that_works_when_pasted(
    run: Run, workspace: Path, change: tuple[str, ...]
) -> None:
    (workspace / "a.py").write_text("def old(x):\n    return x\n\n\nold(1)\n", encoding="utf-8")
    call = ("--allow", "write", *change)
    found = re.search(r"to write it: (--apply \S+)\]", run(*call).stdout)
    assert found is not None
    assert "[written: " in run(*call, *found[1].split()).stdout


def test_the_preview_of_an_update_repeats_what_was_typed(run: Run, workspace: Path) -> None:
    answers = '{"project_name": "star-chart", "license": "MIT", "author": "Ada"}'
    made = ("rust", "readme", "license", "--parameters", answers, "--target", "my own", "--write")
    written = run("scaffold", "project", *made, "--allow", "write").stdout
    there = [it for it in (workspace / "my own").rglob("*") if it.is_file()]
    assert f"Wrote {len(there)} files" in written
    assert all(str(it.relative_to(workspace / "my own")) in written for it in there)
    update = ("template", "update", "--allow", "write")
    preview = run(*update, "my own", "--parameters", '{"license": "Apache-2.0"}').stdout
    found = re.search(r"to write it: (.+ --apply (\S+))\]", preview)
    assert found is not None, preview
    alone = run(*update, "my own", "--apply", found[2])
    assert (alone.exit_code, "There is nothing to write" in alone.stderr) == (2, True)
    assert "Give the same --parameters" in alone.stderr
    assert "[written: 2 files]" in run(*update, *shlex.split(found[1])).stdout
