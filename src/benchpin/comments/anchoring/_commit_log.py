"""Read the commits between an anchor and the present from `git log`."""

import re
from collections.abc import Callable, Iterable, Iterator
from contextlib import closing

from benchpin.core.calls import Job
from benchpin.workspace.git import GitFailed, Repository, stream

from ._commit_range import BlobChange, CommitChanges, CommitRange
from ._source_text import SourceText, open_text

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

# It takes a name and mode of git and returns a path from the workspace; empty outside it or for no
# file.
_PathOf = Callable[[bytes, bytes], str]


def read_commits(
    repository: Repository,
    since: str,
    until: str,
    read_object: Callable[[str], bytes | None],
    job: Job,
) -> CommitRange | None:
    """Return the commits after one commit up to another; None when the first is not there.

    A merge counts as one commit. Of more than 5,000 commits only the last 5,000 are read; the older
    ones count as part of the first that is read. Texts are read later, when lines are traced, so
    `read_object` must work until then.

    Raises:
        Cancelled: when the job was cancelled.
        DependencyMissing: when git is not installed.
        GitFailed: when git cannot read the repository.
        TimeLimitExceeded: when the job's time is up.
    """
    if not _COMMIT.fullmatch(since) or read_object(since) is None:
        return None

    path_of = _path_mapping(repository)

    def read(path: str, blob_id: str) -> SourceText | None:
        text = read_object(blob_id)
        return None if text is None else open_text(path, text)

    def read_changes(renames: str) -> list[CommitChanges]:
        revisions = (f"{since}..{until}",)
        with closing(stream(repository, "log", (*_OPTIONS, renames), revisions, (), job)) as log:
            return list(_changes(_split(log), path_of))

    try:
        return CommitRange(read_changes(_RENAMES), read)
    except GitFailed:
        return CommitRange(read_changes(_EXACT_RENAMES), read)


def _split(pieces: Iterable[bytes]) -> Iterator[bytes]:
    rest = b""
    for piece in pieces:
        *fields, rest = (rest + piece).split(b"\0")
        yield from fields


def _changes(fields: Iterator[bytes], path_of: _PathOf) -> Iterator[CommitChanges]:
    """Parse the fields of `git log -z --raw`; their order shows what each of them is."""
    commit = ""
    changes: list[BlobChange] = []
    for field in fields:
        head = field.lstrip(b"\n")
        if head.startswith(_MARK):
            if commit:
                yield CommitChanges(commit, tuple(changes))
            commit, changes = head[1:].decode("ascii"), []
        elif head.startswith(b":"):
            change = _change(head, fields, path_of)
            if change.old_path or change.new_path:
                changes.append(change)
    if commit:
        yield CommitChanges(commit, tuple(changes))


def _change(head: bytes, fields: Iterator[bytes], path_of: _PathOf) -> BlobChange:
    """Parse `:<modes> <ids> <status>` and the name after it, or both names of a renamed file."""
    old_mode, new_mode, old_id, new_id, status = head[1:].split(b" ")
    old_name = new_name = next(fields, b"")
    if status.startswith(b"R"):
        new_name = next(fields, b"")
    old_path, new_path = path_of(old_name, old_mode), path_of(new_name, new_mode)
    return BlobChange(
        old_path,
        new_path,
        old_id.decode("ascii") if old_path else "",
        new_id.decode("ascii") if new_path else "",
    )


def _path_mapping(repository: Repository) -> _PathOf:
    prefix, mount = repository.prefix.encode(*_PATH_CODEC), repository.mount

    def path_of(name: bytes, mode: bytes) -> str:
        if not mode.startswith(_FILE_MODE) or not name.startswith(prefix):
            return ""
        return mount + name.removeprefix(prefix).decode(*_PATH_CODEC)

    return path_of
