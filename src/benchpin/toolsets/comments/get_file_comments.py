"""Show the comments of a file."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Annotated

from pydantic import Field

from benchpin.comments import PlacedComment
from benchpin.core.calls import Bench
from benchpin.core.text import counted, plain, sendable
from benchpin.core.tools import Effect, PathArgument, Rare, tool
from benchpin.present import Table, View

from ._protocol import (
    COMMENT_COLUMNS,
    TAGS,
    CamelListParams,
    CamelReport,
    damaged_files,
    quoted,
    state_lines,
)
from ._tool_comments import ToolComments


class FileParams(CamelListParams):
    """A file."""

    file_path: PathArgument[str]
    """Path to source file."""
    include_orphaned: Rare[bool] = True
    """Include orphaned comments (anchors no longer exist)."""
    include_changes: Rare[bool] = False
    """Include the old and new lines of comments whose code changed."""


def _headline(report: "FileComments") -> Iterator[str]:
    if not report.is_text:
        count = counted(report.total, "comment")
        yield f"{count} for {plain(report.file_path)}, {report.orphaned_count} orphaned"
        return
    yield f"Comments for {plain(report.file_path)}"
    yield from ("", "📊 Summary:", f"- Total comments: {report.total}")
    yield from (f"- {plain(name)}: {count}" for name, count in report.counts.items())
    yield f"- Orphaned: {report.orphaned_count}"
    if changed := sum(it.state == "changed" for it in report.comments):
        yield f"- Code changed since: {changed}"


class FileComments(CamelReport):
    """The comments of a file, in the order in which they were written."""

    file_path: str
    comments: list[PlacedComment]
    total: Annotated[int, Field(alias="commentCount")]
    orphaned_count: int
    next_cursor: str | None
    damage: str | None
    """What is wrong with the sidecar; the comments that are intact are here."""
    counts: Mapping[str, int] = Field(exclude=True)
    """Comments by tag, then those that are resolved and orphaned."""

    view = View["FileComments"](
        title="Comments",
        headline=_headline,
        tables=(
            Table(
                rows=lambda it: it.comments,
                columns=COMMENT_COLUMNS,
                title=lambda it: "---" if it.is_text else "",
                entry=lambda report, number, it: _entry(report.file_path, number, it),
            ),
        ),
    )

    @property
    def is_text(self) -> bool:
        """Whether the text of the protocol is shown."""
        return self.format not in {"csv", "json", "markdown", "html"}

    def lacks(self) -> list[str]:
        """Return whose comments may be missing."""
        return damaged_files([self.file_path] if self.damage else [])

    def confidences(self) -> Iterator[float | None]:
        """Yield how sure the place of each comment is."""
        yield from (it.confidence for it in self.comments)

    def metadata(self) -> Mapping[str, object]:
        """Return the metadata of the protocol."""
        return {
            "filePath": self.file_path,
            "commentCount": self.total,
            "orphanedCount": self.orphaned_count,
        }


@tool(
    title="Comments of a file",
    effect=Effect.READ,
    also=(
        "notes on a file, what did people say about it, remarks, annotations, review comments "
        "of a file, discussion in this file, all notes here"
    ),
)
def get_file_comments(params: FileParams, bench: Bench) -> FileComments:
    """Retrieve all comments and ghost markers for a file, with their lines in the present code.

    Each has the state of its code since it was written: fresh, moved, changed or gone. One whose
    line is gone is orphaned, and comes with lines where it may belong.
    """
    comments = ToolComments(bench)
    path = comments.commented(params.file_path)
    own, *others = comments.place_in(path)
    if params.include_changes:
        own, *others = comments.with_changes([own, *others])
    placed = [it for each in (own, *others) for it in each.placed.values()]
    orphaned_count = sum(it.is_orphaned for it in placed)
    if not params.include_orphaned:
        placed = [it for it in placed if not it.is_orphaned]
    page = params.page(placed)
    return FileComments(
        file_path=sendable(str(path)),
        comments=page.items,
        total=page.total,
        orphaned_count=orphaned_count,
        next_cursor=page.next_cursor,
        damage=own.sidecar.problem or None,
        counts=_counts(placed),
        format=params.format,
    )


def _counts(placed: Sequence[PlacedComment]) -> dict[str, int]:
    tags = Counter(it.tag or "Untagged" for it in placed)
    resolved = sum(it.status != "open" for it in placed)
    order = [*TAGS, *sorted(set(tags) - set(TAGS))]
    return {tag: tags[tag] for tag in order if tags[tag]} | (
        {"Resolved": resolved} if resolved else {}
    )


def _entry(path: str, number: int, comment: PlacedComment) -> Iterator[str]:
    file_path = sendable(comment.file_path)
    where = f"Line {comment.line}" if file_path == path else f"{plain(file_path)}:{comment.line}"
    yield f"{number}. {plain(comment.tag or 'Untagged')} ({where}) - {plain(comment.id)}"
    yield quoted(comment)
    yield f"   Author: {plain(comment.author)} | Anchored to: {comment.anchored_to}"
    yield from state_lines(comment)
