"""The keys of what is cached: the content of a file, its language, and versions of our code."""

import hashlib
import os
from functools import cache
from pathlib import Path

import tree_sitter

from benchpin.system.processes import installed_extras

KEY_BYTES = 16
_ENGINE_CHARS = 16
VERSION_BYTES = _ENGINE_CHARS // 2
_PATH_BYTES = 8
_FACTS = Path(__file__).parent.parent
_ROOMS = _FACTS.parent
# What the others compute does not depend on who asks for it, or how it is shown.
_OUTER = frozenset({"app", "cli", "server", "toolsets", "ui"})


def key_of(source: bytes, language: str) -> bytes:
    """Return the key of the facts of a file: a hash of its content and language."""
    return hashlib.blake2b(source, digest_size=KEY_BYTES, key=language.encode()).digest()


def derived_key(key: bytes, path: str | None) -> bytes:
    """Return the key of a derived fact; `path` where it depends on that too."""
    if path is None:
        return key
    return key + hashlib.blake2b(os.fsencode(path), digest_size=_PATH_BYTES).digest()


def place_of(name: str, option: bytes) -> bytes:
    """Return what a derived fact is stored under: the version of all measures, name and option."""
    data = f"{name}\0".encode() + option
    own = hashlib.blake2b(data, digest_size=KEY_BYTES - VERSION_BYTES).digest()
    return bytes.fromhex(engines_version()) + own


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


@cache
def engines_version() -> str:
    """Return a digest of the source of all engines, of the grammars, and of the extras.

    So a report that lacks something because an extra is missing is made again once it is there.
    """
    known = hashlib.sha256(engine_version().encode())
    known.update(" ".join(installed_extras()).encode())
    for folder, inner, names in os.walk(_ROOMS):
        inner[:] = sorted({*inner} - _OUTER) if folder == str(_ROOMS) else sorted(inner)
        for name in sorted(names):
            if name.endswith((".py", ".json")):
                with open(f"{folder}/{name}", "rb", buffering=0) as file:  # noqa: PTH123 - faster
                    known.update(file.read())
    return known.hexdigest()[:_ENGINE_CHARS]
