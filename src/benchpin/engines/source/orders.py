"""How the files to measure are shared out among workers."""

from collections.abc import Iterator, Mapping
from itertools import zip_longest

import msgspec

from .walk import SourceFile
from .worker import Order

_MOST_BYTES = 300_000
_MOST_FILES = 200
_FOR_EACH = 4
"""About how many orders each worker gets at least, or one works on when the others are done."""


def share_out(files: Mapping[SourceFile, str], order: Order, workers: int) -> Iterator[Order]:
    """Make orders like the given one of about equal size for files, of which the language is given.

    Of the biggest files and the smallest, some come by turns: something comes soon, and nothing
    big comes last.
    """
    parts = list(_parts(files, _FOR_EACH * workers))
    half = (len(parts) + 1) // 2
    for pair in zip_longest(parts[:half], reversed(parts[half:])):
        for part in pair:
            if part is not None:
                yield msgspec.structs.replace(order, files=part)


def _parts(files: Mapping[SourceFile, str], count: int) -> Iterator[tuple[tuple[str, str], ...]]:
    """Part files, the biggest first; into more parts than `count` where these would be too big."""
    total = sum(file.size_bytes for file in files)
    enough = max(1, min(_MOST_BYTES, total // count))
    part: list[tuple[str, str]] = []
    size = 0
    for file in sorted(files, key=lambda it: (-it.size_bytes, it.path)):
        part.append((file.path, files[file]))
        size += file.size_bytes
        if size >= enough or len(part) == _MOST_FILES:
            yield tuple(part)
            part, size = [], 0
    if part:
        yield tuple(part)
