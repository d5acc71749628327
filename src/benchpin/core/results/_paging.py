"""Pages of lists, and opaque cursors."""

import base64
import binascii
import hashlib
import json
import sys
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Generic, TypeVar

from benchpin.core.errors import InvalidCursor

T = TypeVar("T")

Position = int | str
_FINGERPRINT = 8


@dataclass(frozen=True, slots=True)
class Page(Generic[T]):
    """Some items of a list, the number of all items, and the cursor of the next page."""

    items: Sequence[T]
    total: int
    next_cursor: str | None
    start: int = 0
    """The number of items on the pages before."""


@dataclass(frozen=True, slots=True)
class StreamPage(Generic[T]):
    """Some items of an iterator, and the cursor of the next page."""

    items: Sequence[T]
    total: int | None
    """None when the items were not all counted."""
    next_cursor: str | None


def encode_cursor(listing: str, position: Position) -> str:
    """Return the cursor of a position in a list."""
    payload = json.dumps([_fingerprint(listing), position], separators=(",", ":"))
    return base64.urlsafe_b64encode(payload.encode()).decode().rstrip("=")


def decode_cursor(listing: str, cursor: str) -> Position:
    """Return the position of a cursor in this list.

    Raises:
        InvalidCursor: when the cursor is damaged or belongs to another list.
    """
    try:
        payload = json.loads(base64.urlsafe_b64decode(cursor + "=" * (-len(cursor) % 4)))
        fingerprint, position = payload
    except (binascii.Error, ValueError, TypeError, RecursionError) as error:
        raise _bad_cursor(cursor) from error
    if (
        fingerprint != _fingerprint(listing)
        or not isinstance(position, int | str)
        or isinstance(position, bool)
    ):
        raise _bad_cursor(cursor)
    return position


def paginate(items: Sequence[T], *, listing: str, cursor: str | None, limit: int) -> Page[T]:
    """Return one page of a list; `listing` identifies the list and everything that filtered it.

    Raises:
        InvalidCursor: when the cursor belongs to another list.
    """
    position = 0 if cursor is None else _position(listing, cursor)
    end = position + limit
    more = encode_cursor(listing, end) if end < len(items) else None
    return Page(items=items[position:end], total=len(items), next_cursor=more, start=position)


def paginate_stream(
    items: Iterable[T], *, listing: str, cursor: str | None, limit: int, max_counted: int
) -> StreamPage[T]:
    """Return one page of an iterator; items after the page are counted up to `max_counted`.

    Raises:
        InvalidCursor: when the cursor belongs to another list.
    """
    start = 0 if cursor is None else _position(listing, cursor)
    rest = iter(items)
    before = sum(1 for _ in islice(rest, start))
    shown = list(islice(rest, limit))
    seen = before + len(shown)
    # One more than the limit, to know whether there is anything beyond it.
    after = sum(1 for _ in islice(rest, max(max_counted - seen, 0) + 1))
    is_complete = seen + after <= max(max_counted, seen)
    more = encode_cursor(listing, seen) if after else None
    return StreamPage(shown, seen + after if is_complete else None, more)


def _position(listing: str, cursor: str) -> int:
    position = decode_cursor(listing, cursor)
    if not isinstance(position, int) or not 0 <= position <= sys.maxsize:
        raise _bad_cursor(cursor)
    return position


def _fingerprint(listing: str) -> str:
    return hashlib.sha256(listing.encode("utf-8", "surrogatepass")).hexdigest()[:_FINGERPRINT]


def _bad_cursor(cursor: str) -> InvalidCursor:
    return InvalidCursor(
        f"The cursor {cursor[:80]!r} does not belong to this listing",
        suggestion="Start without a cursor, then use the one at the end of each page.",
    )
