"""What `run_script` rests on: the calls that a script makes, and its value as text for a model.

The value has a line for each row, without the brackets and quotes of JSON: a model pays for every
bracket. Lists of rows, which most scripts end with, take a quarter less this way. What is not a
row, a list of rows or an object of such is JSON without spaces.
"""

import json
import logging
import re
from collections.abc import Iterator, Mapping

from pydantic import JsonValue
from pydantic_core import from_json

from benchpin.core.calls import Bench
from benchpin.core.errors import BenchpinError, InternalError, InvalidParams, ResponseTooLarge
from benchpin.core.text import json_text
from benchpin.run.sandbox import OutputCapture

from .call_tool import NAME as CALL_TOOL

logger = logging.getLogger("benchpin.tools")

NAME = "run_script"
_MAX_CALLS = 1_000
# The longest message of a script: a call with its arguments, or the value of its last line.
_MAX_LINE = 8 << 20

# Texts that need no quotes: nothing in them could be taken for the end of a cell or of a key.
_BARE = re.compile(r"[^\s\"',\[\]{}]*[^\s\"',\[\]{}:]")
_LITERALS = frozenset({"null", "true", "false"})


def as_text(value: JsonValue) -> str:
    """Return a value as text; a single text as it is."""
    return value if isinstance(value, str) else "\n".join(_lines(value))


def _lines(value: JsonValue) -> Iterator[str]:
    if isinstance(value, list) and value and (rows := _rows(value)) is not None:
        yield from rows
    elif isinstance(value, dict) and value:
        for key, inner in value.items():
            yield from _entry(_cell(key), inner)
    else:
        yield _cell(value)


def _entry(key: str, value: JsonValue) -> Iterator[str]:
    rows = _rows(value) if isinstance(value, list) and value else None
    if rows is None:
        yield f"{key}: {_cell(value)}"
        return
    yield f"{key}:"
    yield from rows  # not indented: before a number, a space is a token of its own


def _rows(items: list[JsonValue]) -> list[str] | None:
    """Return a line for each item: a cell, or several; None if one is neither."""
    tables = [it for it in items if isinstance(it, dict)]
    if len(tables) == len(items) and all(it.keys() == tables[0].keys() for it in tables):
        header: list[JsonValue] = [*tables[0]]
        items = [header, *([*it.values()] for it in tables)]
    rows: list[str] = []
    for item in items:
        cells = item if isinstance(item, list) else [item]
        if not cells or any(isinstance(it, list | dict) for it in cells):
            return None
        rows.append(" ".join(map(_cell, cells)))
    return rows


def _cell(value: JsonValue) -> str:
    if isinstance(value, str) and _BARE.fullmatch(value) and not _is_literal(value):
        return value
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def _is_literal(text: str) -> bool:
    """Whether a text without quotes would be taken for a number, or for true, false or null."""
    try:
        float(text)
    except ValueError:
        return text in _LITERALS
    return True


class ScriptCalls:
    """Serves the calls of one script."""

    def __init__(self, code: str, bench: Bench) -> None:
        self._code = code
        self._bench = bench
        self._held = bytearray()
        self._is_over = False
        self.printed = OutputCapture()
        self.outcome: dict[str, object] = {}
        self.error: str | None = None
        self.calls = 0

    def opening(self) -> bytes:
        return json.dumps({"code": self._code}).encode() + b"\n"

    def hear(self, output: bytes) -> Iterator[bytes | None]:
        """Yield the results of the calls that are complete, one at a time; None after an error."""
        self._held += output
        if len(self._held) > _MAX_LINE:
            self._held.clear()
            self.error = f"The script sent a message of more than {_MAX_LINE:,} bytes"
        while self.error is None and (end := self._held.find(b"\n")) >= 0:
            line = bytes(self._held[:end])
            del self._held[: end + 1]
            if answer := self._serve(line):
                yield answer
        if self.error is not None:
            yield None

    def hang_up(self) -> None:
        """Serve no more calls; what was printed, and the value, still count."""
        self._is_over = True

    def _serve(self, line: bytes) -> bytes:
        # Everything is checked: the script can write to the pipe itself.
        try:
            message = from_json(line)
        except ValueError:
            message = None
        match message:
            case {"print": str(text)}:
                self.printed.add(text.encode(errors="replace"))
            case {"call": str(), "arguments": dict()} if (
                self._is_over or self._bench.job.is_expired
            ):
                pass  # the clock of the program may be a little late
            case {"call": str(), "arguments": dict()} if self.calls == _MAX_CALLS:
                self.error = f"The script made more than {_MAX_CALLS:,} calls"
            case {"call": str(name), "arguments": dict(arguments)}:
                self.calls += 1
                return self._answer(name, arguments)
            case {"value": _} | {"error": str()}:
                self.outcome = message
            case _:
                self.error = "The script wrote to the pipe of its calls"
        return b""

    def _answer(self, name: str, arguments: dict[str, object]) -> bytes:
        try:
            return self._call(name, arguments)
        except BenchpinError as error:
            return _encoded({"error": error.as_dict()})
        except Exception:
            logger.exception("tool %s failed in a script", name)
            reference = f"the log line of correlation_id {self._bench.caller.correlation_id}"
            return _encoded({"error": InternalError(reference).as_dict()})

    def _call(self, name: str, arguments: Mapping[str, object]) -> bytes:
        # Scripts in scripts would multiply processes and memory.
        if (arguments.get("name") if name == CALL_TOOL else name) == NAME:
            raise InvalidParams(
                f"A script cannot call {NAME}", suggestion="Call the other tools from this script."
            )
        result = self._bench.installation.tools.call(name, arguments, self._bench)
        answer = _encoded({"result": result.model_dump(mode="json", by_alias=True)})
        if len(answer) > (limit := self._bench.limits.response_bytes):
            raise ResponseTooLarge(limit)
        return answer


def _encoded(message: dict[str, object]) -> bytes:
    return json_text(message).encode(errors="surrogatepass") + b"\n"
