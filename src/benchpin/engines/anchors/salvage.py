"""Find what is whole in a damaged JSON document: cut short, or with the marks of a merge in it.

One pass finds the objects whose braces close; a string ends with its line at the latest, as JSON
has it, so a lost quotation mark costs a line and not the rest.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

import msgspec

_DEEPEST = 6
"""Comments stand two levels deep; what is deeper belongs to one of them."""
_MARKS = re.compile(rb'"(?:[^"\\\n]|\\[^\n])*"?|[{}]')


@dataclass(slots=True)
class _Span:
    """An object that is closed, and the objects in it."""

    start: int
    end: int = -1
    inner: "list[_Span]" = field(default_factory=list)


def salvage(content: bytes) -> list[dict[str, object]]:
    """Return the outermost objects that can be read, in their order."""
    return [found for span in _closed(content) for found in _readable(content, span, 0)]


def _closed(content: bytes) -> list[_Span]:
    """Return the outermost objects that are closed, also those in one that is not."""
    top = _Span(0)
    stack = [top]
    for mark in _MARKS.finditer(content):
        sign = mark[0]
        if sign == b"{":
            stack.append(_Span(mark.start()))
        elif sign == b"}" and len(stack) > 1:
            span = stack.pop()
            span.end = mark.end()
            stack[-1].inner.append(span)
    return [inner for span in stack for inner in span.inner]


def _readable(content: bytes, span: _Span, depth: int) -> Iterator[dict[str, object]]:
    try:
        value = msgspec.json.decode(content[span.start : span.end])
    except (msgspec.MsgspecError, RecursionError, UnicodeDecodeError):
        value = None
    if isinstance(value, dict):
        yield value
    elif depth < _DEEPEST:
        for inner in span.inner:
            yield from _readable(content, inner, depth + 1)
