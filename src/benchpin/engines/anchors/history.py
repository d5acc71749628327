"""What git knows of the way from an anchor to the present: commits, and the texts in them."""

import re
from collections.abc import Callable, Iterable, Iterator
from contextlib import closing

from benchpin.core import Job
from benchpin.engines.source.git import GitFailed, Repository, stream

from .document import Document, open_document
from .trail import FileChange, Step, Trail

_MARK = b"\x01"
_OPTIONS = (
    "-z",
    "--raw",
    "--no-abbrev",
    "--first-parent",
    "--diff-merges=first-parent",
    "--reverse",
    "--max-count=5000",
    "--format=%x01%H",
)
_RENAMES = "--find-renames"
_EXACT_RENAMES = "--find-renames=100%"  # needs no texts, of which a partial clone lacks some
_PATH_CODEC = ("utf-8", "surrogateescape")
_COMMIT = re.compile(r"[0-9a-f]{40}(?:[0-9a-f]{24})?")
_FILE_MODE = b"100"


def read_trail(
    repository: Repository,
    since: str,
    until: str,
    read_object: Callable[[str], bytes | None],
    job: Job,
) -> Trail | None:
    """Return what was committed after one commit up to another; None when the first is gone.

    Of a merge the whole is one step. Where more than 5,000 steps lie between, the first one that
    is read stands for those before it. Texts are read when lines are followed; `read_object` must
    work until then.

    Raises:
        Cancelled: when the job was.
        DependencyMissing: when git is not installed.
        GitFailed: when git cannot read the repository.
        TimeLimitExceeded: when the job's time is up.
    """
    if not _COMMIT.fullmatch(since) or read_object(since) is None:
        return None

    def read(path: str, blob_id: str) -> Document | None:
        text = read_object(blob_id)
        return None if text is None else open_document(path, text)

    def read_steps(renames: str) -> list[Step]:
        revisions = (f"{since}..{until}",)
        with closing(stream(repository, "log", (*_OPTIONS, renames), revisions, (), job)) as log:
            return list(_read_steps(_split(log), _Paths(repository)))

    try:
        return Trail(read_steps(_RENAMES), read)
    except GitFailed:
        return Trail(read_steps(_EXACT_RENAMES), read)


def _split(pieces: Iterable[bytes]) -> Iterator[bytes]:
    rest = b""
    for piece in pieces:
        *fields, rest = (rest + piece).split(b"\0")
        yield from fields


class _Paths:
    """Turns git's names into paths from the workspace."""

    def __init__(self, repository: Repository) -> None:
        self._prefix = repository.prefix.encode(*_PATH_CODEC)
        self._mount = repository.mount

    def path(self, name: bytes, mode: bytes) -> str:
        """Return a path; empty for what is outside of the workspace, or no file."""
        if not mode.startswith(_FILE_MODE) or not name.startswith(self._prefix):
            return ""
        return self._mount + name.removeprefix(self._prefix).decode(*_PATH_CODEC)


def _read_steps(fields: Iterator[bytes], paths: _Paths) -> Iterator[Step]:
    """Read what `git log -z --raw` writes: where each field stands tells what it is."""
    commit = ""
    changes: list[FileChange] = []
    for field in fields:
        head = field.lstrip(b"\n")
        if head.startswith(_MARK):
            if commit:
                yield Step(commit, tuple(changes))
            commit, changes = head[1:].decode("ascii"), []
        elif head.startswith(b":"):
            change = _read_change(head, fields, paths)
            if change.old_path or change.new_path:
                changes.append(change)
    if commit:
        yield Step(commit, tuple(changes))


def _read_change(head: bytes, fields: Iterator[bytes], paths: _Paths) -> FileChange:
    """Read `:<modes> <ids> <status>` and the name behind it, or both names of a renamed file."""
    old_mode, new_mode, old_id, new_id, status = head[1:].split(b" ")
    old_name = new_name = next(fields, b"")
    if status.startswith(b"R"):
        new_name = next(fields, b"")
    old_path, new_path = paths.path(old_name, old_mode), paths.path(new_name, new_mode)
    return FileChange(
        old_path,
        new_path,
        old_id.decode("ascii") if old_path else "",
        new_id.decode("ascii") if new_path else "",
    )
