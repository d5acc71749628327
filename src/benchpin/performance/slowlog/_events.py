"""Read the header of an event in every form since MySQL 4.1.

An event is a few lines that begin with `#`, optionally `use …;` and `SET timestamp=…;`, and the
statement. `# Query_time:` is the only line that all forms have, so logs are split there.
"""

import re
from abc import ABC, abstractmethod
from datetime import UTC, datetime
from typing import Final, NamedTuple

from ._lexing import opener_of, skeleton

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
# Listed in words; the rest are counted.
MAX_FAULTS: Final = 20
_MAX_OPEN_BYTES = 4 << 20
# How far to look for the end of a literal that seems to contain other events.
_MAX_OPEN_PIECES = 256
# What mysqldump writes is shorter. A longer statement would keep the interpreter from other
# threads, because one regular expression reads all of it.
_MAX_EVENT_BYTES = 1 << 20
# The part of a longer event that is kept; it is enough for its class.
_KEPT_OF_LONG_EVENT = 1 << 18


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
    while end:
        at = piece.rfind(b"\n", 0, end) + 1
        if not (at or piece[:1] == b"#") or not _HEAD_LINE.match(piece[at:end]):
            break
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


# Split the bytes of a log into events, whatever their literals contain, in bounded memory.


class Splitter(ABC):
    """Collects chunks, and splits them into pieces, each of which begins after a mark."""

    def __init__(self, start: int = 0) -> None:
        self._buffer = b"\n"
        self._base = start - 1
        """Position of the buffer in the log; the buffer begins with an extra newline."""
        self._line = 0
        """Lines that end before the buffer."""
        self._is_begun = False
        self._head_at = start
        """Position of the event whose mark comes next."""
        self._head_line = 1
        self._shortened_at = -1
        self._is_clean = True
        """Whether the end is certain, whatever may follow."""
        self._faults: list[tuple[int, int, str]] = []
        self._fault_count = 0

    def feed(self, chunk: bytes) -> None:
        """Add a chunk; an event that may be incomplete is kept for the next one."""
        self._buffer += chunk
        self._shorten()
        self._read(is_last=False)

    @abstractmethod
    def _take_preamble(self, preamble: bytes) -> None:
        """Read what comes before the first mark."""

    @abstractmethod
    def _take_any(self, piece: bytes, at: int, *, is_end: bool) -> None:
        """Read one event of any form, given the position of its mark in the buffer."""

    def _take_plain(self, pieces: list[bytes], number: int, whole: int, at: int) -> tuple[int, int]:
        """Read events as long as they have the usual form.

        Return the first piece that has not, and its position in the buffer.
        """
        _ = pieces, whole
        return number, at

    def _before_dropped(self) -> None:  # noqa: B027 - only some need it
        """Use the buffer before its read part is dropped."""

    def _read(self, *, is_last: bool) -> None:
        pieces = self._buffer.split(MARK)
        if not self._is_begun and (len(pieces) > 1 or is_last):
            self._is_begun = True
            self._take_preamble(pieces[0][1:])
            self._drop(len(pieces[0]))
            pieces[0] = b""
        whole = len(pieces) if is_last else len(pieces) - 1
        if whole <= 1:
            return
        consumed = self._read_pieces(pieces, whole, is_last=is_last)
        self._before_dropped()
        self._drop(consumed)

    def _drop(self, consumed: int) -> None:
        self._head_line = self._line_of(self._head_at)
        self._line += self._buffer.count(b"\n", 0, consumed)
        self._base += consumed
        self._buffer = self._buffer[consumed:]

    def _read_pieces(self, pieces: list[bytes], whole: int, *, is_last: bool) -> int:
        """Read events, and return how many bytes of the buffer they take."""
        number, at = 1, len(pieces[0])
        while number < whole:
            number, at = self._take_plain(pieces, number, whole, at)
            if number == whole:
                break
            taken = self._extent(pieces, number, is_last=is_last)
            if not taken:
                break
            piece = MARK.join(pieces[number : number + taken])
            number += taken
            self._take_any(piece, at, is_end=is_last and number == len(pieces))
            at += len(MARK) + len(piece)
        return at

    def _extent(self, pieces: list[bytes], number: int, *, is_last: bool) -> int:
        """Return how many pieces an event takes: more than one if its literals contain marks.

        A literal without an end would swallow the rest of the log. That is assumed if there is
        no end nearby, or one followed by what never follows a literal. Return 0 if more of the
        log is needed to decide.
        """
        piece = pieces[number]
        end, _, _ = split_head(piece)
        body = read_body(piece, end)
        if body is None or skeleton(piece[body.query_at : end]) is not None:
            return 1
        try:
            opener = opener_of(piece[body.query_at :])
            size, taken = len(piece), 1
            while opener and number + taken < len(pieces):
                more = pieces[number + taken]
                opener = opener_of(MARK + more, opener)
                size, taken = size + len(more), taken + 1
                if size > _MAX_OPEN_BYTES or taken > _MAX_OPEN_PIECES:
                    return 1
        except ValueError:
            return 1
        if number + taken == len(pieces) and not is_last:
            return 0
        self._is_clean = self._is_clean and not opener
        return 1 if opener else taken

    def _shorten(self) -> None:
        """Drop the middle of an event that is too long."""
        last = self._buffer.rfind(MARK)
        if len(self._buffer) - last <= _MAX_EVENT_BYTES:
            return
        keep_to, keep_from = max(last, 0) + _KEPT_OF_LONG_EVENT, len(self._buffer) - len(MARK)
        if self._shortened_at != self._head_at:
            self._shortened_at = self._head_at
            self._fault(self._head_at, "an event longer than 1 MiB was shortened")
        self._line += self._buffer.count(b"\n", keep_to, keep_from)
        self._base += keep_from - keep_to
        self._buffer = self._buffer[:keep_to] + self._buffer[keep_from:]

    def _line_of(self, byte: int) -> int:
        if byte < self._base:
            return self._head_line
        return self._line + self._buffer.count(b"\n", 0, byte - self._base)

    def _fault(self, byte: int, problem: str) -> None:
        self._fault_count += 1
        if len(self._faults) < MAX_FAULTS:
            self._faults.append((self._line_of(byte), byte, problem))
