"""The comments of a workspace: sidecars, and the present places of what they hold."""

from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from functools import cache, cached_property, partial
from pathlib import PurePosixPath

from benchpin.comments.anchoring import (
    Anchor,
    CommentTracker,
    PlacedComments,
    SourceFiles,
    TrackedText,
    make_anchor,
    open_git_history,
)
from benchpin.core.errors import PathError
from benchpin.core.text import sendable
from benchpin.workspace.walking import PathFilter

from ._comment import PlacedComment, StoredComment
from ._errors import LineOutOfRange, protocol_errors
from ._places import ReadingCall, sidecar_folder
from ._sidecar import Sidecar, read_time
from ._sidecar_edit import SidecarEditor
from ._store import AllComments, CommentStore, SidecarCache


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
        self._call = call
        self.now = call.now
        self.files = SourceFiles(call.session, call.permissions, call.job)
        self.store = CommentStore(*sidecar_folder(call))
        self._heads: dict[PurePosixPath, str] = {}

    @cached_property
    def all(self) -> AllComments:
        """All comments of the workspace, as they were on first use."""
        cache = self.files.session.service("sidecars", lambda: SidecarCache(self.store))
        return cache.comments(self.files.job, self._call.permissions)

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

    @contextmanager
    def editing(
        self, *paths: PurePosixPath, text: TrackedText | None = None
    ) -> Iterator[list[SidecarEditor]]:
        """Lock the sidecars of files, and write what changed; a file may be given twice.

        With `text`, the source of the first file, its comments without an anchor get one.
        """
        with (
            protocol_errors(str(paths[0]), self.files.root),
            self.store.editing(paths, self._call.job) as editors,
        ):
            yield editors
            if text is not None:
                editors[0].anchor_line_numbers(text, self.now())

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

    def with_changes(self, found: Iterable[PlacedSidecar]) -> list[PlacedSidecar]:
        """Return comments with the old and the new lines of those whose code changed."""
        with open_git_history(self.files) as history:
            tracker = CommentTracker(self.files, history)
            return [replace(it, placed=tracker.changes(it.sidecar, it.placed)) for it in found]

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

    def select(
        self,
        found: Iterable[StoredComment],
        *,
        tag: str | None,
        author: str | None,
        path_pattern: str | None,
        is_enriched: bool,
        created: tuple[datetime | None, datetime | None] | None,
    ) -> Iterator[StoredComment]:
        """Yield the comments that fit all conditions; both ends of the time are included.

        The path may also be where the code of a deleted file is now.
        """
        accepts = cache(PathFilter("", (path_pattern,), ()).accepts) if path_pattern else None
        moved = {
            (each.sidecar.path, it.id): it.file_path
            for each in (self.of_deleted_files if accepts else ())
            for it in each.placed.values()
        }
        for comment in found:
            if (
                (tag is None or comment.tag == tag)
                and (author is None or comment.author == author)
                and (not is_enriched or comment.ai_meta)
                and (created is None or _is_within(comment, *created))
                and (
                    accepts is None
                    or accepts(comment.path)
                    or accepts(moved.get((comment.path, comment.id), comment.path))
                )
            ):
                yield comment

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


def _is_within(comment: StoredComment, start: datetime | None, end: datetime | None) -> bool:
    """Whether a comment was created between two moments; not if it has no date."""
    created = read_time(comment.created)
    return (
        created is not None
        and (start is None or _zoned(start) <= created)
        and (end is None or created <= _zoned(end))
    )


def _zoned(moment: datetime) -> datetime:
    return moment if moment.tzinfo is not None else moment.replace(tzinfo=UTC)
