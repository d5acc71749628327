"""What is staged: the files of git's index, and how they were on the disk when it was written.

`git status` would run the filters that a repository configures; listing the index runs nothing. A
file whose time and size are still those in the index has the content that the index names.
"""

import hashlib
import os
import re
from dataclasses import dataclass

from benchpin.core import Job

from .git import Repository, stream

_ENTRY = re.compile(
    rb"(?P<mode>\d{6}) (?P<id>[0-9a-f]{40,64}) (?P<stage>\d)\t(?P<path>[^\0]+)\0"
    rb"  ctime: (?P<cs>\d+):(?P<cns>\d+)\n  mtime: (?P<s>\d+):(?P<ns>\d+)\n[^\n]*\n[^\n]*\n"
    rb"  size: (?P<size>\d+)\t[^\n]*\n"
)
_SHA1_DIGITS = 40
_SECOND_NS = 1_000_000_000


@dataclass(frozen=True, slots=True)
class IndexEntry:
    """A file in the index."""

    path: str
    """Relative to the workspace."""
    mode: str
    object_id: str
    mtime_ns: int
    ctime_ns: int
    size_bytes: int

    def describes(self, status: os.stat_result) -> bool:
        """Whether a file is as it was when it was staged."""
        return (
            status.st_size == self.size_bytes
            and status.st_mtime_ns == self.mtime_ns
            and status.st_ctime_ns == self.ctime_ns
        )


def read_index(repository: Repository, job: Job) -> list[IndexEntry]:
    """Return the files of the index that are inside the workspace; conflicts have several.

    Raises:
        GitFailed: when git cannot read the index.
        TimeLimitExceeded: when the time of the job is up.
    """
    listing = b"".join(stream(repository, "ls-files", (), (), None, job))
    entries = []
    for found in _ENTRY.finditer(listing):
        path = found["path"].decode("utf-8", "surrogateescape")
        if path.startswith(repository.prefix):
            entries.append(
                IndexEntry(
                    path=repository.mount + path.removeprefix(repository.prefix),
                    mode=found["mode"].decode(),
                    object_id=found["id"].decode(),
                    mtime_ns=int(found["s"]) * _SECOND_NS + int(found["ns"]),
                    ctime_ns=int(found["cs"]) * _SECOND_NS + int(found["cns"]),
                    size_bytes=int(found["size"]),
                )
            )
    return entries


def index_time_ns(repository: Repository) -> int:
    """Return when the index was written: what changed in that moment may not be in it."""
    try:
        return os.lstat(repository.git_dir / "index").st_mtime_ns
    except OSError:
        return 0


def blob_id(content: bytes, like: str) -> str:
    """Return the id that git gives a content, in the format of another id."""
    algorithm = "sha1" if len(like) == _SHA1_DIGITS else "sha256"
    digest = hashlib.new(algorithm, b"blob %d\0" % len(content), usedforsecurity=False)
    digest.update(content)
    return digest.hexdigest()
