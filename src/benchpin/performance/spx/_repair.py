"""Split lines that SPX 0.4 glued together.

Its buffer of 8 KiB may end within a line when many metrics are on. The fields that do not fit are
lost, and so is the end of the line: `… 1015808 60873255 0 53939493 …` is an event that ends with
60873, and the next one, of function 255.
"""

from collections.abc import Sequence
from itertools import zip_longest

from benchpin.core.text import counted

from ._events import MAX_FUNCTIONS

_MAX_NUMBER_CHARS = 40


def split_glued_line(
    fields: Sequence[bytes], previous: Sequence[int]
) -> tuple[list[list[int]], str]:
    """Return the events in a damaged line, and what is wrong with it.

    `previous` is the previous event: function, 1 or 0, values. Lost values are taken from it.
    """
    width = len(previous)
    glued = _glued(fields, previous) if width < len(fields) < 2 * width else None
    if glued is None:
        return [], f"no event: {len(fields)} fields instead of {width}, or no numbers"
    first, second = glued
    lost = width - sum(number is not None for number in first)
    repaired = [
        value if value is not None else before for value, before in zip_longest(first, previous)
    ]
    return [repaired, second], f"two events in one line; the first lost {counted(lost, 'value')}"


def _glued(
    fields: Sequence[bytes], previous: Sequence[int]
) -> tuple[list[int | None], list[int]] | None:
    width = len(previous)
    cut, joint = list(map(_number, fields[:-width])), fields[-width]
    tail = [number for number in map(_number, fields[-width + 1 :]) if number is not None]
    is_sound = len(tail) == width - 1 and tail[0] in {0, 1}
    if not is_sound or len(cut) < 2 or cut[0] is None or cut[1] not in {0, 1}:  # noqa: PLR2004 - function and flag
        return None
    split = _split(joint, previous[len(cut)], tail[len(cut) - 1])
    return None if split is None else ([*cut, split[0]], [split[1], *tail])


def _split(joint: bytes, before: int, after: int) -> tuple[int | None, int] | None:
    """Split glued digits into a value and the number of the next function.

    A value is accepted if it is between those of its neighbours; else all digits are the function.
    """
    for end in range(len(joint) - 1, 0, -1):
        value, function = _number(joint[:end]), _function(joint[end:])
        if value is None or function is None:
            continue
        if min(before, after) <= value <= max(before, after):
            return value, function
    function = _function(joint)
    return None if function is None else (None, function)


def _number(field: bytes) -> int | None:
    """Return a field rounded to a whole number; None when it is no number."""
    whole, _, decimals = field.removeprefix(b"-").partition(b".")
    if len(field) > _MAX_NUMBER_CHARS or not (whole + decimals).isdigit():
        return None
    magnitude = int(whole or b"0") + (decimals[:1] >= b"5")
    return -magnitude if field.startswith(b"-") else magnitude


def _function(digits: bytes) -> int | None:
    is_written_so = digits == b"0" or (digits.isdigit() and not digits.startswith(b"0"))
    if not is_written_so or len(digits) > _MAX_NUMBER_CHARS:
        return None
    return number if (number := int(digits)) < MAX_FUNCTIONS else None
