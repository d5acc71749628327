"""A workspace as the comments see it: its files, what was written about them, where that stands."""

from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path, PurePosixPath

from benchpin.core import (
    AccessDenied,
    Bench,
    FileMissing,
    FileTooLarge,
    InvalidPath,
    Operation,
    PathError,
    TimeLimitExceeded,
    sendable,
)
from benchpin.core.permissions import covers
from benchpin.engines.anchors.anchor import Anchor, make_anchor
from benchpin.engines.anchors.context import GONE
from benchpin.engines.anchors.document import Document, Symbol, symbols_of
from benchpin.engines.anchors.draft import Draft
from benchpin.engines.anchors.errors import LineOutOfRange
from benchpin.engines.anchors.following import Follower, Standing, Standings, because, follower_at
from benchpin.engines.anchors.past import Past, looking_back
from benchpin.engines.anchors.shelf import Contents, Found, shelf_at
from benchpin.engines.anchors.sidecar import SUFFIX, Comment, Sidecar
from benchpin.engines.anchors.store import Store, corrupt
from benchpin.engines.files.reading import looks_binary, opened
from benchpin.engines.source.facts import Outline
from benchpin.engines.source.index import SourceQuery, open_index

from ._model import CommentItem, comment_item
from .settings import CommentsSettings

MAX_SOURCE_BYTES = 8 << 20
_MESSAGES: tuple[tuple[type[PathError], str], ...] = (
    (FileMissing, "File not found"),
    (AccessDenied, "File access denied"),
    (FileTooLarge, "File too large"),
    (PathError, "Invalid file path"),
)


@dataclass(frozen=True, slots=True)
class Followed:
    """The comments of a file, and where they stand now."""

    path: str
    sidecar: Sidecar
    standings: Standings
    is_cut_short: bool
    """Whether time ran out before everything was looked at; such placements are not stored."""

    @property
    def comments(self) -> list[tuple[Comment, Standing]]:
        """Return the comments of which it is known where they stand."""
        known = self.standings
        return [(it, known[it.id]) for it in self.sidecar.comments if it.id in known]

    def only(self, path: str) -> "Followed":
        """Return those that stand in a file."""
        there = {
            comment_id: it
            for comment_id, it in self.standings.items()
            if it.path == path and not it.is_orphaned
        }
        return replace(self, standings=there)


class Desk:
    """What every tool of the comments works with."""

    def __init__(self, bench: Bench) -> None:
        self.bench = bench
        self._heads: dict[PurePosixPath, str] = {}

    @cached_property
    def store(self) -> Store:
        """Return where comments are kept."""
        bench = self.bench
        if bench.settings(CommentsSettings).store == "sidecar":
            return Store(bench.workspace.root)
        if bench.data_dir is None:
            return Store(bench.workspace.root, PurePosixPath(".benchpin/comments"))
        return Store(bench.data_dir, PurePosixPath("comments"))

    def may(self, path: str) -> bool:
        """Whether the comments of a file may be seen: where the file may be read."""
        return self.bench.may(path, Operation.READ)

    def resolve(self, file_path: str) -> PurePosixPath:
        """Return the path of a file, which need not be there.

        Raises:
            PathError: when it leads out of the workspace or may not be read.
        """
        with self._in_the_words_of_the_protocol(file_path):
            path = self.bench.workspace.relative(self.bench.path(file_path))
            place = self.store.place_of(path) if path.name else path
            if not path.name or path.name.endswith(SUFFIX) or (self._root / path).is_dir():
                raise InvalidPath(
                    f"{file_path!r} is no source file", suggestion="Name a source file."
                )
            if sendable(str(path)) != str(path):
                raise InvalidPath(f"{path!r} is not UTF-8", suggestion="Rename the file first.")
            if any(covers(rule.pattern, place) for rule in self.bench.permissions.denials):
                raise AccessDenied(
                    f"A rule denies {place}", suggestion="Have the operator change that rule."
                )
            return path

    def existing(self, path: str) -> PurePosixPath:
        """Return the path of a file or folder that is there.

        Raises:
            PathError: when it is not there, or may not be read.
        """
        with self._in_the_words_of_the_protocol(path):
            return self.bench.workspace.relative(self.bench.existing(path))

    def commented(self, file_path: str) -> PurePosixPath:
        """Return the path of a file that is there, or was when comments were written about it.

        Raises:
            PathError: when it is not there, and nobody ever commented on it.
        """
        path = self.resolve(file_path)
        with self._in_the_words_of_the_protocol(file_path):
            if not (self._root / path).is_file() and not self.store.exists(path):
                raise FileMissing(f"There is no {path}", suggestion="Check the path.")
        return path

    def source(self, file_path: str) -> tuple[PurePosixPath, Document]:
        """Return a file that is there, and what it says.

        Raises:
            PathError: when it is not there, or may not be read.
        """
        path = self.resolve(file_path)
        with self._in_the_words_of_the_protocol(file_path):
            return path, self._document(path)

    def anchor(self, path: PurePosixPath, document: Document, line: int) -> Anchor:
        """Return what is to be remembered of a line.

        Raises:
            LineOutOfRange: when there is no such line.
        """
        count = len(document.lines)
        if not 1 <= line <= count:
            raise LineOutOfRange(
                "Invalid line number",
                suggestion=f"Line must be between 1 and {count}" if count else "The file is empty",
                data={"filePath": sendable(str(path)), "line": line, "fileLineCount": count},
            )
        return make_anchor(document, line, commit=self._head(path.parent))

    def outline(self, path: PurePosixPath) -> Outline | None:
        """Return the functions and types of a file; None when no grammar reads it.

        Raises:
            TimeLimitExceeded: when the file was not parsed in time.
        """
        index, job = open_index(self.bench.session), self.bench.job
        omissions = job.omissions
        found = index.read(SourceQuery(start=str(path)), job, self.may)
        if found.files:
            return found.files[0].outline
        if job.omissions > omissions:
            raise TimeLimitExceeded(f"{path} was not parsed in time", suggestion="Call again.")
        return None

    @contextmanager
    def editing(self, path: PurePosixPath, document: Document | None = None) -> Iterator[Draft]:
        """Hold the comments of a file, and write what is changed.

        Raises:
            SidecarCorrupt: when they are damaged.
        """
        with (
            self._in_the_words_of_the_protocol(str(path)),
            self.store.editing(path, self.bench.job) as draft,
        ):
            yield draft
            if document is not None:
                draft.adopt(document)

    @contextmanager
    def editing_both(
        self, source: PurePosixPath, target: PurePosixPath
    ) -> Iterator[tuple[Draft, Draft]]:
        """Hold the comments of two files, which may be one, and write what is changed.

        Raises:
            SidecarCorrupt: when some of them are damaged.
        """
        with (
            self._in_the_words_of_the_protocol(str(source)),
            self.store.editing_both((source, target), self.bench.job) as drafts,
        ):
            yield drafts

    @cached_property
    def contents(self) -> Contents:
        """Return all comments of the workspace, as they were when this was first asked."""
        shelf = shelf_at(self.store.root, self.store.prefix)
        return shelf.look(self.bench.job, self.bench.permissions)

    def follow(self, path: PurePosixPath) -> Followed:
        """Return the comments of a file, and where they stand.

        Raises:
            SidecarCorrupt: when nothing of them can be read.
        """
        return next(iter(self.follow_all([str(path)], is_lenient=False)))

    def follow_all(self, paths: Iterable[str], *, is_lenient: bool = True) -> Iterator[Followed]:
        """Give the comments of files and where they stand; lenient about what is damaged."""
        with self._looking_back() as past:
            for each in paths:
                sidecar = self._sidecar(PurePosixPath(each), is_lenient=is_lenient)
                standings = self._follower.follow(each, sidecar, past, self.may)
                explained = self._explained(each, standings)
                yield Followed(each, sidecar, explained, past.is_cut_short)

    def _explained(self, path: str, standings: Standings) -> Standings:
        """Say of orphans when the whole file cannot be read any more, and why."""
        if not any(it.is_orphaned for it in standings.values()):
            return standings
        why = self._why_unread(PurePosixPath(path))
        return {
            comment_id: because(it, why) if why and it.is_orphaned else it
            for comment_id, it in standings.items()
        }

    def _why_unread(self, path: PurePosixPath) -> str:
        """Return why a file cannot be read; empty when it can."""
        try:
            self._document(path)
        except FileMissing:
            return GONE
        except FileTooLarge:
            return f"the file is larger than {MAX_SOURCE_BYTES >> 20} MiB now"
        except AccessDenied:
            return "the file may not be read"
        except PathError:
            is_file = (self._root / path).is_file()
            return "the file is binary now" if is_file else "the path is no file any more"
        return ""

    def follow_into(self, path: PurePosixPath) -> list[Followed]:
        """Return the comments of a file, and those of files that are gone that stand in it now.

        Raises:
            SidecarCorrupt: when nothing of its own can be read.
        """
        return [
            self.follow(path),
            *(it.only(str(path)) for it in self.gone if it.path != str(path)),
        ]

    @cached_property
    def gone(self) -> list[Followed]:
        """Return the comments of files that are not there any more."""
        paths = [it for it in self.contents.files if not (self._root / it).is_file()]
        return list(self.follow_all(paths))

    def holder(self, path: PurePosixPath, comment_id: str) -> PurePosixPath:
        """Return the file beside which a comment is kept: another one if its code came from there.

        Where nobody knows of it, that is the file itself.
        """
        if any(it.id == comment_id for it in self._sidecar(path, is_lenient=True).comments):
            return path
        others = [it.path for it in self.contents.by_file if it.comment.id == comment_id]
        return next(
            (
                PurePosixPath(it.path)
                for it in self.follow_all(others)
                if comment_id in it.only(str(path)).standings
            ),
            path,
        )

    def _sidecar(self, path: PurePosixPath, *, is_lenient: bool) -> Sidecar:
        """Read the comments of a file; who is not lenient hears of it when none can be read."""
        try:
            with self._in_the_words_of_the_protocol(str(path)):
                sidecar = self.store.read(path)
        except PathError as error:
            if not is_lenient:
                raise
            return Sidecar(problem=error.message)
        if sidecar.problem and not sidecar.comments and not is_lenient:
            raise corrupt(path, self.store.place_of(path), sidecar)
        return sidecar

    def standings(self, paths: Iterable[str]) -> dict[str, Standings]:
        """Return where the comments of files stand; what nobody touched since is only recalled."""
        found: dict[str, Standings] = {}
        lacking = []
        for path in paths:
            known = self._follower.recall(path, self.contents.files[path].fingerprint)
            if known is None:
                lacking.append(path)
            else:
                found[path] = known
        return found | {it.path: it.standings for it in self.follow_all(lacking)}

    def items(self, found: Sequence[Found]) -> Iterator[tuple[str, CommentItem]]:
        """Give comments where they stand now, and the files that they were written about."""
        standings = self.standings(sorted({it.path for it in found}))
        for it in found:
            standing = standings[it.path].get(it.comment.id)
            if standing is not None:  # it was there a moment ago
                yield it.path, comment_item(it.comment, standing)

    def read_now(self, path: str) -> Document | None:
        """Return what a file says now; None when it is not there or may not be read."""
        try:
            return self._document(PurePosixPath(path)) if self.may(path) else None
        except PathError:
            return None

    @cached_property
    def _follower(self) -> Follower:
        return follower_at(self._root, self.store.root / self.store.prefix)

    def _head(self, folder: PurePosixPath) -> str:
        if folder not in self._heads:
            with self._looking_back() as past:
                self._heads[folder] = past.head(str(folder / "_"))
        return self._heads[folder]

    @property
    def _root(self) -> Path:
        return self.bench.workspace.root

    @contextmanager
    def _looking_back(self) -> Iterator[Past]:
        with looking_back(self._root, self.read_now, self.bench.job) as past:
            yield past

    def _document(self, path: PurePosixPath) -> Document:
        with opened(self._root, path, MAX_SOURCE_BYTES) as file:
            text = file.read(MAX_SOURCE_BYTES)
        if looks_binary(text):
            raise InvalidPath(f"{path} is binary", suggestion="Comment on lines of text.")
        return Document(text, lambda: self._symbols(path))

    def _symbols(self, path: PurePosixPath) -> tuple[Symbol, ...]:
        try:
            outline = self.outline(path)
        except TimeLimitExceeded:  # the job has recorded what was left out
            return ()
        return () if outline is None else symbols_of(outline)

    @contextmanager
    def _in_the_words_of_the_protocol(self, file_path: str) -> Iterator[None]:
        """Say what is wrong with a path as the protocol of the comments does."""
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
