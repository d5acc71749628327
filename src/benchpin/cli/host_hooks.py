"""The hooks of hosts: what `install --hooks` writes, and `uninstall` takes out again.

Formats as their documentation has them in November 2026: Claude Code, Codex and Gemini CLI have
groups with a matcher for each event, Cursor and Copilot CLI lists of commands.
"""

import json
import re
import shlex
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from benchpin.cli.config_text import ConfigNotEdited, parsed, with_entry, without_entry

from .hook import BUDGET_S, DIALECTS, EDIT_S
from .host_changes import Change, HostPlan, decoded, named, planned, read, target_of
from .hosts import Host, Places, Scope

_JSON = ".json"
_KEY = "hooks"
# What the command of a hook of ours looks like, whichever path the program has.
_OURS = re.compile(rf"\bhook (?:{'|'.join(DIALECTS)}) (?:stop|edit)\b")
# For starting, and for what `prove` takes beyond its budget at the end.
_STOP_S, _EDIT_LIMIT_S = BUDGET_S + 30, round(EDIT_S) + 12
_BACKUP = ".before-benchpin-hooks"
Entry = dict[str, object]


@dataclass(frozen=True, slots=True)
class HookFile:
    """Where a host keeps hooks, and what one looks like there."""

    project: str
    """The file in a project, and in the home folder unless `user` has another."""
    entry: Callable[[str, int, str], Entry]
    """Returns a hook from its command, its time in seconds, and what it matches."""
    edits: str = ""
    """The tools that write files, as a pattern of the host."""
    user: str = ""
    version: int | None = None
    is_own: bool = False
    """Whether the whole file is ours."""

    def place(self, scope: Scope, root: Path, places: Places) -> Path:
        """Return the file of a scope."""
        if scope == "user":
            return target_of(places.home / (self.user or self.project), None)
        return target_of(root / self.project, root)


def _grouped(command: str, seconds: int, matcher: str) -> Entry:
    inner = {"type": "command", "command": command, "timeout": seconds}
    return {**({"matcher": matcher} if matcher else {}), "hooks": [inner]}


def _of_gemini(command: str, seconds: int, matcher: str) -> Entry:
    inner = {"type": "command", "name": "benchpin", "command": command, "timeout": 1000 * seconds}
    return {**({"matcher": matcher} if matcher else {}), "hooks": [inner]}


def _of_cursor(command: str, seconds: int, matcher: str) -> Entry:
    return {"command": command, "timeout": seconds, **({"matcher": matcher} if matcher else {})}


def _of_copilot(command: str, seconds: int, _matcher: str) -> Entry:
    return {"type": "command", "bash": command, "timeoutSec": seconds}


HOOK_FILES: Mapping[str, HookFile] = {
    "claude-code": HookFile(".claude/settings.json", _grouped, "Write|Edit|MultiEdit"),
    "codex": HookFile(".codex/hooks.json", _grouped, "apply_patch|Edit|Write"),
    "copilot-cli": HookFile(
        ".github/hooks/benchpin.json",
        _of_copilot,
        user=".copilot/hooks/benchpin.json",
        version=1,
        is_own=True,
    ),
    "cursor": HookFile(".cursor/hooks.json", _of_cursor, "Write", version=1),
    "gemini": HookFile(".gemini/settings.json", _of_gemini, "write_file|replace"),
}


def installed_hooks(host: Host, scope: Scope, root: Path, places: Places, program: str) -> HostPlan:
    """Return what to write for a host that has hooks."""
    return planned([host], lambda it: [_installed(it, scope, root, places, program)])


def _installed(host: Host, scope: Scope, root: Path, places: Places, program: str) -> Change:
    kind = HOOK_FILES[host.name]
    file = kind.place(scope, root, places)
    before = read(file)
    with named(file):
        after = _with_hooks(host.name, decoded(file, before or b""), program)
        is_update = before is not None and _has_ours(decoded(file, before))
    return Change(
        f"{host.title} (hooks)",
        file,
        before,
        after.encode(),
        is_update=is_update,
        backup_suffix=_BACKUP,
    )


def _events(text: str) -> dict[str, list[object]]:
    found = parsed(text, _JSON).get(_KEY, {})
    if not isinstance(found, dict) or not all(isinstance(it, list) for it in found.values()):
        raise ConfigNotEdited(
            f"{_KEY!r} is not a list of hooks for each event", suggestion="Correct it first."
        )
    return found


def _is_ours(entry: object) -> bool:
    text = json.dumps(entry)
    return "benchpin" in text and _OURS.search(text) is not None


def _has_ours(text: str) -> bool:
    return any(_is_ours(it) for them in _events(text).values() for it in them)


def _ours(host: str, program: str) -> Iterator[tuple[str, Entry]]:
    kind, dialect = HOOK_FILES[host], DIALECTS[host]
    start = f"{shlex.quote(program)} hook {host}"
    yield dialect.stop, kind.entry(f"{start} stop", _STOP_S, "")
    yield dialect.edit, kind.entry(f"{start} edit", _EDIT_LIMIT_S, kind.edits)


def _with_hooks(host: str, text: str, program: str) -> str:
    """Return a configuration with our hooks after those that are there; older ones of ours go."""
    kind = HOOK_FILES[host]
    events = {} if kind.is_own else _events(text)
    merged: dict[str, object] = {**events}
    for event, entry in _ours(host, program):
        others = [it for it in events.get(event, []) if not _is_ours(it)]
        merged[event] = [*others, entry]
    if kind.is_own or not text.strip():
        whole = {**({} if kind.version is None else {"version": kind.version}), _KEY: merged}
        return json.dumps(whole, indent=2) + "\n"
    return with_entry(text, _JSON, (_KEY,), merged)


def removed_hooks(
    hosts: Sequence[Host], scopes: Sequence[Scope], root: Path, places: Places
) -> HostPlan:
    """Return what to remove: files become what they were before, byte for byte where they can."""

    def of_host(host: Host) -> list[Change]:
        kind = HOOK_FILES[host.name]
        files = {kind.place(it, root, places) for it in scopes}
        found = (_removed(host, file) for file in sorted(files))
        return [it for it in found if it is not None]

    return planned([it for it in hosts if it.name in HOOK_FILES], of_host)


def _removed(host: Host, file: Path) -> Change | None:
    before = read(file)
    if before is None:
        return None
    text = decoded(file, before)
    if not _OURS.search(text):
        return None  # hooks that cannot be read are not our concern where none is ours
    with named(file):
        if not _has_ours(text):
            return None
        program = _program_in(text)
        title = f"{host.title} (hooks)"
        change = Change(title, file, before, None, backup_suffix=_BACKUP, has_own_folder=True)
        kept = read(change.backup)
        if kept is not None and _with_hooks(host.name, decoded(file, kept), program) == text:
            return Change(title, file, before, kept, is_restored=True, backup_suffix=_BACKUP)
        left = _without_hooks(text)
        if kept is None and not set(parsed(left, _JSON)) - {"version"}:
            return change
    return Change(title, file, before, left.encode(), backup_suffix=_BACKUP)


def _program_in(text: str) -> str:
    """Return the program that our hooks in a configuration start."""
    for entry in (it for them in _events(text).values() for it in them if _is_ours(it)):
        inner = entry.get("hooks") if isinstance(entry, dict) else None
        one = inner[0] if isinstance(inner, list) and inner else entry
        command = one.get("command", one.get("bash")) if isinstance(one, dict) else None
        if isinstance(command, str):
            return shlex.split(command)[0]
    return ""


def _without_hooks(text: str) -> str:
    events = _events(text)
    left = {event: [it for it in them if not _is_ours(it)] for event, them in events.items()}
    if not any(left.values()):
        return without_entry(text, _JSON, (_KEY,))
    for event, them in left.items():
        if not them and events[event]:
            text = without_entry(text, _JSON, (_KEY, event))
    return with_entry(
        text,
        _JSON,
        (_KEY,),
        {event: them for event, them in left.items() if them or not events[event]},
    )
