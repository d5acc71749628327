"""Convert the decimals of timings to whole microseconds, exactly."""

import re
from datetime import UTC, datetime, timedelta
from decimal import ROUND_HALF_EVEN, Decimal, InvalidOperation

US_PER_S = 1_000_000
US_PER_MS = 1_000
BYTES_PER_MB = 1 << 20
MOST_DIGITS = 15
"""Digits before the decimal point; longer numbers are damage."""
_NUMBER = re.compile(r"[ ]*[+-]?([0-9]+(\.[0-9]*)?|\.[0-9]+)([eE][+-]?[0-9]+)?[ ]*", re.ASCII)
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


class Unusable(ValueError):
    """A field does not hold what it should."""


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
    if not number.is_finite() or number.adjusted() > MOST_DIGITS:
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
