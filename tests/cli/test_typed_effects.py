"""Typing a command allows what its arguments ask for; a server stays as strict as it is."""

from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import Result

from benchpin.app import Workbench, configure
from benchpin.core.errors import EffectNotAllowed

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
