"""What decides about the definitions of a file, besides the names that it uses and other files.

Two versions of a file with the same signs define the same things, in the same order, and every
rule says the same about them: only their lines may differ.
"""

import hashlib
import re
from collections.abc import Sequence

import msgspec

from benchpin.engines.source.index import FileFacts
from benchpin.engines.source.liveness import LivenessRules
from benchpin.engines.source.program import Definition, TokenView

_DEPRECATION = re.compile(rb"[Dd]eprecat|DEPRECAT|[Bb]ackwards?[- ]compat")
_HEAD_TOKENS = 80
"""How far into a type a deprecation concerns all of it."""
_LONGEST_LINE = 200
"""Mean length in bytes above which lines were not written by hand."""


def signs_of(view: TokenView, definitions: Sequence[Definition], rules: LivenessRules) -> bytes:
    """Return a digest of the signs of a file; `definitions` are those of the file."""
    file = view.facts
    links, outline = file.links, file.outline
    first = definitions[0].id if definitions else 0
    words = deprecations(view)
    read = _everything(view) if rules.signs is None else rules.signs(view)
    signs = (
        [
            (
                *(it.qualified, it.kind, it.label, it.is_public, it.signature),
                *(it.decorators, it.bases, None if it.owner is None else it.owner - first),
                warns(it, view, words),
            )
            for it in definitions
        ],
        [(it.module, it.names, it.level, it.aliases, it.kind, it.uses) for it in links.imports],
        links.exports,
        [it.name for it in outline.types],
        (outline.error_line, outline.is_generated, is_minified(file)),
        read,
    )
    return hashlib.blake2b(msgspec.msgpack.encode(signs), digest_size=16).digest()


def _everything(view: TokenView) -> tuple[object, ...]:
    """Return all that a rule can read of a file but lines."""
    links = view.facts.links
    tokens = (view.texts, view.kinds, view.stream.tobytes())
    return *tokens, sorted(links.references), links.mentions, links.calls


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
    return file.size_bytes > _LONGEST_LINE * max(file.outline.lines, 1)
