"""Files beside the source that say how a project is put together."""

from pathlib import Path

from benchpin.core import Bench, PathError
from benchpin.engines.source.resolve import Reader

_MOST_BYTES = 1 << 20


def manifest_reader(bench: Bench) -> Reader:
    """Return what gives engines the beginning of a file of the workspace that may be read."""

    def read(path: str) -> bytes | None:
        try:
            return _head(bench.path(path))
        except (PathError, OSError):
            return None

    return read


def _head(place: Path) -> bytes | None:
    if not place.is_file():
        return None
    with place.open("rb") as opened:
        return opened.read(_MOST_BYTES)
