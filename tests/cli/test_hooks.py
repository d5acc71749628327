"""The hooks of hosts: what is written, what is answered to recorded events, and what is left."""

import json
import os
import shutil
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest
from click.testing import CliRunner

from benchpin.cli import hook as hooks
from benchpin.cli.hook import DIALECTS, edits_of
from benchpin.cli.host_hooks import HOOK_FILES
from benchpin.cli.main import cli
from repositories import Tree

BODY = "".join(f"    total += step_{number}(total, rate, {number})\n" for number in range(9))
OLD = f"def sum_of_steps(total, rate):\n{BODY}    return total\n"
NEW = OLD.replace("sum_of_steps", "added_up")
# As the hosts send them, shortened.
RECORDED: Mapping[str, Callable[[str], Mapping[str, object]]] = {
    "claude-code": lambda root: {
        "session_id": "s",
        "transcript_path": "/t",
        "cwd": root,
        "permission_mode": "default",
        "hook_event_name": "PreToolUse",
        "tool_name": "Write",
        "tool_use_id": "toolu_1",
        "tool_input": {"file_path": f"{root}/b.py", "content": NEW},
    },
    "codex": lambda root: {
        "session_id": "s",
        "turn_id": "1",
        "cwd": root,
        "hook_event_name": "PreToolUse",
        "tool_name": "apply_patch",
        "tool_input": {
            "command": "*** Begin Patch\n*** Add File: b.py\n"
            + "".join(f"+{it}\n" for it in NEW.splitlines())
            + "*** End Patch"
        },
    },
    "copilot-cli": lambda root: {
        "sessionId": "s",
        "timestamp": 1,
        "cwd": root,
        "toolName": "create",
        "toolArgs": json.dumps({"path": f"{root}/b.py", "file_text": NEW}),
    },
    "cursor": lambda root: {
        "conversation_id": "s",
        "generation_id": "g",
        "hook_event_name": "preToolUse",
        "workspace_roots": [root],
        "tool_name": "Write",
        "tool_input": {"file_path": f"{root}/b.py", "content": NEW},
    },
    "gemini": lambda root: {
        "session_id": "s",
        "cwd": root,
        "hook_event_name": "BeforeTool",
        "tool_name": "write_file",
        "tool_input": {"file_path": f"{root}/b.py", "content": NEW},
    },
}
STOPS: Mapping[str, Callable[[str], Mapping[str, object]]] = {
    host: lambda root, host=host: {  # type: ignore[misc]  # bound early
        "session_id": "s",
        "sessionId": "s",
        "conversation_id": "s",
        "cwd": root,
        "hook_event_name": DIALECTS[host].stop,
        "stop_hook_active": False,
        "loop_count": 0,
        "workspace_roots": [root],
    }
    for host in DIALECTS
}
Ask = Callable[[str, str, Mapping[str, object]], dict[str, object]]


@pytest.fixture
def tree(workspace: Path) -> Tree:
    made = Tree(workspace)
    made.commit({"a.py": OLD.encode(), "shop.py": b"def fee(a):\n    b = a\n    return b\n"})
    return made


@pytest.fixture
def ask(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Ask:
    """Return a function that runs a hook as a host does."""
    monkeypatch.setenv("BENCHPIN_CACHE_DIR", str(tmp_path / "cache"))

    def run(host: str, moment: str, given: Mapping[str, object]) -> dict[str, object]:
        made = CliRunner().invoke(cli, ["hook", host, moment], input=json.dumps(given))
        assert made.exit_code == 0
        answer: dict[str, object] = json.loads(made.stdout)
        return answer

    return run


@pytest.mark.parametrize("host", DIALECTS)
def test_a_function_that_is_there_already_is_refused_once(tree: Tree, ask: Ask, host: str) -> None:
    event = RECORDED[host](str(tree.root))
    first = json.dumps(ask(host, "edit", event))
    assert "You already have this" in first
    assert "added_up repeats sum_of_steps (a.py:1)" in first
    assert '"deny"' in first
    assert ask(host, "edit", event) == {}
    assert not (tree.root / "b.py").exists()


@pytest.mark.parametrize("host", DIALECTS)
def test_an_agent_that_stops_is_told_once_what_is_missing(
    tree: Tree, ask: Ask, host: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    said = ["shop.py:2 No test reaches fee, which changed"]
    monkeypatch.setattr(hooks, "_missing", lambda _bench, _memory: list(said))
    event = STOPS[host](str(tree.root))
    first = ask(host, "stop", event)
    reason = first.get("reason", first.get("followup_message"))
    assert "No test reaches fee" in str(reason)
    assert ask(host, "stop", event) == {}
    said[0] = said[0].replace(":2", ":7")  # the same reason, on another line
    assert ask(host, "stop", event) == {}
    said.append("a.py:1 something else")
    assert "something else" in json.dumps(ask(host, "stop", event))


@pytest.mark.parametrize("status", ["aborted", "error"])
def test_an_agent_that_was_stopped_by_hand_is_not_sent_back(
    tree: Tree, ask: Ask, monkeypatch: pytest.MonkeyPatch, status: str
) -> None:
    monkeypatch.setattr(hooks, "_missing", lambda _bench, _memory: ["a.py:1 is missing"])
    event = {**STOPS["cursor"](str(tree.root)), "status": status}
    assert ask("cursor", "stop", event) == {}
    assert "is missing" in json.dumps(ask("cursor", "stop", {**event, "status": "completed"}))


@pytest.mark.slow
def test_the_stop_hook_proves_what_the_session_changed(tree: Tree, ask: Ask) -> None:
    ask("claude-code", "edit", RECORDED["claude-code"](str(tree.root)))
    tree.commit({"shop.py": b"def fee(a):\n    b = a + 1\n    return b\n"})
    found = ask("claude-code", "stop", STOPS["claude-code"](str(tree.root)))
    assert found["decision"] == "block"
    assert "fee" in str(found["reason"])


@pytest.mark.usefixtures("ask")
@pytest.mark.parametrize("moment", ["stop", "edit"])
@pytest.mark.parametrize(
    "given", ["", "[]", "{", '{"cwd": "/no/such/folder"}', '{"cwd": 3}', '{"tool_input": 7}']
)
def test_a_hook_never_fails(workspace: Path, moment: str, given: str) -> None:
    made = CliRunner().invoke(cli, ["--root", str(workspace), "hook", "codex", moment], input=given)
    assert (made.exit_code, json.loads(made.stdout)) == (0, {})


def test_one_line_switches_hooks_off(tree: Tree, ask: Ask, monkeypatch: pytest.MonkeyPatch) -> None:
    event = RECORDED["codex"](str(tree.root))
    monkeypatch.setenv("BENCHPIN_HOOKS", "false")
    assert ask("codex", "edit", event) == {}
    monkeypatch.delenv("BENCHPIN_HOOKS")
    tree.write({"benchpin.toml": b"hooks = false\n"})
    assert ask("codex", "edit", event) == {}
    tree.write({"benchpin.toml": None})
    assert ask("codex", "edit", event) != {}


def test_an_edit_of_a_file_is_read_as_the_file_it_makes(workspace: Path) -> None:
    (workspace / "a.py").write_text("a = 1\nb = 2\n", encoding="utf-8")
    event = {"tool_input": {"file_path": "a.py", "old_string": "b = 2", "new_string": "b = 3"}}
    assert list(edits_of(event, workspace)) == [("a.py", "a = 1\nb = 3\n")]
    outside = {"tool_input": {"file_path": "../x.py", "content": "a"}}
    assert list(edits_of(outside, workspace)) == []


def test_an_edit_of_a_pipe_or_an_endless_file_is_answered(workspace: Path) -> None:
    os.mkfifo(workspace / "pipe.py")
    (workspace / "linked.py").symlink_to("pipe.py")
    with (workspace / "endless.py").open("wb") as file:
        file.truncate(1 << 40)
    for name in ("pipe.py", "linked.py", "endless.py"):
        event = {"tool_input": {"file_path": name, "old_string": "a", "new_string": "b"}}
        [(_, text)] = edits_of(event, workspace)
        assert len(text) < 2 << 20
        patch = f"*** Begin Patch\n*** Update File: {name}\n+b\n*** End Patch"
        [(_, text)] = edits_of({"tool_input": {"command": patch}}, workspace)
        assert len(text) < 2 << 20


@pytest.mark.parametrize("host", HOOK_FILES)
@pytest.mark.parametrize("scope", ["project", "user"])
@pytest.mark.parametrize("is_there", [False, True])
def test_uninstall_leaves_every_byte_as_it_was(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, host: str, scope: str, *, is_there: bool
) -> None:
    home, project = tmp_path / "home", tmp_path / "project"
    for it in (home, project):
        it.mkdir()
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.setenv("BENCHPIN_CACHE_DIR", str(tmp_path / "cache"))
    monkeypatch.delenv("XDG_CONFIG_HOME", raising=False)
    root = project if scope == "project" else home
    kind = HOOK_FILES[host]
    file = root / (kind.project if scope == "project" else kind.user or kind.project)
    own = '{\n    "theme" : "dark", "hooks": {"Stop": [ ], "stop": [{"command":"x"}]}\n}\n'
    if is_there and not kind.is_own:
        file.parent.mkdir(parents=True)
        file.write_text(own, encoding="utf-8")
    before = _files(tmp_path)
    if host == "copilot-cli" and scope == "project":
        scope_flag: tuple[str, ...] = ()  # its servers are in the user's file alone
    else:
        scope_flag = ("--scope", scope)
    start = ["--root", str(project)]
    made = CliRunner().invoke(cli, [*start, "install", host, *scope_flag, "--hooks", "--yes"])
    assert made.exit_code == 0, made.output
    written = [it for it in _files(tmp_path) if it not in before]
    texts = [_files(tmp_path)[it].decode() for it in written]
    assert any(f"hook {host} stop" in it for it in texts) or f"hook {host} stop" in file.read_text()
    again = CliRunner().invoke(cli, [*start, "install", host, *scope_flag, "--hooks", "--yes"])
    assert again.exit_code == 0
    gone = CliRunner().invoke(cli, [*start, "uninstall", host, "--yes"])
    assert gone.exit_code == 0, gone.output
    shutil.rmtree(tmp_path / "cache", ignore_errors=True)
    assert _files(tmp_path) == before


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.delenv("XDG_CONFIG_HOME", raising=False)
    return tmp_path


TWICE = '{"theme": "dark", "hooks": {}, "hooks": {}}'


def test_a_host_whose_hooks_cannot_be_written_gets_no_server_either(home: Path) -> None:
    (home / ".gemini").mkdir()
    (home / ".gemini" / "settings.json").write_text(TWICE, encoding="utf-8")
    before = _files(home)
    asked = ("install", "gemini", "zed", "--scope", "user", "--hooks", "--yes")
    made = CliRunner().invoke(cli, asked)
    assert (made.exit_code, "'hooks' is there twice" in made.output) == (2, True)
    assert {name: it for name, it in _files(home).items() if ".gemini" in name} == before
    assert (home / ".config" / "zed" / "settings.json").exists()


def test_hooks_that_were_never_ours_are_not_read(home: Path) -> None:
    (home / ".gemini").mkdir()
    (home / ".gemini" / "settings.json").write_text(TWICE, encoding="utf-8")
    before = _files(home)
    asked = ("install", "gemini", "--scope", "user", "--yes")
    assert CliRunner().invoke(cli, asked).exit_code == 0
    gone = CliRunner().invoke(cli, ["uninstall", "gemini", "--yes"])
    assert gone.exit_code == 0, gone.output
    assert _files(home) == before


def test_hooks_that_cannot_be_read_any_more_keep_no_server_of_any_host(home: Path) -> None:
    asked = ("install", "gemini", "zed", "--scope", "user", "--hooks", "--yes")
    assert CliRunner().invoke(cli, asked).exit_code == 0
    file = home / ".gemini" / "settings.json"
    text = file.read_text(encoding="utf-8")
    file.write_text(text.replace("{", '{"hooks": {}, ', 1), encoding="utf-8")
    gone = CliRunner().invoke(cli, ["uninstall", "gemini", "zed", "--yes"])
    assert (gone.exit_code, "'hooks' is there twice" in gone.output) == (2, True)
    assert "mcpServers" not in file.read_text(encoding="utf-8")
    assert not (home / ".config" / "zed" / "settings.json").exists()


@pytest.mark.slow
@pytest.mark.usefixtures("tree")
def test_names_and_titles_of_a_repository_are_not_run_by_a_hook(tree: Tree, ask: Ask) -> None:
    odd = "$(touch pwned);`touch pwned`\n::error::\u202e.py"
    tree.git("checkout", "-q", "-b", "x$(touch${IFS}pwned)")
    tree.commit({odd: b"def fee(a):\n    b = a\n    return b\n"})
    tree.git(
        "commit", "--amend", "-q", "-m", "$(touch pwned)\n\n`touch pwned`; --upload-pack=pwned"
    )
    ask("claude-code", "edit", RECORDED["claude-code"](str(tree.root)))
    tree.write({odd: b"def fee(a):\n    b = a + 1\n    return b\n"})
    found = ask("claude-code", "stop", STOPS["claude-code"](str(tree.root)))
    assert "fee" in str(found["reason"])
    assert "\u202e" not in str(found["reason"])
    assert not list(tree.root.parent.rglob("pwned"))
    assert not Path("pwned").exists()


def _files(folder: Path) -> dict[str, bytes]:
    return {str(it): it.read_bytes() for it in sorted(folder.rglob("*")) if it.is_file()}
