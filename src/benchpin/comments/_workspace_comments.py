"""The comments of a workspace: sidecars, and the present places of what they hold."""

import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from functools import cached_property, partial
from itertools import accumulate
from pathlib import PurePosixPath
from threading import Lock

from benchpin.comments.anchoring import (
    Anchor,
    CommentTracker,
    PlacedComments,
    SourceFiles,
    TrackedText,
    make_anchor,
    open_git_history,
)
from benchpin.core.calls import Job, Operation, Permissions
from benchpin.core.errors import FileMissing, PathError
from benchpin.core.text import sendable
from benchpin.system.processes import gc_off
from benchpin.workspace.files import RACY_NS
from benchpin.workspace.search import Pattern
from benchpin.workspace.walking import SourceFile, Tree, WalkOptions

from ._comment import PlacedComment, StoredComment
from ._errors import LineOutOfRange, protocol_errors
from ._places import SUFFIX, ReadingCall, sidecar_folder
from ._sidecar import Sidecar, read_time
from ._store import CommentStore

# Comments of a workspace that are kept in memory, about 200 MB.
MAX_TOTAL_COMMENTS = 200_000
_BEGINNING = datetime.min.replace(tzinfo=UTC)


@dataclass(frozen=True, slots=True)
class CachedSidecar:
    """A sidecar without its markers and sketches, which are only needed to place comments."""

    comments: tuple[StoredComment, ...]
    problem: str
    fingerprint: str


_TOO_MANY = CachedSidecar((), f"the files before it have {MAX_TOTAL_COMMENTS:,} comments", "")


@dataclass(frozen=True)
class AllComments:
    """The comments of a workspace at one moment."""

    files: Mapping[str, CachedSidecar]
    """By the path of the source file, in order."""

    @cached_property
    def by_file(self) -> tuple[StoredComment, ...]:
        """All comments by file, in the order of their sidecars."""
        return tuple(it for sidecar in self.files.values() for it in sidecar.comments)

    @cached_property
    def newest_first(self) -> tuple[StoredComment, ...]:
        """All comments by time of creation; those without one are last."""

        def created(comment: StoredComment) -> datetime:
            return read_time(comment.created) or _BEGINNING

        return tuple(sorted(self.by_file, key=created, reverse=True))

    @cached_property
    def damaged(self) -> dict[str, str]:
        """The files whose sidecars are damaged, with the problem."""
        return {path: it.problem for path, it in self.files.items() if it.problem}

    def matching(self, pattern: Pattern) -> Iterator[StoredComment]:
        """Yield the comments that a pattern matches, newest first.

        The pattern runs once over all texts joined: a call for each of 50,000 comments would take
        ten times as long. `end` is the end of the current comment in the joined text.
        """
        text, ends = self._joined
        comments, count = self.newest_first, len(ends)
        which, end, last = 0, ends[0] if ends else 0, -1
        for hit in pattern.finditer(text):
            start = hit.start()
            while start >= end:
                which += 1
                if which >= count:  # the empty match after the last text
                    return
                end = ends[which]
            if which != last:
                last = which
                yield comments[which]

    @cached_property
    def _joined(self) -> tuple[bytes, list[int]]:
        """All texts, each followed by a line feed that no pattern crosses, and their ends."""
        texts = [f"{it.text}\n".encode("utf-8", "surrogatepass") for it in self.newest_first]
        return b"".join(texts), list(accumulate(map(len, texts)))


class SidecarCache:
    """The sidecars of one workspace."""

    def __init__(self, store: CommentStore) -> None:
        self._store = store
        excluded = () if store.prefix.parts else (".benchpin/comments/**",)
        options = WalkOptions(exclude_patterns=excluded, include_ignored=True)
        self._tree = Tree(store.root, options, str(store.prefix), wants=_is_sidecar)
        self._read: dict[str, tuple[SourceFile, CachedSidecar, bool]] = {}
        """By path: the file, what was in it, and whether its times prove that it did not change."""
        self._files: Mapping[str, CachedSidecar] = {}
        self._visible: dict[Permissions, AllComments] = {}
        self._lock = Lock()

    @gc_off()
    def comments(self, job: Job, permissions: Permissions) -> AllComments:
        """Return the present comments about files that may be read.

        Raises:
            Cancelled: when the job was cancelled.
        """
        with self._lock:
            files = self._refresh(job)
            if permissions not in self._visible:
                visible = {it: files[it] for it in files if permissions.may(it, Operation.READ)}
                self._visible[permissions] = AllComments(visible)
            return self._visible[permissions]

    def _refresh(self, job: Job) -> Mapping[str, CachedSidecar]:
        walked: list[SourceFile] = []
        with suppress(FileMissing):  # no comment was written yet
            walked = self._tree.refresh(job).files
        settled_ns = time.time_ns() - RACY_NS
        before, late, count = self._read, 0, 0
        self._read = {}
        has_changed = len(before) != len(walked)
        for file in walked:
            known = before.get(file.path)
            # The walk returns the same object for a file whose size and times did not change.
            if known is None or known[0] is not file or not known[2]:
                job.check()
                if job.is_expired:
                    late += 1
                    continue
                is_settled = (
                    count < MAX_TOTAL_COMMENTS and max(file.mtime_ns, file.ctime_ns) < settled_ns
                )
                sidecar = self._load(file) if count < MAX_TOTAL_COMMENTS else _TOO_MANY
                has_changed |= known is None or known[1].fingerprint != sidecar.fingerprint
                known = (file, sidecar, is_settled)
            count += len(known[1].comments)
            self._read[file.path] = known
        if late:
            job.leave_out(f"{late} of {len(walked)} comment files")
        if has_changed:
            cut = len(f"{self._store.prefix}/") if self._store.prefix.parts else 0
            self._visible = {}
            self._files = {
                path[cut : -len(SUFFIX)]: sidecar
                for path, (_, sidecar, _) in self._read.items()
                if sidecar.comments or (sidecar.problem and self._has_source(path))
            }
        return self._files

    def _has_source(self, path: str) -> bool:
        """Whether there is a source file beside a sidecar; other programs use the suffix too."""
        source = self._store.root / path[: -len(SUFFIX)]
        return bool(self._store.prefix.parts) or source.is_file()

    def _load(self, file: SourceFile) -> CachedSidecar:
        path = PurePosixPath(file.path[: -len(SUFFIX)])
        try:
            found = self._store.read(path.relative_to(self._store.prefix))
        except PathError as error:
            return CachedSidecar((), error.message, error.message)
        return CachedSidecar(found.comments, found.problem, found.fingerprint)


def _is_sidecar(name: str) -> bool:
    return name.endswith(SUFFIX) and len(name) > len(SUFFIX)


@dataclass(frozen=True, slots=True)
class PlacedSidecar:
    """A sidecar, and the present places of its comments."""

    sidecar: Sidecar
    placed: PlacedComments
    is_cut_short: bool
    """Whether time ran out before everything was searched; such places are not stored."""

    def only_in(self, path: str) -> "PlacedSidecar":
        """Return the comments that are in a file now."""
        there = {
            comment_id: it
            for comment_id, it in self.placed.items()
            if it.file_path == path and not it.is_orphaned
        }
        return replace(self, placed=there)


class WorkspaceComments:
    """The comments of a workspace, as one call sees them."""

    def __init__(self, call: ReadingCall) -> None:
        self.files = SourceFiles(call.session, call.permissions, call.job)
        self.store = CommentStore(*sidecar_folder(call))
        self._permissions = call.permissions
        self._heads: dict[PurePosixPath, str] = {}

    @cached_property
    def all(self) -> AllComments:
        """All comments of the workspace, as they were on first use."""
        cache = self.files.session.service("sidecars", lambda: SidecarCache(self.store))
        return cache.comments(self.files.job, self._permissions)

    def anchor(self, path: PurePosixPath, text: TrackedText, line: int) -> Anchor:
        """Return an anchor on a line.

        Raises:
            LineOutOfRange: when there is no such line.
        """
        count = len(text.lines)
        if not 1 <= line <= count:
            raise LineOutOfRange(
                "Invalid line number",
                suggestion=f"Line must be between 1 and {count}" if count else "The file is empty",
                data={"filePath": sendable(str(path)), "line": line, "fileLineCount": count},
            )
        folder = path.parent
        if folder not in self._heads:
            with open_git_history(self.files) as history:
                self._heads[folder] = history.of(str(path)).head
        return make_anchor(text, line, commit=self._heads[folder])

    def stored_for(self, path: PurePosixPath, comment_id: str) -> PurePosixPath:
        """Return the file whose sidecar has a comment that is shown in `path`.

        That is `path` itself when the comment is not found.
        """
        if any(it.id == comment_id for it in self._sidecar(str(path), is_lenient=True).comments):
            return path
        others = [it.path for it in self.all.by_file if it.id == comment_id]
        return next(
            (
                PurePosixPath(it.sidecar.path)
                for it in self.place_each(others)
                if comment_id in it.only_in(str(path)).placed
            ),
            path,
        )

    def place(self, path: PurePosixPath) -> PlacedSidecar:
        """Return the comments of a file with their present places."""
        return next(iter(self.place_each([str(path)], is_lenient=False)))

    def place_in(self, path: PurePosixPath) -> list[PlacedSidecar]:
        """Return the comments of a file, then those of deleted files whose code is there now."""
        others = (it for it in self.of_deleted_files if it.sidecar.path != str(path))
        return [self.place(path), *(it.only_in(str(path)) for it in others)]

    @cached_property
    def of_deleted_files(self) -> list[PlacedSidecar]:
        """The comments of files that no longer exist."""
        return list(
            self.place_each(it for it in self.all.files if not (self.files.root / it).is_file())
        )

    def place_each(
        self, paths: Iterable[str], *, is_lenient: bool = True
    ) -> Iterator[PlacedSidecar]:
        """Yield the comments of files with their present places.

        Raises:
            SidecarCorrupt: unless lenient, when no comment of a file can be read.
        """
        with open_git_history(self.files) as history:
            tracker = CommentTracker(self.files, history)
            for path in paths:
                sidecar = self._sidecar(path, is_lenient=is_lenient)
                placed = tracker.place(sidecar)
                yield PlacedSidecar(sidecar, placed, is_cut_short=bool(history.left_out))

    def places(self, paths: Iterable[str]) -> dict[str, PlacedComments]:
        """Return placed comments by file; sidecars of unchanged files are not read again."""
        with open_git_history(self.files) as history:
            tracker = CommentTracker(self.files, history)
            return {
                path: tracker.place_unread(
                    path,
                    self.all.files[path].fingerprint,
                    partial(self._sidecar, path, is_lenient=True),
                )
                for path in paths
            }

    def placed(self, stored: Sequence[StoredComment]) -> Iterator[tuple[str, PlacedComment]]:
        """Yield pairs: the file that a comment is stored for, and the comment at its place now."""
        places = self.places(sorted({it.path for it in stored}))
        for stored_comment in stored:
            found = places[stored_comment.path].get(stored_comment.id)
            if found is not None:  # None if it was deleted a moment ago
                yield stored_comment.path, found

    def _sidecar(self, path: str, *, is_lenient: bool) -> Sidecar:
        """Read the sidecar of a file; if lenient, a problem is recorded in it and not raised."""
        try:
            with protocol_errors(path, self.files.root):
                sidecar = self.store.read(PurePosixPath(path))
        except PathError as error:
            if not is_lenient:
                raise
            return Sidecar(path, problem=error.message)
        if sidecar.problem and not sidecar.comments and not is_lenient:
            raise self.store.corrupt(sidecar)
        return sidecar
