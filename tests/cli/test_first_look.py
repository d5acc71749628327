"""A verb and a path: what a newcomer types."""

from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import Result

Run = Callable[..., Result]


@pytest.fixture
def elsewhere(tmp_path: Path) -> Path:
    folder = tmp_path / "elsewhere"
    folder.mkdir()
    (folder / "a.py").write_text("def one(): pass\ndef two(): pass\n")
    return folder


def test_the_workspace_itself(run: Run, workspace: Path) -> None:
    (workspace / "a.py").write_text("def one(): pass\n")
    shown = run("analyze", ".")
    assert shown.exit_code == 0
    assert shown.stdout.startswith("1 file, 1 function, 1 line of code: python 100%")
    assert shown.stdout == run("analyze", "comprehensive").stdout


def test_a_part_of_the_workspace(run: Run, workspace: Path) -> None:
    (workspace / "a.py").write_text("def one(): pass\n")
    (workspace / "part").mkdir()
    (workspace / "part" / "b.py").write_text("def two(): pass\ndef three(): pass\n")
    assert run("analyze", "part").stdout.startswith("1 file, 2 functions")
    assert run("analyze", "part/b.py").stdout.startswith("1 file, 2 functions")


@pytest.mark.parametrize("typed", ["", "a.py"])
def test_what_lies_elsewhere_is_a_workspace_of_its_own(
    run: Run, elsewhere: Path, typed: str
) -> None:
    assert run("analyze", str(elsewhere / typed)).stdout.startswith("1 file, 2 functions")


def test_a_repository_among_others_is_a_workspace_of_its_own(run: Run, workspace: Path) -> None:
    for name in ("first", "second"):
        (workspace / name / ".git").mkdir(parents=True)
        body = "".join(f"    print({at})\n" for at in range(12))  # long enough to be listed
        (workspace / name / "a.py").write_text(f"def _{name}():\n{body}")
    (workspace / "second" / "b.py").write_text("_first()\n")
    shown = run("analyze", "first", "--min-lines", "1").stdout
    assert "1 of 1 functions and types seem unused" in shown


def test_a_repository_stays_in_a_workspace_that_has_settings(run: Run, workspace: Path) -> None:
    (workspace / "benchpin.toml").write_text("read_only = true\n")
    (workspace / "inner" / ".git").mkdir(parents=True)
    (workspace / "inner" / "a.py").write_text("def _first(): pass\n")
    (workspace / "b.py").write_text("import inner.a\n\ninner.a._first()\n")
    assert "0 of 1 functions and types seem unused" in run("analyze", "inner").stdout


def test_the_workspace_may_be_named_elsewhere(
    run: Run, elsewhere: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("BENCHPIN_ROOT", str(elsewhere))
    assert run("analyze", ".").stdout.startswith("1 file, 2 functions")


def test_options_come_after_the_path(run: Run, elsewhere: Path) -> None:
    shown = run("analyze", str(elsewhere), "--format", "markdown", "--no-include-tdg")
    assert shown.stdout.startswith("# Analysis")
    assert "Debt gradient" not in shown.stdout


@pytest.mark.parametrize(
    ("typed", "complaint"),
    [
        ("complxity", "Did you mean 'complexity'?"),
        ("no/such/folder", "There is no command, file or folder 'no/such/folder'."),
        ("nul\0byte", "There is no command, file or folder"),
    ],
)
def test_what_is_neither_is_named(run: Run, typed: str, complaint: str) -> None:
    shown = run("analyze", typed)
    assert shown.exit_code == 2
    assert complaint in shown.stderr


def test_other_verbs_have_no_first_look(run: Run, elsewhere: Path) -> None:
    assert "There is no command" in run("search", str(elsewhere)).stderr


@pytest.mark.parametrize("typed", ["analyze", "gate", "analyze complexity"])
def test_a_folder_without_code_is_named(run: Run, workspace: Path, typed: str) -> None:
    ended = run(*typed.split())
    assert ended.exit_code == 2
    assert f"No file here is in a supported language: {workspace.resolve()}" in ended.stderr
    assert not ended.stdout


def test_a_file_without_code_is_named(run: Run, elsewhere: Path) -> None:
    (elsewhere / "words").write_text("no code\n")
    ended = run("analyze", str(elsewhere / "words"))
    assert ended.exit_code == 2
    assert f"{elsewhere / 'words'}" in ended.stderr
