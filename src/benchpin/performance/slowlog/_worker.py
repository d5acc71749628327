"""Digest one part of a log in a process of its own, from a file descriptor that it inherits."""

import os
from collections.abc import Iterator

import msgspec

from benchpin.system.processes import end_with_parent, reply, requests

from ._digest import Digest, Part

CHUNK_BYTES = 1 << 20


class PartRequest(msgspec.Struct, frozen=True):
    """Which part of which open file; a process gets one request."""

    file: int
    start: int
    end: int
    most_classes: int


def part_chunks(file: int, start: int, end: int) -> Iterator[bytes]:
    while start < end:
        chunk = os.pread(file, min(CHUNK_BYTES, end - start), start)
        if not chunk:
            return
        start += len(chunk)
        yield chunk


def digest_part(request: PartRequest) -> Part:
    start = request.start
    digest = Digest(start, most_classes=request.most_classes, is_first=start == 0)
    for chunk in part_chunks(request.file, start, request.end):
        digest.feed(chunk)
    return digest.finish()


if __name__ == "__main__":
    request = msgspec.json.decode(next(requests()), type=PartRequest)
    end_with_parent()
    reply(msgspec.json.encode(digest_part(request)))
