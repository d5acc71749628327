"""The open comments on code that a tool shows, so that a reader of the code sees them too.

A file without comments costs one look at whether it has a sidecar. Present lines are remembered
until the file, its sidecar or its folder changes.
"""

import os
import time
from collections.abc import Iterable, Iterator, Sequence
from pathlib import PurePosixPath
from typing import Annotated, Any, NamedTuple

from pydantic import Field

from benchpin.comments.anchoring import Scope
from benchpin.core.calls import Operation
from benchpin.core.results import Item
from benchpin.core.text import TextStyle, plain, sendable
from benchpin.present import Column, Table, location
from benchpin.workspace.files import Stamp, is_racy, stamp_of

from ._comment import State
from ._places import SUFFIX, ReadingCall, is_denied, sidecar_folder

_MAX_SHOWN = 20
# Shown of one comment.
_MAX_CHARS = 200
# How many files are remembered.
_ROOM = 4_096


class OpenComment(Item):
    """An open comment, at its present line."""

    file: str
    line: int
    tag: str | None
    author: str
    text: str
    """On one line; a long one is cut."""
    id: str
    state: Annotated[State, Field(exclude_if=lambda it: it == "fresh")] = "fresh"
    """What became of its code since it was written; absent when it is the same."""
    caveat: Annotated[str, Field(exclude=True)] = ""
    scope: Annotated[Scope, Field(exclude=True)] = "line"
    symbol: Annotated[str, Field(exclude=True)] = ""
    """The function or type around it."""


class OpenComments(Item):
    """The first comments on what is shown, by file and line."""

    total: int = 0
    items: list[OpenComment] = Field(default_factory=list)

    def title(self, style: TextStyle) -> str:
        """Return what is written above them."""
        if len(self.items) == self.total:
            return "Open comments"
        all_of_them = style.hint("get_file_comments lists all")
        return f"Open comments, {len(self.items)} of {self.total:,}; {all_of_them}"

    def lines(self, style: TextStyle) -> Iterator[str]:
        """Yield the comments of one file, one a line."""
        for item in self.items:
            tag = f"{plain(item.tag)} " if item.tag else ""
            caveat = f" ({plain(item.caveat)})" if item.caveat else ""
            said = f"{tag}by {plain(item.author)}{caveat}: {plain(item.text)}"
            yield f"[line {item.line}: {said}]"
        if len(self.items) < self.total:
            yield f"[{self.title(style)}]"


# A field of a result, which is absent when there are none.
CommentsShown = Annotated[OpenComments, Field(exclude_if=lambda it: not it.total)]
NO_COMMENTS = OpenComments()
# Shows that field.
COMMENTS_TABLE = Table[Any, OpenComment](
    rows=lambda it: it.comments.items,
    columns=(
        location(),
        Column("tag"),
        Column("author"),
        Column("state", lambda it: it.state),
        Column("text"),
    ),
    title=lambda it: it.comments.title(it.text_style),
)


def shown(comments: Iterable[OpenComment]) -> OpenComments:
    """Return each comment once, and only the first."""
    found = {it.id: it for it in comments}
    if not found:
        return NO_COMMENTS
    ordered = sorted(found.values(), key=lambda it: (it.file, it.line, it.id))
    return OpenComments(total=len(ordered), items=ordered[:_MAX_SHOWN])


def comments_within(call: ReadingCall, places: Iterable[tuple[str, int, int]]) -> OpenComments:
    """Return the open comments on some lines, given as path, first line and last line."""
    reader = CommentReader(call)
    return shown(
        it
        for path, first, last in places
        for it in reader.comments_in(path)
        if first <= it.line <= last or it.scope == "file"
    )


class CommentReader:
    """Reads open comments for one call."""

    def __init__(self, call: ReadingCall) -> None:
        self._call = call
        self._folder = sidecar_folder(call)
        prefix = f"{self._folder.prefix}/" if self._folder.prefix.parts else ""
        self._beside = f"{self._folder.root}/{prefix}"
        """What precedes a path in that of its sidecar."""

    def comments_in(self, path: str, old_path: str = "") -> Sequence[OpenComment]:
        """Return the open comments that are in a file now; `old_path` is where it was before.

        Those are the comments on the file, and those on deleted files of the same folder whose
        code is in it now: mostly because it was renamed.
        """
        if not self._call.permissions.may(path, Operation.READ):
            return ()
        beside = self._sidecars_beside(path)
        if not (beside.are_there or old_path):
            return ()  # the common case
        found = list(self._stored_for(path, path))
        for gone in {*beside.of_deleted, old_path} - {"", path}:
            found += self._stored_for(gone, path)
        return found

    def _stored_for(self, commented: str, path: str) -> Sequence[OpenComment]:
        """Return the comments in the sidecar of a file that are in `path` now."""
        sidecar = _stamp(f"{self._beside}{commented}{SUFFIX}")
        if sidecar is None or not self._may_show(commented):
            return ()
        source = _stamp(f"{self._call.session.root}/{path}")
        now_ns = time.time_ns()
        if source is None or is_racy(sidecar, now_ns) or is_racy(source, now_ns):
            return self._place(commented, path)
        return self._call.session.remember(
            self._call.job,
            "open comments",
            (commented, path, sidecar, source),
            lambda: self._place(commented, path),
            room=_ROOM,
        )

    def _may_show(self, commented: str) -> bool:
        permissions, sidecar = (
            self._call.permissions,
            self._folder.place_of(PurePosixPath(commented)),
        )
        return permissions.may(commented, Operation.READ) and not is_denied(permissions, sidecar)

    def _sidecars_beside(self, path: str) -> "_Sidecars":
        """Return what is known about the sidecars of the files in the same folder."""
        parent, _, _ = path.rpartition("/")
        folder = f"{self._beside}{parent}"
        stamp = _stamp(folder)
        if stamp is None:
            return _NO_SIDECARS
        if is_racy(stamp, time.time_ns()):
            return self._list_sidecars(folder, parent)
        return self._call.session.remember(
            self._call.job,
            "sidecars of a folder",
            (parent, stamp),
            lambda: self._list_sidecars(folder, parent),
            room=_ROOM,
        )

    def _list_sidecars(self, folder: str, parent: str) -> "_Sidecars":
        root, prefix = self._call.session.root, f"{parent}/" if parent else ""
        try:
            self._call.job.expect(os.lstat(folder).st_size)
            with os.scandir(folder) as entries:
                names = [it.name for it in entries]
        except OSError:
            return _NO_SIDECARS
        sources = [prefix + it.removesuffix(SUFFIX) for it in sorted(names) if it.endswith(SUFFIX)]
        deleted = [it for it in sources if not os.path.lexists(f"{root}/{it}")]
        return _Sidecars(bool(sources), deleted)

    def _place(self, commented: str, path: str) -> Sequence[OpenComment]:
        self._call.job.expect_long()
        # Imported where a file has comments: it takes as long as the rest of a first `read_file`.
        from ._workspace_comments import WorkspaceComments  # noqa: PLC0415

        (found,) = WorkspaceComments(self._call).place_each([commented])
        return [
            OpenComment(
                file=sendable(path),
                line=it.line,
                tag=it.tag,
                author=it.author,
                text=_one_line(it.text),
                id=it.id,
                state=it.state,
                caveat="" if it.state == "moved" else it.caveat(),
                scope=it.scope,
                symbol=it.symbol,
            )
            for it in found.placed.values()
            if it.file_path == path and not it.is_orphaned and it.status == "open"
        ]


class _Sidecars(NamedTuple):
    """The sidecars of the files in a folder."""

    are_there: bool
    of_deleted: Sequence[str]
    """The files that have one and are gone."""


_NO_SIDECARS = _Sidecars(are_there=False, of_deleted=())


def _stamp(place: str) -> Stamp | None:
    try:
        return stamp_of(os.lstat(place))
    except (OSError, ValueError):
        return None


def _one_line(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= _MAX_CHARS else f"{line[:_MAX_CHARS]}…"
