"""Digest one part of a log in a separate process.

`python -m benchpin.performance.slowlog._worker FILE START END MAX_CLASSES` reads from an
inherited file descriptor and writes the digest to stdout. It ends when its stdin closes, that is,
with its parent.
"""

import os
import sys
import threading
from collections.abc import Iterator

import msgspec

from ._digest import Digest, Part

CHUNK_BYTES = 1 << 20


def part_chunks(file: int, start: int, end: int) -> Iterator[bytes]:
    while start < end:
        chunk = os.pread(file, min(CHUNK_BYTES, end - start), start)
        if not chunk:
            return
        start += len(chunk)
        yield chunk


def digest_part(file: int, start: int, end: int, most_classes: int) -> Part:
    digest = Digest(start, most_classes=most_classes, is_first=start == 0)
    for chunk in part_chunks(file, start, end):
        digest.feed(chunk)
    return digest.finish()


def _end_with_parent() -> None:
    os.read(0, 1)
    os._exit(1)


def main() -> None:
    """Digest the part that the arguments name."""
    threading.Thread(target=_end_with_parent, daemon=True).start()
    file, start, end, most_classes = map(int, sys.argv[1:])
    part = digest_part(file, start, end, most_classes)
    sys.stdout.buffer.write(msgspec.json.encode(part))
    sys.stdout.buffer.flush()


if __name__ == "__main__":
    main()
