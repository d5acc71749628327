"""Small mistakes, one at a time, in the functions that a change touched: does a test notice?

They are made of the tokens of a line, so that every language has them. A mistake that is not code
any more says nothing: whoever runs it has to tell an error of the compiler from a failed test.
"""

import ast
import re
from collections.abc import Collection, Iterator
from dataclasses import dataclass

from benchpin.facts import FileFacts, Function
from benchpin.facts.code import CLOSING, OPENING, TokenStream, navigation_of

_OTHER = {
    "==": "!=",
    "!=": "==",
    "===": "!==",
    "!==": "===",
    "<=": ">",
    ">=": "<",
    "and": "or",
    "or": "and",
    "&&": "||",
    "||": "&&",
    "True": "False",
    "False": "True",
    "true": "false",
    "false": "true",
    "is not": "is",
    "not in": "in",
}
# Only between spaces: they are brackets of type arguments too, or signs of a number.
_SPACED = {"<": ">=", ">": "<=", "+": "-", "-": "+"}
_CONDITIONS = frozenset({"if", "elif", "while"})
_INTEGER = re.compile(r"\d{1,9}")
# Words with which a statement begins that cannot be dropped alone.
_NO_CALLS = frozenset(
    {"return", "yield", "await", "if", "for", "while", "super", "assert", "match"}
)
# After these tokens a line does not begin a statement.
_GOING_ON = frozenset(
    {",", "(", "[", ".", "=", ":=", "=>", "->", "return", "+", "-", "&&", "||", "?", ":", "await"}
)
_MAX_LINE_CHARS = 400
_MAX_TOKENS = 20_000


@dataclass(frozen=True, slots=True)
class Mutant:
    """A file with one line changed."""

    path: str
    line: int
    function: str
    before: str
    after: str
    content: bytes
    rank: int
    """Rank by how much a mistake says if no test notices it; the lowest says most."""

    def __str__(self) -> str:
        return f"`{self.before}` as `{self.after}`"


def mutants_of(
    file: FileFacts, content: bytes, function: Function, lines: Collection[int]
) -> list[Mutant]:
    """Return the mistakes that some lines of a function may have, the most telling first."""
    if "tokens" not in file.sections:
        return []
    making = _Making(file, content, function)
    found = [it for line in sorted(lines) for it in making.on_line(line)]
    return sorted(found, key=lambda it: (it.rank, it.line))


class _Making:
    def __init__(self, file: FileFacts, content: bytes, function: Function) -> None:
        self._file, self._function = file, function
        self._stream = TokenStream(file.tokens)
        self._lines = content.decode("utf-8", "surrogateescape").split("\n")
        # A language whose blocks are indented documents functions by their first literal.
        self._is_indented = navigation_of(file.language).has_docstrings
        self._first, self._last = function.first_token, function.last_token
        self._body = self._first_of_body()

    def _first_of_body(self) -> int:
        """Return the position after the parameters: defaults there are not run by each call."""
        words, at = self._stream.words, self._first
        while at < min(self._last, self._first + _MAX_TOKENS) and words[at] not in {"{", ":", "=>"}:
            at = self._stream.closing(at, self._last) + 1 if words[at] == "(" else at + 1
        return at

    def on_line(self, line: int) -> Iterator[Mutant]:
        text = self._lines[line - 1] if 0 < line <= len(self._lines) else ""
        first, last = self._stream.on_line(line)
        if len(text) > _MAX_LINE_CHARS or first < self._body or first >= self._last:
            return
        places = self._columns(text, first, min(last, self._last))
        for rank, new in self._changes(text, first, places):
            mutant = self._mutant(line, text, new, rank)
            if mutant is not None:
                yield mutant

    def _columns(self, text: str, first: int, last: int) -> list[tuple[int, str, int]]:
        """Return the tokens of a line, each with its position, its text and its column."""
        found, column = [], 0
        for at in range(first, last):
            word = self._stream.words[at]
            column = text.find(word, column)
            if column < 0:
                break
            found.append((at, word, column))
            column += len(word)
        return found

    def _changes(
        self, text: str, first: int, places: list[tuple[int, str, int]]
    ) -> Iterator[tuple[int, str]]:
        if places and places[0][0] == first:
            yield from self._of_condition(text, places)
            yield from self._of_statement(text, places)
        for at, word, column in places:
            is_literal, end = self._stream.is_literal(at), column + len(word)
            spaced = text[column - 1 : column] == " " and text[end : end + 1] == " "
            new = _OTHER.get(word) or (_SPACED.get(word, "") if spaced else "")
            if new and (not is_literal or word.lower() in {"true", "false"}):
                yield (1 if word not in {"+", "-"} else 3), text[:column] + new + text[end:]
            elif is_literal and _INTEGER.fullmatch(word):
                yield 3, f"{text[:column]}{int(word) + 1}{text[end:]}"

    def _of_condition(
        self, text: str, places: list[tuple[int, str, int]]
    ) -> Iterator[tuple[int, str]]:
        """Negate a condition that is on one line."""
        words = [it[1] for it in places]
        at = next((n for n, it in enumerate(words[:3]) if it in _CONDITIONS), None)
        if at is None or words[-1] not in {":", "{"}:
            return
        start, end = places[at][2] + len(words[at]), places[-1][2]
        inside = text[start:end].strip()
        if not inside or any(it in inside for it in (";", ":=", "let ")):
            return
        if self._is_indented:
            yield 0, f"{text[:start]} not ({inside}){text[end:]}"
        elif inside.startswith("(") and inside.endswith(")"):
            yield 0, f"{text[:start]} (!{inside}) {text[end:]}"
        else:
            yield 0, f"{text[:start]} !({inside}) {text[end:]}"

    def _of_statement(
        self, text: str, places: list[tuple[int, str, int]]
    ) -> Iterator[tuple[int, str]]:
        """Drop a call that is a statement; in Python also an error that is raised, or a result."""
        words = [it[1] for it in places]
        indent = text[: len(text) - len(text.lstrip())]
        is_whole = _is_balanced(words)
        if self._is_indented and is_whole and words[0] == "raise":
            yield 1, f"{indent}pass"
        if (
            self._is_indented
            and is_whole
            and words[0] == "return"
            and words[1:] not in ([], ["None"])
        ):
            yield 2, f"{indent}return None"
        is_named = words[0].isidentifier() and words[0] not in _NO_CALLS
        ending = words[-1] == ")" or words[-2:] == [")", ";"]
        is_statement = is_whole and is_named and ending and "=" not in words and "(" in words
        if is_statement and (self._is_indented or self._starts_statement(places[0][0])):
            yield 1, f"{indent}pass" if self._is_indented else indent

    def _starts_statement(self, at: int) -> bool:
        """Whether no expression goes on from the line before."""
        return at > 0 and self._stream.words[at - 1] not in _GOING_ON

    def _mutant(self, line: int, text: str, new: str, rank: int) -> Mutant | None:
        lines = [*self._lines]
        lines[line - 1] = new
        whole = "\n".join(lines).encode("utf-8", "surrogateescape")
        if self._is_indented and not _parses(whole):
            return None
        shown = (text.strip()[:80], new.strip()[:80] or "(nothing)")
        return Mutant(self._file.path, line, self._function.name, *shown, whole, rank)


def _is_balanced(words: list[str]) -> bool:
    depth = 0
    for word in words:
        depth += (word in OPENING) - (word in CLOSING)
        if depth < 0:
            return False
    return not depth


def _parses(content: bytes) -> bool:
    try:
        ast.parse(content)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return False
    return True
