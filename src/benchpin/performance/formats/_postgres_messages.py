"""Split a log of PostgreSQL into messages, whatever its format, and SQL into its literals."""

import csv
import re
from collections.abc import Callable, Iterable, Iterator
from datetime import UTC, datetime, timedelta
from typing import Final, Literal, NamedTuple

import msgspec

LogFormat = Literal["postgresql-stderr", "postgresql-csv", "postgresql-json"]
_LEVELS = (
    rb"LOG|ERROR|FATAL|PANIC|WARNING|NOTICE|INFO|DEBUG[1-5]?"
    rb"|DETAIL|HINT|STATEMENT|CONTEXT|QUERY|LOCATION"
)
_LEVEL = re.compile(rb"(?<![A-Z])(" + _LEVELS + rb"):  ")
_TEXT = re.compile(rb"(?:^|\n)[^\n\t]{0,400}?LOG:  duration: \d+\.\d+ ms")
_CSV = re.compile(rb'(?:^|\n)\d{4}-\d\d-\d\d [^\n]{0,2000}?,LOG,[^\n]{0,40}?,"?duration: \d')
_JSON = re.compile(rb'"message" ?: ?"duration: \d')
_STAMP = re.compile(
    rb"(\d{4}-\d\d-\d\d[ T]\d\d:\d\d:\d\d)(?:\.(\d{1,6}))? ?(UTC|GMT|Z|[+-]\d\d(?::?\d\d)?)?"
)
_EPOCH = re.compile(rb"(\d{10})\.(\d{3})\b")
_PID = re.compile(rb"\[(\d{1,10})(?:-\d+)?\]|\bpid[=:] ?(\d{1,10})")
_USER = re.compile(rb"\b(?:user|u)=([^,\s]{1,64})")
_DATABASE = re.compile(rb"\b(?:db|d|database)=([^,\s]{1,64})")
_AT = re.compile(rb"(?<!\S)([^\s@=,\[\]]{1,64})@([^\s@=,\[\]]{1,64})")
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
_CSV_COLUMNS = 14
_MAX_CACHED_ENTRIES = 10_000
_MAX_CACHED_CHARS = 500
# Of one message; a longer statement is cut, which is enough for its class.
_MAX_MESSAGE_BYTES = 1 << 20


class Message(NamedTuple):
    """A message of the server and who caused it."""

    level: bytes
    text: bytes
    when_us: int
    """-1 where the log does not say."""
    process: int | None
    user: str | None
    database: str | None
    line: int
    byte: int


class _Jsonlog(msgspec.Struct):
    message: str = ""
    error_severity: str = ""
    timestamp: str = ""
    pid: int | None = None
    user: str | None = None
    dbname: str | None = None


def is_json_log(head: bytes) -> bool:
    """Whether the first lines have a duration; the other two are alike."""
    return head.lstrip().startswith(b"{") and bool(_JSON.search(head))


def is_csv_log(head: bytes) -> bool:
    return not head.lstrip().startswith(b"{") and bool(_CSV.search(head))


def is_text_log(head: bytes) -> bool:
    return not head.lstrip().startswith(b"{") and bool(_TEXT.search(head))


def messages(form: LogFormat, blocks: Iterable[list[bytes]]) -> Iterator[Message]:
    readers = {
        "postgresql-stderr": _of_text,
        "postgresql-csv": _of_csv,
        "postgresql-json": _of_json,
    }
    yield from readers[form](blocks)


def _of_text(blocks: Iterable[list[bytes]]) -> Iterator[Message]:
    heads = _Prefixes()
    current: Message | None = None
    more: list[bytes] = []
    line_number = byte = size = 0
    for lines in blocks:
        for line in lines:
            line_number += 1
            level = None if line[:1] == b"\t" else _LEVEL.search(line)
            if level is None:
                if current is not None and size < _MAX_MESSAGE_BYTES:
                    more.append(line.removeprefix(b"\t"))
                    size += len(line)
            else:
                if current is not None:
                    yield _joined(current, more)
                when, process, user, database = heads.read(line[: level.start()])
                text = line[level.end() : level.end() + _MAX_MESSAGE_BYTES]
                current = Message(level[1], text, when, process, user, database, line_number, byte)
                more, size = [], len(text)
            byte += len(line) + 1
    if current is not None:
        yield _joined(current, more)


def _joined(message: Message, more: list[bytes]) -> Message:
    return message._replace(text=b"\n".join([message.text, *more])) if more else message


def _of_csv(blocks: Iterable[list[bytes]]) -> Iterator[Message]:
    at = _Place()
    rows = csv.reader(at.lines(blocks))
    while True:
        line, byte = at.line + 1, at.byte
        try:
            row = next(rows)
        except StopIteration:
            return
        except csv.Error:
            continue
        if len(row) < _CSV_COLUMNS:
            continue
        process = int(row[3]) if row[3].isdecimal() and len(row[3]) <= 10 else None  # noqa: PLR2004
        text = row[13].encode()
        when = _moment(row[0].encode())
        yield Message(
            row[11].encode(), text, when, process, row[1] or None, row[2] or None, line, byte
        )


class _Place:
    """Where in a log the CSV reader is, which itself counts no bytes."""

    def __init__(self) -> None:
        self.line = self.byte = 0

    def lines(self, blocks: Iterable[list[bytes]]) -> Iterator[str]:
        for block in blocks:
            for line in block:
                self.line += 1
                self.byte += len(line) + 1
                yield line.decode("utf-8", "replace").replace("\0", "") + "\n"


def _of_json(blocks: Iterable[list[bytes]]) -> Iterator[Message]:
    decoder = msgspec.json.Decoder(_Jsonlog, strict=False)
    line_number = byte = 0
    for lines in blocks:
        for line in lines:
            line_number += 1
            try:
                found = decoder.decode(line)
            except (ValueError, RecursionError):
                found = None
            if found is not None:
                yield Message(
                    found.error_severity.encode(),
                    found.message.encode(),
                    _moment(found.timestamp.encode()),
                    found.pid,
                    found.user,
                    found.dbname,
                    line_number,
                    byte,
                )
            byte += len(line) + 1


class _Prefixes:
    """Reads the prefix of lines, whatever `log_line_prefix` is; most differ in their time only."""

    def __init__(self) -> None:
        self._known: dict[bytes, tuple[int | None, str | None, str | None]] = {}
        self._seconds: dict[bytes, int] = {}

    def read(self, prefix: bytes) -> tuple[int, int | None, str | None, str | None]:
        """Return the time, the process, the user and the database."""
        stamp = _STAMP.search(prefix)
        rest = prefix[stamp.end() :] if stamp else prefix
        found = self._known.get(rest)
        if found is None:
            if len(self._known) >= _MAX_CACHED_ENTRIES:
                self._known.clear()
            found = _session(rest)
            if len(rest) <= _MAX_CACHED_CHARS:
                self._known[rest] = found
        if stamp is None:
            epoch = _EPOCH.search(prefix)
            moment = int(epoch[1]) * 1_000_000 + int(epoch[2]) * 1_000 if epoch else -1
            return moment, *found
        key = stamp[1] + (stamp[3] or b"")
        second = self._seconds.get(key)
        if second is None:
            if len(self._seconds) >= _MAX_CACHED_ENTRIES:
                self._seconds.clear()
            second = self._seconds[key] = _second(stamp[1], stamp[3])
        return second + _fraction(stamp[2]) if second >= 0 else -1, *found


def _session(rest: bytes) -> tuple[int | None, str | None, str | None]:
    pid, at = _PID.search(rest), _AT.search(rest)
    user, database = _USER.search(rest) or at, _DATABASE.search(rest)
    name = database[1] if database else at[2] if at else None
    process = int(pid[1] or pid[2]) if pid else None
    return process, _text(user[1] if user else None), _text(name)


def _text(name: bytes | None) -> str | None:
    return None if name is None else name.decode("utf-8", "replace")


def _moment(stamp: bytes) -> int:
    found = _STAMP.match(stamp)
    second = _second(found[1], found[3]) if found else -1
    return second + _fraction(found[2]) if found and second >= 0 else -1


def _fraction(digits: bytes | None) -> int:
    return int(digits.ljust(6, b"0")) if digits else 0


def _second(moment: bytes, zone: bytes | None) -> int:
    """Return a time in microseconds; a zone that is only a name is read as UTC."""
    try:
        found = datetime.fromisoformat(moment.decode()).replace(tzinfo=UTC)
    except ValueError:
        return -1
    if zone and zone[:1] in b"+-":
        digits = zone[1:].replace(b":", b"").ljust(4, b"0")
        shift = timedelta(hours=int(digits[:2]), minutes=int(digits[2:4]))
        found += -shift if zone[:1] == b"+" else shift
    return round(found.timestamp()) * 1_000_000


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
