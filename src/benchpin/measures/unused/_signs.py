"""What the text of a file says about its definitions: deprecations, and who wrote it."""

import re

from benchpin.facts import FileFacts
from benchpin.facts.liveness import Definition, TokenView

_DEPRECATION = re.compile(rb"[Dd]eprecat|DEPRECAT|[Bb]ackwards?[- ]compat")
# How far into a type a deprecation concerns all of it.
_HEAD_TOKENS = 80
# Mean length in bytes above which lines were not written by hand.
_MAX_LINE_CHARS = 200


def is_deprecation(text: bytes) -> bool:
    """Whether a text says that something is deprecated."""
    return _DEPRECATION.search(text) is not None


def deprecations(view: TokenView) -> frozenset[int]:
    """Return the vocabulary indices of `DeprecationWarning`, `deprecated` and the like."""
    if not is_deprecation(b"\n".join(view.texts)):  # one search: most files have none
        return frozenset()
    return frozenset(at for at, text in enumerate(view.texts) if is_deprecation(text))


def warns(definition: Definition, view: TokenView, words: frozenset[int]) -> bool:
    """Whether a definition contains such a word; a type, in its first lines."""
    if not words:
        return False
    first, last = definition.first_token, definition.last_token
    if definition.kind == "type":
        last = min(last, first + _HEAD_TOKENS)
    return not words.isdisjoint(view.stream[first:last])


def is_minified(file: FileFacts) -> bool:
    """Whether the lines of a file are too long to be written by hand."""
    return file.size_bytes > _MAX_LINE_CHARS * max(file.outline.lines, 1)
