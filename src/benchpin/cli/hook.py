"""`benchpin hook`: what a host runs before an agent stops, and before it edits a file.

Each host has its own names for the same two moments, in what it sends and in what it wants back.
Whatever goes wrong, a hook says nothing and ends well: it must never be why an agent cannot work.
"""

import hashlib
import json
import os
import re
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Literal

import click

from benchpin.core.calls import Job
from benchpin.core.errors import BenchpinError
from benchpin.core.own_files import read_own
from benchpin.core.text import plain
from benchpin.workspace.files import Unreadable, read_regular
from benchpin.workspace.writing import write_cache

from .flags import FlaggedCommand, Flags

if TYPE_CHECKING:
    from benchpin.app import Workbench

Moment = Literal["stop", "edit"]
Fields = Mapping[str, object]
BUDGET_S = 60
EDIT_S = 8.0
_MAX_INPUT_BYTES = 8 << 20
# Of a file that is edited; a larger one is not searched for copies.
_MAX_FILE_BYTES = 1 << 20
_MAX_GAPS = 8
# An agent that was sent back this often is let go, whatever is new.
_MAX_BLOCKS = 5
_MAX_TOLD = 500
# What Cursor says of an agent that was stopped by hand, or that failed: it has nothing to prove.
_NOT_DONE = frozenset({"aborted", "error"})
_ADDED = re.compile(r"^\+(?!\+\+)(.*)$", re.MULTILINE)
_PATCHED = re.compile(r"^\*\*\* (?P<how>Add|Update) File: (?P<path>[^\n]{1,4000})$", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Dialect:
    """How a host names things."""

    stop: str
    """Its event before an agent stops."""
    edit: str
    """Its event before a tool is called."""
    block_stop: Callable[[str], Fields]
    """Returns what it wants back to have the agent go on, with the reason."""
    block_edit: Callable[[str], Fields]
    """Returns what it wants back to refuse an edit."""


def _decision(word: str) -> Callable[[str], Fields]:
    return lambda reason: {"decision": word, "reason": reason}


def _denied(reason: str) -> Fields:
    return {
        "hookSpecificOutput": {
            "hookEventName": "PreToolUse",
            "permissionDecision": "deny",
            "permissionDecisionReason": reason,
        }
    }


DIALECTS: Mapping[str, Dialect] = {
    "claude-code": Dialect("Stop", "PreToolUse", _decision("block"), _denied),
    "codex": Dialect("Stop", "PreToolUse", _decision("block"), _denied),
    "copilot-cli": Dialect(
        "agentStop",
        "preToolUse",
        _decision("block"),
        lambda it: {"permissionDecision": "deny", "permissionDecisionReason": it},
    ),
    "cursor": Dialect(
        "stop",
        "preToolUse",
        lambda it: {"followup_message": it},
        lambda it: {"permission": "deny", "user_message": it, "agent_message": it},
    ),
    "gemini": Dialect("AfterAgent", "BeforeTool", _decision("deny"), _decision("deny")),
}


@click.command(cls=FlaggedCommand)
@click.argument("host", type=click.Choice(list(DIALECTS)))
@click.argument("moment", type=click.Choice(["stop", "edit"]))
@click.pass_obj
def hook(outer: Flags, /, *, host: str, moment: Moment) -> None:
    """Answer a hook of HOST; `benchpin install --hooks` has the host run this.

    Reads the event from standard input. BENCHPIN_HOOKS=false switches it off.
    """
    answer: Fields = {}
    with suppress(BenchpinError, OSError, Unreadable, ValueError, RecursionError):
        given = json.loads(sys.stdin.buffer.read(_MAX_INPUT_BYTES))
        if isinstance(given, dict):
            answer = answer_to(outer, DIALECTS[host], moment, given)
    click.echo(json.dumps(answer))


def answer_to(outer: Flags, dialect: Dialect, moment: Moment, given: Fields) -> Fields:
    """Return what to send back to a host; an empty object lets the agent go on.

    Raises:
        BenchpinError: when there is nothing to judge, such as outside of a repository.
    """
    if moment == "stop" and _text(given, "status") in _NOT_DONE:
        return {}
    root = _root_of(given)
    flags = outer if root is None or "root" in outer.given else outer.over({"root": root})
    if not flags.configuration().settings.hooks:
        return {}
    bench = flags.workbench()
    try:
        memory = _Told(bench, _text(given, "session_id", "sessionId", "conversation_id"))
        found = _missing(bench, memory) if moment == "stop" else _repeats(bench, memory, given)
        # On one line each: the name of a file must not look like a line of ours to the agent.
        new = memory.new([plain(it) for it in found])
        if not new or memory.blocks >= _MAX_BLOCKS:
            memory.save()
            return {}
        memory.add(new, is_block=moment == "stop")
        if moment == "edit":
            return dialect.block_edit("\n".join(["You already have this.", *new]))
        return dialect.block_stop(_said(new))
    finally:
        bench.close()


def _said(reasons: Sequence[str]) -> str:
    listed = [f"- {it}" for it in reasons[:_MAX_GAPS]]
    if len(reasons) > _MAX_GAPS:
        listed.append(f"- and {len(reasons) - _MAX_GAPS} more: run `benchpin prove`")
    return "\n".join(
        (
            "The change is not proven yet (benchpin prove):",
            *listed,
            "Fix what is wrong or missing, or explain why it is fine. You are asked once.",
        )
    )


def _root_of(given: Fields) -> Path | None:
    """Return the repository that a host works in."""
    roots = given.get("workspace_roots")
    named = roots[0] if isinstance(roots, list) and roots else _text(given, "cwd")
    if not isinstance(named, str) or not named:
        return None
    folder = Path(named)
    around = (it for it in (folder, *folder.parents) if (it / ".git").exists())
    return next(around, folder) if folder.is_dir() else None


def _text(given: Fields, *names: str) -> str:
    return next((it for name in names if isinstance(it := given.get(name), str)), "")


class _Told:
    """What was already reported in a session: nothing is reported twice."""

    def __init__(self, bench: "Workbench", session: str) -> None:
        inner = bench.bench
        key = f"{inner.workspace.root}\n{session}"
        name = hashlib.blake2b(key.encode(errors="replace"), digest_size=12).hexdigest()
        self._place = inner.cache_dir / "hooks" / f"{name}.json"
        kept: object = None
        with suppress(OSError, ValueError, RecursionError):
            kept = json.loads(read_own(self._place))
        known = kept if isinstance(kept, dict) else {}
        told, blocks, base = known.get("told"), known.get("blocks"), known.get("base")
        self._told = [it for it in told if isinstance(it, str)] if isinstance(told, list) else []
        self.blocks = blocks if isinstance(blocks, int) else 0
        self.base = base if isinstance(base, str) else ""
        """The commit that was checked out when the session was first seen."""

    def new(self, reasons: Sequence[str]) -> list[str]:
        return [it for it in dict.fromkeys(reasons) if _digest(it) not in self._told]

    def add(self, reasons: Sequence[str], *, is_block: bool) -> None:
        self._told = [*self._told, *map(_digest, reasons)][-_MAX_TOLD:]
        self.blocks += is_block
        self.save()

    def save(self) -> None:
        kept = {"told": self._told, "blocks": self.blocks, "base": self.base}
        write_cache(self._place, json.dumps(kept).encode())


def _digest(reason: str) -> str:
    """Return what a reason is known by; lines move while an agent edits."""
    bare = re.sub(r":\d+", "", reason)
    return hashlib.blake2b(bare.encode(errors="replace"), digest_size=8).hexdigest()


# Before an agent stops.


def _missing(bench: "Workbench", memory: _Told) -> list[str]:
    """Return what is broken or missing in what the session changed."""
    from benchpin.toolsets.navigation.prove_change import ProveParams, prove_change  # noqa: PLC0415

    change = _change_of(bench, memory)
    listing = bench.catalogue.find(prove_change.name, for_operator=True)
    given = ProveParams.parse({"diff": change, "budget": BUDGET_S})
    result = bench.prepare(listing, given, job=Job(), is_typed=True).run()
    found = result.model_dump(mode="json")
    return [f"{it['file']}:{it['line']} {it['message']}" for it in found["gaps"]]


def _change_of(bench: "Workbench", memory: _Told) -> str:
    """Return what a session changed: its commits, and what is not committed."""
    from benchpin.workspace.git import find_head, find_repository  # noqa: PLC0415 - when used

    root = bench.bench.workspace.root
    folders = bench.bench.session.git_folders
    head = find_head(find_repository(root, root, folders), Job())
    if not memory.base and head is not None:
        memory.base = head
    return "uncommitted" if head in {None, memory.base} else memory.base


# Before an agent edits a file.


def _repeats(bench: "Workbench", memory: _Told, given: Fields) -> list[str]:
    """Return which functions an edit would add that the project has already."""
    from benchpin.project.proof import copies_in  # noqa: PLC0415 - when used

    with suppress(BenchpinError):  # notes the commit with which the session begins
        _change_of(bench, memory)
    found: list[str] = []
    for path, after in edits_of(given, bench.bench.workspace.root):
        found += copies_in(bench.bench, path, after, Job(time_limit_s=EDIT_S))
    return found


def edits_of(given: Fields, root: Path) -> Iterator[tuple[str, str]]:
    """Yield the files that a tool call would write, as paths in a workspace, with their texts."""
    arguments = _arguments(given)
    command = arguments.get("command", arguments.get("patch", arguments.get("input")))
    if isinstance(command, str) and "*** Begin Patch" in command:
        yield from _patched(command, root)
        return
    named = _text(arguments, "file_path", "filePath", "path", "target_file")
    path = _inside(named, root)
    if path is None:
        return
    whole = arguments.get("content", arguments.get("contents", arguments.get("file_text")))
    if isinstance(whole, str):
        yield path, whole
        return
    pieces = arguments.get("edits")
    edits = pieces if isinstance(pieces, list) else [arguments]
    text = _on_disk(root, path)
    for edit in edits:
        old, new = (
            (_text(edit, f"{it}_string", f"{it}_str", f"{it}Str") for it in ("old", "new"))
            if isinstance(edit, dict)
            else ("", "")
        )
        text = text.replace(old, new, 1) if old else f"{text}\n{new}"
    yield path, text


def _arguments(given: Fields) -> Fields:
    found = given.get("tool_input", given.get("toolArgs", given.get("tool_args")))
    if isinstance(found, str):
        with suppress(ValueError, RecursionError):
            found = json.loads(found)
    return found if isinstance(found, dict) else {}


def _patched(patch: str, root: Path) -> Iterator[tuple[str, str]]:
    """Yield the files of a patch of Codex: those that are there with what is added to them."""
    heads = list(_PATCHED.finditer(patch))
    for head, following in zip(heads, [*heads[1:], None], strict=True):
        body = patch[head.end() : following and following.start()]
        path = _inside(head["path"].strip(), root)
        if path is not None:
            added = "\n".join(_ADDED.findall(body))
            yield path, added if head["how"] == "Add" else f"{_on_disk(root, path)}\n\n{added}\n"


def _inside(path: str, root: Path) -> str | None:
    if not path or "\0" in path:
        return None
    place = Path(path) if path.startswith("/") else root / path
    with suppress(OSError, RuntimeError, ValueError):
        return place.resolve().relative_to(root.resolve()).as_posix()
    return None


def _on_disk(root: Path, path: str) -> str:
    try:
        content, _ = read_regular(os.fsencode(root), path, _MAX_FILE_BYTES)
    except Unreadable:
        return ""
    return content.decode("utf-8", "replace")
