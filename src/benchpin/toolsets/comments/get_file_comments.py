"""Show the comments of a file."""

from collections.abc import Mapping
from typing import Annotated

from pydantic import Field

from benchpin.core import Bench, Effect, paginate, sendable, tool

from ._desk import Desk
from ._model import CamelParams, CamelResult, CommentItem, comment_item
from ._text import damage_notes, file_text


class FileParams(CamelParams):
    """Which file."""

    file_path: str
    """Path to source file."""
    include_orphaned: bool = True
    """Include orphaned comments (anchors no longer exist)."""
    limit: Annotated[int, Field(ge=1, le=1000)] = 200
    """How many comments to return."""
    cursor: str | None = None
    """Where to go on: the nextCursor of the page before."""


class FileComments(CamelResult):
    """The comments of a file, in the order in which they were written."""

    file_path: str
    comments: list[CommentItem]
    comment_count: int
    orphaned_count: int
    next_cursor: str | None
    damage: str | None
    """What is wrong with the file of comments; those that are whole are here."""
    shown: str = Field(exclude=True)

    def to_text(self) -> str:
        """Return what the protocol shows."""
        return self.shown

    def metadata(self) -> Mapping[str, object]:
        """Return what stands beside the content."""
        return {
            "filePath": self.file_path,
            "commentCount": self.comment_count,
            "orphanedCount": self.orphaned_count,
        }


@tool(title="Comments of a file", effect=Effect.READ)
def get_file_comments(params: FileParams, bench: Bench) -> FileComments:
    """Retrieve all comments and ghost markers for a file, where they stand in its present text.

    Comments whose line is gone are orphaned, and come with the places where they may belong.
    """
    desk = Desk(bench)
    path = desk.commented(params.file_path)
    found, *others = desk.follow_into(path)
    items = [comment_item(*it) for each in (found, *others) for it in each.comments]
    items = [it for it in items if params.include_orphaned or not it.is_orphaned]
    listing = f"comments of {path} {params.include_orphaned}"
    page = paginate(items, listing=listing, cursor=params.cursor, limit=params.limit)
    name = sendable(str(path))
    notes = damage_notes([name] if found.sidecar.problem else [])
    return FileComments(
        file_path=name,
        comments=list(page.items),
        comment_count=len(items),
        orphaned_count=sum(it.is_orphaned for it in items),
        next_cursor=page.next_cursor,
        damage=found.sidecar.problem or None,
        shown="\n\n".join([*notes, file_text(name, items, page)]),
    )
