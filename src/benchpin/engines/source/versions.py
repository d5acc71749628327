"""Which engine made a fact, and from what: together the key under which it is kept."""

import hashlib
from functools import cache
from pathlib import Path

import tree_sitter

_KEY_BYTES = 16
_ENGINE_CHARS = 16
_HERE = Path(__file__).parent


def key_of(source: bytes, language: str) -> bytes:
    """Return the key of a file's facts: its content, read as some language."""
    return hashlib.blake2b(source, digest_size=_KEY_BYTES, key=language.encode()).digest()


@cache
def engine_version() -> str:
    """Return what tells this engine from others: its own text, and the versions of the grammars."""
    known = hashlib.sha256()
    for place in sorted(_HERE.rglob("*.py")):
        known.update(place.read_bytes())
    installed = Path(tree_sitter.__file__).parent.parent
    for place in sorted(installed.glob("tree_sitter*.dist-info")):
        known.update(place.name.encode())
    return known.hexdigest()[:_ENGINE_CHARS]
