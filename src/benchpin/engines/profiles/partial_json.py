"""Walk a JSON document value by value, so that what comes before its damage can be read."""

import json
import re
from collections.abc import Iterator
from contextlib import suppress
from decimal import Decimal, InvalidOperation
from typing import NoReturn

_BLANK = re.compile(r"[ \t\r\n]*")


class Broken(ValueError):
    """The document is no JSON from a place on."""

    def __init__(self, problem: str, at: int) -> None:
        """Say what is wrong, and at which character."""
        super().__init__(problem)
        self.problem = problem
        self.at = at


def _refuse(constant: str) -> NoReturn:
    raise ValueError(f"{constant} is not a number of JSON")


_DECODER = json.JSONDecoder(parse_float=Decimal, parse_int=Decimal, parse_constant=_refuse)


def decode(text: str, at: int = 0) -> tuple[object, int]:
    """Return the value that stands at a place, numbers as decimals, and the place behind it.

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
        raise Broken("it is nested too deep", start) from error
    except (ValueError, InvalidOperation) as error:
        raise Broken(str(error) or "a number is out of range", start) from error
    return value, end


def skip_blanks(text: str, at: int) -> int:
    """Return the place of the next character that is no blank."""
    blank = _BLANK.match(text, at)
    return blank.end() if blank else at


def member(text: str, at: int, name: str) -> int | None:
    """Return where the value of an object's member begins; None where it has no such member.

    Raises:
        Broken: when the document is damaged before it.
    """
    for key, place in members(text, at):
        if key == name:
            return place
    return None


def members(text: str, at: int) -> Iterator[tuple[str, int]]:
    """Yield the names of an object's members, and where their values begin.

    Raises:
        Broken: when it is no object, or once its damage is reached.
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
    """Return where the members of a document begin, as far as it can be read."""
    found: dict[str, int] = {}
    with suppress(Broken):
        found.update(members(text, 0))  # what came before the damage stays
    return found


def items(text: str, at: int) -> Iterator[tuple[int, object]]:
    """Yield the items of an array and where they begin.

    Raises:
        Broken: when it is no array, or once its damage is reached.
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
    """Return where the value behind a mark begins."""
    if not text.startswith(mark, at):
        found = text[at : at + 1] or "the end"
        raise Broken(f"{mark!r} should stand where {found!r} is", at)
    return skip_blanks(text, at + 1)
