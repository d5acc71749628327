import os
from pathlib import Path

import pytest

from benchpin.system.processes import find_program, search_path


@pytest.fixture
def folders(tmp_path: Path) -> tuple[Path, Path]:
    """Return a workspace with a program `git` and a folder outside with another one."""
    workspace, outside = tmp_path / "workspace", tmp_path / "outside"
    for folder in (workspace / "bin", outside):
        folder.mkdir(parents=True)
        program = folder / "git"
        program.write_text("#!/bin/sh\n", encoding="utf-8")
        program.chmod(0o755)
    return workspace, outside


def test_a_program_of_the_workspace_is_never_found(
    folders: tuple[Path, Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    workspace, outside = folders
    monkeypatch.setenv("PATH", os.pathsep.join([str(workspace / "bin"), str(outside)]))
    assert find_program("git", workspace) == str(outside / "git")
    assert search_path(workspace) == str(outside)
    monkeypatch.setenv("PATH", str(workspace / "bin"))
    assert find_program("git", workspace) is None


@pytest.mark.parametrize("path", ["", ".", "bin", "./bin", "../workspace/bin"])
def test_relative_folders_are_not_searched(
    folders: tuple[Path, Path], monkeypatch: pytest.MonkeyPatch, path: str
) -> None:
    monkeypatch.chdir(folders[0])
    monkeypatch.setenv("PATH", path)
    assert find_program("git", folders[0]) is None


def test_links_into_the_workspace_are_not_followed(
    folders: tuple[Path, Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    workspace, outside = folders
    (tmp_path / "linked").symlink_to(workspace / "bin")
    (outside / "git").unlink()
    (outside / "git").symlink_to(workspace / "bin" / "git")
    monkeypatch.setenv("PATH", os.pathsep.join([str(tmp_path / "linked"), str(outside)]))
    assert find_program("git", workspace) is None


def test_whoever_serves_the_root_has_the_programs_of_the_system(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("PATH", "/usr/bin:/bin:/opt/bin")
    assert search_path(Path("/")) == "/usr/bin:/bin"
    assert find_program("sh", Path("/")) is not None
