"""Who changed a file, or some of its lines, and when, as git says it; renames are followed.

`git log -L` says which commits changed lines, and `git blame -C -C` where those of today come from,
also from another file that the commit which created this one took them from.
"""

import re
from collections.abc import Iterable, Iterator
from contextlib import closing
from dataclasses import dataclass, field
from datetime import UTC, datetime
from functools import lru_cache
from heapq import merge

from benchpin.core.calls import Job
from benchpin.workspace.diffs import LineMap, line_numbers, map_lines
from benchpin.workspace.git import Repository, find_head, stream
from benchpin.workspace.git_objects import LogEntry, list_commits, list_line_commits, open_objects

from ._history import LAST_SECOND

UNCOMMITTED = "uncommitted"
_MAX_COMMITS = 1_000
_OPTIONS = ("--no-merges", "--find-renames", "--follow", f"--max-count={_MAX_COMMITS}")
# Kept of a subject or a name: a commit may have megabytes of either.
_MAX_FIELD_BYTES = 256
_CODEC = ("utf-8", "surrogateescape")
_ID = re.compile(rb"([0-9a-f]{40,64}) \d+ (\d+) (\d+)")


@dataclass(frozen=True, slots=True)
class FileCommit:
    """A commit that changed a file."""

    id: str
    time: datetime | None
    author: str
    subject: str
    path: str
    """The path after it, relative to the workspace, or that of the file that lines came from."""
    added: int
    deleted: int
    lines: tuple[int, ...]
    """The lines of today that come from it."""


@dataclass(slots=True)
class _Origin:
    """A commit that lines of today come from, as `git blame` names it."""

    entry: LogEntry
    path: bytes
    """The file that it had them in."""
    lines: list[int] = field(default_factory=list)
    """Their numbers in the last commit."""


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
    with open_objects(repository, job) as objects:
        numbers: dict[bytes, int] = {}

        @lru_cache(2)  # mostly a commit starts from what the one before it left
        def read(content: str) -> list[int]:
            return line_numbers(objects.read(content) or b"", numbers)

        today = line_numbers(now, numbers)
        change = map_lines(read(f"{head}:{inside}") if head else [], today)
        first, last = lines or (1, len(today))
        region = range(first - 1, min(last, len(today)))
        found = _uncommitted(change, region, path)
        # Where the lines are in the last commit, and where those are today.
        now_at = {old + 1: new + 1 for old, new in enumerate(change.to_new) if new in region}
        if not now_at or head is None:
            return found
        span = None if lines is None else (min(now_at), max(now_at))
        versions = {it.id: it for it in list_commits(repository, _OPTIONS, (head,), (inside,), job)}
        origins = {it.entry.id: it for it in _blame(repository, head, inside, span, job)}
        touching = versions
        if span is not None:
            touching = {it.id: it for it in list_line_commits(repository, head, inside, *span, job)}
        entries = {name: it.entry for name, it in origins.items()} | touching | versions
        wanted = touching.keys() | origins.keys()
        own = [it for it in versions if it in wanted]
        others = sorted(wanted - versions.keys(), key=lambda it: (-_seconds(entries[it]), it))
        for name in job.each(
            [*merge(own, others, key=lambda it: -_seconds(entries[it]))], "commits"
        ):
            origin, raw = origins.get(name), entries[name].raw
            came = [] if origin is None else [now_at[it] for it in origin.lines if it in now_at]
            source, added, deleted = b"" if origin is None else origin.path, len(came), 0
            if raw:
                source = raw[0].path
                hunks = map_lines(read(raw[0].old_id), read(raw[0].id)).hunks
                added = sum(it.new_end - it.new_start for it in hunks)
                deleted = sum(it.old_end - it.old_start for it in hunks)
            if came or added or deleted or name not in versions:
                place = (source or inside.encode(*_CODEC)).decode(*_CODEC)
                place = repository.mount + place.removeprefix(repository.prefix)
                found.append(_commit(entries[name], place, added, deleted, sorted(came)))
    return found


def _uncommitted(change: LineMap, region: range, path: str) -> list[FileCommit]:
    """Return what was changed in some lines since the last commit, as one commit, if anything."""
    hunks = [it for it in change.hunks if it.new_start < region.stop and it.new_end > region.start]
    if not hunks:
        return []
    added = sum(it.new_end - it.new_start for it in change.hunks)
    deleted = sum(it.old_end - it.old_start for it in change.hunks)
    new = {at + 1 for it in hunks for at in range(it.new_start, it.new_end) if at in region}
    return [FileCommit(UNCOMMITTED, None, "", "", path, added, deleted, tuple(sorted(new)))]


def _blame(
    repository: Repository, head: str, path: str, span: tuple[int, int] | None, job: Job
) -> Iterable[_Origin]:
    """Return the commits that lines come from, also from files that were split or copied."""
    options = ("-C", "-C", *(() if span is None else (f"-L{span[0]},{span[1]}",)))
    found: dict[str, _Origin] = {}
    origin: _Origin | None = None
    with (
        repository.unconfigured(head) as plain,
        closing(stream(plain, "blame", options, (head,), (path,), job)) as pieces,
    ):
        for line in _lines_of(pieces):
            if group := _ID.fullmatch(line):
                name, start, count = group[1].decode("ascii"), int(group[2]), int(group[3])
                origin = found.setdefault(name, _Origin(LogEntry(name, b"", b"", b""), b""))
                origin.lines.extend(range(start, start + count))
                continue
            key, _, value = line.partition(b" ")
            if origin is None or key not in _FIELDS:
                continue
            if key == b"filename":
                # The file itself, where lines of it and of another come from one commit.
                origin.path = (
                    value if not origin.path or value == path.encode(*_CODEC) else origin.path
                )
            else:
                setattr(origin.entry, _FIELDS[key], value)
    return found.values()


_FIELDS = {b"author": "name", b"committer-time": "time", b"summary": "subject", b"filename": ""}


def _lines_of(pieces: Iterable[bytes]) -> Iterator[bytes]:
    rest = b""
    for piece in pieces:
        *whole, rest = (rest + piece).split(b"\n")
        yield from whole


def _seconds(entry: LogEntry) -> int:
    return int(entry.time) if entry.time.isdigit() else 0


def _commit(entry: LogEntry, path: str, added: int, deleted: int, lines: list[int]) -> FileCommit:
    return FileCommit(
        id=entry.id,
        time=datetime.fromtimestamp(min(_seconds(entry), LAST_SECOND), UTC),
        author=entry.name[:_MAX_FIELD_BYTES].decode(errors="replace"),
        subject=entry.subject[:_MAX_FIELD_BYTES].decode(errors="replace"),
        path=path,
        added=added,
        deleted=deleted,
        lines=tuple(lines),
    )
