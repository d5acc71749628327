"""Who changed a file, or some of its lines, and when; renames are followed.

`git blame` runs the converters that a repository configures, so git only lists the commits of a
file, with the contents before and after each. A line of today comes from the newest commit that
added it: the one whose new content has it, among lines that its old content had not.
"""

from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import lru_cache

from benchpin.core.calls import Job
from benchpin.workspace.diffs import Hunk, line_numbers, map_lines
from benchpin.workspace.git import Repository, find_head
from benchpin.workspace.git_objects import list_commits, open_objects

from ._history import LAST_SECOND

UNCOMMITTED = "uncommitted"
_MAX_COMMITS = 1_000
# Contents that are kept while the commits are read.
_MAX_TEXTS = 64
_OPTIONS = (
    "--no-merges",
    "--find-renames",
    "--follow",
    f"--max-count={_MAX_COMMITS}",
)
# Kept of a subject or a name: a commit may have megabytes of either.
_MAX_FIELD_BYTES = 256
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
        versions = list(_versions(repository, head, inside, job))
    with open_objects(repository, job) as objects:
        numbers: dict[bytes, int] = {}

        @lru_cache(_MAX_TEXTS)  # mostly a commit starts from what the one before it left
        def read(content: str) -> list[int]:
            return line_numbers(objects.read(content) or b"", numbers)

        trace = _Trace(line_numbers(now, numbers), lines)
        committed = f"{head}:{inside}"
        last = read(committed) if head else []
        if versions and read(versions[0].new) == last:
            committed = versions[0].new
        trace.go_back(_Version(UNCOMMITTED, b"", b"", b"", committed, "", inside), last, trace.now)
        for version in job.each(versions, "commits"):
            trace.go_back(version, read(version.old), read(version.new))
    return [_commit(it, repository) for it in trace.found]


_Found = tuple[_Version, int, int, tuple[int, ...]]


class _Trace:
    """Finds where the lines of today come from, from the newest commit to the oldest.

    The place of each line is carried from the content after a commit to the content before it.
    Histories branch: a content after a commit that is before no other is compared with today's.
    """

    def __init__(self, now: list[int], lines: tuple[int, int] | None) -> None:
        self.now = now
        first, last = lines or (1, len(now))
        self._region = range(first - 1, min(last, len(now)))
        self._is_whole = lines is None
        # The lines whose origin is not found yet, from 0.
        self._open = set(self._region)
        # Where the lines of the region are in a content, by its id; -1 where they are not.
        self._places: dict[str, list[int]] = {"": list(self._region)}
        self.found: list[_Found] = []

    def go_back(self, version: _Version, before: list[int], after: list[int]) -> None:
        """Look at one commit."""
        hunks = map_lines(before, after).hunks
        places = self._places_in(version.new, after)
        self._carry(places, version.old, hunks)
        added = {at for it in hunks for at in range(it.new_start, it.new_end)}
        came = {line for line, at in zip(self._region, places, strict=True) if at in added}
        came &= self._open
        self._open -= came
        is_change = self._is_whole and version.id != UNCOMMITTED
        if came or (hunks if is_change else self._touches(places, hunks)):
            deleted = sum(it.old_end - it.old_start for it in hunks)
            lines = tuple(it + 1 for it in sorted(came))
            self.found.append((version, len(added), deleted, lines))

    def _places_in(self, content: str, lines: list[int]) -> list[int]:
        """Return where the lines of the region are in a content."""
        known = self._places.get(content)
        if known is None:
            to_new = map_lines(self.now, lines).to_new
            known = [to_new[it] for it in self._region]
        return known

    def _carry(self, places: list[int], content: str, hunks: Sequence[Hunk]) -> None:
        """Record where the lines are before a commit, from where they are after it."""
        starts = [it.new_start for it in hunks]
        before = []
        for at in places:
            which = bisect_right(starts, at) - 1
            if at < 0 or which < 0:
                before.append(at)
            else:
                hunk = hunks[which]
                before.append(-1 if at < hunk.new_end else at - hunk.new_end + hunk.old_end)
        self._places[content] = before
        if len(self._places) > _MAX_TEXTS:
            del self._places[next(iter(self._places))]  # the oldest: it is rarely asked for again

    def _touches(self, places: list[int], hunks: Sequence[Hunk]) -> bool:
        """Whether a commit changed something between the first and the last line of the region."""
        known = [(line, at) for line, at in zip(self._region, places, strict=True) if at >= 0]
        if not known:
            return False
        # Lines at its ends that are not in this version had others in their place.
        first = known[0][1] - (known[0][0] - self._region.start)
        last = known[-1][1] + (self._region.stop - 1 - known[-1][0])
        return any(it.new_start <= last and it.new_end > first for it in hunks)


def _versions(repository: Repository, head: str, path: str, job: Job) -> Iterator[_Version]:
    for entry in list_commits(repository, _OPTIONS, (head,), (path,), job):
        time, author, subject = (
            it[:_MAX_FIELD_BYTES] for it in (entry.time, entry.name, entry.subject)
        )
        for change in entry.raw:
            name = change.path.decode(*_CODEC)
            yield _Version(entry.id, time, author, subject, change.old_id, change.id, name)


def _commit(found: _Found, repository: Repository) -> FileCommit:
    entry, added, deleted, lines = found
    seconds = int(entry.time) if entry.time.isdigit() else None
    return FileCommit(
        id=entry.id,
        time=None if seconds is None else datetime.fromtimestamp(min(seconds, LAST_SECOND), UTC),
        author=entry.author.decode(errors="replace"),
        subject=entry.subject.decode(errors="replace"),
        path=repository.mount + entry.path.removeprefix(repository.prefix),
        added=added,
        deleted=deleted,
        lines=lines,
    )
