"""What became of the code of a note since the note was written: the same, or changed.

A note is about a line and the function around it, about a symbol, or about a file. Lines are
compared by their keys, so white space and blank lines do not count.
"""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import ClassVar, Literal, NamedTuple

from pydantic import ConfigDict

from ._anchor import CAMEL_CASE, Anchor
from ._tracked_text import BLANK, TrackedText, key_of

Scope = Literal["line", "symbol", "file", "folder"]

_FUNCTIONS = frozenset({"function", "method", "closure"})
# Words of code: names and numbers, as they are in the text of a program.
_WORDS = re.compile(r"(?<![\w$])(?:[A-Za-z_$][\w$]*+|\d\w*+(?:\.\d\w*+)?)")
_CODE_SPAN = re.compile(r"(?<!`)`([^`\n]++)`")
# What prose would not have: a name with an underscore or a capital inside, a call, a number.
_NAME = re.compile(
    r"(?<![\w$.-])(?:(?=[\w$]*+\(\))[A-Za-z_$][\w$]*+|(?=[a-zA-Z$]*+_|[a-z]++[A-Z]|[A-Z][a-z]++[A-Z]"
    r"|[A-Z]{3})[A-Za-z_$][\w$]*+|\d[\d_.]++(?<=\d)(?![\w$]))"
)
_MAX_QUOTES = 50


class Span(NamedTuple):
    """Lines of a text, counted from 1; the last is included."""

    first: int
    last: int


@dataclass(frozen=True, slots=True)
class CodeChange:
    """The lines that a note was written about, and those that are there now."""

    __pydantic_config__: ClassVar[ConfigDict] = CAMEL_CASE

    old_start: int
    old_lines: tuple[str, ...]
    """Only those around the anchor when git does not have the text."""
    new_start: int
    new_lines: tuple[str, ...]


def old_span(anchor: Anchor, base: TrackedText | None, scope: Scope) -> Span:
    """Return the lines that a note was about when it was written."""
    line = anchor.line
    if scope == "file" and base is not None:
        return Span(1, len(base.keys))
    if not anchor.symbol or (scope == "line" and anchor.symbol_kind not in _FUNCTIONS):
        return Span(line, line)
    if anchor.symbol_lines:
        first = line - anchor.symbol_offset
        return Span(first, first + anchor.symbol_lines - 1)
    around = None if base is None else base.symbol_at(line)
    return Span(line, line) if around is None else Span(around.line, around.end_line)


def span_now(new: TrackedText, line: int, scope: Scope) -> Span:
    """Return the lines that a note is about in the present text."""
    if scope == "file":
        return Span(1, len(new.keys))
    around = new.symbol_at(line)
    if around is None or (scope == "line" and around.kind not in _FUNCTIONS):
        return Span(line, line)
    return Span(around.line, around.end_line)


def has_changed(
    anchor: Anchor, base: TrackedText | None, new: TrackedText, line: int, scope: Scope
) -> bool:
    """Whether the anchored line or the code around it differs; only the line without a base."""
    if new.blob_id == anchor.blob_id:
        return False
    is_edited = new.keys[line - 1] != key_of(anchor.text)
    if scope == "file":
        return is_edited if base is None else _keys(base, None) != _keys(new, None)
    if base is None or (scope == "line" and is_edited):
        return is_edited
    old = old_span(anchor, base, scope)
    # Outside of functions, and where the present text could not be parsed, only the line counts.
    if old.first == old.last or not new.symbols:
        return is_edited
    return _keys(base, old) != _keys(new, span_now(new, line, scope))


def _keys(text: TrackedText, span: Span | None) -> list[int]:
    keys = text.keys if span is None else text.keys[span.first - 1 : span.last]
    return [it for it in keys if it != BLANK]


def change_of(
    anchor: Anchor, base: TrackedText | None, new: TrackedText, line: int, scope: Scope
) -> CodeChange:
    """Return the old and the new lines of a note."""
    if base is not None and base.is_complete:
        old, now = old_span(anchor, base, scope), span_now(new, line, scope)
        return CodeChange(
            old.first,
            tuple(base.lines[old.first - 1 : old.last]),
            now.first,
            tuple(new.lines[now.first - 1 : now.last]),
        )
    first = anchor.line - len(anchor.before)
    reach = max(1, line - len(anchor.before))
    return CodeChange(
        first,
        (*anchor.before, anchor.text, *anchor.after),
        reach,
        tuple(new.lines[reach - 1 : line + len(anchor.after)]),
    )


def words_of(lines: Iterable[str]) -> set[str]:
    """Return the names and numbers in code."""
    return {word for line in lines for word in _WORDS.findall(line)}


def quotes_in(text: str) -> list[str]:
    """Return the names and numbers that a note quotes from code, in order, each once.

    All words between backticks count; elsewhere only those that prose would not have.
    """
    quoted = [word for span in _CODE_SPAN.findall(text) for word in _WORDS.findall(span)]
    bare = _NAME.findall(_CODE_SPAN.sub(" ", text))
    return list(dict.fromkeys([*quoted, *(word for it in bare for word in _WORDS.findall(it))]))


def words_in(text: str) -> list[str]:
    """Return the words of a note that may be names of files: everything between white space."""
    return list(dict.fromkeys(it.strip("`'\".,;:()/") for it in text.split()))


def quotes_from(text: str, code: TrackedText, line: int, scope: Scope) -> list[str]:
    """Return the names and numbers that a note quotes from the code that it is about."""
    quotes = quotes_in(text)
    if not quotes:
        return []
    known = words_of(around(code, span_now(code, line, scope)))
    return [it for it in quotes if it in known][:_MAX_QUOTES]


def around(text: TrackedText, span: Span, reach: int = 3) -> Sequence[str]:
    """Return the lines of a span; a single line comes with those around it."""
    more = reach if span.first == span.last else 0
    return text.lines[max(0, span.first - 1 - more) : span.last + more]
