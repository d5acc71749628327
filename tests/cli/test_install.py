"""Hosts' configuration files: what is written, what stays, and what is refused."""

import json
import os
import tomllib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import yaml
from click.testing import Result

from benchpin.cli import config_text
from benchpin.cli.config_text import ConfigNotEdited, with_entry, without_entry
from benchpin.cli.hosts import HOSTS, SERVER, Host, Places

Run = Callable[..., Result]

JSON_SAMPLES = [
    "{}",
    "{ }\n",
    '{"theme": "dark"}',
    '{\n  "theme": "dark"\n}\n',
    "{\n  // my settings\n}\n",
    '{\n  "KEY": {\n    "other": {"command": "x"} // keep\n  },\n  "z": [1, 2,] /* end */\n}\n',
    '{\n\t"KEY": {},\n\t"b": {"c": "//not a comment"},\n}\n',
    '{"KEY":{"other":{}}}',
    '{\n    "KEY": {\n        "other": {},\n    },\n}\n',
    '{\n  "a": "\\u00e9 \\" { } /* */",\n  "KEY": { "x": { "env": { "A": "1" } } }\n}\n',
]
TOML_SAMPLES = [
    'model = "x"\n',
    '# mine\nmodel = "x"\n\n[mcp_servers.other]\ncommand = "y"\n\n[profiles.a]\nmodel = "z"\n',
    '[mcp_servers]\n[mcp_servers.other]\ncommand = "y"',
]
YAML_SAMPLES = [
    "GOOSE_MODEL: x\n",
    "# mine\nextensions:\n  developer:\n    enabled: true\n    type: builtin\nGOOSE_MODEL: x\n",
    "extensions:\n    developer:\n        enabled: true\n",
]
BROKEN = {
    ".json": ["{", '{"a" 1}', "[1]", '"text"', '{"KEY": 3}', '{"a": tru}', "{a: 1}", '{"a": 1} x'],
    ".toml": ["a = ", "[mcp_servers", 'mcp_servers = {other = {command = "x"}}'],
    ".yaml": ["a: [", "- a", "extensions: {a: {b: 1}}", "extensions: 3"],
}


def suffix_of(host: Host, places: Places) -> str:
    suffix = host.user_file(places).suffix
    return suffix if suffix in BROKEN else ".json"


def parsed(text: str, suffix: str) -> Any:
    loaders: dict[str, Callable[[str], Any]] = {".toml": tomllib.loads, ".yaml": yaml.safe_load}
    return (loaders[suffix](text) if suffix in loaders else config_text.parsed(text, suffix)) or {}


def samples_of(host: Host, suffix: str) -> list[str]:
    if suffix == ".json":
        return ["", *(it.replace("KEY", host.keys[0]) for it in JSON_SAMPLES)]
    return ["", *(TOML_SAMPLES if suffix == ".toml" else YAML_SAMPLES)]


@pytest.fixture
def places(tmp_path: Path) -> Places:
    home = tmp_path / "home"
    home.mkdir()
    return Places(home, home / ".config", home / ".config")


@pytest.mark.parametrize("host", HOSTS, ids=lambda it: it.name)
def test_an_entry_is_set_and_everything_else_stays(host: Host, places: Places) -> None:
    suffix, keys = suffix_of(host, places), (*host.keys, SERVER)
    entry = host.entry(host.command("user", Path("/p"), "/bin/benchpin"))
    for sample in samples_of(host, suffix):
        after = with_entry(sample, suffix, keys, entry)
        assert parsed(after, suffix)[host.keys[0]][SERVER] == entry
        for line in sample.splitlines():
            kept = line.strip().replace(",", "").rstrip("}{] ")
            assert kept in after.replace(",", ""), (sample, after)
        # Again, and with another value: nothing is added twice.
        assert with_entry(after, suffix, keys, entry) == after
        other = with_entry(after, suffix, keys, {**entry, "args": ["x"]})
        assert parsed(other, suffix)[host.keys[0]][SERVER]["args"] == ["x"]
        left = parsed(without_entry(after, suffix, keys), suffix)
        before = parsed(sample, suffix)
        if not before.get(host.keys[0]):
            before.pop(host.keys[0], None)
        assert left == before


@pytest.mark.parametrize(("suffix", "text"), [(s, t) for s, them in BROKEN.items() for t in them])
def test_a_file_that_cannot_be_edited_safely_is_refused(suffix: str, text: str) -> None:
    keys = {".json": ("KEY", SERVER), ".toml": ("mcp_servers", SERVER)}
    with pytest.raises(ConfigNotEdited):
        with_entry(text, suffix, keys.get(suffix, ("extensions", SERVER)), {"command": "x"})


@pytest.fixture
def at_home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    home, project = tmp_path / "home", tmp_path / "project"
    for folder in (home, project):
        folder.mkdir()
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.delenv("XDG_CONFIG_HOME", raising=False)
    monkeypatch.setenv("PATH", os.defpath)
    monkeypatch.chdir(project)
    return home


def test_every_host_can_be_installed_and_uninstalled_without_a_trace(
    run: Run, at_home: Path, tmp_path: Path
) -> None:
    names = [host.name for host in HOSTS]
    before = sorted(it for it in tmp_path.rglob("*") if it.is_file())
    assert run("install", *names, "--yes").exit_code == 0
    written = [it for it in tmp_path.rglob("*") if it.is_file()]
    assert len(written) == len(before) + len(HOSTS)
    again = run("install", *names, "--yes")
    assert again.stdout.count("is up to date") == len(HOSTS)
    assert run("uninstall", "--yes").exit_code == 0
    assert sorted(it for it in tmp_path.rglob("*") if it.is_file()) == before
    assert at_home.is_dir()


def test_an_old_file_comes_back_byte_for_byte(run: Run, at_home: Path) -> None:
    old = b'{"mcpServers":{"other":{}} , // odd layout\r\n}'
    file = at_home / ".claude.json"
    file.write_bytes(old)
    assert run("install", "claude-code", "--scope", "user", "--yes").exit_code == 0
    assert file.with_name(".claude.json.before-benchpin").read_bytes() == old
    assert run("uninstall", "claude-code", "--yes").exit_code == 0
    assert file.read_bytes() == old
    assert [it.name for it in at_home.iterdir()] == [".claude.json"]


def test_an_old_file_comes_back_after_a_second_installation(
    run: Run, at_home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = at_home / ".config" / "Claude" / "claude_desktop_config.json"
    file.parent.mkdir(parents=True)
    file.write_bytes(b'{"a": 1}')
    run("install", "claude-desktop", "--yes")
    monkeypatch.chdir(at_home)
    assert "--root" in run("install", "claude-desktop", "--yes").stdout
    run("uninstall", "claude-desktop", "--yes")
    assert file.read_bytes() == b'{"a": 1}'


def test_what_was_added_since_stays(run: Run, at_home: Path) -> None:
    file = at_home / ".claude.json"
    file.write_text('{\n  "a": 1\n}\n', encoding="utf-8")
    run("install", "claude-code", "--scope", "user", "--yes")
    changed = file.read_text(encoding="utf-8").replace('"a": 1', '"a": 2')
    file.write_text(changed, encoding="utf-8")
    run("uninstall", "claude-code", "--yes")
    assert json.loads(file.read_text(encoding="utf-8")) == {"a": 2}


def test_a_no_writes_nothing_and_the_diff_is_shown_first(run: Run, at_home: Path) -> None:
    asked = run("install", "cursor", "--scope", "user", stdin="n\n")
    assert '+    "benchpin": {' in asked.stdout
    assert not (at_home / ".cursor").exists()


def test_print_writes_nothing(run: Run, at_home: Path) -> None:
    shown = run("install", "codex", "goose", "--print").stdout
    assert "[mcp_servers.benchpin]" in shown
    assert "extensions:\n  benchpin:" in shown
    assert list(at_home.iterdir()) == []


def test_a_link_stays_a_link(run: Run, at_home: Path) -> None:
    real = at_home / "dotfiles.json"
    real.write_text("{}", encoding="utf-8")
    link = at_home / ".claude.json"
    link.symlink_to(real)
    run("install", "claude-code", "--scope", "user", "--yes")
    assert link.is_symlink()
    assert SERVER in real.read_text(encoding="utf-8")


@pytest.mark.parametrize("content", [b"{", b"\xff\xfe", b'{"mcpServers": []}'])
def test_a_broken_file_is_named_and_stays(run: Run, at_home: Path, content: bytes) -> None:
    file = at_home / ".claude.json"
    file.write_bytes(content)
    refused = run("install", "claude-code", "--scope", "user", "--yes")
    assert refused.exit_code != 0
    assert str(file) in refused.output
    assert file.read_bytes() == content
    assert "Traceback" not in refused.output


def test_a_host_without_project_files_says_so(run: Run, at_home: Path) -> None:
    refused = run("install", "windsurf", "--scope", "project", "--yes")
    assert "Use --scope user" in refused.output
    assert list(at_home.iterdir()) == []


def test_only_hosts_that_are_there_are_found(run: Run, at_home: Path) -> None:
    assert "No MCP host was found" in run("install", "--yes").output
    (at_home / ".cursor").mkdir()
    assert "Cursor" in run("install", "--yes").output


def test_one_broken_file_does_not_keep_the_others_back(run: Run, at_home: Path) -> None:
    (at_home / ".claude.json").write_text("{", encoding="utf-8")
    done = run("install", "claude-code", "cursor", "--scope", "user", "--yes")
    assert done.exit_code == 2
    assert (at_home / ".cursor" / "mcp.json").exists()
    assert [it.name for it in at_home.iterdir() if "before" in it.name] == []


def test_the_profile_can_be_chosen(run: Run, at_home: Path) -> None:
    shown = run("install", "codex", "--profile", "lean", "--print").stdout
    assert 'args = ["serve", "--profile", "lean"]' in shown
    assert list(at_home.iterdir()) == []


@pytest.mark.parametrize("name", [".mcp.json", ".codex"])
def test_a_project_does_not_choose_where_to_write(run: Run, at_home: Path, name: str) -> None:
    outside = at_home / "outside"
    Path(name).symlink_to(outside)
    host = "codex" if name == ".codex" else "claude-code"
    refused = run("install", host, "--yes")
    assert refused.exit_code == 2
    assert "may not choose where Benchpin writes" in refused.output
    assert not outside.exists()


def test_a_loop_of_links_is_named(run: Run, at_home: Path) -> None:
    (at_home / ".claude.json").symlink_to(at_home / ".claude.json")
    refused = run("install", "claude-code", "--scope", "user", "--yes")
    assert refused.exit_code == 2
    assert "Traceback" not in refused.output


def test_escape_sequences_of_a_path_are_shown(run: Run, at_home: Path) -> None:
    (at_home / ".claude.json").symlink_to(at_home / "x\x1b]0;title\x07.json")
    shown = run("install", "claude-code", "--scope", "user", "--print")
    assert "\x1b" not in shown.output


def test_long_files_are_read_in_linear_time_and_huge_ones_refused(run: Run, at_home: Path) -> None:
    members = ", ".join(f'"k{at}": {{}}' for at in range(40_000))
    (at_home / ".claude.json").write_text("{" + members + "}", encoding="utf-8")
    assert run("install", "claude-code", "--scope", "user", "--yes").exit_code == 0
    with (at_home / ".claude.json").open("wb") as file:
        file.truncate(1 << 30)
    assert "bytes" in run("install", "claude-code", "--scope", "user", "--yes").output


def test_yaml_aliases_are_refused() -> None:
    bomb = "a: &a [x, x]\nb: &b [*a, *a]\nextensions:\n  c: *b\n"
    with pytest.raises(ConfigNotEdited, match="aliases"):
        with_entry(bomb, ".yaml", ("extensions", SERVER), {"cmd": "x"})


def test_a_file_of_a_user_without_a_home_is_refused_and_that_of_a_project_is_not(
    run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    def homeless() -> Path:
        raise RuntimeError("Could not determine home directory.")

    monkeypatch.setattr(Path, "home", homeless)
    refused = run("install", "cursor", "--scope", "user", "--yes")
    assert refused.exit_code == 2
    assert "use --scope project" in refused.output
    assert run("install", "cursor", "--yes").exit_code == 0


def test_a_new_entry_of_a_host_that_hides_tools_has_them_loaded(run: Run, at_home: Path) -> None:
    run("install", "claude-code", "copilot-cli", "--scope", "user", "--yes")
    claude = json.loads((at_home / ".claude.json").read_text(encoding="utf-8"))
    copilot = json.loads((at_home / ".copilot" / "mcp-config.json").read_text(encoding="utf-8"))
    entry = claude["mcpServers"]["benchpin"]
    assert entry["alwaysLoad"] is True
    assert entry["args"] == ["serve", "--profile", "lean"]
    entry = copilot["mcpServers"]["benchpin"]
    assert (entry["deferTools"], entry["tools"]) == ("never", ["*"])


def test_an_entry_that_was_there_keeps_its_list_of_tools(run: Run, at_home: Path) -> None:
    file = at_home / ".claude.json"
    old = {"type": "stdio", "command": "/old/benchpin", "args": ["serve"]}
    file.write_text(json.dumps({"mcpServers": {"benchpin": old}}), encoding="utf-8")
    run("install", "claude-code", "--scope", "user", "--yes")
    entry = json.loads(file.read_text(encoding="utf-8"))["mcpServers"]["benchpin"]
    assert entry["args"] == ["serve"]
    assert "alwaysLoad" not in entry
