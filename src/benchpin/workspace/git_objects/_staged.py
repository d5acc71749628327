"""What is staged: the files of git's index, and how they were on the disk when it was written.

`git status` would run the filters that a repository configures; listing the index runs nothing. A
file whose time and size are still those in the index has the content that the index names.
"""

import hashlib
import os
from collections.abc import Sequence
from dataclasses import dataclass

from benchpin.core.calls import Job
from benchpin.workspace.git import Repository, stream

from ._objects import is_plain_path

_SHA1_DIGITS = 40
_SECOND_NS = 1_000_000_000
# Lines about a file: times, device, user, size.
_DETAILS = 5


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
    head, *rest = listing.split(b"\0")
    for piece in rest:
        *details, following = piece.split(b"\n", _DETAILS)
        about, _, name = head.partition(b"\t")
        head = following
        path = name.decode("utf-8", "surrogateescape")
        if path.startswith(repository.prefix) and is_plain_path(path) and len(details) == _DETAILS:
            inside = repository.mount + path.removeprefix(repository.prefix)
            entries.append(_entry(inside, about, details))
    return entries


def _entry(path: str, about: bytes, details: Sequence[bytes]) -> IndexEntry:
    """Read what git says of a file, such as `  mtime: 1794824516:871145066`."""
    mode, object_id, _stage = about.decode("ascii").split(" ")
    ctime, mtime, _device, _user, size = (it.partition(b": ")[2] for it in details)
    return IndexEntry(
        path=path,
        mode=mode,
        object_id=object_id,
        mtime_ns=_time_ns(mtime),
        ctime_ns=_time_ns(ctime),
        size_bytes=int(size.partition(b"\t")[0]),
    )


def _time_ns(text: bytes) -> int:
    seconds, _, rest = text.partition(b":")
    return int(seconds) * _SECOND_NS + int(rest)


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
