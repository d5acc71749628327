"""A path that is typed may be outside the current folder; the repository around it is read."""

from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import Result

Run = Callable[..., Result]
COMPLEX = "def f(a):\n" + "".join(f"    if a == {it}:\n        return {it}\n" for it in range(12))


@pytest.fixture
def other(tmp_path: Path) -> Path:
    """Return a repository beside the workspace."""
    folder = tmp_path / "other"
    (folder / "src").mkdir(parents=True)
    (folder / ".git").mkdir()
    (folder / "src" / "a.py").write_text(COMPLEX, encoding="utf-8")
    return folder


@pytest.mark.usefixtures("other")
@pytest.mark.parametrize(
    "typed", ["../other", "../other/src", "../other/src/a.py", "../other/../other"]
)
def test_an_analysis_reads_the_repository_around_a_path_outside(run: Run, typed: str) -> None:
    named = run("analyze", "complexity", typed)
    assert named.exit_code == 0, named.stderr
    assert " src/a.py:1 " in named.stdout
    assert " src/a.py:1 " in run("analyze", typed, "--format", "full").stdout


def test_a_file_without_a_repository_is_read_in_its_folder(run: Run, tmp_path: Path) -> None:
    (tmp_path / "lone.py").write_text(COMPLEX, encoding="utf-8")
    assert " lone.py:1 " in run("analyze", "complexity", "../lone.py").stdout
    assert run("read", "file", "../lone.py", "--end-line", "1").exit_code == 0


@pytest.mark.usefixtures("other")
def test_a_root_that_was_given_is_kept_in_both_forms(
    run: Run, workspace: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    refused = run("--root", ".", "analyze", "complexity", "../other")
    assert refused.exit_code == 2
    assert "'../other' is outside the workspace" in refused.stderr
    assert run("--root", ".", "analyze", "../other").stderr == refused.stderr
    assert refused.stderr.endswith("another --root.\n")
    monkeypatch.setenv("BENCHPIN_ROOT", str(workspace))
    assert run("analyze", "complexity", "../other").stderr == refused.stderr
    assert run("analyze", "complexity", "--root", "../other").exit_code == 0


def test_a_path_outside_that_is_missing_is_said_to_be_missing(run: Run) -> None:
    refused = run("analyze", "complexity", "../nothing")
    assert refused.exit_code == 2
    assert refused.stderr.startswith("Error: There is nothing at '../nothing'\n")


@pytest.mark.usefixtures("other")
def test_a_command_that_changes_files_stays_in_the_workspace(run: Run) -> None:
    arguments = ("../other/src/a.py", "--edits", '[{"old_text": "f(a)", "new_text": "g(a)"}]')
    refused = run("edit", "file", *arguments)
    assert refused.exit_code == 2
    assert "is outside the workspace" in refused.stderr
