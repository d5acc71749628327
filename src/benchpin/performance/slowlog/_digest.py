"""Digest the bytes of a log, or of a part of it, into sums over classes and connections."""

from collections.abc import Callable
from typing import Final

import msgspec

from ._connections import GAP, Connections
from ._events import (
    END,
    ERRNO,
    FAST,
    MARK,
    NO_HEAD,
    Body,
    Head,
    Splitter,
    is_head,
    moment,
    read_body,
    read_head,
    scans_all,
    split_head,
    statement,
    text,
)
from ._lexing import cut_skeleton, generalise, skeleton, special_class
from ._totals import UNKNOWN_LINE, ClassTotals

# Beyond that, new classes are counted together, to bound memory.
MAX_CLASSES: Final = 20_000
# Distinct header texts and timestamps in the caches, which are cleared when they are full.
_MAX_HEADS = 10_000
_SECOND = 1_000_000
_ISO_LENGTH = len(b"Time: 2026-11-15T06:45:32.957412Z")
# The name of a database that an earlier part of the log set.
INHERITED = "\0"
OTHER: Final = b"(other)"
_MAX_CACHED_ENTRIES = 10_000
# Longer statements rarely repeat, and would fill the memory.
_MAX_CACHED_BYTES = 1_000


class Part(msgspec.Struct):
    """The digest of one part of a log."""

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
    """Whether only an earlier part has the time of an event."""


class Digest(Splitter):
    """Digests a log chunk by chunk."""

    def __init__(self, start: int = 0, *, most_classes: int, is_first: bool = True) -> None:
        super().__init__(start)
        self._classes = Classes(most_classes)
        self._connections = Connections(is_first)
        self._head = NO_HEAD
        self._time = b""
        self._heads: dict[bytes, Head] = {}
        self._stamps: dict[bytes, int] = {}
        self._database: str | None = None if is_first else INHERITED
        self._when: int | None = None
        self._is_timeless = False
        self._events = 0
        self._settle_at = GAP
        self._unplaced: dict[int, ClassTotals] = {}
        self._server: str | None = None

    def finish(self) -> Part:
        self._read(is_last=True)
        if self._head != NO_HEAD or self._time:
            self._fault(self._head_at, "a header without a statement: the log was cut")
            self._is_clean = False
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

    def _before_dropped(self) -> None:
        """Find the lines of the slowest events, while the buffer still has them."""
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
        if self._events >= self._settle_at:
            self._settle_at = self._events + GAP
            self._classes.settle()
            self._connections.sweep(self._events)

    def _take_plain(self, pieces: list[bytes], number: int, whole: int, at: int) -> tuple[int, int]:
        # Runs for every event: one regular expression matches the whole header, and classes and
        # heads come from caches keyed by raw bytes.
        match, find, heads, account = FAST.match, self._classes.find, self._heads, self._account
        skip, shift = len(MARK), self._base + len(MARK) + 2
        for place in range(number, whole):
            piece = pieces[place]
            found = match(piece)
            if found is None:
                return place, at
            start, cut = found.end(), piece.rfind(END)
            query = piece[start:cut]
            totals = find(query) if cut >= start else None
            if totals is None:
                return place, at
            time, key = b"", piece[cut + 4 :]
            if key.startswith(b"Time: "):
                time, _, key = key.partition(b"\n# ")
            head = heads.get(key) or self._cache_head(key)
            if head is None:
                return place, at
            seconds, rest_us, lock_s, lock_us, sent, examined, more, notes, use, stamp = (
                found.groups()
            )
            if use:
                self._database = text(use.strip(b"`"))
            account(
                totals,
                int(seconds + rest_us),
                int(lock_s + lock_us),
                int(sent),
                int(examined),
                more + notes,
                stamp,
                query,
            )
            self._head, self._time, self._head_at = head, time, shift + at + cut
            at += skip + len(piece)
        return whole, at

    def _account(
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
            _add_notes(totals, notes)
        if head.errno is not None:
            totals.errors = (totals.errors or 0) + (head.errno != 0)
        schema = head.schema
        totals.contexts.add((head.user, self._database if schema is None else schema))
        when = self._moment(stamp)
        if when > totals.last:  # noqa: PLR1730 - max() is a call, made for each event
            totals.last = when
        if when < totals.first and when >= 0:
            totals.first = when
        index = self._events
        self._events = index + 1
        if head.thread is not None:
            self._connections.add(head.thread, head.user, index, when, (totals.number, time_us))
        if time_us > totals.floor:
            totals.note_worst(time_us, self._head_at, query)
            self._unplaced[totals.number] = totals

    def _moment(self, stamp: bytes | None) -> int:
        """Return the time of the event, from `# Time:` or from `SET timestamp`."""
        line = self._time
        if len(line) == _ISO_LENGTH and line.endswith(b"Z") and line[26:32].isdigit():
            second = self._stamps.get(line[6:25])
            if second is None:
                second = self._cache_stamp(line[6:25], moment(line[:25]))
            return second + int(line[26:32]) if second >= 0 else -1
        if stamp is not None and b"-" not in line:
            second = self._stamps.get(stamp)
            return self._cache_stamp(stamp, int(stamp) * _SECOND) if second is None else second
        if line:
            self._when = self._cache_stamp(line, moment(line))
        elif self._when is None:
            self._is_timeless = not self._connections.is_first
        return -1 if self._when is None else self._when

    def _cache_stamp(self, key: bytes, when: int | None) -> int:
        if len(self._stamps) >= _MAX_HEADS:
            self._stamps.clear()
        self._stamps[key] = -1 if when is None else when
        return self._stamps[key]

    def _cache_head(self, key: bytes) -> Head | None:
        if not is_head(key):
            return None
        if len(self._heads) >= _MAX_HEADS:
            self._heads.clear()
        self._heads[key] = read_head(key)
        return self._heads[key]

    def _take_preamble(self, preamble: bytes) -> None:
        """Read banners, the end of a truncated event if there is one, and the first head."""
        end, head_at, version = split_head(preamble)
        self._server = text(version) if version else None
        if preamble[:end].strip():
            self._fault(self._base + 1, "text outside of any event")
        self._take_head(preamble[head_at:], self._base + 1 + head_at)

    def _take_any(self, piece: bytes, at: int, *, is_end: bool) -> None:
        event_at = self._head_at
        end, head_at, version = split_head(piece)
        body = read_body(piece, end)
        if body is None:
            self._fault(event_at, "an event without a time")
        else:
            self._account_body(body, piece[body.query_at : end], is_end=is_end)
        if version:
            self._server = text(version)
        self._take_head(piece[head_at:], self._base + at + len(MARK) + head_at)
        if is_end and piece[end : end + 1] != b";":
            self._fault(event_at, "the last event has no end: the log was cut")
            self._is_clean = False

    def _account_body(self, body: Body, query: bytes, *, is_end: bool) -> None:
        totals = self._classes.find(query)
        if totals is None:
            totals = self._classes.find_cut(query)
            self._is_clean = self._is_clean and not is_end
        if body.time_us is None:
            self._fault(self._head_at, "an impossible time, counted as 0")
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

    def _take_head(self, head: bytes, at: int) -> None:
        raw = head.strip()
        self._time = raw[2:].partition(b"\n")[0] if raw.startswith(b"# Time:") else b""
        self._head = read_head(raw) if raw else NO_HEAD
        self._head_at = at + len(head) - len(head.lstrip())


def _add_notes(totals: ClassTotals, notes: bytes) -> None:
    if b"Full_scan" in notes:
        totals.scans = (totals.scans or 0) + (b"Full_scan: Yes" in notes)
    elif b"explain:" in notes:
        totals.scans = (totals.scans or 0) + scans_all(notes)
    if b"rrno:" in notes and (errno := ERRNO.search(notes)):
        totals.errors = (totals.errors or 0) + (errno[1] != b"0")


# Find the class of a statement, with a cache: real logs repeat the same statements.


class Classes:
    """The classes of a log, found by statement."""

    def __init__(self, most: int = MAX_CLASSES) -> None:
        self._most = most
        self._found: dict[bytes, ClassTotals] = {}
        self._by_text: dict[bytes, ClassTotals] = {}
        self._by_skeleton: dict[bytes, ClassTotals] = {}
        self.is_overfull = False

    def find(self, raw: bytes) -> ClassTotals | None:
        """Return the class of a statement; None if one of its literals has no end."""
        found = self._by_text.get(raw)
        if found is not None:
            return found
        sql = statement(raw)
        bare = None if b"/*" in sql else skeleton(sql)
        found = None if bare is None else self._by_skeleton.get(bare)
        if found is None:
            found = self._classify(sql, bare)
        return found and self._cached(self._by_text, raw, found)

    def _classify(self, sql: bytes, bare: bytes | None) -> ClassTotals | None:
        special = special_class(sql)
        if special is not None:
            return self._of(special)
        bare = skeleton(sql) if bare is None else bare
        if bare is None:
            return None
        return self._cached(self._by_skeleton, bare, self._of(generalise(sql, bare)))

    def find_cut(self, raw: bytes) -> ClassTotals:
        sql = statement(raw)
        special = special_class(sql)
        return self._of(generalise(sql, cut_skeleton(sql)) if special is None else special)

    def settle(self) -> None:
        for totals in self._found.values():
            totals.settle()

    def settled(self) -> list[ClassTotals]:
        """Return all classes, by first appearance, with nothing pending."""
        self.settle()
        return list(self._found.values())

    def find_by(self, sql: bytes, fingerprint_of: Callable[[bytes], bytes]) -> ClassTotals:
        """Return the class of a statement of another dialect."""
        found = self._by_text.get(sql)
        return found or self._cached(self._by_text, sql, self._of(fingerprint_of(sql)))

    def _of(self, fingerprint: bytes) -> ClassTotals:
        found = self._found.get(fingerprint)
        if found is not None:
            return found
        if len(self._found) >= self._most and fingerprint != OTHER:
            self.is_overfull = True
            return self._of(OTHER)
        found = ClassTotals(fingerprint, len(self._found))
        self._found[fingerprint] = found
        return found

    def _cached(
        self, cache: dict[bytes, ClassTotals], key: bytes, totals: ClassTotals
    ) -> ClassTotals:
        if len(key) <= _MAX_CACHED_BYTES:
            if len(cache) >= _MAX_CACHED_ENTRIES:
                cache.clear()
            cache[key] = totals
        return totals
