"""Read the header of an event in every form since MySQL 4.1.

An event is a few lines that begin with `#`, optionally `use …;` and `SET timestamp=…;`, and the
statement. `# Query_time:` is the only line that all forms have, so logs are split there.
"""

import re
from datetime import UTC, datetime
from typing import Final, NamedTuple

MARK: Final = b"\n# Query_time:"
END: Final = b";\n# "
# About 146,000 years: servers log such times when their clock goes backwards.
_MAX_TIME_US = 1 << 62
# Fits 64 bits; Python refuses to read more than 4,300 digits.
_MAX_DIGITS = 18

# What follows the mark in logs of current servers, up to the statement.
FAST: Final = re.compile(
    rb" (\d{1,12}+)\.(\d{6})  ?Lock_time: (\d{1,12}+)\.(\d{6})"
    rb" ++Rows_sent: (\d{1,18}+)  ?Rows_examined: (\d{1,18}+)(?!\d)([^\n]*+)\n"
    rb"((?:#[^\n]*+\n)*+)(?:use ([^\n;]++);\n)?+SET timestamp=(\d{1,11}+);\n"
)
ERRNO: Final = re.compile(rb"\b(?:Last_errno|Errno): (\d{1,18}+)(?!\d)")

_HEAD_LINE = re.compile(rb"# ?[A-Z][\w@]*: ?[^\n]*\Z")
_HEAD = re.compile(rb"[A-Z][\w@]*+:[^\n]*+(?:\n# ?[A-Z][\w@]*+:[^\n]*+)*+\Z")
_EXPLAINED = re.compile(
    rb"^# explain: [^\t\n]*+\t([^\t\n]*+)\t[^\t\n]*+\t([^\t\n]*+)", re.MULTILINE
)
_BANNER = re.compile(
    rb"(?:\A|\n)(?:[^\n,]*+, Version: (?>([^\n]*?)\. (?:started with:|embedded library))[^\n]*+"
    rb"|T[cC][pP] [pP]ort: [^\n]*+|Time[ \t]++Id[ \t]++Command[^\n]*+)\Z"
)
_NOTES = re.compile(
    rb"(?:#(?:[ \t]++(?:[A-Z][\w@]*+:|explain:|No InnoDB statistics|Warnings?\b)[^\n]*+"
    rb"|[ \t\r]*+)\n)*+"
)
_ANY_NOTES = re.compile(
    rb"(?:#[^\n]*+\n)*+"
    rb"(?=use [^\n]+;[ \t\r]*+\n|SET (?:[a-z_]++=\d++,)*+timestamp=[\d.]++[^\n]*+\n)"
)
_USE = re.compile(rb"use ([^\n]+?);[ \t\r]*\n")
_SET = re.compile(rb"SET ((?:last_insert_id|insert_id|timestamp)=[^\n]*?);[ \t\r]*(?:\n|\Z)")
_STAMP = re.compile(rb"timestamp=(\d{1,11}+)(?!\d)")
_PAIR = re.compile(rb"(?<!\w)(\w++):[ \t]++(\S++)")
_USER = re.compile(rb"User@Host: *+([^\[\n]{0,500}+)\[([^\]\n]{0,500}+)\]")
_USER_ALONE = re.compile(rb"\bUser: *(\S+)")
_THREAD = re.compile(rb"\b(?:Thread_id|Id):[ \t]*(\d{1,18}+)(?!\d)")
_SCHEMA = re.compile(rb"\bSchema:[ \t]*(?:([^\s:]+)(?=\s|\Z))?")
_ISO = re.compile(rb"(\d{4}-\d\d-\d\d)[T ](\d\d:\d\d:\d\d)(?:\.(\d{1,9}))?[ ]?(Z|[+-]\d\d:?\d\d)?")
_OLD = re.compile(rb"(\d\d)(\d\d)(\d\d) +(\d{1,2}:\d\d:\d\d)(?:\.(\d+))?")
_ADMIN = b"# administrator command: "
_BLANK = b" \t\n\r\v\f"


class Head(NamedTuple):
    """The values of the lines before `# Query_time:`."""

    thread: int | None
    user: str | None
    schema: str | None
    """None where the log does not have it, empty where none was selected."""
    errno: int | None


class Body(NamedTuple):
    """The values after the mark, up to the head of the next event."""

    time_us: int | None
    """None if it is invalid."""
    lock_us: int
    rows_sent: int
    rows_examined: int
    notes: bytes
    """The rest of the header, unread."""
    database: bytes | None
    stamp: bytes | None
    query_at: int
    """Position of the statement."""


NO_HEAD: Final = Head(None, None, None, None)


def split_head(piece: bytes) -> tuple[int, int, bytes | None]:
    """Return the end of the statement, the start of the next head, and a banner's version.

    Blank lines and the banner of a server start may be in between.
    """
    end = len(piece)
    while end and (at := _line_start(piece, end)) is not None and _HEAD_LINE.match(piece[at:end]):
        end = max(at - 1, 0)
    head_at = end
    version = None
    while True:
        while end and piece[end - 1] in _BLANK:  # `rstrip` of a slice would copy it each time
            end -= 1
        banner = _BANNER.search(piece, piece.rfind(b"\n", 0, end) if end else 0, end)
        if banner is None or not end:
            break
        version = banner[1] or version
        end = banner.start()
    if end and piece[end - 1 : end] == b";":
        end -= 1
    return end, head_at, version


def _line_start(piece: bytes, end: int) -> int | None:
    at = piece.rfind(b"\n", 0, end) + 1
    return at if at or piece[:1] == b"#" else None


def is_head(head: bytes) -> bool:
    """Whether this is only header lines, the first without its `# `."""
    return not head or _HEAD.match(head) is not None


def is_preamble_line(line: bytes) -> bool:
    """Whether this is a line of a header or of a server's banner."""
    return _HEAD_LINE.match(line) is not None or _BANNER.match(line) is not None


def scans_all(notes: bytes) -> bool:
    """Whether the query plan that MariaDB adds reads a whole table."""
    return any(kind != b"INSERT" and how == b"ALL" for kind, how in _EXPLAINED.findall(notes))


def read_head(head: bytes) -> Head:
    """Read the lines before the mark; each may have several values."""
    user = _USER.search(head)
    name = (user[1].strip() or user[2]) if user else None
    if user is None and (alone := _USER_ALONE.search(head)):
        name = alone[1]
    thread = _THREAD.search(head)
    schema = _SCHEMA.search(head)
    errno = ERRNO.search(head)
    return Head(
        thread=int(thread[1]) if thread else None,
        user=text(name) if name is not None else None,
        schema=text((schema[1] or b"").strip(b"`")) if schema else None,
        errno=int(errno[1]) if errno else None,
    )


def read_body(piece: bytes, end: int) -> Body | None:
    """Read what follows the mark; None where there is no time."""
    line_end = piece.find(b"\n")
    line_end = len(piece) if line_end < 0 else line_end
    first = b"Query_time:" + piece[:line_end]
    pairs = dict(_PAIR.findall(first))
    if not pairs.get(b"Query_time", b"")[:1].isdigit():
        return None
    at = min(line_end + 1, len(piece))
    notes = _ANY_NOTES.match(piece, at) or _NOTES.match(piece, at)
    notes_end = min(notes.end(), end) if notes else at
    at = max(at, notes_end)
    database = stamp = None
    if use := _USE.match(piece, at, end + 2):
        database, at = use[1].strip(b"`"), use.end()
    if setting := _SET.match(piece, at):
        found = _STAMP.search(setting[1])
        stamp, at = found[1] if found else None, setting.end()
    notes_text = first + b"\n" + piece[line_end + 1 : notes_end]
    pairs = dict(_PAIR.findall(notes_text)) | pairs
    return Body(
        time_us=microseconds(pairs[b"Query_time"]),
        lock_us=microseconds(pairs.get(b"Lock_time", b"0")) or 0,
        rows_sent=_whole(pairs.get(b"Rows_sent")),
        rows_examined=_whole(pairs.get(b"Rows_examined")),
        notes=notes_text,
        database=database,
        stamp=stamp,
        query_at=at,
    )


def statement(raw: bytes) -> bytes:
    """Return the statement for its class: an administrator command is not a comment."""
    if raw.startswith(_ADMIN):
        return raw[2:].rstrip().rstrip(b";")
    return raw


def microseconds(number: bytes) -> int | None:
    """Return seconds as whole microseconds; None for an impossible time."""
    whole, _, fraction = number.partition(b".")
    is_written_so = whole.isdigit() and (not fraction or fraction.isdigit())
    if not is_written_so or len(whole) > _MAX_DIGITS:
        return None
    time_us = int(whole) * 1_000_000 + int((fraction + b"000000")[:6])
    return time_us if time_us < _MAX_TIME_US else None


def moment(line: bytes) -> int | None:
    """Return the time of a `# Time:` line in microseconds since 1970.

    The form of MySQL 5.6 and MariaDB has no zone; UTC is assumed.
    """
    if iso := _ISO.search(line):
        zone = (iso[4] or b"Z").replace(b"Z", b"+00:00")
        day, clock, fraction = iso[1], iso[2], iso[3]
    elif old := _OLD.search(line):
        day, clock, fraction = b"20" + b"-".join(old.group(1, 2, 3)), old[4].rjust(8, b"0"), old[5]
        zone = b"+00:00"
    else:
        return None
    try:
        when = datetime.fromisoformat((day + b"T" + clock + zone).decode("ascii"))
    except ValueError:
        return None
    since = when - datetime(1970, 1, 1, tzinfo=UTC)
    return (since.days * 86_400 + since.seconds) * 1_000_000 + int(
        ((fraction or b"") + b"000000")[:6]
    )


def text(raw: bytes) -> str:
    """Decode bytes as UTF-8, replacing what is invalid."""
    return raw.decode("utf-8", "replace")


def _whole(number: bytes | None) -> int:
    is_number = number is not None and number.isdigit() and len(number) <= _MAX_DIGITS
    return int(number or b"0") if is_number else 0
