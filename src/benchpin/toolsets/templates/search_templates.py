"""Search templates."""

from typing import Annotated

from pydantic import Field

from benchpin.core import Bench, Effect, Params, Result, paginate, tool
from benchpin.engines.templates import TemplateHit, search

from ._catalogue import catalogue_of, line_of


class SearchParams(Params):
    """What to search for."""

    query: Annotated[str, Field(min_length=1, max_length=200)]
    """Search words, such as "python web"; misspelt ones are found too."""
    toolchain: str | None = None
    """Only those that suit this toolchain."""
    limit: Annotated[int, Field(ge=1, le=200)] = 20
    """How many to return, the best first."""
    cursor: str | None = None
    """Where to go on: the next_cursor of the page before."""


class TemplateHits(Result):
    """Matching templates, best first."""

    results: list[TemplateHit]
    total: int
    next_cursor: str | None

    def to_text(self) -> str:
        """Return a line for each template."""
        lines = [f"{hit.relevance:.2f}  {line_of(hit.template)}" for hit in self.results]
        if self.next_cursor:
            lines.append(f"{len(lines)} of {self.total}; next_cursor={self.next_cursor}")
        return "\n".join(lines) or "No template matches; list_templates has them all."


@tool(title="Search templates", effect=Effect.READ)
def search_templates(params: SearchParams, bench: Bench) -> TemplateHits:
    """Search templates by words in their name, description and tags, ranked by relevance."""
    catalogue = catalogue_of(bench)
    hits = search(catalogue.select(toolchain=params.toolchain), params.query)
    listing = f"search {params.toolchain} {params.query}"
    page = paginate(hits, listing=listing, cursor=params.cursor, limit=params.limit)
    return TemplateHits(results=list(page.items), total=page.total, next_cursor=page.next_cursor)
