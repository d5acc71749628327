"""The key of cached facts: the content of a file, its language, and the version of the engine."""

import hashlib
import os
from functools import cache
from pathlib import Path

import tree_sitter

_KEY_BYTES = 16
_ENGINE_CHARS = 16
_FACTS = Path(__file__).parent.parent


def key_of(source: bytes, language: str) -> bytes:
    """Return the key of the facts of a file: a hash of its content and language."""
    return hashlib.blake2b(source, digest_size=_KEY_BYTES, key=language.encode()).digest()


@cache
def engine_version() -> str:
    """Return a hash of the engine's own source and the versions of the grammars."""
    known = hashlib.sha256()
    # Every command pays for this: with pathlib it takes half as long again.
    for folder, _, names in sorted(os.walk(_FACTS)):
        for name in sorted(names):
            if name.endswith(".py"):
                with open(f"{folder}/{name}", "rb", buffering=0) as file:  # noqa: PTH123 - faster
                    known.update(file.read())
    installed = Path(tree_sitter.__file__).parent.parent
    for path in sorted(installed.glob("tree_sitter*.dist-info")):
        known.update(path.name.encode())
    return known.hexdigest()[:_ENGINE_CHARS]
