"""All comments of a workspace, by file, kept in memory and read again only where they changed."""

import time
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cached_property, lru_cache
from itertools import accumulate
from pathlib import Path, PurePosixPath
from threading import Lock

import msgspec

from benchpin.core import FileMissing, Job, Operation, PathError, Permissions
from benchpin.engines.files.search import Pattern
from benchpin.engines.source.garbage import uncollected
from benchpin.engines.source.opening import RACY_NS
from benchpin.engines.source.walk import SourceFile, Tree, WalkOptions

from .sidecar import SUFFIX, Comment, read_time
from .store import Store

_MOST_SHELVES = 4
_BEGINNING = datetime.min.replace(tzinfo=UTC)


class Found(msgspec.Struct, frozen=True, gc=False):
    """A comment, and the file that it is about."""

    path: str
    comment: Comment


@dataclass(frozen=True, slots=True)
class Shelved:
    """The comments of one file, without what is only needed to follow them."""

    comments: tuple[Comment, ...]
    problem: str
    fingerprint: str


@dataclass(frozen=True)
class Contents:
    """What was on the shelf at one moment."""

    files: Mapping[str, Shelved]
    """By the path of the file that they are about, in order."""

    @cached_property
    def by_file(self) -> tuple[Found, ...]:
        """Return all comments by file, in the order in which they were written there."""
        return tuple(
            Found(path, comment)
            for path, shelved in self.files.items()
            for comment in shelved.comments
        )

    @cached_property
    def comments(self) -> tuple[Found, ...]:
        """Return all comments, newest first; last those that do not say when they were written."""

        def written(found: Found) -> datetime:
            return read_time(found.comment.created) or _BEGINNING

        return tuple(sorted(self.by_file, key=written, reverse=True))

    @cached_property
    def damaged(self) -> dict[str, str]:
        """Return the files whose comments are damaged, and what is wrong."""
        return {path: it.problem for path, it in self.files.items() if it.problem}

    def matching(self, pattern: Pattern) -> Iterator[Found]:
        """Give the comments that a pattern matches; it is run over all of them at once."""
        text, ends = self._joined
        comments, count = self.comments, len(ends)
        which, end, last = 0, ends[0] if ends else 0, -1
        for hit in pattern.finditer(text):
            start = hit.start()
            while start >= end:
                which += 1
                if which == count:
                    return
                end = ends[which]
            if which != last:
                last = which
                yield comments[which]

    @cached_property
    def _joined(self) -> tuple[bytes, list[int]]:
        """Return all texts, each with a line end behind it that no pattern crosses."""
        texts = [f"{it.comment.text}\n".encode("utf-8", "surrogatepass") for it in self.comments]
        return b"".join(texts), list(accumulate(map(len, texts)))


class Shelf:
    """The comments of one workspace."""

    def __init__(self, store: Store) -> None:
        self._store = store
        excluded = () if store.prefix.parts else (".benchpin/comments/**",)
        options = WalkOptions(exclude_patterns=excluded, include_ignored=True)
        self._tree = Tree(store.root, options, str(store.prefix), wants=_is_sidecar)
        self._read: dict[str, tuple[SourceFile, Shelved, bool]] = {}
        self._files: Mapping[str, Shelved] = {}
        self._seen: dict[Permissions, Contents] = {}
        """What may be seen of the files, by who looks."""
        self._lock = Lock()

    @uncollected()
    def look(self, job: Job, permissions: Permissions) -> Contents:
        """Return what is there now, about files that may be read.

        Raises:
            Cancelled: when the job was cancelled.
        """
        with self._lock:
            files = self._refresh(job)
            if permissions not in self._seen:
                seen = {it: files[it] for it in files if permissions.may(it, Operation.READ)}
                self._seen[permissions] = Contents(seen)
            return self._seen[permissions]

    def _refresh(self, job: Job) -> Mapping[str, Shelved]:
        walked: list[SourceFile] = []
        with suppress(FileMissing):  # nobody wrote a comment yet
            walked = self._tree.refresh(job).files
        settled_ns = time.time_ns() - RACY_NS
        before = self._read
        self._read = {}
        is_news = len(before) != len(walked)
        for file in walked:
            known = before.get(file.path)
            if known is None or known[0] is not file or not known[2]:
                shelved = self._load(file)
                is_news |= known is None or known[1].fingerprint != shelved.fingerprint
                is_settled = max(file.mtime_ns, file.ctime_ns) < settled_ns
                known = (file, shelved, is_settled)
            self._read[file.path] = known
        if is_news:
            cut = len(f"{self._store.prefix}/") if self._store.prefix.parts else 0
            self._seen = {}
            self._files = {
                path[cut : -len(SUFFIX)]: shelved
                for path, (_, shelved, _) in self._read.items()
                if shelved.comments or (shelved.problem and self._has_source(path))
            }
        return self._files

    def _has_source(self, path: str) -> bool:
        """Whether a file of comments is about a file; others may use the same ending."""
        beside = self._store.root / path[: -len(SUFFIX)]
        return bool(self._store.prefix.parts) or beside.is_file()

    def _load(self, file: SourceFile) -> Shelved:
        path = PurePosixPath(file.path[: -len(SUFFIX)])
        try:
            found = self._store.read(path.relative_to(self._store.prefix))
        except PathError as error:
            return Shelved((), error.message, error.message)
        return Shelved(found.comments, found.problem, found.fingerprint)


def _is_sidecar(name: str) -> bool:
    return name.endswith(SUFFIX) and len(name) > len(SUFFIX)


@lru_cache(_MOST_SHELVES)
def shelf_at(root: Path, prefix: PurePosixPath) -> Shelf:
    """Return the shelf of a workspace; a server keeps it from call to call."""
    return Shelf(Store(root, prefix))
