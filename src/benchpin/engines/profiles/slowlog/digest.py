"""From the bytes of a log, or of a part of it, to sums over classes and connections."""

import msgspec

from .classes import Classes
from .connections import GAP, Connections
from .events import (
    END,
    ERRNO,
    FAST,
    MARK,
    NO_HEAD,
    Body,
    Head,
    is_head,
    moment,
    read_body,
    read_head,
    scans_all,
    split_head,
    text,
)
from .lexing import opener_of
from .totals import UNKNOWN_LINE, ClassTotals

_MOST_OPEN_BYTES = 4 << 20
"""How far the end of a literal is sought that seems to hold other events."""
_MOST_EVENT_BYTES = 16 << 20
_KEPT_OF_LONG_EVENT = 1 << 20
_MOST_HEADS = 10_000
MOST_FAULTS = 20
_SECOND = 1_000_000
_ISO_LENGTH = len(b"Time: 2026-11-15T06:45:32.957412Z")
INHERITED = "\0"
"""In place of a database that an earlier part of the log names."""


class Part(msgspec.Struct):
    """What was found in one part of a log."""

    classes: list[ClassTotals]
    connections: Connections
    events: int
    lines: int
    database: str | None
    server: str | None
    faults: list[tuple[int, int, str]]
    """Line, byte and problem."""
    fault_count: int
    is_clean: bool
    """Whether it ends where an event ends."""
    is_overfull: bool
    """Whether there were more classes than are kept."""
    is_timeless: bool
    """Whether the time of an event is told by an earlier part only."""


class Digest:
    """Reads a log chunk by chunk."""

    def __init__(self, start: int = 0, *, most_classes: int, is_first: bool = True) -> None:
        self._classes = Classes(most_classes)
        self._connections = Connections(is_first)
        self._buffer = b"\n"
        self._base = start - 1
        """Place of the buffer in the log; a newline was put before the first line."""
        self._line = 0
        """Line that the buffer begins in."""
        self._is_begun = False
        self._head = NO_HEAD
        self._time = b""
        self._head_at = start
        self._head_line = 1
        self._heads: dict[bytes, Head] = {}
        self._stamps: dict[bytes, int] = {}
        self._database: str | None = None if is_first else INHERITED
        self._when: int | None = None
        self._is_timeless = False
        self._events = 0
        self._settle_at = GAP
        self._unplaced: dict[int, ClassTotals] = {}
        self._server: str | None = None
        self._faults: list[tuple[int, int, str]] = []
        self._fault_count = 0
        self._is_clean = True

    @property
    def events(self) -> int:
        """How many were read so far."""
        return self._events

    def feed(self, chunk: bytes) -> None:
        """Read on; what may not be whole yet is kept for the next time."""
        self._buffer += chunk
        self._shorten()
        self._read(is_last=False)

    def finish(self) -> Part:
        """Read what is left, and return what was found."""
        self._read(is_last=True)
        self._connections.pause(self._events)
        classes = self._classes.settled()
        return Part(
            classes=classes,
            connections=self._connections,
            events=self._events,
            lines=self._line + self._buffer.count(b"\n") - 1,
            database=self._database,
            server=self._server,
            faults=self._faults,
            fault_count=self._fault_count,
            is_clean=self._is_clean,
            is_overfull=self._classes.is_overfull,
            is_timeless=self._is_timeless,
        )

    def _read(self, *, is_last: bool) -> None:
        pieces = self._buffer.split(MARK)
        if not self._is_begun and (len(pieces) > 1 or is_last):
            self._begin(pieces[0])
        whole = len(pieces) if is_last else len(pieces) - 1
        if whole > 1:
            consumed = self._read_pieces(pieces, whole, is_last=is_last)
            self._place_worst()
            self._head_line = self._line_of(self._head_at)
            self._line += self._buffer.count(b"\n", 0, consumed)
            self._base += consumed
            self._buffer = self._buffer[consumed:]
        if self._events >= self._settle_at:
            self._settle_at = self._events + GAP
            self._classes.settle()
            self._connections.sweep(self._events)

    def _place_worst(self) -> None:
        """Find the lines of the slowest events, once no slower ones can come from this buffer."""
        unplaced = self._unplaced.values()
        lines = {byte: 0 for it in unplaced for _, byte, line in it.worst if line == UNKNOWN_LINE}
        at, here = 0, self._line
        for byte in sorted(lines):
            if byte < self._base:
                lines[byte] = self._head_line
                continue
            here += self._buffer.count(b"\n", at, byte - self._base)
            at = byte - self._base
            lines[byte] = here
        for totals in unplaced:
            totals.worst = [
                (time_us, byte, lines.get(byte, line)) for time_us, byte, line in totals.worst
            ]
        self._unplaced.clear()

    def _line_of(self, byte: int) -> int:
        if byte < self._base:
            return self._head_line
        return self._line + self._buffer.count(b"\n", 0, byte - self._base)

    def _begin(self, preamble: bytes) -> None:
        """Read what stands before the first event: banners, perhaps the end of a cut event."""
        self._is_begun = True
        end, head_at, version = split_head(preamble[1:])
        self._server = text(version) if version else None
        self._take_head(preamble[head_at + 1 :], self._base + 1 + head_at)
        if preamble[1:][:end].strip():
            self._fault(self._base + 1, "text that belongs to no event")

    def _read_pieces(self, pieces: list[bytes], whole: int, *, is_last: bool) -> int:
        """Read events, and return how much of the buffer they take."""
        number, at = 1, len(pieces[0])
        while number < whole:
            number, at = self._read_plain(pieces, number, whole, at)
            if number == whole:
                break
            taken = self._read_any(pieces, number, at, is_last=is_last)
            if not taken:
                break
            at += sum(len(MARK) + len(piece) for piece in pieces[number : number + taken])
            number += taken
        return at

    def _read_plain(
        self, pieces: list[bytes], number: int, whole: int, at: int
    ) -> tuple[int, int]:
        """Read events for as long as they look as today's servers write them.

        Returns the first piece that does not, and its place in the buffer.
        """
        match, find, heads, account = FAST.match, self._classes.find, self._heads, self._account
        for place in range(number, whole):
            piece = pieces[place]
            found = match(piece)
            cut = piece.rfind(END)
            if found is None or cut < found.end():
                return place, at
            query = piece[found.end() : cut]
            totals = find(query)
            if totals is None:
                return place, at
            time, key = b"", piece[cut + 4 :]
            if key.startswith(b"Time: "):
                time, _, key = key.partition(b"\n# ")
            head = heads.get(key) or self._learn_head(key)
            if head is None:
                return place, at
            whole_s, part_us, lock_s, lock_us, sent, examined, rest, notes, use, stamp = (
                found.groups()
            )
            if use:
                self._database = text(use.strip(b"`"))
            account(
                totals,
                int(whole_s + part_us),
                int(lock_s + lock_us),
                int(sent),
                int(examined),
                rest + notes,
                stamp,
                query,
            )
            self._head, self._time = head, time
            self._head_at = self._base + at + len(MARK) + cut + 2
            at += len(MARK) + len(piece)
        return whole, at

    def _account(  # noqa: PLR0913 - one call for each event: a value to carry them costs too much
        self,
        totals: ClassTotals,
        time_us: int,
        lock_us: int,
        sent: int,
        examined: int,
        notes: bytes,
        stamp: bytes | None,
        query: bytes,
    ) -> None:
        """Add one event to its class and its connection."""
        head = self._head
        totals.pending.append(time_us)
        totals.lock += lock_us
        totals.sent += sent
        totals.examined += examined
        if notes:
            _take_notes(totals, notes)
        if head.errno is not None:
            totals.errors = (totals.errors or 0) + (head.errno != 0)
        schema = head.schema
        totals.contexts.add((head.user, self._database if schema is None else schema))
        when = self._moment(stamp)
        if when > totals.last:
            totals.last = when
        if when < totals.first and when >= 0:
            totals.first = when
        index = self._events
        self._events = index + 1
        if head.thread is not None:
            self._connect(head.thread, totals.number, time_us, when, index)
        if time_us > totals.floor:
            totals.note_worst(time_us, self._head_at, query)
            self._unplaced[totals.number] = totals

    def _connect(self, thread: int, number: int, time_us: int, when: int, index: int) -> None:
        episode = self._connections.live.get(thread)
        if episode is None or index - episode.seen_at > GAP:
            episode = self._connections.begin(thread, self._head.user, index, when)
        episode.seen_at = index
        episode.log += (number, time_us)
        if when > episode.last:
            episode.last = when

    def _moment(self, stamp: bytes | None) -> int:
        """Return when the event was logged: `# Time:` to the microsecond, or `SET timestamp`."""
        line = self._time
        if len(line) == _ISO_LENGTH and line.endswith(b"Z"):
            second = self._stamps.get(line[6:25])
            if second is None:
                second = self._learn_stamp(line[6:25], moment(line[:25]))
            return second + int(line[26:32]) if second >= 0 else -1
        if stamp is not None and b"-" not in line:
            second = self._stamps.get(stamp)
            return self._learn_stamp(stamp, int(stamp) * _SECOND) if second is None else second
        if line:
            self._when = self._learn_stamp(line, moment(line))
        elif self._when is None:
            self._is_timeless = not self._connections.is_first
        return -1 if self._when is None else self._when

    def _learn_stamp(self, key: bytes, when: int | None) -> int:
        if len(self._stamps) >= _MOST_HEADS:
            self._stamps.clear()
        self._stamps[key] = -1 if when is None else when
        return self._stamps[key]

    def _learn_head(self, key: bytes) -> Head | None:
        if not is_head(key):
            return None
        if len(self._heads) >= _MOST_HEADS:
            self._heads.clear()
        self._heads[key] = read_head(key)
        return self._heads[key]

    def _read_any(self, pieces: list[bytes], number: int, at: int, *, is_last: bool) -> int:
        """Read one event of any form, and return how many pieces it takes; 0 to wait for more."""
        taken = self._extent(pieces, number, is_last=is_last)
        if not taken:
            return 0
        piece = MARK.join(pieces[number : number + taken])
        end, head_at, version = split_head(piece)
        body = read_body(piece, end)
        is_end = is_last and number + taken == len(pieces)
        if body is None:
            self._fault(self._head_at, "an event without a time")
        else:
            self._account_body(body, piece[body.query_at : end], is_end=is_end)
        if version:
            self._server = text(version)
        content_at = at + len(MARK)
        self._take_head(piece[head_at:], self._base + content_at + head_at)
        if is_end:
            self._check_end(piece, end, head_at)
        return taken

    def _account_body(self, body: Body, query: bytes, *, is_end: bool) -> None:
        totals = self._classes.find(query)
        if totals is None:
            totals = self._classes.find_cut(query)
            self._is_clean = self._is_clean and not is_end
        if body.time_us is None:
            self._fault(self._head_at, "a time that can not be, counted as 0")
        if body.database is not None:
            self._database = text(body.database)
        if self._head.thread is None and (thread := read_head(body.notes).thread) is not None:
            self._head = self._head._replace(thread=thread)
        self._account(
            totals,
            body.time_us or 0,
            body.lock_us,
            body.rows_sent,
            body.rows_examined,
            body.notes,
            body.stamp,
            query,
        )

    def _extent(self, pieces: list[bytes], number: int, *, is_last: bool) -> int:
        """Return how many pieces an event takes: more than one if marks stand in its literals.

        A literal that has no end would swallow the rest of the log. It is believed to have none
        if no end is found nearby, or one that is followed by what never follows a literal.
        """
        piece = pieces[number]
        end, _, _ = split_head(piece)
        body = read_body(piece, end)
        query_at = body.query_at if body else 0
        if body is None or self._classes.find(piece[query_at:end]) is not None:
            return 1
        try:
            opener = opener_of(piece[query_at:])
            size, taken = len(piece), 1
            while opener and number + taken < len(pieces):
                more = pieces[number + taken]
                opener = opener_of(MARK + more, opener)
                size, taken = size + len(more), taken + 1
                if size > _MOST_OPEN_BYTES:
                    return 1
        except ValueError:
            return 1
        if number + taken == len(pieces) and not is_last:
            return 0
        if opener:
            self._is_clean = False
            return 1
        return taken

    def _take_head(self, head: bytes, at: int) -> None:
        """Remember what was said before the mark for the event that begins there."""
        raw = head.strip()
        self._time = raw[2:].partition(b"\n")[0] if raw.startswith(b"# Time:") else b""
        self._head = read_head(raw) if raw else NO_HEAD
        self._head_at = at + len(head) - len(head.lstrip())

    def _check_end(self, piece: bytes, end: int, head_at: int) -> None:
        if piece[end : end + 1] != b";":
            self._fault(self._head_at, "the last event has no end: the log was cut")
            self._is_clean = False
        if piece[head_at:].strip():
            self._fault(self._head_at, "a header without a statement: the log was cut")
            self._is_clean = False

    def _shorten(self) -> None:
        """Drop the middle of an event that is too long to be kept."""
        last = self._buffer.rfind(MARK)
        if len(self._buffer) - last <= _MOST_EVENT_BYTES:
            return
        keep_to, keep_from = last + _KEPT_OF_LONG_EVENT, len(self._buffer) - len(MARK)
        self._fault(self._base + last + 1, "an event longer than 16 MiB was shortened")
        self._line += self._buffer.count(b"\n", keep_to, keep_from)
        self._base += keep_from - keep_to
        self._buffer = self._buffer[:keep_to] + self._buffer[keep_from:]

    def _fault(self, byte: int, problem: str) -> None:
        self._fault_count += 1
        if len(self._faults) < MOST_FAULTS:
            self._faults.append((self._line_of(byte), byte, problem))


def _take_notes(totals: ClassTotals, notes: bytes) -> None:
    if b"Full_scan" in notes:
        totals.scans = (totals.scans or 0) + (b"Full_scan: Yes" in notes)
    elif b"explain:" in notes:
        totals.scans = (totals.scans or 0) + scans_all(notes)
    if b"rrno:" in notes and (errno := ERRNO.search(notes)):
        totals.errors = (totals.errors or 0) + (errno[1] != b"0")
