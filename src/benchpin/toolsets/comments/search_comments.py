"""Search the comments of the workspace."""

from collections.abc import Iterator, Mapping
from datetime import datetime
from typing import Annotated

from pydantic import Field

from benchpin.comments import PlacedComment
from benchpin.core.calls import Bench
from benchpin.core.text import counted, plain, sendable
from benchpin.core.tools import Effect, Rare, tool
from benchpin.present import Table, View
from benchpin.workspace.search import compile_line_pattern

from ._protocol import (
    COMMENT_COLUMNS,
    CamelListParams,
    CamelParams,
    CamelReport,
    Tag,
    damaged_files,
    quoted,
    state_lines,
)
from ._tool_comments import ToolComments


class DateRange(CamelParams):
    """When comments were created; both ends are included."""

    start: datetime | None = None
    """The earliest."""
    end: datetime | None = None
    """The latest."""


class Filters(CamelParams):
    """Conditions besides the query; all must hold."""

    tag: Tag | None = None
    """Its tag."""
    author: str | None = None
    """Its author."""
    file_path: str | None = None
    """Filter by specific file or glob pattern."""
    has_ai_metadata: Annotated[bool, Field(alias="hasAIMetadata")] = False
    """Only return AI-enriched comments."""
    date_range: DateRange | None = None
    """When they were created."""


class SearchParams(CamelListParams):
    """What to search for."""

    query: Annotated[str, Field(min_length=1, max_length=10_000)]
    """Search query (supports regex); RE2 syntax, case is ignored."""
    filters: Rare[Filters] = Field(default_factory=Filters)
    """Only comments that match all of these."""
    limit: Rare[Annotated[int, Field(ge=1, le=1000)]] = 100
    """Max results to return."""


class CommentsFound(CamelReport):
    """Comments, newest first."""

    comments: list[PlacedComment]
    total: Annotated[int, Field(alias="totalResults")]
    next_cursor: str | None
    damaged: list[str]
    """Files whose comments are damaged and may be missing here."""
    query: str = Field(exclude=True)
    filters: dict[str, object] = Field(exclude=True)

    view = View["CommentsFound"](
        title="Comments",
        headline=lambda it: [
            f"Found {counted(it.total, 'matching comment')}{':' if it.comments else '.'}"
        ],
        tables=(
            Table(
                rows=lambda it: it.comments,
                columns=COMMENT_COLUMNS,
                entry=lambda _report, number, it: _entry(number, it),
            ),
        ),
    )

    def lacks(self) -> list[str]:
        """Return whose comments may be missing."""
        return damaged_files(self.damaged)

    def confidences(self) -> Iterator[float | None]:
        """Yield how sure the place of each comment is."""
        yield from (it.confidence for it in self.comments)

    def metadata(self) -> Mapping[str, object]:
        """Return the metadata of the protocol."""
        return {"totalResults": self.total, "query": self.query, "filters": self.filters}


@tool(
    title="Search comments",
    effect=Effect.READ,
    also=(
        "find a note, look for a remark, review comments about a topic, notes by an author, "
        "open questions, all notes that mention something, did anyone leave a remark about"
    ),
)
def search_comments(params: SearchParams, bench: Bench) -> CommentsFound:
    """Search comments by text query with optional filters, newest first.

    The query is a regular expression that matches within a line of a comment.
    """
    comments = ToolComments(bench)
    pattern = compile_line_pattern(params.query, ignore_case=True)
    filters, created = params.filters, params.filters.date_range
    found = comments.select(
        comments.all.matching(pattern),
        tag=filters.tag,
        author=filters.author,
        path_pattern=filters.file_path,
        is_enriched=filters.has_ai_metadata,
        created=None if created is None else (created.start, created.end),
    )
    page = params.page(list(found))
    return CommentsFound(
        comments=[it for _, it in comments.placed(page.items)],
        total=page.total,
        next_cursor=page.next_cursor,
        damaged=sorted(comments.all.damaged),
        query=params.query,
        filters=filters.model_dump(mode="json", by_alias=True, exclude_unset=True),
        format=params.format,
    )


def _entry(number: int, comment: PlacedComment) -> Iterator[str]:
    path = plain(sendable(comment.file_path))
    yield f"{number}. 📝 {path}:{comment.line} ({plain(comment.tag or 'untagged')})"
    yield quoted(comment)
    yield f"   Author: {plain(comment.author)} | Created: {plain(comment.created)}"
    meta = comment.ai_meta or {}
    if meta.get("model"):
        sure = meta.get("confidence")
        confidence = "" if sure is None else f" (confidence: {plain(str(sure))})"
        yield f"   AI: {plain(str(meta['model']))}{confidence}"
    yield from state_lines(comment)
