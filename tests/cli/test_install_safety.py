"""`install` and `uninstall` never harm a configuration: its mode, edits of others, odd files."""

import os
import stat
from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import Result

from benchpin.cli.host_changes import Change
from benchpin.core import FileChanged

Run = Callable[..., Result]
USER = ("claude-code", "--scope", "user")


def mode_of(file: Path) -> int:
    return stat.S_IMODE(file.stat().st_mode)


def backup_of(file: Path) -> Path:
    return file.with_name(file.name + ".before-benchpin")


@pytest.fixture
def file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return a host's file in an empty home folder."""
    home, project = tmp_path / "home", tmp_path / "project"
    home.mkdir()
    project.mkdir()
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.setenv("PATH", os.defpath)
    monkeypatch.delenv("XDG_CONFIG_HOME", raising=False)
    monkeypatch.chdir(project)
    return home / ".claude.json"


@pytest.mark.parametrize("mode", [0o600, 0o640, 0o664])
def test_a_copy_has_the_mode_of_the_file(run: Run, file: Path, mode: int) -> None:
    file.write_bytes(b'{"token": "secret"}')
    file.chmod(mode)
    assert run("install", *USER, "--yes").exit_code == 0
    assert mode_of(backup_of(file)) == mode_of(file) == mode
    assert run("uninstall", *USER, "--yes").exit_code == 0
    assert mode_of(file) == mode


def test_an_older_copy_that_others_can_read_gets_the_mode_of_the_file(run: Run, file: Path) -> None:
    file.write_bytes(b"{}")
    file.chmod(0o600)
    backup_of(file).write_bytes(b"older")
    backup_of(file).chmod(0o644)
    run("install", *USER, "--yes")
    assert backup_of(file).read_bytes() == b"{}"
    assert mode_of(backup_of(file)) == 0o600


@pytest.fixture
def edited_meanwhile(file: Path, monkeypatch: pytest.MonkeyPatch) -> bytes:
    """Have another program write the file while the question is on the screen."""
    edited = b'{"mine": 1}'

    def confirm(_: str, **__: object) -> bool:
        file.write_bytes(edited)
        return True

    monkeypatch.setattr("click.confirm", confirm)
    return edited


def test_a_file_that_was_edited_while_it_asked_is_not_removed(
    run: Run, file: Path, request: pytest.FixtureRequest
) -> None:
    run("install", *USER, "--yes")
    edited = request.getfixturevalue("edited_meanwhile")
    refused = run("uninstall", *USER)
    assert refused.exit_code == 2
    assert "has changed since it was read" in refused.output
    assert file.read_bytes() == edited


def test_a_refused_change_leaves_the_older_copy_as_it_was(
    run: Run, file: Path, edited_meanwhile: bytes
) -> None:
    file.write_bytes(b'{"a": 1}')
    backup_of(file).write_bytes(b"older")
    assert run("install", *USER).exit_code == 2
    assert file.read_bytes() == edited_meanwhile
    assert backup_of(file).read_bytes() == b"older"


def test_a_file_that_is_gone_is_not_an_internal_error(tmp_path: Path) -> None:
    with pytest.raises(FileChanged):
        Change("A host", tmp_path / "gone.json", b"{}", None).write()


def test_a_skill_that_was_edited_while_it_asked_stays(file: Path) -> None:
    skill = file.with_name("SKILL.md")
    skill.write_bytes(b"edited")
    with pytest.raises(FileChanged):
        Change("A host", skill, b"written", None, has_own_folder=True).write()
    assert skill.read_bytes() == b"edited"
