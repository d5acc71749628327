"""Read a JSON document value by value, up to where it is damaged."""

import json
import re
from collections.abc import Iterator
from contextlib import suppress
from decimal import Decimal, InvalidOperation
from typing import NoReturn

from benchpin.core.errors import InvalidParams

_BLANK = re.compile(r"[ \t\r\n]*")


_MAX_LISTS = 1_000_000
# In a JSON document, counted by its commas: more would take gigabytes.
_MAX_VALUES = 4_000_000


def refuse_crowded(document: bytes | bytearray) -> None:
    """Return if a document can be decoded in the memory of a machine.

    Raises:
        InvalidParams: when it has too many values.
    """
    is_crowded = document.count(b",") > _MAX_VALUES
    if is_crowded or document.count(b"[") + document.count(b"{") > _MAX_LISTS:
        raise InvalidParams(
            f"the file has more than {_MAX_VALUES:,} values or {_MAX_LISTS:,} lists",
            suggestion="Record a shorter time, or fewer of them; collapsed stacks are streamed.",
        )


class Broken(ValueError):
    """The document is no valid JSON from a character on."""

    def __init__(self, problem: str, at: int) -> None:
        super().__init__(problem)
        self.problem = problem
        self.at = at


def _refuse(constant: str) -> NoReturn:
    raise ValueError(f"{constant} is no JSON number")


_DECODER = json.JSONDecoder(parse_float=Decimal, parse_int=Decimal, parse_constant=_refuse)


def decode(text: str, at: int = 0) -> tuple[object, int]:
    """Return the value at a position, with numbers as decimals, and the position after it.

    Raises:
        Broken: when there is none.
    """
    start = skip_blanks(text, at)
    try:
        value: object
        value, end = _DECODER.raw_decode(text, start)
    except json.JSONDecodeError as error:
        raise Broken(error.msg, error.pos) from error
    except RecursionError as error:
        raise Broken("it is nested too deeply", start) from error
    except (ValueError, InvalidOperation) as error:
        raise Broken(str(error) or "a number is out of range", start) from error
    return value, end


def skip_blanks(text: str, at: int) -> int:
    blank = _BLANK.match(text, at)
    return blank.end() if blank else at


def member(text: str, at: int, name: str) -> int | None:
    """Return the position of a member's value, or None; `Broken` if damage comes before it."""
    return next((place for key, place in members(text, at) if key == name), None)


def members(text: str, at: int) -> Iterator[tuple[str, int]]:
    """Yield the names of an object's members with the positions of their values.

    Raises:
        Broken: when it is no object, or at the damage.
    """
    at = _expect(text, skip_blanks(text, at), "{")
    if text[at : at + 1] == "}":
        return
    while True:
        key, at = decode(text, at)
        if not isinstance(key, str):
            raise Broken("a member has no name", at)
        at = _expect(text, skip_blanks(text, at), ":")
        yield key, at
        _, at = decode(text, at)
        at = skip_blanks(text, at)
        if text[at : at + 1] == "}":
            return
        at = _expect(text, at, ",")


def outline(text: str) -> dict[str, int]:
    """Return the positions of a document's members, up to its damage."""
    found: dict[str, int] = {}
    with suppress(Broken):
        found.update(members(text, 0))  # keeps the members before the damage
    return found


def items(text: str, at: int) -> Iterator[tuple[int, object]]:
    """Yield the items of an array with their positions.

    Raises:
        Broken: when it is no array, or at the damage.
    """
    at = _expect(text, skip_blanks(text, at), "[")
    if text[at : at + 1] == "]":
        return
    while True:
        start = at
        value, at = decode(text, at)
        yield start, value
        at = skip_blanks(text, at)
        if text[at : at + 1] == "]":
            return
        at = _expect(text, at, ",")


def _expect(text: str, at: int, mark: str) -> int:
    if not text.startswith(mark, at):
        found = text[at : at + 1] or "the end"
        raise Broken(f"expected {mark!r}, found {found!r}", at)
    return skip_blanks(text, at + 1)
