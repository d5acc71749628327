"""Fill in a rewrite: a piece of code with the metavariables of the pattern that it replaces.

Code keeps its layout: what a metavariable matched is moved with the indentation of its new line,
except for lines inside string literals, which are part of a value.
"""

from collections.abc import Mapping, Sequence
from itertools import chain, zip_longest
from typing import NamedTuple

from ._pattern import METAVARIABLE


class Span(NamedTuple):
    """A part of a text, by its offsets."""

    start: int
    end: int


class Layout:
    """A source text, and which of its lines must keep their indentation."""

    def __init__(self, text: str, literals: Sequence[Span]) -> None:
        self._text = text
        self._literals = [it for it in literals if "\n" in text[it.start : it.end]]

    def fill(self, rewrite: str, match: Span, bound: Mapping[str, Span | None]) -> str:
        """Return the text that replaces a match; `bound` has what each metavariable matched."""
        outer = self._indentation_at(match.start)
        lines: list[str] = []
        for number, line in enumerate(rewrite.split("\n")):
            margin = outer + _leading(line) if number else outer
            names = METAVARIABLE.findall(line)
            texts = [self._moved(bound.get(name), margin) for name in names]
            filled = "".join(chain(*zip_longest(METAVARIABLE.split(line), texts, fillvalue="")))
            if number and line.strip() and not filled.strip():
                continue  # it was a metavariable that matched nothing
            lines.append(outer + filled if number and filled.strip() else filled)
        return "\n".join(lines)

    def _moved(self, span: Span | None, margin: str) -> str:
        """Return a part of the text as it looks on a line with another indentation."""
        if span is None:
            return ""
        text, before = self._text[span.start : span.end], self._indentation_at(span.start)
        if before == margin:
            return text
        lines: list[str] = []
        at = span.start
        for line in text.split("\n"):
            is_kept = not lines or not line.strip() or self._is_in_literal(at)
            lines.append(line if is_kept else margin + line.removeprefix(before))
            at += len(line) + 1
        return "\n".join(lines)

    def _indentation_at(self, offset: int) -> str:
        return _leading(self._text[self._text.rfind("\n", 0, offset) + 1 : offset])

    def _is_in_literal(self, offset: int) -> bool:
        return any(it.start < offset < it.end for it in self._literals)


def _leading(line: str) -> str:
    return line[: len(line) - len(line.lstrip(" \t"))]


def replaced(text: str, changes: Sequence[tuple[Span, str]]) -> str:
    """Return a text with some parts replaced; they are in order and do not overlap."""
    parts: list[str] = []
    at = 0
    for span, new in changes:
        parts += (text[at : span.start], new)
        at = span.end
    return "".join((*parts, text[at:]))
