"""How files are divided into batches for the workers."""

from collections.abc import Iterator, Mapping
from itertools import zip_longest

import msgspec

from benchpin.workspace.walking import SourceFile

from ._worker import FileBatch

_MAX_BYTES = 300_000
_MAX_FILES = 200
# Batches for each worker, at least: with fewer, one worker is busy long after the others.
_PER_WORKER = 4


def make_batches(
    files: Mapping[SourceFile, str], batch: FileBatch, workers: int
) -> Iterator[FileBatch]:
    """Yield copies of `batch` with about equal amounts of files; `files` maps them to languages.

    Batches of large and of small files alternate: the first results come soon, and no large file
    is left to the end.
    """
    parts = list(_parts(files, _PER_WORKER * workers))
    half = (len(parts) + 1) // 2
    for pair in zip_longest(parts[:half], reversed(parts[half:])):
        for part in pair:
            if part is not None:
                yield msgspec.structs.replace(batch, files=part)


def _parts(files: Mapping[SourceFile, str], count: int) -> Iterator[tuple[tuple[str, str], ...]]:
    """Divide files, largest first, into at least `count` parts of at most `_MAX_BYTES`."""
    total = sum(file.size_bytes for file in files)
    enough = max(1, min(_MAX_BYTES, total // count))
    part: list[tuple[str, str]] = []
    size = 0
    for file in sorted(files, key=lambda it: (-it.size_bytes, it.path)):
        part.append((file.path, files[file]))
        size += file.size_bytes
        if size >= enough or len(part) == _MAX_FILES:
            yield tuple(part)
            part, size = [], 0
    if part:
        yield tuple(part)
