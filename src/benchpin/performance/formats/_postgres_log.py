"""Digest a log of PostgreSQL into the same classes and connections as a slow log.

Durations come from `log_min_duration_statement`, from `log_duration` beside `log_statement`, and
from `auto_explain`. Parsing and binding a prepared statement are not counted, as in pgBadger.
"""

import json
import re
from collections.abc import Callable, Iterable, Iterator
from typing import Final

from benchpin.performance.reading import ArtifactSource
from benchpin.performance.slowlog import Classes, Connections, Part, generalise, slow_log
from benchpin.performance.values import SlowLog

from ._format import ArtifactFormat
from ._postgres_messages import LogFormat, Message, is_csv_log, is_json_log, is_text_log, messages
from ._source import MAX_UNPACKED_BYTES, with_faults

_DURATION = re.compile(rb"duration: (\d{1,12})(?:\.(\d{1,3}))? ms\s*+")
_STATEMENT = re.compile(rb"(?:statement|execute [^:\n]{0,200}): ")
_PLAN = re.compile(rb'plan:\s*+(?:Query Text: |\{\s*+"Query Text": )')
_PLAN_ROOT = re.compile(rb"\n[^\n]*\(cost=")
_STARTED = re.compile(rb"starting PostgreSQL (\S+)")
_MAX_CACHED_ENTRIES = 10_000
_SETTLE_EVERY = 20_000
_MAX_LINE_CHARS = 1 << 20
_STRING: Final = b"'?'"
_TOKEN = re.compile(
    rb"(?P<line>--[^\r\n]*+)"
    rb"|(?P<block>/\*)"
    rb"|(?P<name>(?:\b[uU]&)?\"[^\"]*+(?:\"\"[^\"]*+)*+\"?)"
    rb"|(?P<escaped>\b[eE]'(?:[^'\\]|\\.|'')*+'?)"
    rb"|(?P<string>(?:\b(?:[xXbBnN]|[uU]&))?'(?:[^']|'')*+'?)"
    rb"|(?P<dollar>(?<![\w$])\$(?:[A-Za-z_\x80-\xff][\w\x80-\xff]*+)?\$)"
    rb"|(?P<parameter>\$\d++)"
    rb"|(?P<number>(?<![\w$.])(?:0[xXoObB][0-9a-fA-F_]++|(?:\d[\d_]*+\.?\d*+|\.\d++)(?:[eE][+-]?\d++)?))",
    re.DOTALL,
)
_COMMENT_EDGE = re.compile(rb"/\*|\*/")
# PostgreSQL cuts names at 63 bytes; what is longer, or has several lines, is no name.
_MAX_NAME_CHARS = 130


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
        self._plans: list[tuple[Message, int, bytes]] = []
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
            sql = _planned(rest[found.end() :])
            if sql is not None and len(self._plans) < _MAX_CACHED_ENTRIES:
                self._plans.append((message, time_us, sql))
        elif not rest and message.process in self._statements:
            self._add(message, time_us, self._statements.pop(message.process))

    def finish(self) -> Part:
        """Return the sums; plans count only if no statement was logged with its time."""
        if not self._events:
            for message, time_us, sql in self._plans:
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


# Literals of PostgreSQL's SQL, found in one pass: quotes in comments or strings do not count.
#
# They differ from MySQL's: double quotes are names, strings may be escaped (`E'…'`) or quoted by
# dollars (`$tag$…$tag$`), values may be parameters (`$1`), and block comments nest.


def skeleton(sql: bytes) -> bytes:
    """Return a statement with `?` for its values and without its comments."""
    return _replaced(sql, lambda _kind, _text: b"?")


def redact(sql: bytes) -> bytes:
    """Return a statement with `'?'` and `0` for its values; parameters stay: they say nothing."""
    return _replaced(
        sql,
        lambda kind, text: text if kind == "parameter" else b"0" if kind == "number" else _STRING,
    )


def _replaced(sql: bytes, value: Callable[[str | None, bytes], bytes]) -> bytes:
    parts: list[bytes] = []
    at = 0
    while token := _TOKEN.search(sql, at):
        parts.append(sql[at : token.start()])
        kind, at = token.lastgroup, token.end()
        if kind == "line":
            parts.append(b" ")
        elif kind == "block":
            at = _comment_end(sql, at)
            parts.append(b" ")
        elif kind == "dollar":
            end = sql.find(token[0], at)
            at = len(sql) if end < 0 else end + len(token[0])
            parts.append(value("string", b""))
        elif kind == "name" and len(token[0]) <= _MAX_NAME_CHARS and b"\n" not in token[0]:
            parts.append(token[0])
        else:
            parts.append(value(kind, token[0]))
    return b"".join([*parts, sql[at:]])


def _comment_end(sql: bytes, at: int) -> int:
    """Return where a block comment ends that was opened before `at`; the end if it does not."""
    depth = 1
    while depth:
        edge = _COMMENT_EDGE.search(sql, at)
        if edge is None:
            return len(sql)
        depth += 1 if edge[0] == b"/*" else -1
        at = edge.end()
    return at


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
