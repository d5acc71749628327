"""Python that is newer than the grammar: 3.13's defaults of type parameters, and 3.15."""

import re
from collections.abc import Iterator

from benchpin.facts.parsing import Masked
from benchpin.facts.preprocessor import blank
from benchpin.facts.respelling import Rule

# `lazy import a`, and `{**a for a in b}`, which is read as a set.
RULES: tuple[Rule, ...] = (
    (re.compile(rb"^[ \t]*+(lazy)(?=[ \t]+(?:import|from)\b)", re.MULTILINE), b""),
    (re.compile(rb"[\[{(]\s{0,80}+(\*\*)(?=[\w.]{1,80}+\s+for\b)"), b""),
)
_PARAMETERS = re.compile(rb"\b(?:def|class|type)[ \t]+\w{1,200}+[ \t]*+\[")
_MARK = re.compile(rb"""[\[\](){},=]|"[^"\n]{0,200}"|'[^'\n]{0,200}'|\#[^\n]*+""")
_OPENING = frozenset(b"[({")
_CLOSING = frozenset(b"])}")
# Bytes of a list of type parameters; a longer one is none.
_MAX_PARAMETERS = 4_000


def mask(source: bytes) -> Masked:
    """Blank out the defaults of type parameters."""
    defaults = [
        span for found in _PARAMETERS.finditer(source) for span in _defaults(source, found.end())
    ]
    masked = bytearray(source)
    blank(masked, defaults)
    return bytes(masked), defaults


def _defaults(source: bytes, start: int) -> Iterator[tuple[int, int]]:
    """Find the defaults in a list of type parameters: from `=` to the next comma or the end."""
    depth, since = 0, 0
    for found in _MARK.finditer(source, start, start + _MAX_PARAMETERS):
        mark, at = source[found.start()], found.start()
        if depth == 0 and mark in b",]" and since:
            yield since, at
            since = 0
        if mark in _OPENING:
            depth += 1
        elif mark in _CLOSING:
            depth -= 1
            if depth < 0:
                return
        elif mark == ord("=") and depth == 0 and not since:
            since = at
