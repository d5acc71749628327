"""The lines of files, as they are now, for showing what was found."""

import os
import re
from pathlib import Path

from benchpin.engines.source.opening import Unreadable, read_regular

_MAX_BYTES = 8 << 20
_MAX_COLUMNS = 200


def whole_word(name: str) -> re.Pattern[str]:
    """Return a pattern that finds a name, but not as a part of a longer one."""
    return re.compile(rf"(?<!\w){re.escape(name)}(?!\w)")


class SourceText:
    """Reads files once, and returns their lines."""

    def __init__(self, root: Path) -> None:
        self._root = os.fsencode(root)
        self._lines: dict[str, list[str]] = {}

    def content(self, file: str) -> bytes:
        """Return the bytes of a file; none if it cannot be read."""
        try:
            return read_regular(self._root, file, _MAX_BYTES)[0]
        except Unreadable:
            return b""

    def lines(self, file: str) -> list[str]:
        """Return the lines of a file; none if it cannot be read."""
        if file not in self._lines:
            self._lines[file] = self.content(file).decode(errors="replace").splitlines()
        return self._lines[file]

    def line(self, file: str, line: int) -> str:
        """Return one line without its indentation, cut if it is very long."""
        lines = self.lines(file)
        text = lines[line - 1].strip() if 0 < line <= len(lines) else ""
        return text if len(text) <= _MAX_COLUMNS else f"{text[:_MAX_COLUMNS]}…"

    def place(self, file: str, line: int, name: str, ahead: int = 1) -> tuple[int, int]:
        """Return the line and column of a name in some lines; column 0 if none of them has it."""
        word = whole_word(name)
        lines = self.lines(file)
        for number in range(line, min(line + ahead, len(lines) + 1)):
            found = word.search(lines[number - 1])
            if found is not None:
                return number, found.start() + 1
        return line, 0

    def numbered(self, file: str, first: int, last: int) -> str:
        """Return lines with their numbers."""
        lines = self.lines(file)[first - 1 : last]
        width = len(str(last))
        return "\n".join(f"{first + at:>{width}} {line}" for at, line in enumerate(lines))
