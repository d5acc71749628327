"""Typing a command allows what its arguments ask for; a server stays as strict as it is."""

import os
import pty
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import Result

from benchpin.app import Workbench, configure
from benchpin.core.errors import EffectNotAllowed
from waiting import WAIT_S

Run = Callable[..., Result]
PROJECT = ("scaffold", "project", "rust", "project", "--parameters", '{"project_name": "star"}')
WRITE = ("--write", "--path", "star")


def test_a_project_is_written_where_it_was_typed(run: Run, workspace: Path) -> None:
    assert run(*PROJECT, *WRITE).exit_code == 0
    assert (workspace / "star" / "Cargo.toml").exists()


def test_read_only_wins_over_what_was_typed(run: Run, workspace: Path) -> None:
    refused = run(*PROJECT, *WRITE, "--read-only")
    assert refused.exit_code == 2
    assert "needs the effect 'write'" in refused.output
    assert not (workspace / "star").exists()


def test_the_file_of_a_workspace_wins_over_what_was_typed(run: Run, workspace: Path) -> None:
    (workspace / "benchpin.toml").write_text("allow = []\n", encoding="utf-8")
    assert run(*PROJECT, *WRITE).exit_code == 2
    assert not (workspace / "star").exists()


@pytest.mark.slow
def test_a_fleet_is_measured_into_the_folder_that_was_typed(run: Run, workspace: Path) -> None:
    (workspace / "shop").mkdir()
    (workspace / "shop" / "a.py").write_text("x = 1\n", encoding="utf-8")
    measured = run("fleet", "measure", "shop", "--store", "kept")
    assert measured.exit_code == 0, measured.output
    assert any((workspace / "kept").rglob("*"))


@pytest.mark.slow
@pytest.mark.parametrize("option", ["--store", "--scheduler"])
def test_an_address_that_was_typed_is_not_refused_for_its_effect(
    run: Run, workspace: Path, option: str
) -> None:
    (workspace / "shop").mkdir()
    typed = run("fleet", "measure", "shop", option, "nosuch://there")
    assert typed.exit_code == 2
    assert "needs the effect" not in typed.output


def test_a_call_that_nobody_typed_needs_leave(workspace: Path) -> None:
    workbench = Workbench(configure(root=workspace))
    with pytest.raises(EffectNotAllowed):
        workbench.call("measure_fleet", repositories=["."], store="kept")
    with pytest.raises(EffectNotAllowed):
        workbench.call(
            "scaffold_project",
            toolchain="rust",
            templates=["project"],
            parameters={"project_name": "star"},
            write=True,
            path="star",
        )
    assert list(workspace.iterdir()) == []


RENAME = ("edit", "rename", "old_name", "new_name")


@pytest.fixture
def renamed(workspace: Path) -> Path:
    file = workspace / "a.py"
    file.write_text("def old_name():\n    return 1\n\n\nprint(old_name())\n", encoding="utf-8")
    return file


def test_a_preview_is_written_with_yes(run: Run, renamed: Path) -> None:
    preview = run(*RENAME)
    assert "nothing was written; to write it: --apply " in preview.stdout
    assert "old_name" in renamed.read_text(encoding="utf-8")
    for option in ("--yes", "-y"):
        done = run(*RENAME, option)
        assert done.stdout.endswith("[written: 2 places in 1 file]\n")
        assert "old_name" not in renamed.read_text(encoding="utf-8")
        renamed.write_text(renamed.read_text(encoding="utf-8").replace("new", "old"), "utf-8")


def test_without_a_terminal_there_is_nobody_to_ask(run: Run, renamed: Path) -> None:
    refused = run(*RENAME, "--apply")
    assert refused.exit_code == 2
    assert "Add --yes" in refused.stderr
    assert "old_name" in renamed.read_text(encoding="utf-8")


def test_the_digest_of_another_preview_is_still_refused(run: Run, renamed: Path) -> None:
    assert run(*RENAME, "--apply", "0123456789abcdef").exit_code == 2
    assert "old_name" in renamed.read_text(encoding="utf-8")


@pytest.mark.parametrize(("answer", "is_written"), [("y", True), ("n", False), ("", False)])
def test_on_a_terminal_a_preview_is_asked_about(
    benchpin: str, renamed: Path, answer: str, *, is_written: bool
) -> None:
    leader, follower = pty.openpty()
    with subprocess.Popen(
        (benchpin, *RENAME, "--apply"),
        stdin=follower,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        cwd=renamed.parent,
    ) as child:
        os.write(leader, f"{answer}\n".encode())
        shown, _ = child.communicate(timeout=WAIT_S)
    os.close(leader)
    os.close(follower)
    assert child.returncode == 0
    assert shown.decode().count("+def new_name():") == 1
    assert ("new_name" in renamed.read_text(encoding="utf-8")) is is_written
