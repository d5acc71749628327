"""Files as text, for what facts do not hold.

Facts name what a file imports, calls and mentions, and so tell which few files can reach another
language. They hold neither the lines of calls, nor the arguments of attributes such as
`#[pyo3(name = "x")]`, nor methods without a body. Only the files that facts point to are read, and
regular expressions look at them, with comments blanked out.
"""

import re
from bisect import bisect_right
from functools import cached_property
from itertools import accumulate

from benchpin.engines.source.imports import ReadFile
from benchpin.engines.source.index import FileFacts

from .model import Place

_EVIDENCE_CHARS = 120
_BLOCK = r"//[^\n]*|/\*.*?(?:\*/|\Z)"
_DOUBLE = r'"(?:\\.|[^"\\\n])*"'
_SINGLE = r"'(?:\\.|[^'\\\n])*'"
_CHARACTER = r"'(?:\\[^'\n]*|[^'\\\n])'"
_BACKTICK = r"`(?:\\.|[^`\\])*`"
_TRIPLE = r'"""(?:\\.|[^\\])*?"""'
_COMMENTS = {
    "c": rf"{_BLOCK}|{_DOUBLE}|{_CHARACTER}",
    "go": rf"{_BLOCK}|{_DOUBLE}|{_CHARACTER}|`[^`]*`",
    "java": rf"{_BLOCK}|{_TRIPLE}|{_DOUBLE}|{_CHARACTER}",
    "javascript": rf"{_BLOCK}|{_DOUBLE}|{_SINGLE}|{_BACKTICK}",
    "python": rf"#[^\n]*|{_TRIPLE}|'''(?:\\.|[^\\])*?'''|{_DOUBLE}|{_SINGLE}",
}
_FAMILIES = {
    "cpp": "c",
    "kotlin": "java",
    "rust": "c",
    "tsx": "javascript",
    "typescript": "javascript",
}
_PATTERNS = {name: re.compile(pattern, re.DOTALL) for name, pattern in _COMMENTS.items()}
_VISIBLE = re.compile(r"[^\n]")


class Text:
    """One file."""

    def __init__(self, path: str, language: str, content: bytes) -> None:
        self.path = path
        self.language = language
        self.raw = content.decode("utf-8", "replace").replace("\r\n", "\n")

    @cached_property
    def code(self) -> str:
        """The text with spaces for comments, so that places stay the same."""
        return self._pattern.sub(_without_comments, self.raw)

    @cached_property
    def bare(self) -> str:
        """The text with spaces for comments and strings."""
        return self._pattern.sub(_blank, self.raw)

    @property
    def _pattern(self) -> re.Pattern[str]:
        return _PATTERNS[_FAMILIES.get(self.language, self.language)]

    @cached_property
    def _starts(self) -> list[int]:
        return list(accumulate((len(it) + 1 for it in self.raw.split("\n")), initial=0))

    def place(self, offset: int, language: str | None = None) -> Place:
        """Return the place of a character."""
        return Place(self.path, bisect_right(self._starts, offset), language or self.language)

    def start_of(self, line: int) -> int:
        """Return where a line begins; the end of the text when there is no such line."""
        return self._starts[line - 1] if line <= len(self._starts) else len(self.raw)

    def evidence(self, line: int) -> str:
        """Return a line, printable and short."""
        found = self.raw[self.start_of(line) : self.start_of(line + 1)].strip()
        shown = "".join(it if it.isprintable() else " " for it in found[: _EVIDENCE_CHARS + 1])
        return shown if len(shown) <= _EVIDENCE_CHARS else f"{shown[: _EVIDENCE_CHARS - 1]}…"


class Texts:
    """Reads files, each once."""

    def __init__(self, read: ReadFile) -> None:
        self._read = read
        self._known: dict[str, Text] = {}

    def of(self, file: FileFacts) -> Text:
        """Return the text of a file, empty when it may not be read."""
        if file.path not in self._known:
            content = self._read(file.path) or b""
            self._known[file.path] = Text(file.path, file.language, content)
        return self._known[file.path]

    def manifest(self, path: str) -> str | None:
        """Return the text of a file that is not source."""
        content = self._read(path)
        return None if content is None else content.decode("utf-8", "replace")


def _without_comments(found: re.Match[str]) -> str:
    return _blank(found) if found[0][0] in "/#" else found[0]


def _blank(found: re.Match[str]) -> str:
    return _VISIBLE.sub(" ", found[0])
