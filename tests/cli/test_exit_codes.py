"""One rule for all commands: 0 fine, 1 problems found, 2 not done."""

from collections.abc import Callable, Sequence
from pathlib import Path

import pytest
from click.testing import Result

Run = Callable[..., Result]
MAKEFILE = "template://makefile/go/cli"
TANGLED = "def f(a):\n" + "".join(f"    if a == {it}:\n        return {it}\n" for it in range(12))


@pytest.fixture
def files(workspace: Path) -> Path:
    """Return a workspace with something good and something bad for every check."""
    good, bad, prose = workspace / "good", workspace / "bad", workspace / "prose"
    for folder in (good, bad, prose):
        folder.mkdir()
    (prose / "README.md").write_text("# Prose\n", encoding="utf-8")
    (good / "README.md").write_text("# Good\n\n[here](README.md)\n", encoding="utf-8")
    (bad / "README.md").write_text("# Bad\n\n[gone](gone.md)\n", encoding="utf-8")
    (good / "a.py").write_text("def f(a):\n    return a\n", encoding="utf-8")
    (bad / "a.py").write_text(TANGLED, encoding="utf-8")
    (good / "timings.csv").write_text("url,ms\n/,12\n/,13\n", encoding="utf-8")
    (bad / "notes.txt").write_text("nothing to measure\n", encoding="utf-8")
    return workspace


GATE = ("quality", "gate", "--checks", "max_cyclomatic")
FINE: list[Sequence[str]] = [
    ("check", "links", "good"),
    ("check", "documentation", "good"),
    ("validate", "template", MAKEFILE, "--parameters", '{"project_name": "star"}'),
    (*GATE, "good"),
    ("analyze", "complexity", "bad"),  # it reports, and does not judge
    ("analyze", "bad"),
    ("search", "files", "no such text"),
    ("list", "templates", "--toolchain", "cobol"),
]
PROBLEMS: list[Sequence[str]] = [
    ("check", "links", "bad"),
    ("check", "documentation", "bad"),
    ("validate", "template", MAKEFILE, "--parameters", "{}"),
    ("perf", "validate", "bad/notes.txt"),
    (*GATE, "bad"),
]
NOT_DONE: list[Sequence[str]] = [
    (*GATE, "no-such-folder"),
    ("check", "links", "no-such-folder"),
    ("check", "documentation", "no-such-folder"),
    ("validate", "template", "template://no/such/one", "--parameters", "{}"),
    ("validate", "template", "nonsense", "--parameters", "{}"),
    ("generate", "template", MAKEFILE, "--parameters", "{}"),
    ("analyze", "complexity", "no-such-folder"),
    ("analyze", "no-such-folder"),
    ("read", "file", "no-such-file"),
    ("search", "files", "a", "no-such-folder"),
    ("perf", "report"),
    ("template", "update", "good"),
    ("review", "--diff", "no-such-revision"),
    ("call", "no_such_tool"),
    ("call", "read_file", "--json", '{"path": "no-such-file"}'),
    ("--root", "/no/such/folder", "get", "status"),
    ("no-such-command",),
    ("analyze", "prose"),
    ("analyze", "complexity", "prose"),
    ("outline", "file", "prose/README.md"),
    ("report", "prose"),
]


@pytest.mark.usefixtures("files")
@pytest.mark.parametrize(
    ("command", "code"),
    [(it, code) for code, some in enumerate((FINE, PROBLEMS, NOT_DONE)) for it in some],
    ids=lambda it: " ".join(it) if isinstance(it, tuple) else str(it),
)
def test_the_exit_code_follows_one_rule(command: Sequence[str], code: int, run: Run) -> None:
    ended = run(*command)
    assert ended.exit_code == code, ended.output
    assert bool(ended.stdout) is (code < 2), "what was not done says so on stderr only"


@pytest.mark.usefixtures("files")
def test_problems_are_counted_on_all_pages(run: Run) -> None:
    assert run("check", "links", "bad", "--limit", "1").exit_code == 1
    assert run("--json", "check", "links", "bad").exit_code == 1


@pytest.mark.usefixtures("files")
def test_a_document_about_no_code_is_printed_and_said_to_be_empty(run: Run) -> None:
    ended = run("analyze", "complexity", "prose", "--format", "sarif")
    assert ended.exit_code == 2
    assert ended.stdout.startswith("{")
    assert ended.stderr.startswith("Error: No file here is in a supported language: ")


@pytest.mark.usefixtures("files")
@pytest.mark.parametrize(
    "command",
    [
        ("read", "file", "gone.py"),
        ("outline", "file", "gone.py"),
        ("get", "file-comments", "gone.py"),
        ("analyze", "complexity", "../gone.py"),
    ],
)
def test_a_path_that_is_not_there_has_one_wording(command: Sequence[str], run: Run) -> None:
    first = run(*command).stderr.partition("\n")[0]
    assert first == f"Error: There is nothing at {command[-1]!r}"


@pytest.mark.parametrize(
    ("typed", "meant"),
    [
        ("history", "'show history'"),
        ("symbol", "'find symbol'"),
        ("complexity", "'analyze complexity'"),
        ("analyse", "'analyze'"),
    ],
)
def test_the_second_word_of_a_command_leads_to_it(typed: str, meant: str, run: Run) -> None:
    assert f"There is no command {typed!r}. Did you mean {meant}?" in run(typed).stderr


def test_a_part_of_a_word_leads_to_the_command(run: Run) -> None:
    assert "Did you mean 'graph-metrics'?" in run("analyze", "metrics").stderr


def test_one_problem_is_not_called_problems(run: Run) -> None:
    shown = run("validate", "template", MAKEFILE, "--parameters", "{}")
    assert shown.stdout.startswith("1 problem\n")
