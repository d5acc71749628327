from collections.abc import Callable

import pytest
from click.shell_completion import BashComplete
from click.testing import Result

from benchpin.cli.main import cli

Run = Callable[..., Result]


@pytest.mark.parametrize(
    ("shell", "mark"),
    [("bash", "complete -o nosort"), ("zsh", "#compdef benchpin"), ("fish", "complete --no-files")],
)
def test_a_script_for_each_shell_is_printed(run: Run, shell: str, mark: str) -> None:
    shown = run("completion", shell)
    assert shown.exit_code == 0
    assert mark in shown.stdout
    assert f"_BENCHPIN_COMPLETE={shell}_complete" in shown.stdout


def test_another_shell_is_refused_with_those_there_are(run: Run) -> None:
    refused = run("completion", "tcsh")
    assert refused.exit_code == 2
    assert "'bash', 'zsh', 'fish'" in refused.stderr


def _completed(arguments: list[str], incomplete: str) -> list[tuple[str, str]]:
    complete = BashComplete(cli, {}, "benchpin", "_BENCHPIN_COMPLETE")
    return [(it.type, it.value) for it in complete.get_completions(arguments, incomplete)]


@pytest.mark.parametrize(
    ("arguments", "incomplete", "expected"),
    [
        ([], "ana", ("plain", "analyze")),
        (["analyze"], "comple", ("plain", "complexity")),
        (["analyze", "complexity"], "--max-cy", ("plain", "--max-cyclomatic")),
        (["analyze", "complexity", "--format"], "sar", ("plain", "sarif")),
        (["analyze", "complexity"], "sr", ("file", "sr")),
        (["read", "file"], "", ("file", "")),
        (["search", "files", "x", "--search-path"], "s", ("file", "s")),
        (["--root", "x", "list"], "comm", ("plain", "comments")),
        (["list"], "--roo", ("plain", "--root")),
        (["perf", "ingest"], "sl", ("file", "sl")),
        (["completion"], "z", ("plain", "zsh")),
    ],
    ids=str,
)
def test_commands_flags_choices_and_paths_are_completed(
    arguments: list[str], incomplete: str, expected: tuple[str, str]
) -> None:
    assert expected in _completed(arguments, incomplete)


def test_a_command_that_does_not_exist_completes_to_nothing() -> None:
    assert _completed(["anlyze"], "x") == []
    assert _completed(["analyze", "complexty"], "x") == []
