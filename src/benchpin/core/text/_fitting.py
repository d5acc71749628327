"""Texts in the width of a terminal: names are shortened in the middle, lines folded at words."""

import re
from collections.abc import Iterator

from ._printable import width_of

# An escape sequence that sets a colour; it takes no room.
_COLOR = re.compile(r"\x1b\[[0-9;]*m")
# What a line begins with, under which the rest of it goes: a bullet, or a number of a line of code.
_LEAD = re.compile(r"\s*(?:[-*] |\d+[: ] *)?")
_AFTER_WORD = re.compile(r"(?<=\S)(?=\s)")
_HUNK = "@@ "
# What is typed elsewhere must stay on one line.
_COMMAND = re.compile(r"\s*(?:run: |\$ |benchpin )")
# A smaller terminal is not worth the trouble.
MIN_WIDTH = 40


def shortened(text: str, width: int) -> str:
    """Return a path or a name that fits: its middle is left out, and its last part is kept."""
    if width_of(text) <= width:
        return text
    last = text[text.rfind("/", 0, -1) :] if "/" in text else ""
    room = width - 1 - width_of(last)
    if not last or room < 1:
        ahead = 0 if last else (width - 1) // 2
        return f"{_cut(text, ahead)}…{_cut(text[::-1], width - 1 - ahead)[::-1]}"
    return f"{_cut(text, room)}…{last}"


def _cut(text: str, width: int) -> str:
    """Return as much of the beginning of a text as fits."""
    if text.isascii():
        return text[:width]
    while width_of(text) > width:
        text = text[:-1]
    return text


def folded(text: str, width: int) -> str:
    """Return a text whose lines fit, folded between words; diffs and commands stay as they are.

    A word that is too long, such as an address, stays whole.
    """
    return "\n".join(_folded_lines(text, max(width, MIN_WIDTH)))


def folded_line(line: str, width: int, indent: str = "") -> list[str]:
    """Return a line as lines that fit, folded between words."""
    lines, used = [""], 0
    for part in _AFTER_WORD.split(line.rstrip()):
        room = width_of(_COLOR.sub("", part))
        if lines != [""] and used + room > width:
            lines.append(indent + part.lstrip())
            used = width_of(_COLOR.sub("", lines[-1]))
        else:
            lines[-1] += part
            used += room
    return lines


def _folded_lines(text: str, width: int) -> Iterator[str]:
    is_diff = False
    for line in text.split("\n"):
        is_diff = line.startswith(_HUNK) or (is_diff and line[:1] in {" ", "+", "-", "\\"})
        shown = _COLOR.sub("", line)
        if is_diff or width_of(shown) <= width or _COMMAND.match(shown):
            yield line
        else:
            lead = _LEAD.match(line)
            indent = " " * min(len(lead[0]) if lead else 0, width // 2) or "  "
            yield from folded_line(line, width, indent)
