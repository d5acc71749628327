"""A server whose answers can be compared: it believes in one moment, and cuts nothing."""

import json
import os
import re
import subprocess
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from clients import PipeClient

NOW_S = 1_795_003_200  # 2026-11-18, noon in UTC
_MUCH = "100000000"
_CLOCK = """\
import ctypes, datetime, gc, os

def now(cls, tz=None):
    return cls.fromtimestamp(os.stat(__file__).st_mtime, tz)

# The type is changed in place: a subclass of datetime could not be pickled for workers.
gc.get_referents(datetime.datetime.__dict__)[0]["now"] = classmethod(now)
ctypes.pythonapi.PyType_Modified(ctypes.py_object(datetime.datetime))
"""

# Fields that say how long it took, what was remembered, or what this machine has.
_LEFT_OUT = frozenset({"analysis_duration", "cache_bytes", "uptime_s", "sandbox"})
_OF_THE_RUN = re.compile(
    r'("(?:secs|nanos)": )\d+|(cache: )[\d,]+(?= bytes)|^(sandbox: |benchpin .*, up ).*',
    re.MULTILINE,
)
_NAMED_AT_RANDOM = re.compile(r"\b(c|gm|mcp_session)_[0-9a-f]{12,}\b")


class Surroundings:
    """The folders and variables of every server and command of a run."""

    def __init__(self, benchpin: Path, folder: Path) -> None:
        self.benchpin = benchpin
        self.folder = folder
        self._clock = folder / "clock" / "sitecustomize.py"
        self._clock.parent.mkdir(parents=True)
        self._clock.write_text(_CLOCK, encoding="utf-8")
        self.set_clock(0)

    def set_clock(self, minutes: int) -> None:
        """Let servers believe that so much time has passed; without it, comments have one time."""
        moment = NOW_S + 60 * minutes
        os.utime(self._clock, (moment, moment))

    def variables(self, cache: Path) -> dict[str, str]:
        """Return the environment: no settings of the user, no limits, one moment."""
        kept = {key: value for key, value in os.environ.items() if "BENCHPIN" not in key}
        return {
            **kept,
            "BENCHPIN_CACHE_DIR": str(cache),
            "BENCHPIN_LIMITS_BURST": _MUCH,
            "BENCHPIN_LIMITS_PER_SECOND": _MUCH,
            "BENCHPIN_LIMITS_RESPONSE_BYTES": _MUCH,
            "BENCHPIN_LIMITS_TEXT_CHARS": _MUCH,
            "BENCHPIN_TOOL_TIMEOUT": "600",
            "COLUMNS": "100",
            "GIT_CONFIG_GLOBAL": os.devnull,
            "GIT_CONFIG_SYSTEM": os.devnull,
            "NO_COLOR": "1",
            "PYTHONPATH": str(self._clock.parent),
            "TZ": "UTC",
            "XDG_CONFIG_HOME": str(self.folder / "config"),
        }

    def serve(self, root: Path, cache: Path) -> "AskedServer":
        """Start a server on a tree."""
        flags = ("--root", str(root), "--allow", "write", "--schemas", "full")
        command = [str(self.benchpin), "serve", *flags]
        return AskedServer(PipeClient(command, self.variables(cache)), self, root)

    def command(self, root: Path, cache: Path, arguments: tuple[str, ...]) -> str:
        """Run the command in a tree, and return what it prints and its exit status."""
        made = subprocess.run(
            (str(self.benchpin), *arguments),
            cwd=root,
            env=self.variables(cache),
            capture_output=True,
            text=True,
            encoding="utf-8",
            check=False,
        )
        whole = f"exit {made.returncode}\n--- stdout\n{made.stdout}\n--- stderr\n{made.stderr}"
        return self.plain(whole, root)

    def plain(self, text: str, root: Path) -> str:
        """Return a text without the names of temporary folders and without durations."""
        for path, name in ((root, "<root>"), (self.folder, "<run>")):
            text = text.replace(str(path), name)
        return _OF_THE_RUN.sub(lambda it: f"{it[it.lastindex or 0]}<time>", text)


class AskedServer:
    """A server on one tree; what it names at random is numbered in the order of appearance."""

    def __init__(self, client: PipeClient, around: Surroundings, root: Path) -> None:
        self._client = client
        self._around = around
        self._root = root
        self._numbers: dict[str, str] = {}
        self._snapshots: list[str] = []

    def close(self) -> None:
        """End it."""
        self._client.close()

    def ask(self, method: str, params: dict[str, object]) -> Any:
        """Send a request and return its result, or the error."""
        answer = self._client.ask(method, params)
        return answer.get("result", answer.get("error"))

    def call(self, tool: str, arguments: Mapping[str, object]) -> Any:
        """Return the answer of a tool; arguments may have the numbers of comments and snapshots."""
        text = json.dumps(arguments)
        named = {number: name for name, number in self._numbers.items()}
        named |= {f"<snapshot {at}>": it for at, it in enumerate(self._snapshots, start=1)}
        for number, name in named.items():
            text = text.replace(number, name)
        result = self.ask("tools/call", {"name": tool, "arguments": json.loads(text)})
        snapshot = result.get("structuredContent", {}).get("normalized_snapshot_id")
        if tool == "ingest_artifacts" and snapshot:
            self._snapshots.append(snapshot)
        return result

    def shown(self, result: Any) -> str:
        """Return a result as a text whose lines can be compared."""
        text = self._around.plain(_lines(result), self._root)
        return _NAMED_AT_RANDOM.sub(self._number, text)

    def _number(self, found: re.Match[str]) -> str:
        kind = {"c": "comment", "gm": "marker"}.get(found[1], "session")
        count = sum(1 for it in self._numbers.values() if it.startswith(f"<{kind} "))
        return self._numbers.setdefault(found[0], f"<{kind} {count + 1}>")


def _lines(result: Any) -> str:
    """Show everything as indented JSON in its own order, then the texts as they are."""
    texts: list[str] = []
    result = _without(result)
    result.get("_meta", {}).get("benchpin/answer", {}).pop("measures", None)
    for block in result.get("content", []):
        inner = block.get("resource", block)
        if isinstance(inner.get("text"), str):
            texts.append(inner.pop("text"))
    shown = json.dumps(result, indent=1, ensure_ascii=False)
    return "\n--- text\n".join((shown, *texts))


def _without(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _without(it) for key, it in value.items() if key not in _LEFT_OUT}
    return [_without(it) for it in value] if isinstance(value, list) else value
