"""What was learned from a commit, on disk, under a key of everything that it was computed from."""

import hashlib
import os
from collections.abc import Iterator
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import TypeVar

import msgspec

from benchpin.engines.source.git import Repository
from benchpin.engines.source.versions import engine_version

from .past_trees import PastTree
from .weights import weights_digest

T = TypeVar("T")

_MOST_KEPT = 64
_KEY_CHARS = 32
_MOST_BYTES = 1 << 24
_REPLACE = b" refs/replace/"


def cache_file_of(repository: Repository, here: PastTree, cache_dir: Path) -> Path:
    """Return the cache file of a commit, as this clone shows its history."""
    digest = hashlib.blake2b()
    for part in (*_parts(repository), *map(_encoded, (here.commit, *here.blobs))):
        digest.update(part + b"\0")
    return cache_dir / "insight" / f"defects-{digest.hexdigest()[:_KEY_CHARS]}.msgpack"


def digest_of(value: object) -> str:
    """Return the digest of a value."""
    packed = msgspec.msgpack.encode(value, order="deterministic")
    return hashlib.blake2b(packed).hexdigest()[:_KEY_CHARS]


def _encoded(text: str) -> bytes:
    return text.encode("utf-8", "surrogateescape")


def _parts(repository: Repository) -> Iterator[bytes]:
    """Yield everything besides the commit that decides how its history is read."""
    yield _version().encode()
    for name in (repository.root.name, repository.prefix, repository.mount):
        yield os.fsencode(name)
    yield " ".join(sorted(repository.shallow_edges())).encode()
    yield _content(repository.root / ".mailmap")
    git_dir = repository.common_dir
    yield _content(git_dir / "info" / "grafts")
    # Replacements of objects, packed and loose, change the history that git shows.
    packed = _content(git_dir / "packed-refs").splitlines()
    loose = sorted((git_dir / "refs" / "replace").glob("*"))
    yield b"\n".join(
        [
            *(line for line in packed if _REPLACE in line),
            *(os.fsencode(place.name) + b" " + _content(place) for place in loose),
        ]
    )


def _content(place: Path) -> bytes:
    """Return the content of a file; empty when it cannot be read."""
    try:
        with place.open("rb") as file:
            return file.read(_MOST_BYTES)
    except OSError:
        return b""


@cache
def _version() -> str:
    """Return the version of this engine: a digest of its source, its weights and the facts."""
    digest = hashlib.sha256((engine_version() + weights_digest()).encode())
    here = Path(__file__).parent
    metrics = here.parent.parent / "metrics"
    for place in (*sorted(here.glob("*.py")), *sorted(metrics.rglob("*.py"))):
        digest.update(place.read_bytes())
    return digest.hexdigest()


def recall(place: Path, kind: type[T]) -> T | None:
    """Read a cache file; None when it is missing or damaged."""
    try:
        return msgspec.msgpack.decode(place.read_bytes(), type=kind)
    except (OSError, msgspec.MsgspecError):
        return None


def keep(place: Path, value: object) -> None:
    """Write a cache file where the disk allows it, and delete the oldest ones."""
    draft = place.with_suffix(f".{os.getpid()}")
    with suppress(OSError):
        place.parent.mkdir(parents=True, exist_ok=True)
        draft.write_bytes(msgspec.msgpack.encode(value))
        draft.replace(place)
        kept = sorted(place.parent.glob("defects-*.msgpack"), key=lambda it: it.stat().st_mtime)
        for old in kept[:-_MOST_KEPT]:
            old.unlink()
