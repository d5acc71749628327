"""The lines of files, as they are now, for showing what was found."""

import os
import re
from collections.abc import Sequence
from pathlib import Path

from benchpin.workspace.files import Unreadable, read_regular

_MAX_BYTES = 8 << 20
_MAX_COLUMNS = 200
_MAX_IMPORT_LINES = 200
# The strings and comments of an import statement: no name is imported there.
_STRING = re.compile(r"'[^'\n]*+'|\"[^\"\n]*+\"|#.*+|//.*+")
_MODULE = re.compile(r"\s*from\s.*?\simport\b")
_ALIAS = re.compile(r"\bas\s+$")


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
            # Not splitlines, which also splits at form feeds: lines of code end at line feeds.
            lines = self.content(file).decode(errors="surrogateescape").split("\n")
            self._lines[file] = [it.removesuffix("\r") for it in lines]
        return self._lines[file]

    def line(self, file: str, line: int) -> str:
        """Return one line without its indentation, cut if it is very long."""
        lines = self.lines(file)
        text = lines[line - 1].strip() if 0 < line <= len(lines) else ""
        text = text.encode(errors="surrogateescape").decode(errors="replace")
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

    def column(self, file: str, line: int, words: Sequence[str]) -> int:
        """Return the column of the last of some tokens, which are the first ones of a line.

        They are looked for one after the other, so that the same name in a string is not taken for
        the one that is meant. 0 if the line does not have it.
        """
        lines = self.lines(file)
        if not words or not 0 < line <= len(lines):
            return 0
        text, at = lines[line - 1], 0
        for word in words[:-1]:
            found = text.find(word.partition("\n")[0], at)
            at = found + len(word.partition("\n")[0]) if found >= 0 else at
        last = whole_word(words[-1]).search(text, at)
        return 0 if last is None else last.start() + 1

    def places_in_import(
        self, file: str, line: int, name: str, *, is_alias: bool = False
    ) -> list[tuple[int, int]]:
        """Return the lines and columns where an import names something, not its module."""
        word, lines, depth = whole_word(name), self.lines(file), 0
        found: list[tuple[int, int]] = []
        for number in range(line, min(line + _MAX_IMPORT_LINES, len(lines) + 1)):
            code = _STRING.sub(lambda it: " " * len(it[0]), lines[number - 1])
            head = _MODULE.match(code)
            found += [
                (number, it.start() + 1)
                for it in word.finditer(code, head.end() if head else 0)
                if not code[it.end() :].lstrip().startswith((".", "::"))
                if is_alias or not _ALIAS.search(code, 0, it.start())
            ]
            depth += sum(map(code.count, "([{")) - sum(map(code.count, ")]}"))
            if depth <= 0 and not code.rstrip().endswith(("\\", ",")):
                break
        return found

    def numbered(self, file: str, first: int, last: int) -> str:
        """Return lines with their numbers."""
        lines = self.lines(file)[first - 1 : last]
        width = len(str(last))
        return "\n".join(f"{first + at:>{width}} {line}" for at, line in enumerate(lines))
