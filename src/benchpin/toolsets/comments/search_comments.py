"""Search the comments of the workspace."""

from collections.abc import Iterable, Iterator, Mapping
from datetime import UTC, datetime
from functools import cache
from typing import Annotated

from pydantic import Field

from benchpin.core import Bench, Effect, Page, paginate, tool
from benchpin.engines.anchors.shelf import Found
from benchpin.engines.anchors.sidecar import Comment, read_time
from benchpin.engines.files.search import compile_line_pattern
from benchpin.engines.source.path_filter import PathFilter

from ._desk import Desk
from ._model import CamelParams, CamelResult, CommentItem, Tag
from ._text import found_text


class DateRange(CamelParams):
    """When comments were written; both ends are included."""

    start: datetime | None = None
    """The earliest."""
    end: datetime | None = None
    """The latest."""

    def holds(self, comment: Comment) -> bool:
        """Whether a comment was written between the ends; one that does not say was not."""
        moment = read_time(comment.created)
        return (
            moment is not None
            and (self.start is None or _zoned(self.start) <= moment)
            and (self.end is None or moment <= _zoned(self.end))
        )


class Filters(CamelParams):
    """What else a comment must be."""

    tag: Tag | None = None
    """Only this tag."""
    author: str | None = None
    """Only this author."""
    file_path: str | None = None
    """Filter by specific file or glob pattern."""
    has_ai_metadata: Annotated[bool, Field(alias="hasAIMetadata")] = False
    """Only return AI-enriched comments."""
    date_range: DateRange | None = None
    """Only comments written then."""

    def chosen(self, found: Iterable[Found], desk: Desk) -> Iterator[Found]:
        """Give the comments that fit; one whose file is gone, also by the file that it went to."""
        if not self.model_fields_set:
            yield from found
            return
        pattern = self.file_path
        accepts = cache(PathFilter("", (pattern,), ()).accepts) if pattern else None
        went = {} if accepts is None else _went(desk)
        for it in found:
            comment = it.comment
            if (
                (self.tag is None or comment.tag == self.tag)
                and (self.author is None or comment.author == self.author)
                and (not self.has_ai_metadata or comment.ai_meta)
                and (self.date_range is None or self.date_range.holds(it.comment))
                and (
                    accepts is None
                    or accepts(it.path)
                    or accepts(went.get((it.path, comment.id), it.path))
                )
            ):
                yield it


class SearchParams(CamelParams):
    """What to look for."""

    query: Annotated[str, Field(min_length=1, max_length=10_000)]
    """Search query (supports regex); RE2 syntax, capital and small letters are one."""
    filters: Filters = Field(default_factory=Filters)
    """Optional filters to narrow results."""
    limit: Annotated[int, Field(ge=1, le=1000)] = 100
    """Max results to return."""
    cursor: str | None = None
    """Where to go on: the nextCursor of the page before."""


class CommentsFound(CamelResult):
    """Comments, newest first."""

    comments: list[CommentItem]
    total_results: int
    next_cursor: str | None
    damaged: list[str]
    """Files whose comments are damaged and may be missing here."""
    query: str = Field(exclude=True)
    filters: dict[str, object] = Field(exclude=True)

    def to_text(self) -> str:
        """Return what the protocol shows."""
        page = Page(self.comments, self.total_results, self.next_cursor)
        return found_text(page, self.damaged)

    def metadata(self) -> Mapping[str, object]:
        """Return what stands beside the content."""
        return {
            "totalResults": self.total_results,
            "query": self.query,
            "filters": self.filters,
        }


@tool(title="Search comments", effect=Effect.READ)
def search_comments(params: SearchParams, bench: Bench) -> CommentsFound:
    """Search comments by text query with optional filters, newest first.

    The query is a regular expression that matches within a line of a comment.
    """
    desk = Desk(bench)
    contents = desk.contents
    pattern = compile_line_pattern(params.query, ignore_case=True)
    found = list(params.filters.chosen(contents.matching(pattern), desk))
    given = params.filters.model_dump(mode="json", by_alias=True, exclude_unset=True)
    listing = f"comments {params.query} {given}"
    page = paginate(found, listing=listing, cursor=params.cursor, limit=params.limit)
    return CommentsFound(
        comments=[item for _, item in desk.items(page.items)],
        total_results=page.total,
        next_cursor=page.next_cursor,
        damaged=sorted(contents.damaged),
        query=params.query,
        filters=given,
    )


def _went(desk: Desk) -> dict[tuple[str, str], str]:
    """Return where the comments of files that are gone stand, by file and id."""
    return {
        (each.path, comment.id): standing.path
        for each in desk.gone
        for comment, standing in each.comments
    }


def _zoned(moment: datetime) -> datetime:
    return moment if moment.tzinfo is not None else moment.replace(tzinfo=UTC)
