"""The comments of a workspace: paths, sidecars and present places, for all tools of the toolset."""

from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import cached_property, partial
from pathlib import PurePosixPath

from benchpin.comments import (
    SUFFIX,
    AllComments,
    CommentStore,
    LineOutOfRange,
    PlacedComment,
    Sidecar,
    SidecarCache,
    SidecarEditor,
    StoredComment,
    is_denied,
    sidecar_folder,
)
from benchpin.comments.anchoring import (
    Anchor,
    CommentTracker,
    PlacedComments,
    SourceFiles,
    SourceText,
    make_anchor,
    open_git_history,
)
from benchpin.core.calls import Bench
from benchpin.core.errors import (
    AccessDenied,
    DiskFull,
    FileMissing,
    FileTooLarge,
    InvalidPath,
    PathError,
)
from benchpin.core.text import sendable

_MESSAGES: tuple[tuple[type[PathError], str], ...] = (
    (FileMissing, "File not found"),
    (DiskFull, "Disk full"),
    (AccessDenied, "File access denied"),
    (FileTooLarge, "File too large"),
    (PathError, "Invalid file path"),
)


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

    def __init__(self, bench: Bench) -> None:
        self.bench = bench
        self.files = SourceFiles(bench.session, bench.permissions, bench.job)
        self._root = bench.workspace.root
        self._heads: dict[PurePosixPath, str] = {}

    @cached_property
    def store(self) -> CommentStore:
        """Where sidecars are kept."""
        return CommentStore(*sidecar_folder(self.bench))

    @cached_property
    def all(self) -> AllComments:
        """All comments of the workspace, as they were on first use."""
        cache = self.bench.session.service("sidecars", lambda: SidecarCache(self.store))
        return cache.comments(self.bench.job, self.bench.permissions)

    def resolve(self, file_path: str) -> PurePosixPath:
        """Return the path of a source file, which need not exist."""
        with self._protocol_errors(file_path):
            path = self.bench.workspace.relative(self.bench.path(file_path))
            if not path.name or path.name.endswith(SUFFIX) or (self._root / path).is_dir():
                raise InvalidPath(
                    f"{file_path!r} is not a source file", suggestion="Name a source file."
                )
            if sendable(str(path)) != str(path):
                raise InvalidPath(f"{path!r} is not UTF-8", suggestion="Rename the file first.")
            place = self.store.place_of(path)
            if is_denied(self.bench.permissions, place):
                raise AccessDenied(
                    f"A rule denies {place}", suggestion="Ask the operator to change that rule."
                )
            return path

    def existing(self, path: str) -> PurePosixPath:
        """Return the path of an existing file or folder."""
        with self._protocol_errors(path):
            return self.bench.workspace.relative(self.bench.existing(path))

    def commented(self, file_path: str) -> PurePosixPath:
        """Return the path of a file that exists or has comments."""
        path = self.resolve(file_path)
        with self._protocol_errors(file_path):
            if not (self._root / path).is_file() and not self.store.exists(path):
                raise FileMissing(f"There is no {path}", suggestion="Check the path.")
        return path

    def source(self, file_path: str) -> tuple[PurePosixPath, SourceText]:
        """Return the path and the text of an existing source file."""
        path = self.resolve(file_path)
        with self._protocol_errors(file_path):
            return path, self.files.text(str(path))

    def anchor(self, path: PurePosixPath, text: SourceText, line: int) -> Anchor:
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
        self, *paths: PurePosixPath, text: SourceText | None = None
    ) -> Iterator[list[SidecarEditor]]:
        """Lock the sidecars of files, and write what changed; a file may be given twice.

        With `text`, the source of the first file, its comments without an anchor get one.
        """
        with (
            self._protocol_errors(str(paths[0])),
            self.store.editing(paths, self.bench.job) as editors,
        ):
            yield editors
            if text is not None:
                editors[0].anchor_line_numbers(text, self.bench.now())

    @contextmanager
    def editing_comment(
        self, file_path: str, comment_id: str
    ) -> Iterator[tuple[str, SidecarEditor]]:
        """Lock the sidecar of a comment that is shown in a file; yields the path as well."""
        path = self.commented(file_path)
        stored_for = self.stored_for(path, comment_id)
        with self.editing(stored_for, text=self.files.read_now(str(stored_for))) as [editor]:
            yield sendable(str(path)), editor

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
        return list(self.place_each(it for it in self.all.files if not (self._root / it).is_file()))

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
            with self._protocol_errors(path):
                sidecar = self.store.read(PurePosixPath(path))
        except PathError as error:
            if not is_lenient:
                raise
            return Sidecar(path, problem=error.message)
        if sidecar.problem and not sidecar.comments and not is_lenient:
            raise self.store.corrupt(sidecar)
        return sidecar

    @contextmanager
    def _protocol_errors(self, file_path: str) -> Iterator[None]:
        """Report a bad path with the messages and data of the comment protocol."""
        try:
            yield
        except PathError as error:
            message = next(it for kind, it in _MESSAGES if isinstance(error, kind))
            is_missing = isinstance(error, FileMissing)
            raise type(error)(
                message,
                suggestion="Check that the file exists in the workspace"
                if is_missing
                else error.suggestion,
                data={
                    "filePath": sendable(file_path),
                    "workspaceRoot": str(self._root),
                    **({} if is_missing else {"reason": error.message}),
                },
            ) from error
