"""Which engine made a fact: what changes it changes the key under which facts are kept."""

import hashlib
from functools import cache
from importlib.metadata import version
from pathlib import Path

from . import languages

_KEY_BYTES = 16
_HERE = Path(__file__).parent
_ENGINE = ("extract.py", "facts.py", "grammar.py", "language.py", "walker.py")


def key_of(source: bytes, language: str) -> bytes:
    """Return the key of a file's facts: its content, in the hands of this engine."""
    return hashlib.blake2b(source, digest_size=_KEY_BYTES, key=_engine(language)).digest()


@cache
def _engine(language: str) -> bytes:
    """Return what tells this engine from others: its own text and the versions of the grammars."""
    known = hashlib.blake2b(digest_size=32)
    for place in (*(_HERE / name for name in _ENGINE), *sorted(_HERE.glob("languages/*.py"))):
        known.update(place.read_bytes())
    distribution = languages.load(language).grammar.partition(":")[0].replace("_", "-")
    for package in ("tree-sitter", distribution):
        known.update(version(package).encode())
    return known.digest()
