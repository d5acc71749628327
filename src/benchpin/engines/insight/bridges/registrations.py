"""Functions that C and C++ register under a name for another language."""

import re
from collections.abc import Sequence

from benchpin.engines.source.index import FileFacts

from .model import Place
from .scan import Scan, closest

_WORD = re.compile(r"[A-Za-z_]\w*")
_END = re.compile(r'[;"}]|,\s*\.')
"""What ends a statement, a row, or a field of a structure."""
_REACH_CHARS = 160


def registration(scan: Scan, files: Sequence[FileFacts], name: str, near: str) -> Place | None:
    """Return the function that is registered under a name, or the line that registers it.

    The file itself that is `near` is preferred, then the nearest ones.
    """
    found: dict[Place, Place] = {}
    for file in files:
        text = scan.texts.of(file)
        quoted = f'"{name}"'
        start = text.code.find(quoted)
        while start >= 0:
            end = start + len(quoted)
            place = text.place(start)
            rest = text.code[end : end + _REACH_CHARS]
            found.setdefault(place, _function(scan, rest, file.path) or place)
            start = text.code.find(quoted, end)
    own = [place for place in found if place.path == near]
    chosen = closest(own or found, near)
    return None if chosen is None else found[chosen]


def _function(scan: Scan, rest: str, path: str) -> Place | None:
    """Return the first function that is named after a name, in the same statement or row."""
    for word in _WORD.findall(_END.split(rest, maxsplit=1)[0]):
        place = closest(scan.c_functions.get(word, ()), path)
        if place is not None:
            return place
    return None
