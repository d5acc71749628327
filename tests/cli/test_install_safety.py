"""`install` and `uninstall` never harm a configuration: its mode, edits of others, odd files."""

import json
import os
import stat
from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import Result

from benchpin.cli.config_text import ConfigNotEdited, with_entry, without_entry
from benchpin.cli.host_changes import Change
from benchpin.core.errors import FileChanged

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


HAND_MADE = {
    "cursor": (".cursor/mcp.json", '"serve",', '"serve",\n        "--allow",\n        "write",'),
    "codex": (".codex/config.toml", '["serve"]', '["serve", "--allow", "write"]  # needed'),
    "opencode": (".config/opencode/opencode.json", '"serve"', '"serve", "--allow", "write"'),
    "goose": (".config/goose/config.yaml", "- serve", "- serve\n    - --allow\n    - write"),
}


@pytest.mark.parametrize("host", HAND_MADE)
def test_flags_added_by_hand_stay_when_it_is_installed_again(
    run: Run, file: Path, host: str
) -> None:
    path, old, new = HAND_MADE[host]
    config = file.parent / path
    install = ("install", host, "--scope", "user", "--yes")
    assert run(*install).exit_code == 0
    edited = config.read_text(encoding="utf-8").replace(old, new)
    assert "--allow" in edited
    config.write_text(edited, encoding="utf-8")
    assert "is up to date" in run(*install).output
    assert run(*install, "--profile", "full").exit_code == 0
    after = config.read_text(encoding="utf-8")
    assert "--allow" in after
    assert "full" in after
    assert ("# needed" in after) == (host == "codex")
    assert run("uninstall", host, "--yes").exit_code == 0
    assert list(config.parent.iterdir()) == []


HOSTS_OF = {
    ".claude.json": "claude-code",
    ".codex/config.toml": "codex",
    ".config/goose/config.yaml": "goose",
}
ENTRIES = {
    ".claude.json": """{"mcpServers": {"benchpin": {"type": "stdio",
  "command": "/old/benchpin",
  // mine
  "args": ["serve"], "env": {"A": "1"}, "timeout": 5}}}
""",
    ".codex/config.toml": """[mcp_servers.benchpin]
# mine
command = "/old/benchpin"
args = ["serve"]
startup_timeout_sec = 5
[mcp_servers.benchpin.env]
A = "1"
""",
    ".config/goose/config.yaml": """extensions:
  benchpin:
    name: benchpin
    type: stdio
    enabled: false
    cmd: /old/benchpin
    args:
      - serve
    envs:
      A: '1' # mine
    timeout: 5
""",
}


@pytest.mark.parametrize("path", ENTRIES)
def test_only_the_program_changes_in_an_entry_made_by_hand(run: Run, file: Path, path: str) -> None:
    host, text = HOSTS_OF[path], ENTRIES[path]
    config = file.parent / path
    config.parent.mkdir(parents=True, exist_ok=True)
    config.write_text(text, encoding="utf-8")
    assert run("install", host, "--scope", "user", "--yes").exit_code == 0
    old = [it for it in text.splitlines() if "/old/benchpin" not in it]
    after = config.read_text(encoding="utf-8")
    assert "/old/" not in after
    assert [it for it in old if it not in after.splitlines()] == []
    assert len(after.splitlines()) == len(text.splitlines())


def test_a_program_chosen_by_hand_stays(run: Run, file: Path) -> None:
    text = '{"mcpServers": {"benchpin": {"command": "uvx", "args": ["benchpin", "serve"]}}}'
    file.write_text(text, encoding="utf-8")
    run("install", *USER, "--profile", "lean", "--yes")
    entry = json.loads(file.read_text(encoding="utf-8"))["mcpServers"]["benchpin"]
    assert entry["command"] == "uvx"
    assert entry["args"] == ["benchpin", "serve", "--profile", "lean"]


def test_an_entry_with_an_address_is_refused(run: Run, file: Path) -> None:
    text = b'{"mcpServers": {"benchpin": {"type": "http", "url": "http://127.0.0.1:1/"}}}'
    file.write_bytes(text)
    assert run("install", *USER, "--yes").exit_code == 2
    assert file.read_bytes() == text


def test_an_entry_that_was_there_before_is_removed_too(run: Run, file: Path) -> None:
    file.write_bytes(b'{"a": 1, "mcpServers": {"benchpin": {"command": "/old/benchpin"}}}')
    run("install", *USER, "--yes")
    assert run("uninstall", *USER, "--yes").exit_code == 0
    assert json.loads(file.read_bytes()) == {"a": 1}


FOLLOWED = {
    ".toml": (
        ("mcp_servers", "benchpin"),
        '[mcp_servers.benchpin]\ncommand = "x"\n\n# about the next\n[profiles.a]\nmodel = "z"\n',
    ),
    ".yaml": (
        ("extensions", "benchpin"),
        "extensions:\n  benchpin:\n    cmd: x\n  # about the next\n  other:\n    cmd: y\n",
    ),
    ".json": (
        ("servers", "benchpin"),
        '{"servers": {\n  "benchpin": {},\n  // about the next\n  "other": {}\n}}',
    ),
}


@pytest.mark.parametrize("suffix", FOLLOWED)
def test_a_comment_above_what_follows_stays(suffix: str) -> None:
    keys, text = FOLLOWED[suffix]
    after = without_entry(text, suffix, keys)
    assert "about the next" in after
    assert "benchpin" not in after


@pytest.mark.parametrize(
    ("suffix", "text"),
    [
        (".json", '{"servers": {}, "servers": {"a": {}}}'),
        (".yaml", "extensions: {}\nextensions:\n  a:\n    b: 1\n"),
    ],
)
def test_a_key_that_is_there_twice_is_refused(suffix: str, text: str) -> None:
    keys = ("servers" if suffix == ".json" else "extensions", "benchpin")
    with pytest.raises(ConfigNotEdited, match="twice"):
        with_entry(text, suffix, keys, {"command": "x"})


def test_an_empty_group_in_brackets_gets_the_entry() -> None:
    after = with_entry("extensions: {} # c\nb: 1\n", ".yaml", ("extensions", "benchpin"), {"c": 1})
    assert after == "extensions: # c\n  benchpin:\n    c: 1\nb: 1\n"


def test_line_ends_are_those_of_the_file() -> None:
    for suffix, text in ((".json", '{\r\n  "a": 1\r\n}\r\n'), (".toml", "a = 1\r\n")):
        after = with_entry(text, suffix, ("servers", "benchpin"), {"command": "x"})
        assert after.count("\r\n") == after.count("\n") > 3


def test_a_link_to_a_file_of_another_name_keeps_its_format(run: Run, file: Path) -> None:
    link, target = file.parent / ".codex" / "config.toml", file.with_name("codex-config")
    link.parent.mkdir()
    target.write_bytes(b"")
    link.symlink_to(target)
    assert run("install", "codex", "--scope", "user", "--yes").exit_code == 0
    assert target.read_text(encoding="utf-8").startswith("[mcp_servers.benchpin]")
