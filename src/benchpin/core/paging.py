"""Pages and the opaque markers between them."""

import base64
import binascii
import hashlib
import json
import sys
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Generic, TypeVar

from .errors import InvalidCursor

T = TypeVar("T")

Position = int | str
_FINGERPRINT = 8


@dataclass(frozen=True, slots=True)
class Page(Generic[T]):
    """Some items of a list, how many there are, and the marker of the next page."""

    items: Sequence[T]
    total: int
    next_cursor: str | None

    def footer(self) -> str:
        """Return the line that says what was cut, or an empty string."""
        if self.next_cursor is None:
            return ""
        return f"{len(self.items)} of {self.total}; next_cursor={self.next_cursor}"


@dataclass(frozen=True, slots=True)
class Window(Generic[T]):
    """Some items of a list that is made while it is read, and the marker of those behind them."""

    items: Sequence[T]
    total: int | None
    """None when the list was not read to its end."""
    next_cursor: str | None


def encode_cursor(listing: str, position: Position) -> str:
    """Make the marker for a place in a listing."""
    payload = json.dumps([_fingerprint(listing), position], separators=(",", ":"))
    return base64.urlsafe_b64encode(payload.encode()).decode().rstrip("=")


def decode_cursor(listing: str, cursor: str) -> Position:
    """Return the place that a marker means in this listing.

    Raises:
        InvalidCursor: when the marker is damaged or belongs to another listing.
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
    """Cut one page out of a whole list; `listing` names the list and everything that filtered it.

    Raises:
        InvalidCursor: when the cursor belongs to another listing.
    """
    position = _position(listing, cursor)
    end = position + limit
    more = encode_cursor(listing, end) if end < len(items) else None
    return Page(items=items[position:end], total=len(items), next_cursor=more)


def look_into(
    items: Iterable[T], *, listing: str, cursor: str | None, limit: int, most: int
) -> Window[T]:
    """Cut one page out of a list that is made while it is read.

    What is behind the page is counted, but no further than to the item number `most`.

    Raises:
        InvalidCursor: when the cursor belongs to another listing.
    """
    start = _position(listing, cursor)
    left = iter(items)
    before = sum(1 for _ in islice(left, start))
    shown = list(islice(left, limit))
    seen = before + len(shown)
    behind = sum(1 for _ in islice(left, max(most - seen, 0) + 1))
    is_whole = seen + behind <= max(most, seen)
    more = encode_cursor(listing, seen) if behind else None
    return Window(shown, seen + behind if is_whole else None, more)


def _position(listing: str, cursor: str | None) -> int:
    position = 0 if cursor is None else decode_cursor(listing, cursor)
    if not isinstance(position, int) or not 0 <= position <= sys.maxsize:
        raise _bad_cursor(cursor or "")
    return position


def _fingerprint(listing: str) -> str:
    return hashlib.sha256(listing.encode("utf-8", "surrogatepass")).hexdigest()[:_FINGERPRINT]


def _bad_cursor(cursor: str) -> InvalidCursor:
    return InvalidCursor(
        f"The cursor {cursor[:80]!r} does not belong to this listing",
        suggestion="Call again without a cursor and go on with the one that each page ends with.",
    )
