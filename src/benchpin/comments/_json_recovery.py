"""Recover the intact objects of a damaged JSON document: cut short, or with merge markers in it.

One pass finds the objects whose braces close. A string ends with its line at the latest, as JSON
requires, so a lost quotation mark costs one line and not the rest.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

import msgspec

# Comments are two levels deep; deeper objects belong to one of them.
_MAX_DEPTH = 6
_MAX_OPEN_OBJECTS = 64
_MAX_OBJECTS = 100_000
_TOKENS = re.compile(rb'"(?:[^"\\\n]|\\[^\n])*+"?|[{}]')


@dataclass(slots=True)
class _Span:
    """The bytes of a closed object, and the objects inside it."""

    start: int
    end: int = -1
    inner: "list[_Span]" = field(default_factory=list)


def recover_objects(content: bytes) -> list[dict[str, object]]:
    """Return the outermost objects that can be parsed, in their order."""
    return [found for span in _closed(content) for found in _parsed(content, span, 0)]


def _closed(content: bytes) -> list[_Span]:
    """Return the outermost closed objects, including those inside an unclosed one.

    Objects in over `_MAX_OPEN_OBJECTS` others are left out; after `_MAX_OBJECTS` the search ends.
    """
    stack = [_Span(0)]
    deeper = count = 0
    for token in _TOKENS.finditer(content):
        sign = token[0]
        if sign == b"{":
            if len(stack) > _MAX_OPEN_OBJECTS:
                deeper += 1
            else:
                stack.append(_Span(token.start()))
        elif sign == b"}" and deeper:
            deeper -= 1
        elif sign == b"}" and len(stack) > 1:
            span = stack.pop()
            span.end = token.end()
            stack[-1].inner.append(span)
            count += 1
            if count == _MAX_OBJECTS:
                break
    return [inner for span in stack for inner in span.inner]


def _parsed(content: bytes, span: _Span, depth: int) -> Iterator[dict[str, object]]:
    try:
        value = msgspec.json.decode(content[span.start : span.end])
    except (msgspec.MsgspecError, RecursionError, UnicodeDecodeError):
        value = None
    if isinstance(value, dict):
        yield value
    elif depth < _MAX_DEPTH:
        for inner in span.inner:
            yield from _parsed(content, inner, depth + 1)
