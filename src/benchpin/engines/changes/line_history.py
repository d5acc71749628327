"""Who changed a file, or some of its lines, and when; renames are followed.

`git blame` runs the converters that a repository configures, so git only lists the commits of a
file, with the contents before and after each. A line of today comes from the newest commit that
added it: the one whose new content has it, among lines that its old content had not.
"""

from collections.abc import Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass
from datetime import UTC, datetime

from benchpin.core import Job
from benchpin.engines.diffing.line_counts import line_numbers
from benchpin.engines.diffing.line_map import Hunk, LineMap, map_lines
from benchpin.engines.source.git import Repository, find_head, stream
from benchpin.engines.source.git_log import split_fields
from benchpin.engines.source.git_objects import open_objects
from benchpin.engines.source.history import LAST_SECOND

UNCOMMITTED = "uncommitted"
_MOST_COMMITS = 1_000
_OPTIONS = (
    "-z",
    "--raw",
    "--no-abbrev",
    "--no-merges",
    "--find-renames",
    "--follow",
    f"--max-count={_MOST_COMMITS}",
    "--format=%x01%H%x00%ct%x00%aN%x00%s",
)
_MARK = b"\x01"
_MOST_FIELD_BYTES = 256
"""Kept of a subject or a name: a commit may have megabytes of either."""
_CODEC = ("utf-8", "surrogateescape")


@dataclass(frozen=True, slots=True)
class FileCommit:
    """A commit that changed a file."""

    id: str
    time: datetime | None
    author: str
    subject: str
    path: str
    """The path of the file after it, relative to the workspace."""
    added: int
    deleted: int
    lines: tuple[int, ...]
    """The lines of today that come from it."""


@dataclass(frozen=True, slots=True)
class _Version:
    """A commit as git lists it for one file, with the ids of the contents."""

    id: str
    time: bytes
    author: bytes
    subject: bytes
    old: str
    new: str
    path: str


def read_line_history(
    repository: Repository, path: str, now: bytes, job: Job, lines: tuple[int, int] | None = None
) -> list[FileCommit]:
    """Return the commits that changed a file, or some lines of it, newest first.

    `now` is its content on the disk: what differs from the last commit is listed as `uncommitted`.

    Raises:
        GitFailed: when git cannot read the repository.
        TimeLimitExceeded: when the time of the job is up.
    """
    inside = repository.prefix + path.removeprefix(repository.mount)
    head = find_head(repository, job)
    versions: list[_Version] = []
    if head:
        with closing(stream(repository, "log", _OPTIONS, (head,), (inside,), job)) as pieces:
            versions = list(_versions(pieces))
    with open_objects(repository, job) as objects:
        trace = _Trace(now, lines)
        committed = objects.read(f"{head}:{inside}") if head else None
        disk = _Version(UNCOMMITTED, b"", b"", b"", "", "", inside)
        trace.go_back(disk, committed or b"", now)
        for it in job.each(versions, "commits"):
            old, new = (objects.read(one) or b"" for one in (it.old, it.new))
            trace.go_back(it, old, new)
    return [_commit(it, repository) for it in trace.found]


_Found = tuple[_Version, int, int, tuple[int, ...]]


class _Trace:
    """Finds where the lines of today come from, from the newest commit to the oldest."""

    def __init__(self, now: bytes, lines: tuple[int, int] | None) -> None:
        self._numbers: dict[bytes, int] = {}
        self._now = line_numbers(now, self._numbers)
        first, last = lines or (1, len(self._now))
        self._region = range(first - 1, min(last, len(self._now)))
        self._is_whole = lines is None
        self._open = set(self._region)
        """The lines whose origin is not found yet, from 0."""
        self.found: list[_Found] = []

    def go_back(self, version: _Version, old: bytes, new: bytes) -> None:
        """Look at one commit."""
        before, after = (line_numbers(it, self._numbers) for it in (old, new))
        hunks = map_lines(before, after).hunks
        fresh = {after[at] for it in hunks for at in range(it.new_start, it.new_end)}
        may_come = any(self._now[it] in fresh for it in self._open)
        is_listed = self._is_whole and version.id != UNCOMMITTED and bool(hunks)
        came: set[int] = set()
        if may_come or (hunks and not is_listed):
            to_commit = map_lines(self._now, after)
            added_at = {at for it in hunks for at in range(it.new_start, it.new_end)}
            came = {it for it in self._open if to_commit.to_new[it] in added_at}
            is_listed = is_listed or self._touches(to_commit, hunks)
        self._open -= came
        if came or is_listed:
            added = sum(it.new_end - it.new_start for it in hunks)
            deleted = sum(it.old_end - it.old_start for it in hunks)
            self.found.append((version, added, deleted, tuple(it + 1 for it in sorted(came))))

    def _touches(self, to_commit: LineMap, hunks: Sequence[Hunk]) -> bool:
        """Whether a commit changed something between the first and the last line of the region."""
        known = [it for it in self._region if to_commit.to_new[it] >= 0]
        if not known:
            return False
        # Lines at its ends that are not in this version had others in their place.
        first = to_commit.to_new[known[0]] - (known[0] - self._region.start)
        last = to_commit.to_new[known[-1]] + (self._region.stop - 1 - known[-1])
        return any(it.new_start <= last and it.new_end > first for it in hunks)


def _versions(pieces: Iterator[bytes]) -> Iterator[_Version]:
    """Read `git log -z --raw` of one file: four fields, then `:modes ids status` and its paths."""
    fields = split_fields(pieces)
    head: tuple[bytes, ...] = ()
    for it in fields:
        if it.startswith(_MARK):
            head = (it[1:], *(next(fields, b"") for _ in range(3)))
        elif it.lstrip(b"\n").startswith(b":") and head:
            _, _, old, new, status = it.decode("ascii", "replace").split(" ")
            path = next(fields, b"")
            if status.startswith(("R", "C")):
                path = next(fields, b"")
            commit, time, author, subject = (it[:_MOST_FIELD_BYTES] for it in head)
            name = path.decode(*_CODEC)
            yield _Version(commit.decode("ascii"), time, author, subject, old, new, name)


def _commit(found: _Found, repository: Repository) -> FileCommit:
    it, added, deleted, lines = found
    seconds = int(it.time) if it.time.isdigit() else None
    return FileCommit(
        id=it.id,
        time=None if seconds is None else datetime.fromtimestamp(min(seconds, LAST_SECOND), UTC),
        author=it.author.decode(errors="replace"),
        subject=it.subject.decode(errors="replace"),
        path=repository.mount + it.path.removeprefix(repository.prefix),
        added=added,
        deleted=deleted,
        lines=lines,
    )
