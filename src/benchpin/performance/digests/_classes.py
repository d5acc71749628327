"""Rows of a table of statistics, and the class that they make."""

from collections.abc import Iterable, Sequence
from decimal import Decimal
from typing import NamedTuple

from benchpin.performance.slowlog import query_id
from benchpin.performance.values import Evidence, QueryClass

_MAX_TEXT = 4096


class StatementRow(NamedTuple):
    """What a server counted about one statement; what it does not count is None."""

    fingerprint: bytes
    example: bytes
    """Without values."""
    calls: int
    total_us: Decimal
    min_us: Decimal
    max_us: Decimal
    squares_us2: Decimal | None
    p95_us: Decimal | None
    lock_us: Decimal | None
    sent: int | None
    examined: int | None
    full_scans: int | None
    errors: int | None
    database: str | None
    user: str | None
    line: int | None


def statement_class(fingerprint: bytes, found: Sequence[StatementRow]) -> QueryClass:
    """Add up rows of one class, such as of several users; times are rounded once."""
    slowest = max(found, key=lambda it: it.max_us)
    lock = _sum([it.lock_us for it in found])
    squares = _sum([it.squares_us2 for it in found])
    p95 = found[0].p95_us if len(found) == 1 else None
    count = sum(it.calls for it in found)
    total = round(sum((it.total_us for it in found), Decimal(0)))
    least_squares = -(-total * total // count)  # rounding must not make the variance negative
    return QueryClass(
        query_id=query_id(fingerprint),
        fingerprint=_text(fingerprint),
        example=_text(slowest.example),
        count=count,
        total_time_us=total,
        min_us=round(min(it.min_us for it in found)),
        max_us=round(slowest.max_us),
        squares_us2=None if squares is None else max(round(squares), least_squares),
        p50_us=None,
        p95_us=None if p95 is None else round(p95),
        lock_time_us=None if lock is None else round(lock),
        rows_sent=_count([it.sent for it in found]),
        rows_examined=_count([it.examined for it in found]),
        full_scans=_count([it.full_scans for it in found]),
        errors=_count([it.errors for it in found]),
        first_seen_us=None,
        last_seen_us=None,
        databases=_names(it.database for it in found),
        users=_names(it.user for it in found),
        evidence=(Evidence(line=slowest.line, time_us=round(slowest.max_us)),),
    )


def whole(number: Decimal | None) -> int | None:
    """Return a count as a whole number."""
    return None if number is None else int(number)


def _sum(values: Sequence[Decimal | None]) -> Decimal | None:
    known = [it for it in values if it is not None]
    return sum(known, Decimal(0)) if len(known) == len(values) else None


def _count(values: Sequence[int | None]) -> int | None:
    known = [it for it in values if it is not None]
    return sum(known) if len(known) == len(values) else None


def _names(found: Iterable[str | None]) -> tuple[str, ...]:
    return tuple(sorted({it for it in found if it}))


def _text(sql: bytes) -> str:
    return sql.decode("utf-8", "replace")[:_MAX_TEXT]
