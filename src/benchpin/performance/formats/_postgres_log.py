"""Digest a log of PostgreSQL into the same classes and connections as a slow log.

Durations come from `log_min_duration_statement`, from `log_duration` beside `log_statement`, and
from `auto_explain`. Parsing and binding a prepared statement are not counted, as in pgBadger.
"""

import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping

from benchpin.performance.reading import ArtifactSource
from benchpin.performance.slowlog import Classes, Connections, Part, generalise, slow_log
from benchpin.performance.values import SlowLog

from ._format import ArtifactFormat
from ._plan_steps import nested_plan, wasteful_scans
from ._plans import postgres_plan
from ._postgres_messages import (
    LogFormat,
    Message,
    is_csv_log,
    is_json_log,
    is_text_log,
    messages,
    redact,
    skeleton,
)
from ._source import MAX_UNPACKED_BYTES, with_faults

_DURATION = re.compile(rb"duration: (\d{1,12})(?:\.(\d{1,3}))? ms\s*+")
_STATEMENT = re.compile(rb"(?:statement|execute [^:\n]{0,200}): ")
_PLAN = re.compile(rb'plan:\s*+(?:Query Text: |\{\s*+"Query Text": )')
_PLAN_ROOT = re.compile(rb"\n[^\n]*\(cost=")
_SCAN = b"Seq Scan"
_STARTED = re.compile(rb"starting PostgreSQL (\S+)")
_MAX_CACHED_ENTRIES = 10_000
_SETTLE_EVERY = 20_000
_MAX_LINE_CHARS = 1 << 20


def read_postgres_log(form: LogFormat, chunks: Iterable[bytes]) -> SlowLog:
    digest = _Digest()
    for message in messages(form, _blocks(chunks, digest)):
        digest.take(message)
    missing = "no message has the duration of a statement"
    return slow_log(digest.finish(), form, missing, has_costs=False)


def _blocks(chunks: Iterable[bytes], digest: "_Digest") -> Iterator[list[bytes]]:
    """Yield blocks of lines, and let the digest count them."""
    rest: list[bytes] = []
    size = 0
    for chunk in chunks:
        block = chunk.split(b"\n")
        last = block.pop()
        if block:
            block[0] = b"".join([*rest, block[0]])
            rest, size = [], 0
            digest.lines += len(block)
            yield block
        if size < _MAX_LINE_CHARS:  # the rest of a longer one says nothing about its class
            rest.append(last)
            size += len(last)
    if any(rest):
        digest.lines += 1
        yield [b"".join(rest)]


class _Digest:
    """Sums over the statements of a log."""

    def __init__(self) -> None:
        self.lines = 0
        self._classes = Classes()
        self._connections = Connections(is_first=True)
        self._statements: dict[int, bytes] = {}
        """By process: the last statement, whose duration may follow."""
        self._plans: list[tuple[Message, int, bytes, bool]] = []
        """With whether the plan reads a whole table in vain."""
        self._planned: dict[int, tuple[bytes, bool]] = {}
        """By process: the statement of the last plan, which its time may follow."""
        self._events = 0
        self._server: str | None = None

    def take(self, message: Message) -> None:
        if message.level != b"LOG":
            return
        duration = _DURATION.match(message.text)
        if duration is None:
            self._note(message)
            return
        time_us = int(duration[1] + (duration[2] or b"").ljust(3, b"0"))
        rest = message.text[duration.end() :]
        if found := _STATEMENT.match(rest):
            self._add(message, time_us, rest[found.end() :])
        elif found := _PLAN.match(rest):
            self._plan(message, time_us, rest, rest[found.end() :])
        elif not rest and message.process in self._statements:
            self._add(message, time_us, self._statements.pop(message.process))

    def finish(self) -> Part:
        """Return the sums; plans count only if no statement was logged with its time."""
        if not self._events:
            for message, time_us, sql, is_scan in self._plans:
                self._planned = {message.process or 0: (sql, is_scan)}
                self._add(message, time_us, sql)
        self._connections.pause(self._events)
        return Part(
            classes=self._classes.settled(),
            connections=self._connections,
            events=self._events,
            lines=self.lines,
            database=None,
            server=self._server,
            faults=[],
            fault_count=0,
            is_clean=True,
            is_overfull=self._classes.is_overfull,
            is_timeless=False,
        )

    def _plan(self, message: Message, time_us: int, whole: bytes, text: bytes) -> None:
        sql = _planned(text)
        if sql is None:
            return
        plan = _plan_tree(whole) if _SCAN in whole else None
        is_scan = plan is not None and bool(wasteful_scans(postgres_plan(plan, time_us)))
        # Those of triggers come before that of the statement.
        if message.process is not None and len(self._planned) < _MAX_CACHED_ENTRIES:
            self._planned[message.process] = sql, is_scan
        if len(self._plans) < _MAX_CACHED_ENTRIES:
            self._plans.append((message, time_us, sql, is_scan))

    def _note(self, message: Message) -> None:
        if found := _STATEMENT.match(message.text):
            if message.process is not None and len(self._statements) < _MAX_CACHED_ENTRIES:
                self._statements[message.process] = message.text[found.end() :]
        elif found := _STARTED.match(message.text):
            self._server = f"PostgreSQL {found[1].decode('utf-8', 'replace')}"

    def _add(self, message: Message, time_us: int, sql: bytes) -> None:
        totals = self._classes.find_by(
            sql.strip().rstrip(b";"), lambda bare: generalise(bare, skeleton(bare))
        )
        planned, is_scan = self._planned.pop(message.process or 0, (b"", False))
        if planned and planned.strip() == sql.strip():
            totals.scans = (totals.scans or 0) + is_scan
        totals.pending.append(time_us)
        totals.contexts.add((message.user, message.database))
        if message.when_us >= 0:
            totals.first = min(totals.first, message.when_us)
            totals.last = max(totals.last, message.when_us)
        index = self._events
        self._events = index + 1
        if message.process is not None:
            event = totals.number, time_us
            self._connections.add(message.process, message.user, index, message.when_us, event)
        if time_us > totals.floor:
            totals.note_worst(time_us, message.byte, sql, message.line, redact)
        if self._events % _SETTLE_EVERY == 0:
            self._classes.settle()
            self._connections.sweep(self._events)


def _planned(text: bytes) -> bytes | None:
    """Return the statement of a plan; in JSON and YAML it is a quoted text. None if it is cut."""
    if not text.startswith(b'"'):
        plan = _PLAN_ROOT.search(text)
        return text[: plan.start()] if plan else None
    try:
        statement, _ = json.JSONDecoder().raw_decode(text.decode("utf-8", "replace"))
    except (ValueError, RecursionError):
        return None
    return str(statement).encode("utf-8", "replace")


def _plan_tree(message: bytes) -> Mapping[str, object] | None:
    """Return the plan of a message of auto_explain, as text or as JSON; None if it is cut."""
    text = message.decode("utf-8", "replace").partition("plan:")[2].strip()
    if not text.startswith("{"):
        return nested_plan(text)
    try:
        found = json.loads(text)
    except (ValueError, RecursionError):
        return None
    plan = found.get("Plan") if isinstance(found, dict) else None
    return plan if isinstance(plan, dict) else None


def _format(name: LogFormat, fits: Callable[[bytes], bool]) -> ArtifactFormat:
    def read(source: ArtifactSource) -> SlowLog:
        return with_faults(read_postgres_log(name, source.chunks(MAX_UNPACKED_BYTES)), source)

    return ArtifactFormat(
        name, "postgresql_log", lambda head: fits(head.content), read, SlowLog, None
    )


FORMATS = (
    _format("postgresql-json", is_json_log),
    _format("postgresql-csv", is_csv_log),
    _format("postgresql-stderr", is_text_log),
)
