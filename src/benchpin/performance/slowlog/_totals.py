"""Sums over one class while a log is read; the sums of parts of a log can be merged.

The result depends only on the events, not on their order or on how the log was split.
"""

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from operator import mul
from typing import Final

import msgspec

from benchpin.performance.values import Evidence, QueryClass

from ._events import MARK, Splitter, is_preamble_line, read_body, split_head, statement, text
from ._lexing import ADMIN, COMMENT, DOUBLE, SINGLE, marked, query_id, trusted_length, unmarked

# Distinct times of a class up to which percentiles are exact; more would cost memory.
_MAX_EXACT_VALUES = 1024
# Beyond that, times are rounded to 1 part in 512.
_PRECISION_BITS = 9
# Slowest events that are kept as evidence.
_WORST = 3
# Below this count pt-query-digest takes the longest time as the 95th percentile.
_FEW = 10
# Users and databases of a class that are kept, in alphabetical order.
_MAX_NAMES = 50
# Contexts that are collected before they are reduced to those names.
_MAX_CONTEXTS = 1_000
_MAX_EXAMPLE_BYTES = 4096
# The limit of a fingerprint, as pt-query-digest prints it; the id is the hash of all of it.
_MAX_TEXT_BYTES = 5000
# Later than any moment, so that min() needs no special case.
NEVER = 1 << 62
UNKNOWN_LINE = -1
# User and database.
Context = tuple[str | None, str | None]
_STRING: Final = b"'?'"
_TOOLKIT = re.compile(rb"/\*\w+\.\w+:[0-9]/[0-9]\*/")
_TOKEN = re.compile(
    rb"(?P<bits>\b(?:[xX]'[0-9a-fA-F]*'|[bB]'[01]*')(?!'))"
    b"|(?P<string>" + SINGLE + b"|" + DOUBLE + b")"
    rb"|(?P<name>`[^`]*`|[@:]*[A-Za-z_$\x80-\xff][\w$\x80-\xff]*)"
    rb"|(?P<version>/\*!\d*)"
    b"|(?P<comment>" + COMMENT + b")"
    rb"|(?P<number>[0-9][\w$\x80-\xff]*)",
    re.DOTALL,
)
_HEX = re.compile(rb"0[xX][0-9a-fA-F]+\Z")
_BINARY = re.compile(rb"0b[01]+\Z")
_DECIMAL = re.compile(rb"[0-9]++(?:([eE])[0-9]*+)?+\Z")
_QUOTED = re.compile(rb"'[^'\n]*'|\"[^\"\n]*\"")
_ADMIN = b"# administrator command: "


# Statements and logs without their literals.
#
# The result is still SQL: a string becomes `'?'`, a number `0`, a comment is emptied. So the
# redacted copy of a log has the same classes, counts and sums as the log.


def redact_sql(sql: bytes) -> bytes:
    """Return a statement without the content of its literals and comments.

    Where literals cannot be recognised, such as after a quote without an end, all the rest is one.
    """
    length = trusted_length(sql)
    safe = unmarked(_TOKEN.sub(_redacted, marked(sql[:length])))
    if length == len(sql):
        return safe
    return safe + (b"/* */" if sql.startswith(b"/*", length) else _STRING)


def _redacted(token: re.Match[bytes]) -> bytes:
    kind = token.lastgroup
    if kind == "string":
        return _STRING
    if kind == "number":
        return _redacted_number(token[0])
    if kind == "bits":
        return token[0][:2] + (b"00'" if token[0][:1] in b"xX" else b"0'")
    if kind == "comment":
        return _redacted_comment(token[0])
    return token[0]


def _redacted_number(number: bytes) -> bytes:
    if _HEX.match(number):
        return b"0x0"
    if _BINARY.match(number):
        return b"0b0"
    decimal = _DECIMAL.match(number)
    if decimal is None:
        return number  # a name, such as 2024_orders
    exponent = decimal[1] or b""
    return b"0" + exponent + (b"0" if exponent and number[-1:].isdigit() else b"")


def _redacted_comment(comment: bytes) -> bytes:
    if comment.startswith(b"/*"):
        return b"/*a.b:0/0*/" if _TOOLKIT.match(comment) else b"/* */"
    return b"#" if comment.startswith(b"#") else b"-- "


def redact_log(chunks: Iterable[bytes]) -> Iterator[bytes]:
    """Yield a log, chunk by chunk, without the content of its literals and comments.

    Text outside of events, such as the end of a truncated one, is left out.
    """
    copy = _RedactedCopy()
    for chunk in chunks:
        copy.feed(chunk)
        yield copy.taken()
    yield copy.finish()


class _RedactedCopy(Splitter):
    """Collects the redacted events of a log."""

    def __init__(self) -> None:
        super().__init__()
        self._parts: list[bytes] = []

    def taken(self) -> bytes:
        copied = b"".join(self._parts)
        self._parts.clear()
        return copied

    def finish(self) -> bytes:
        self._read(is_last=True)
        return self.taken()

    def _take_preamble(self, preamble: bytes) -> None:
        lines = [line for line in preamble.split(b"\n") if is_preamble_line(line)]
        self._parts.append(b"\n".join(lines))

    def _take_any(self, piece: bytes, at: int, *, is_end: bool) -> None:
        _ = at, is_end
        end, _, _ = split_head(piece)
        body = read_body(piece, end)
        if body is None:
            return
        query = piece[body.query_at : end]
        is_command = query.startswith(_ADMIN) and b"\n" not in query
        self._parts += (
            MARK,
            _QUOTED.sub(b"'?'", piece[: min(body.query_at, end)]),
            query if is_command else redact_sql(query),
            piece[max(body.query_at, end) :],
        )


class ClassTotals(msgspec.Struct):
    """Sums over the events of a class."""

    fingerprint: bytes
    number: int
    """By first appearance in this part of the log."""
    count: int = 0
    total: int = 0
    squares: int = 0
    low: int = NEVER
    high: int = -1
    lock: int = 0
    sent: int = 0
    examined: int = 0
    scans: int | None = None
    errors: int | None = None
    first: int = NEVER
    last: int = -1
    is_coarse: bool = False
    times: dict[int, int] = {}
    contexts: set[Context] = set()
    worst: list[tuple[int, int, int]] = []
    """Time, byte and line of the slowest events, slowest first, the earlier one first."""
    floor: int = -1
    """An event must be slower than this to be one of them."""
    example: bytes = b""
    pending: list[int] = []
    """Times since the last call of `settle`: sums over a list are faster than one by one."""

    def settle(self) -> None:
        pending = self.pending
        if not pending:
            return
        self.count += len(pending)
        self.total += sum(pending)
        self.squares += sum(map(mul, pending, pending))
        pending.sort()
        self.low = min(self.low, pending[0])
        self.high = max(self.high, pending[-1])
        _count_times(self, Counter(pending))
        pending.clear()
        if len(self.contexts) > _MAX_CONTEXTS:
            self._forget_contexts()

    def note_worst(
        self,
        time_us: int,
        byte: int,
        query: bytes,
        line: int = UNKNOWN_LINE,
        redact: Callable[[bytes], bytes] = redact_sql,
    ) -> None:
        """Keep an event that is slower than one of the kept ones."""
        if not self.worst or time_us > self.worst[0][0]:
            self.example = redact(statement(query))[:_MAX_EXAMPLE_BYTES]
        self.worst.append((time_us, byte, line))
        self.worst.sort(key=_worst_first)
        del self.worst[_WORST:]
        if len(self.worst) == _WORST:
            self.floor = self.worst[-1][0]

    def add(self, other: "ClassTotals", lines_before: int) -> None:
        """Add the sums of the same class in a later part of the log."""
        for name in ("count", "total", "squares", "lock", "sent", "examined"):
            setattr(self, name, getattr(self, name) + getattr(other, name))
        self.low = min(self.low, other.low)
        self.high = max(self.high, other.high)
        self.scans = _sum_known(self.scans, other.scans)
        self.errors = _sum_known(self.errors, other.errors)
        self.first = min(self.first, other.first)
        self.last = max(self.last, other.last)
        if other.is_coarse and not self.is_coarse:
            exact, self.times, self.is_coarse = self.times, {}, True
            _count_times(self, exact)
        _count_times(self, other.times)
        self.contexts |= other.contexts
        if not self.worst or (other.worst and other.worst[0][0] > self.worst[0][0]):
            self.example = other.example
        shifted = [(time, byte, line + lines_before) for time, byte, line in other.worst]
        self.worst = sorted(self.worst + shifted, key=_worst_first)[:_WORST]

    def result(self, *, has_costs: bool = True) -> QueryClass:
        """Return the published class; without costs, locks and rows are unknown."""
        users, databases = self._names()
        is_query = not self.fingerprint.startswith(ADMIN)
        return QueryClass(
            query_id=query_id(self.fingerprint),
            fingerprint=text(self.fingerprint[:_MAX_TEXT_BYTES]),
            example=text(self.example),
            count=self.count,
            total_time_us=self.total,
            min_us=self.low,
            max_us=self.high,
            p50_us=self.median(),
            p95_us=self.p95(),
            squares_us2=self.squares,
            lock_time_us=self.lock if has_costs else None,
            rows_sent=None if not has_costs else self.sent if is_query else 0,
            rows_examined=None if not has_costs else self.examined if is_query else 0,
            full_scans=self.scans,
            errors=self.errors,
            first_seen_us=self.first if self.last >= 0 else None,
            last_seen_us=self.last if self.last >= 0 else None,
            databases=tuple(databases[:_MAX_NAMES]),
            users=tuple(users[:_MAX_NAMES]),
            evidence=tuple(
                Evidence(line=line, byte=byte, time_us=time) for time, byte, line in self.worst
            ),
        )

    def _names(self) -> tuple[list[str], list[str]]:
        users = sorted({user for user, _ in self.contexts if user})
        databases = sorted({database for _, database in self.contexts if database})
        return users, databases

    def _forget_contexts(self) -> None:
        """Keep the names that will be published, and one more for an inherited database."""
        users, databases = self._names()
        self.contexts = {(user, None) for user in users[:_MAX_NAMES]}
        self.contexts |= {(None, database) for database in databases[: _MAX_NAMES + 1]}

    def median(self) -> int:
        """Return the middle time; of an even number of events, the mean of the two."""
        middle = (self.count + 1) // 2
        return (self._ranked(middle) + self._ranked(self.count - middle + 1)) // 2

    def p95(self) -> int:
        """Return the 95th percentile, by pt-query-digest's rank."""
        return self._ranked(self.count * 95 // 100 if self.count >= _FEW else self.count)

    def _ranked(self, rank: int) -> int:
        seen = 0
        for time_us in sorted(self.times):
            seen += self.times[time_us]
            if seen >= rank:
                return min(max(time_us, self.low), self.high)
        return self.high


def _count_times(totals: ClassTotals, times: dict[int, int]) -> None:
    counts = totals.times
    if totals.is_coarse:
        for time_us, count in times.items():
            key = _rounded(time_us)
            counts[key] = counts.get(key, 0) + count
        return
    for time_us, count in times.items():
        counts[time_us] = counts.get(time_us, 0) + count
    if len(counts) > _MAX_EXACT_VALUES:
        totals.is_coarse, totals.times = True, {}
        _count_times(totals, counts)


def _rounded(time_us: int) -> int:
    """Return the middle of the bucket of a time; a middle is its own."""
    shift = time_us.bit_length() - _PRECISION_BITS
    if shift <= 0:
        return time_us
    return (time_us >> shift << shift) + (1 << shift >> 1)


def _sum_known(one: int | None, other: int | None) -> int | None:
    return other if one is None else one + (other or 0)


def _worst_first(event: tuple[int, int, int]) -> tuple[int, int]:
    return -event[0], event[1]
