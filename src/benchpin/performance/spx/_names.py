"""Read the names of functions, which follow all events."""

import re
from collections.abc import Collection

from benchpin.performance.calls import Name
from benchpin.performance.reading import FaultLog

from ._sections import Block

_MAX_NAME_CHARS = 1_000
_CLOSURE = "{closure}"
_LINE_NUMBER = re.compile(r"[0-9]{1,9}")


class FunctionNames:
    """The names of the functions that were called, by number."""

    def __init__(self, *, have_place: bool) -> None:
        """Expect `file:line:name`, which SPX writes since 0.5, or plain names."""
        self._have_place = have_place
        self._count = 0
        self.known: dict[int, Name] = {}

    def read(self, block: Block, called: Collection[int]) -> None:
        """Read the names of a block."""
        lines = block.text.removesuffix(b"\n").split(b"\n")
        for number, line in enumerate(lines, self._count):
            if number in called:
                text = line[:_MAX_NAME_CHARS].decode("utf-8", "replace")
                self.known[number] = _placed(text) if self._have_place else Name(text)
        self._count += len(lines)

    def note_missing(self, called: Collection[int], faults: FaultLog) -> None:
        """Add a fault if functions have no name."""
        unknown = len(called) - len(self.known)
        if called and self._count == 0:
            faults.add("end of text", "no [functions]; functions are named by their number")
        elif unknown:
            faults.add("[functions]", f"{unknown} called functions have no name")


def _placed(text: str) -> Name:
    """Split `file:line:name` like SPX's own pages, so that names are the same as there."""
    file, _, rest = text.partition(":")
    line, has_name, function = rest.partition(":")
    if not has_name:
        return Name(text)
    if function == _CLOSURE:
        function = f"{{closure:{file}:{line}}}"
    number = int(line) if _LINE_NUMBER.fullmatch(line) else 0
    return Name(function, file.strip() or None, number or None)
