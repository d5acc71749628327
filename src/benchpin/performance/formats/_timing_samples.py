"""Turn one record of each format into a sample; `Unusable` says what is wrong with a record.

Times of curl and of collector-v1 count from the start of the request, so a phase is the difference
of two. HAR counts each phase alone, and TLS as part of `connect`; hey does not separate TLS from
the connection, so `connect_us` has both.
"""

import re
from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from decimal import ROUND_HALF_EVEN, Decimal, InvalidOperation

import msgspec

from benchpin.performance.reading import redact_text, redact_url
from benchpin.performance.values import Sample

US_PER_S = 1_000_000
US_PER_MS = 1_000
BYTES_PER_MB = 1 << 20
# Digits before the decimal point; longer numbers are damage.
MAX_DIGITS = 15
_NUMBER = re.compile(r"[ ]*[+-]?([0-9]+(\.[0-9]*)?|\.[0-9]+)([eE][+-]?[0-9]+)?[ ]*", re.ASCII)
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
UNKNOWN_ROUTE = "(unknown)"
_ABSOLUTE = re.compile(r"(?:[^/?]*:)?//[^/?]*(.*)", re.DOTALL)
Record = Mapping[str, object]
# curl's names for the ends of the first phases.
_MARKS = ("namelookup", "connect", "appconnect")


class Unusable(ValueError):
    """A field does not hold what it should."""


def collector_sample(record: Record) -> Sample:
    raw = _record(record.get("raw_timings"), "raw_timings")
    status = status_of(record.get("status"))
    error = _collector_error(record.get("error"))
    ttfb = _time(record, "ttfb_ms", US_PER_MS)
    if ttfb is None:
        ttfb = _time(raw, "starttransfer_ms", US_PER_MS)
    wall = _time(record, "wall_ms", US_PER_MS)
    if wall is None:
        wall = _time(raw, "total_ms", US_PER_MS)
    dns, connect, tls = _phases(*(_time(raw, f"{it}_ms", US_PER_MS) for it in _MARKS))
    return Sample(
        route=_text(record, "route") or "",
        url=_text(record, "url"),
        method="GET",
        status=status,
        started_at_us=moment_of(record.get("started_at"), "started_at"),
        dns_us=dns,
        connect_us=connect,
        tls_us=tls,
        ttfb_us=None if ttfb == 0 and (error or status is None) else ttfb,
        wall_us=wall,
        error=error,
    )


def csv_sample(record: Record) -> Sample:
    memory = decimal_of(record.get("mem_mb"), "mem_mb")
    if memory is not None and memory < 0:
        raise Unusable(f"mem_mb is negative: {memory}")
    return Sample(
        route=_text(record, "route") or "",
        url=_text(record, "url"),
        ttfb_us=_time(record, "ttfb_ms", US_PER_MS),
        wall_us=_time(record, "wall_ms", US_PER_MS),
        cpu_us=_time(record, "cpu_ms", US_PER_MS),
        memory_bytes=None if memory is None else whole(memory, BYTES_PER_MB),
    )


def curl_sample(record: Record) -> Sample:
    code = decimal_of(record.get("exitcode"), "exitcode")
    message = _text(record, "errormsg") or "failed"
    dns, connect, tls = _phases(*(_time(record, f"time_{it}", US_PER_S) for it in _MARKS))
    if record.get("num_connects") == 0 and not code:  # a reused connection has no phases
        dns = connect = tls = None
    asked, reached = _text(record, "url"), _text(record, "url_effective")
    return Sample(
        url=asked if asked and "//" in asked else reached or asked,
        method=_text(record, "method"),
        status=status_of(record.get("response_code", record.get("http_code"))),
        dns_us=dns,
        connect_us=connect,
        tls_us=tls,
        ttfb_us=_time(record, "time_starttransfer", US_PER_S) or None,
        wall_us=_time(record, "time_total", US_PER_S),
        error=f"curl {code}: {message}" if code else None,
    )


def har_sample(record: Record) -> Sample:
    request = _record(record.get("request"), "request")
    response = _record(record.get("response"), "response")
    times = _record(record.get("timings"), "timings")
    status = status_of(response.get("status"))
    spent = {
        it: _har_time(times, it) for it in ("blocked", "dns", "connect", "ssl", "send", "wait")
    }
    tls = spent.pop("ssl")  # HAR 1.2: it is included in `connect`
    connect = spent["connect"]
    until_first_byte = sum((it for it in spent.values() if it is not None), Decimal(0))
    error = _text(response, "_error") or _text(record, "_error")
    return Sample(
        url=_text(request, "url"),
        method=_text(request, "method"),
        status=status,
        started_at_us=moment_of(record.get("startedDateTime"), "startedDateTime"),
        dns_us=_whole_ms(spent["dns"]),
        connect_us=_whole_ms(None if connect is None else connect - (tls or 0)),
        tls_us=_whole_ms(tls),
        ttfb_us=None if status is None or spent["wait"] is None else _whole_ms(until_first_byte),
        wall_us=_whole_ms(_har_time(record, "time")),
        error=error or (None if status else "no response"),
    )


def hey_sample(record: Record) -> Sample:
    """Read a row that hey wrote for `-o csv`, which does not name the URL."""
    dialup = _time(record, "DNS+dialup", US_PER_S)
    dns = _time(record, "DNS", US_PER_S)
    parts = (dialup, *(_time(record, it, US_PER_S) for it in ("Request-write", "Response-delay")))
    known = [it for it in parts if it is not None]
    return Sample(
        status=status_of(record.get("status-code")),
        dns_us=dns,
        connect_us=_difference(dialup, dns or 0, "DNS+dialup"),
        ttfb_us=sum(known) if len(known) == len(parts) else None,
        wall_us=_time(record, "response-time", US_PER_S),
    )


def redacted(sample: Sample) -> Sample:
    """Return a sample with a route and without secrets, if it has a time or an error."""
    if sample.ttfb_us is None and sample.wall_us is None and sample.error is None:
        raise Unusable("it has neither a time nor an error")
    return msgspec.structs.replace(
        sample,
        route=redact_url(sample.route) if sample.route else route_of(sample.url),
        url=redact_url(sample.url) if sample.url else None,
        error=None if sample.error is None else redact_text(sample.error),
    )


def route_of(url: str | None) -> str:
    if not url:
        return UNKNOWN_ROUTE
    redacted = redact_url(url)
    if not (parts := _ABSOLUTE.match(redacted)):
        return redacted
    return parts[1] if parts[1].startswith("/") else "/" + parts[1]


def _phases(
    dns: int | None, connected: int | None, secured: int | None
) -> tuple[int | None, int | None, int | None]:
    """Return the phases from the moments they ended; curl writes 0 for a phase that was skipped."""
    connect = _difference(connected or None, dns or 0, "connect")
    tls = None if connect is None else _difference(secured or None, connected or 0, "appconnect")
    return dns, connect, tls


def _difference(end: int | None, start: int, what: str) -> int | None:
    if end is None:
        return None
    if end < start:
        raise Unusable(f"{what} ends before the previous phase")
    return end - start


def _time(record: Record, name: str, unit: int) -> int | None:
    return time_of(record.get(name), name, unit)


def _har_time(record: Record, name: str) -> Decimal | None:
    """Return milliseconds; HAR writes -1 for a phase that was skipped."""
    number = decimal_of(record.get(name), name)
    if number is None or number == -1:
        return None
    if number < 0:
        raise Unusable(f"{name} is negative: {number}")
    return number


def _whole_ms(number: Decimal | None) -> int | None:
    return None if number is None else time_of(number, "connect", US_PER_MS)


def _text(record: Record, name: str) -> str | None:
    value = record.get(name)
    if value is None or isinstance(value, str):
        return value or None
    raise Unusable(f"{name} is no text")


def _record(value: object, what: str) -> Record:
    if value is None:
        return {}
    if isinstance(value, dict):
        return value
    raise Unusable(f"{what} is no object")


def _collector_error(value: object) -> str | None:
    if value is None or isinstance(value, str):
        return value or None
    error = _record(value, "error")
    parts = [str(error[it]) for it in ("code", "message") if error.get(it) is not None]
    return ": ".join(parts) or "failed"


def decimal_of(value: object, what: str) -> Decimal | None:
    """Return a number exactly as written; None for an empty field."""
    if value is None or value == "":
        return None
    if isinstance(value, bool) or not isinstance(value, (int, Decimal, str)):
        raise Unusable(f"{what} is no number")
    if isinstance(value, str) and not _NUMBER.fullmatch(value):
        raise Unusable(f"{what} is no number: {value[:40]!r}")
    try:
        number = Decimal(value)
    except InvalidOperation:  # such as an exponent of a million
        raise Unusable(f"{what} is out of range: {str(value)[:40]}") from None
    if not number.is_finite() or number.adjusted() > MAX_DIGITS:
        raise Unusable(f"{what} is out of range: {str(value)[:40]}")
    return number


def whole(number: Decimal, unit: int) -> int:
    """Convert to the smallest unit, rounding half to even."""
    return int((number * unit).quantize(Decimal(1), ROUND_HALF_EVEN))


def time_of(value: object, what: str, unit: int) -> int | None:
    """Return a time in microseconds; None for an empty field."""
    number = decimal_of(value, what)
    if number is None:
        return None
    if number < 0:
        raise Unusable(f"{what} is negative: {number}")
    return whole(number, unit)


def status_of(value: object) -> int | None:
    """Return an HTTP status; None for 0, which tools write when there was no response."""
    number = decimal_of(value, "status")
    if not number:
        return None
    status = int(number)
    if status != number or not 100 <= status <= 999:  # noqa: PLR2004, RFC 9110 §15: three digits
        raise Unusable(f"status is out of range: {number}")
    return status


def moment_of(value: object, what: str) -> int | None:
    """Return an ISO 8601 time in microseconds since 1970; without a zone it is UTC."""
    if value is None or value == "":
        return None
    try:
        moment = datetime.fromisoformat(value) if isinstance(value, str) else None
    except ValueError:
        moment = None
    if moment is None:
        raise Unusable(f"{what} is no ISO 8601 time: {str(value)[:40]!r}")
    aware = moment if moment.tzinfo else moment.replace(tzinfo=UTC)
    return (aware - _EPOCH) // timedelta(microseconds=1)
