"""How a clone shows the history of a commit: what decides it, besides the commit."""

import os
from collections.abc import Iterator
from pathlib import Path

from ._repository import Repository

ATTRIBUTES = b".gitattributes"
# The limit of a file of git.
_MAX_BYTES = 1 << 24


def history_view(repository: Repository) -> Iterator[bytes]:
    """Yield everything besides the commit that decides how its history is read."""
    yield " ".join(sorted(repository.shallow_edges())).encode()
    yield from shown_by(repository)


def shown_by(repository: Repository) -> Iterator[bytes]:
    """Yield what decides how git shows a commit, wherever the history ends."""
    for name in (repository.root.name, repository.prefix, repository.mount):
        yield os.fsencode(name)
    yield _content(repository.root / ".mailmap")
    git_dir = repository.common_dir
    yield _content(git_dir / "info" / "attributes")
    yield _content(git_dir / "info" / "grafts")
    # Replacements of objects, packed and loose, change the history that git shows.
    packed = _content(git_dir / "packed-refs").splitlines()
    loose = sorted((git_dir / "refs" / "replace").glob("*"))
    yield b"\n".join(
        [
            *(line for line in packed if b" refs/replace/" in line),
            *(os.fsencode(place.name) + b" " + _content(place) for place in loose),
        ]
    )


def _content(place: Path) -> bytes:
    """Return the content of a file; empty when it cannot be read."""
    try:
        with place.open("rb") as file:
            return file.read(_MAX_BYTES)
    except OSError:
        return b""
