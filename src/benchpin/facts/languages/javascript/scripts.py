"""What the scripts of components in one file are written in."""

import re
from collections.abc import Iterable

from benchpin.facts.embedding import Piece

WORD = re.compile(rb"[A-Za-z_$][\w$]*+")
# The names that tags have for a language; the first that one of the scripts has counts.
_LANGUAGES = {
    "tsx": frozenset({b"tsx"}),
    "typescript": frozenset({b"ts", b"typescript", b"text/typescript"}),
}


def script_language(scripts: Iterable[Piece]) -> str:
    """Return the language of the scripts of a component, by what their tags say."""
    said = {it.attribute(b"lang") or it.attribute(b"type") for it in scripts}
    known = (name for name, words in _LANGUAGES.items() if not said.isdisjoint(words))
    return next(known, "javascript" if said else "typescript")
