"""The git history of a workspace, as far as placing comments needs it.

Git is started when it is first needed: most comments are in files that did not change.
"""

import os
import re
from collections.abc import Callable, Iterable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from datetime import datetime
from functools import cached_property, partial
from pathlib import Path, PurePosixPath
from typing import TypeVar

from benchpin.core.calls import Job
from benchpin.core.errors import BenchpinError, Cancelled, PathError, TimeLimitExceeded
from benchpin.workspace.git import (
    GitFailed,
    NotARepository,
    Repository,
    find_commit,
    find_head,
    find_repository,
    stream,
)
from benchpin.workspace.git_objects import ObjectReader, RawChange, list_commits, open_objects
from benchpin.workspace.walking import SourceFile

from ._commit_range import BlobChange, CommitChanges, CommitRange
from ._moves import MoveTarget, find_renamed
from ._source_files import SourceFiles
from ._tracked_text import TrackedText, open_text

T = TypeVar("T")

_MAX_CHANGED_FILES = 200
_MAX_CHANGED_BYTES = 1 << 20
_LEFT_OUT = "git history of the commented files"
_OPTIONS = ("--first-parent", "--diff-merges=first-parent", "--reverse", "--max-count=5000")
_RENAMES = "--find-renames"
_EXACT_RENAMES = "--find-renames=100%"  # needs no texts, of which a partial clone lacks some
_PATH_CODEC = ("utf-8", "surrogateescape")
_COMMIT = re.compile(r"[0-9a-f]{40}(?:[0-9a-f]{24})?")
_FILE_MODE = b"100"

# It takes a name and mode of git and returns a path from the workspace; empty outside it or for no
# file.
_PathOf = Callable[[bytes, bytes], str]


class RepositoryHistory:
    """The history of one repository, empty where there is none; answers are kept for the call."""

    def __init__(self, repository: Repository | None, job: Job, resources: ExitStack) -> None:
        self._repository = repository
        self._job = job
        self._resources = resources
        self._commits: dict[str, CommitRange | None] = {}

    @cached_property
    def head(self) -> str:
        """The commit that is checked out; empty when there is none."""
        return self._ask(lambda repository: find_head(repository, self._job)) or ""

    @cached_property
    def _objects(self) -> ObjectReader | None:
        return self._ask(
            lambda repository: self._resources.enter_context(open_objects(repository, self._job))
        )

    def read(self, name: str) -> bytes | None:
        """Return an object by its id or `commit:path`; None when git does not have it."""
        objects = self._objects
        return None if objects is None else self._ask(lambda _: objects.read(name))

    def committed(self, path: str, commit: str = "") -> TrackedText | None:
        """Return the text of a file in a commit, by default in the one that is checked out."""
        if self._repository is None:
            return None
        name = self._repository.prefix + path.removeprefix(self._repository.mount)
        text = self.read(f"{commit or self.head}:{name}")
        return None if text is None else open_text(path, text)

    def notes(self, ref: str) -> list[tuple[str, str]] | None:
        """Return the commits that `git notes` of a ref are on, and their texts; None without it."""
        tip = self._ask(lambda repository: find_commit(repository, ref, self._job))
        if tip is None:
            return None

        def listing(repository: Repository) -> bytes:
            return b"".join(stream(repository, "ls-tree", (), (tip,), None, self._job))

        found = []
        for line in (self._ask(listing) or b"").split(b"\0"):
            about, _, name = line.partition(b"\t")
            # With many notes, the first digits of a commit are folders.
            commit = name.replace(b"/", b"").decode("ascii", "replace")
            content = self.read(about.rpartition(b" ")[2].decode("ascii", "replace"))
            if _COMMIT.fullmatch(commit) and content is not None:
                found.append((commit, content.decode("utf-8", "replace")))
        return sorted(found)

    def commits(self, since: str) -> CommitRange | None:
        """Return the commits since a commit; None when they are not known."""
        if since and since not in self._commits:
            self._commits[since] = self._ask(
                lambda repository: (
                    read_commits(repository, since, self.head, self.read, self._job)
                    if self.head and self._objects is not None
                    else None
                )
            )
        return self._commits.get(since)

    def _ask(self, question: Callable[[Repository], T | None]) -> T | None:
        """Return None where git is missing, broken or too slow; record what time cut off."""
        if self._repository is None:
            return None
        try:
            return question(self._repository)
        except Cancelled:
            raise
        except TimeLimitExceeded:
            self._job.leave_out(_LEFT_OUT)
            return None
        except BenchpinError:
            return None


class GitHistory:
    """The history of all repositories in a workspace."""

    def __init__(self, files: SourceFiles, resources: ExitStack) -> None:
        self._files = files
        self._resources = resources
        self._by_folder: dict[Path, RepositoryHistory] = {}
        self._by_repository: dict[Path | None, RepositoryHistory] = {}
        self._omissions = files.job.omissions

    @property
    def left_out(self) -> list[str]:
        """What was left out since this was opened, for any file.

        Answers are kept for the whole call, so one that was cut short for a file is used for the
        files after it too.
        """
        return self._files.job.left_out_since(self._omissions)

    def of(self, path: str) -> RepositoryHistory:
        """Return the history of the repository that a file is in.

        For a deleted folder, that is the one of the folder around it.
        """
        root = self._files.root
        asked = folder = (root / path).parent
        if asked not in self._by_folder:
            while folder != root and not folder.is_dir():
                folder = folder.parent
            around = (folder, *folder.parents)
            home = next((it for it in around if os.path.lexists(it / ".git")), None)
            if home not in self._by_repository:
                repository = None
                if home is not None:
                    with suppress(NotARepository, PathError):
                        repository = find_repository(folder, root, self._files.session.git_folders)
                history = RepositoryHistory(repository, self._files.job, self._resources)
                self._by_repository[home] = history
            self._by_folder[asked] = self._by_repository[home]
        return self._by_folder[asked]

    def uncommitted(
        self, path: str, since: datetime, size_bytes: int | None = None
    ) -> list[MoveTarget]:
        """Return files of the same kind that were written or renamed since, newest first.

        Files of a renamed folder keep their times; the one with `size_bytes` may be the file
        itself.
        """
        newer = [
            it
            for it in self._same_kind(path)
            if _touched_ns(it) >= since.timestamp() * 1e9 or it.size_bytes == size_bytes
        ]
        newer.sort(key=lambda it: (it.size_bytes != size_bytes, -_touched_ns(it)))
        has_git = bool(self.of(path).head)
        return [
            self._changed(it.path)
            for it in newer[:_MAX_CHANGED_FILES]
            if bool(self.of(it.path).head) == has_git and self._files.read_now(it.path) is not None
        ]

    def renamed(self, path: str, base: TrackedText) -> list[MoveTarget]:
        """Return the file that a lost one became where there is no git: the one with its lines."""
        if self.of(path).head:
            return []
        others = [self._changed(it.path) for it in self._same_kind(path)]
        found = find_renamed(base, path, others)
        return [] if found is None else [found]

    def _same_kind(self, path: str) -> list[SourceFile]:
        suffix = PurePosixPath(path).suffix
        return [
            it
            for it in self._files.tree.refresh(self._files.job).files
            if it.path.endswith(suffix) and it.size_bytes <= _MAX_CHANGED_BYTES
        ]

    def _changed(self, path: str) -> MoveTarget:
        """Return a file with its committed text; without git, what it had before is not known."""
        history = self.of(path)
        read_old = partial(history.committed, path) if history.head else None
        return MoveTarget(path, partial(self._files.read_now, path), read_old)


@contextmanager
def open_git_history(files: SourceFiles) -> Iterator[GitHistory]:
    """Open the history of a workspace; git processes that it starts end with the block."""
    with ExitStack() as resources:
        yield GitHistory(files, resources)


def _touched_ns(file: SourceFile) -> int:
    """Return when a file was last written or renamed."""
    return max(file.mtime_ns, file.ctime_ns)


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

    prefix, mount = repository.prefix.encode(*_PATH_CODEC), repository.mount

    def path_of(name: bytes, mode: bytes) -> str:
        if not mode.startswith(_FILE_MODE) or not name.startswith(prefix):
            return ""
        return mount + name.removeprefix(prefix).decode(*_PATH_CODEC)

    def read(path: str, blob_id: str) -> TrackedText | None:
        text = read_object(blob_id)
        return None if text is None else open_text(path, text)

    def read_changes(renames: str) -> list[CommitChanges]:
        revisions = (f"{since}..{until}",)
        commits = list_commits(repository, (*_OPTIONS, renames), revisions, (), job)
        return [CommitChanges(it.id, tuple(_changes(it.raw, path_of))) for it in commits]

    try:
        return CommitRange(read_changes(_RENAMES), read)
    except GitFailed:
        return CommitRange(read_changes(_EXACT_RENAMES), read)


def _changes(raw: Iterable[RawChange], path_of: _PathOf) -> Iterator[BlobChange]:
    for change in raw:
        old_path = path_of(change.old_path, change.old_mode)
        path = path_of(change.path, change.mode)
        if old_path or path:
            ids = (change.old_id if old_path else "", change.id if path else "")
            yield BlobChange(old_path, path, *ids)
