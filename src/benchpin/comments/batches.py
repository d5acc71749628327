"""Changes of many comments at once: import those of the code, store where they are now."""

from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import PurePosixPath

from benchpin.comments.anchoring import CAMEL_CASE, Suggestion
from benchpin.core.results import Item
from benchpin.core.text import sendable
from benchpin.measures.debt import TaggedComment

from ._comment import PlacedComment, State, StoredComment
from ._new_comment import NewComment
from ._workspace_comments import PlacedSidecar, WorkspaceComments

_SOURCE = "importedFrom"


class Imported(Item):
    """A comment in the code."""

    model_config = CAMEL_CASE

    file_path: str
    line: int
    tag: str
    text: str
    comment_id: str | None
    """None in a dry run."""


def import_tagged(
    comments: WorkspaceComments,
    path: str,
    members: Sequence[TaggedComment],
    author: str,
    *,
    dry_run: bool,
) -> tuple[list[Imported], int]:
    """Import the new comments of a file: the same text as often as it is in the code.

    Returns them, and how many were imported before.
    """
    text, place = comments.files.read_now(path), PurePosixPath(path)
    if text is None:
        return [], 0
    stored = comments.place(place).sidecar.comments
    left = [it.extra[_SOURCE] for it in stored if _SOURCE in it.extra]
    new: list[TaggedComment] = []
    for member in members:
        if member.source in left:
            left.remove(member.source)
        elif member.line <= len(text.lines):
            new.append(member)
    ids: list[str | None] = [None] * len(new)
    if new and not dry_run:
        anchors = [comments.anchor(place, text, it.line) for it in new]
        with comments.editing(place, text=text) as [editor]:
            ids = [
                editor.add(
                    NewComment(it.text, it.tag, author, extra={_SOURCE: it.source}),
                    text,
                    anchor,
                    comments.now(),
                ).id
                for it, anchor in zip(new, anchors, strict=True)
            ]
    imported = [
        Imported(
            file_path=sendable(path), line=it.line, tag=it.tag, text=it.text, comment_id=comment_id
        )
        for it, comment_id in zip(new, ids, strict=True)
    ]
    return imported, len(members) - len(new)


class Reanchored(Item):
    """A comment that is no longer on its old line."""

    model_config = CAMEL_CASE

    comment_id: str
    state: State
    from_path: str
    from_line: int
    to_path: str | None
    """None when it is orphaned."""
    to_line: int | None
    layer: str
    """How it was found: diff, twin, edited, moved, context."""
    confidence: float | None
    reason: str
    suggestions: tuple[Suggestion, ...]


def where_stored(found: PlacedSidecar) -> Counter[str]:
    """Count the comments of a sidecar: kept, moved, orphaned, and of which only a line is known."""
    counts: Counter[str] = Counter()
    for stored in found.sidecar.comments:
        placed = found.placed[stored.id]
        if placed.is_orphaned:
            counts["orphaned"] += 1
        elif placed.state == "unverified":
            counts["unverified"] += 1
        else:
            counts["moved" if _is_elsewhere(stored, placed) else "kept"] += 1
    return counts


def reanchored(found: PlacedSidecar) -> Iterator[Reanchored]:
    """Yield the comments of a sidecar that moved or are orphaned."""
    for stored in found.sidecar.comments:
        placed = found.placed[stored.id]
        if placed.is_orphaned or _is_elsewhere(stored, placed):
            yield Reanchored(
                comment_id=placed.id,
                state=placed.state,
                from_path=sendable(stored.path),
                from_line=stored.line,
                to_path=None if placed.is_orphaned else sendable(placed.file_path),
                to_line=None if placed.is_orphaned else placed.line,
                layer=placed.layer,
                confidence=placed.confidence,
                reason=placed.reason or placed.layer,
                suggestions=placed.suggestions,
            )


def _is_elsewhere(stored: StoredComment, placed: PlacedComment) -> bool:
    """Whether a comment is not where its sidecar says, by what was found and not assumed."""
    is_found = placed.state in {"fresh", "moved", "changed"} and placed.scope != "folder"
    return is_found and (placed.file_path, placed.line) != (stored.path, stored.line)


def store_places(comments: WorkspaceComments, found: PlacedSidecar) -> None:
    """Store the lines of markers; comments whose code is in another file move there."""
    path = PurePosixPath(found.sidecar.path)
    stored = {it.id: it for it in found.sidecar.comments}
    moved = [it for it in found.placed.values() if _is_elsewhere(stored[it.id], it)]
    here = [it for it in moved if it.file_path == found.sidecar.path]
    if here:
        with comments.editing(path, text=comments.files.read_now(str(path))) as [editor]:
            markers = editor.sidecar.marker_of
            for comment in here:
                if comment.id in markers:  # not deleted a moment ago
                    editor.set_place(markers[comment.id].id, comment)
    for comment in moved:
        if comment.file_path != found.sidecar.path:
            _move(comments, path, comment)


def _move(comments: WorkspaceComments, path: PurePosixPath, placed: PlacedComment) -> None:
    with comments.editing(path, PurePosixPath(placed.file_path)) as [old, new]:
        if placed.id in old.sidecar.marker_of:
            new.attach_marker(old.detach_marker(placed.id), placed)
