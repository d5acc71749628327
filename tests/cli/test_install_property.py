"""Any configuration: `install` and then `uninstall` give it back byte for byte, or refuse it.

`INSTALL_EXAMPLES=500 pytest --timeout=0` tries 2,000 in the four formats, as a campaign.
"""

import os
import re
import stat
import tempfile
from pathlib import Path

import pytest
from click.testing import CliRunner, Result
from hypothesis import HealthCheck, event, given, settings
from hypothesis import strategies as st

from benchpin.cli.config_text import entry_of, parsed, without_entry
from benchpin.cli.host_hooks import HOOK_FILES
from benchpin.cli.hosts import HOSTS, SERVER, Host, Places
from benchpin.cli.main import cli
from made_configurations import configurations

EXAMPLES = int(os.environ.get("INSTALL_EXAMPLES", "40"))
FORMATS = {
    "JSON": ("claude-code", "copilot-cli", "cursor", "gemini", "windsurf"),
    "JSONC": ("claude-desktop", "opencode", "vscode", "zed"),
    "TOML": ("codex",),
    "YAML": ("goose",),
}
KINDS = ("file",) * 12 + ("link", "private", "read-only", "pipe", "folder", "two links")
NOTE = re.compile(r"note-\d+\.")


def run(home: Path, *arguments: str) -> Result:
    variables = {"HOME": str(home), "XDG_CONFIG_HOME": str(home / ".config"), "PATH": os.defpath}
    return CliRunner().invoke(cli, arguments, env=variables, prog_name="benchpin")


def make(file: Path, content: bytes, kind: str) -> None:
    file.parent.mkdir(parents=True, exist_ok=True)
    place = file.with_name(f"{file.name}.target") if kind == "link" else file
    if kind == "pipe":
        os.mkfifo(place)
    elif kind == "folder":
        place.mkdir()
    else:
        place.write_bytes(content)
        place.chmod({"private": 0o600, "read-only": 0o400}.get(kind, 0o644))
    if kind == "link":
        file.symlink_to(place.name)
    elif kind == "two links":
        file.with_name(f"{file.name}.second").hardlink_to(place)


def contents(home: Path) -> dict[str, tuple[int, bytes]]:
    """Return everything below a folder, with modes."""
    found = {}
    for it in sorted(home.rglob("*")):
        status = it.lstat()
        content = it.read_bytes() if stat.S_ISREG(status.st_mode) else b""
        found[str(it.relative_to(home))] = (status.st_mode, content)
    return found


@pytest.mark.parametrize("name", FORMATS)
@settings(
    max_examples=EXAMPLES,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
@given(data=st.data())
def test_a_configuration_comes_back_or_is_refused_untouched(name: str, data: st.DataObject) -> None:
    chosen = data.draw(st.sampled_from(FORMATS[name]))
    host = next(it for it in HOSTS if it.name == chosen)
    suffix = {"TOML": ".toml", "YAML": ".yaml"}.get(name, ".json")
    content = data.draw(configurations(suffix, host.keys[0]))
    kind = data.draw(st.sampled_from(KINDS))
    with tempfile.TemporaryDirectory() as folder:
        home = Path(folder).resolve()
        places = Places(home, home / ".config", home / ".config")
        file = host.user_file(places)
        make(file, content, kind)
        hooks = None
        if host.name in HOOK_FILES and data.draw(st.booleans()):
            hooks = HOOK_FILES[host.name].place("user", home, places)
            if hooks != file.resolve() and data.draw(st.booleans()):
                content = data.draw(configurations(".json", "hooks"))
                make(hooks, content, data.draw(st.sampled_from(KINDS)))
        check(host, suffix, home, file, hooks)


def _others(group: object) -> object:
    """Return a group without our entry: one that was there before comes back from the copy."""
    if not isinstance(group, dict):
        return group or {}
    return {name: entry for name, entry in group.items() if name != SERVER}


def check(host: Host, suffix: str, home: Path, file: Path, hooks: Path | None) -> None:
    before, keys = contents(home), (*host.keys, SERVER)
    install = ("install", host.name, "--scope", "user", "--yes", *(["--hooks"] if hooks else []))
    installed = run(home, *install)
    assert installed.exit_code in {0, 2}, installed.output
    event("installed" if installed.exit_code == 0 else "refused")
    if installed.exit_code == 2:
        assert contents(home) == before
        return
    old = before[str(file.resolve().relative_to(home))][1].decode()
    new = file.read_bytes().decode()
    assert entry_of(new, suffix, keys) is not None
    assert NOTE.findall(new) == NOTE.findall(old)
    # Without the copy, everything but white space and what held only the entry stays as well.
    left = without_entry(new, suffix, keys)
    assert NOTE.findall(left) == NOTE.findall(old)
    group = host.keys[0]
    ours = {group: None, **({"hooks": None} if file.resolve() == hooks else {})}
    assert {**parsed(left, suffix), **ours} == {**parsed(old, suffix), **ours}
    assert _others(parsed(left, suffix).get(group)) == _others(parsed(old, suffix).get(group))
    done = contents(home)
    assert run(home, *install).exit_code == 0
    assert contents(home) == done
    assert run(home, "uninstall", host.name, "--yes").exit_code == 0
    assert contents(home) == before
