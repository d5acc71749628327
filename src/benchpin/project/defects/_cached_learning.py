"""What was learned from the history of a repository, in files of the cache folder."""

import hashlib
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import Protocol, TypeVar

import msgspec

from benchpin.facts import May
from benchpin.facts.store import engine_version
from benchpin.system.processes import installed_extras
from benchpin.workspace.files import read_own
from benchpin.workspace.git import Repository, history_view
from benchpin.workspace.writing import write_cache

from ._past_trees import PastTree
from ._weights import weights_digest

_MAX_CACHED_ENTRIES = 64
KEY_CHARS = 32


class CachedLearning(Protocol):
    """What depends on which files could be read."""

    @property
    def verdicts(self) -> dict[str, bool]:
        """Whether each file of the past could be read."""


T = TypeVar("T", bound=CachedLearning)


def file_of(kind: str, repository: Repository, tree: PastTree, cache_dir: Path) -> Path:
    """Return where something learned of a commit is cached, as this clone shows its history."""
    digest = hashlib.blake2b()
    version = _version().encode()
    names = map(_encoded, (tree.commit, *tree.blobs))
    for part in (version, *history_view(repository), *names):
        digest.update(part + b"\0")
    return cache_dir / "insight" / f"{kind}-{digest.hexdigest()[:KEY_CHARS]}.msgpack"


def _encoded(text: str) -> bytes:
    return text.encode("utf-8", "surrogateescape")


@cache
def _version() -> str:
    """Return the version of this engine: a digest of its source, weights, facts and extras."""
    extras = " ".join(installed_extras())
    digest = hashlib.sha256((engine_version() + weights_digest() + extras).encode())
    here = Path(__file__).parent
    measures = here.parent.parent / "measures"
    for place in (*sorted(here.glob("*.py")), *sorted(measures.rglob("*.py"))):
        digest.update(place.read_bytes())
    return digest.hexdigest()


def recall(place: Path, kind: type[T], may: May) -> T | None:
    """Read a cache file; None when it is missing, damaged or made with other permissions."""
    try:
        known = msgspec.msgpack.decode(read_own(place), type=kind)
    except (OSError, msgspec.MsgspecError):
        return None
    is_same = all(may(path) == verdict for path, verdict in known.verdicts.items())
    return known if is_same else None


def keep(place: Path, known: CachedLearning) -> None:
    """Write a cache file where the disk allows it, and delete the oldest ones."""
    if not write_cache(place, msgspec.msgpack.encode(known)):
        return
    with suppress(OSError):
        kind, _, _ = place.name.partition("-")
        kept = sorted(place.parent.glob(f"{kind}-*.msgpack"), key=lambda it: it.stat().st_mtime)
        for old in kept[:-_MAX_CACHED_ENTRIES]:
            old.unlink()
