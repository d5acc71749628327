"""The code that a place is about: its whole statement, from the file, within a budget.

A statement is found by its brackets, so that it works alike in all languages: a line belongs to
what its round and square brackets belong to, up to the block that it is in.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from benchpin.code.names import Code

from ._code_index import CodeIndex, scope_of
from ._described import SourceText

# More lines of one statement say nothing that the first ones do not: a table, a callback.
_MAX_STATEMENT_LINES = 8
_LINES_BEFORE = 3
_CHARS_PER_TOKEN = 4
_TAB_COLUMNS = 4
# What is before the brace of a value; before that of a block is a name, `)` or `=>`.
_BEFORE_VALUES = frozenset({"(", "[", "{", ",", ":", "=", "return", "?"})
_LINKS = frozenset({".", "?.", "::", "->"})


@dataclass(frozen=True, slots=True)
class ShownCode:
    """Some lines of a file, without their common indentation."""

    line: int
    """The first one."""
    text: str


class CodeBudget:
    """Shows places with their statements until the budget is used up, then with one line each."""

    def __init__(
        self, index: CodeIndex, text: SourceText, budget: int, *, is_for_all: bool
    ) -> None:
        """Take the budget in tokens; it is for production code, or for all kinds of code."""
        self._is_for_all = is_for_all
        self._index = index
        self._text = text
        self._left = budget * _CHARS_PER_TOKEN
        self.cut = 0
        """Places that would have had more lines."""

    def excerpt(self, file: str, line: int) -> ShownCode:
        """Return what a place is about; one line if there is no budget for more."""
        module = self._index.symbols.modules.get(file)
        code = None if module is None else module.code
        is_brief = not self._is_for_all and scope_of(self._index, file, line) != "production"
        first, last = (line, line) if code is None or is_brief else statement_around(code, line)
        whole = _dedented(self._text.lines(file)[first - 1 : last])
        if first == last or len(whole) > self._left:
            self.cut += first != last
            one = self._text.line(file, line)
            self._left -= len(one)
            return ShownCode(line, one)
        self._left -= len(whole)
        return ShownCode(first, whole)


def _dedented(lines: Sequence[str]) -> str:
    """Return lines without the indentation that all have; what is not UTF-8 is replaced."""
    lines = [it.expandtabs(_TAB_COLUMNS) for it in lines]
    depths = [len(it) - len(it.lstrip()) for it in lines if it.strip()]
    shown = (it[min(depths, default=0) :].rstrip() for it in lines)
    return "\n".join(shown).encode(errors="surrogateescape").decode(errors="replace")


def statement_around(code: Code, line: int) -> tuple[int, int]:
    """Return the first and last line of the statement that a line is in."""
    stream = code.stream
    first, last = stream.on_line(line)
    if first == last:
        return line, line
    words = stream.words
    start, end = first, _end_of(code, first, last)
    while (outer := stream.enclosing(start)) >= 0:
        is_value = words[outer] in {"(", "["} or (outer and words[outer - 1] in _BEFORE_VALUES)
        closing = max(end, stream.closing(outer, len(stream) - 1))
        if not is_value or _height(code, outer, closing) > _MAX_STATEMENT_LINES:
            break
        start, end = outer, closing
    top, bottom = stream.line(start), max(line, stream.line(end))
    while words[stream.on_line(top)[0]] in _LINKS and top > 1:  # a chain, one call on each line
        top -= 1
    while _starts_with_link(code, bottom + 1):
        opened = stream.on_line(bottom + 1)
        bottom = max(bottom + 1, stream.line(_end_of(code, *opened)))
    if bottom - top >= _MAX_STATEMENT_LINES:
        top = max(top, line - _LINES_BEFORE)
        bottom = min(bottom, top + _MAX_STATEMENT_LINES - 1)
    return top, bottom


def _height(code: Code, first: int, last: int) -> int:
    return code.stream.line(last) - code.stream.line(first) + 1


def _starts_with_link(code: Code, line: int) -> bool:
    first, last = code.stream.on_line(line)
    return first < last and code.stream.words[first] in _LINKS


def _end_of(code: Code, first: int, last: int) -> int:
    """Return the last token of a line, or of the brackets that it opens, but not of a block."""
    words, end = code.stream.words, first
    if words[last - 1] == "{":
        return last - 1
    for at in range(first, last):
        if words[at] in {"(", "["} and at > end:
            end = code.stream.closing(at, len(code.stream) - 1)
    return max(end, last - 1)
