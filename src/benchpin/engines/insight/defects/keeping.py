"""What was learnt of a commit, kept on disk under the key of all that it was learnt from."""

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

from .past import PastTree
from .weights import weights_digest

T = TypeVar("T")

_MOST_KEPT = 64
_KEY_CHARS = 32
_MOST_BYTES = 1 << 24
_REPLACE = b" refs/replace/"


def place_of(repository: Repository, here: PastTree, cache_dir: Path) -> Path:
    """Return where is kept what was learnt of a commit, as this clone shows it and its past."""
    told = hashlib.blake2b()
    for part in _parts(repository):
        told.update(part + b"\0")
    for name in (here.commit, *here.paths):
        told.update(name.encode("utf-8", "surrogateescape") + b"\0")
    return cache_dir / "insight" / f"defects-{told.hexdigest()[:_KEY_CHARS]}.msgpack"


def digest_of(learnt: object) -> str:
    """Return what tells something that was learnt from anything else."""
    packed = msgspec.msgpack.encode(learnt, order="deterministic")
    return hashlib.blake2b(packed).hexdigest()[:_KEY_CHARS]


def _parts(repository: Repository) -> Iterator[bytes]:
    """Give what decides how the history of a commit is read."""
    yield _version().encode()
    for name in (repository.root.name, repository.prefix, repository.mount):
        yield os.fsencode(name)
    yield " ".join(sorted(repository.shallow_edges())).encode()
    yield _content(repository.root / ".mailmap")
    yield _content(repository.common_dir / "info" / "grafts")
    yield b"\n".join(_replacements(repository.common_dir))


def _replacements(folder: Path) -> list[bytes]:
    """Return which objects stand for others, in git's files of references."""
    packed = _content(folder / "packed-refs").splitlines()
    loose = sorted((folder / "refs" / "replace").glob("*"))
    return [
        *(line for line in packed if _REPLACE in line),
        *(os.fsencode(place.name) + b" " + _content(place) for place in loose),
    ]


def _content(place: Path) -> bytes:
    """Return what a file says, nothing for one that cannot be read."""
    try:
        with place.open("rb") as file:
            return file.read(_MOST_BYTES)
    except OSError:
        return b""


@cache
def _version() -> str:
    """Return what tells this engine from others: its own text, its weights, and the facts."""
    told = hashlib.sha256((engine_version() + weights_digest()).encode())
    here = Path(__file__).parent
    metrics = here.parent.parent / "metrics"
    for place in (*sorted(here.glob("*.py")), *sorted(metrics.rglob("*.py"))):
        told.update(place.read_bytes())
    return told.hexdigest()


def recall(place: Path, kind: type[T]) -> T | None:
    """Return what is kept in a place; None where nothing is, or nothing whole."""
    try:
        return msgspec.msgpack.decode(place.read_bytes(), type=kind)
    except (OSError, msgspec.MsgspecError):
        return None


def keep(place: Path, learnt: object) -> None:
    """Write it down, as far as the disk lets us, and let go of what is oldest."""
    draft = place.with_suffix(f".{os.getpid()}")
    with suppress(OSError):
        place.parent.mkdir(parents=True, exist_ok=True)
        draft.write_bytes(msgspec.msgpack.encode(learnt))
        draft.replace(place)
        kept = sorted(place.parent.glob("defects-*.msgpack"), key=lambda it: it.stat().st_mtime)
        for old in kept[:-_MOST_KEPT]:
            old.unlink()
