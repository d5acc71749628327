"""Search templates."""

from collections.abc import Iterator
from typing import Annotated

from pydantic import Field

from benchpin.core.calls import Bench
from benchpin.core.text import counted
from benchpin.core.tools import Effect, tool
from benchpin.present import Column, ListParams, Report, Table, View
from benchpin.templates import TemplateHit, search

from ._catalogue import catalogue_of, template_columns


class SearchTemplatesParams(ListParams):
    """What to search for."""

    query: Annotated[str, Field(min_length=1, max_length=200)]
    """Search words, such as "python web"; misspelt ones are found too."""
    toolchain: str | None = None
    """Only those that suit this toolchain."""


def _headline(report: "TemplateHits") -> Iterator[str]:
    if report.results:
        yield f"{counted(report.total, 'matching template')}, best first"
    else:
        yield report.text_style.hint("No template matches; list_templates has them all.")


class TemplateHits(Report):
    """Matching templates, best first."""

    results: list[TemplateHit]
    total: int
    next_cursor: str | None

    view = View["TemplateHits"](
        title="Matching templates",
        headline=_headline,
        tables=(
            Table(
                rows=lambda it: it.results,
                columns=(
                    Column("relevance", spec=".2f"),
                    *template_columns(lambda hit: hit.template),
                ),
            ),
        ),
    )


@tool(
    title="Search templates",
    effect=Effect.READ,
    also=("find a skeleton, template for, boilerplate about, starter, is there a template with"),
)
def search_templates(params: SearchTemplatesParams, bench: Bench) -> TemplateHits:
    """Search templates by words in their name, description and tags."""
    catalogue = catalogue_of(bench)
    page = params.page(search(catalogue.select(toolchain=params.toolchain), params.query))
    return TemplateHits(
        results=list(page.items),
        total=page.total,
        next_cursor=page.next_cursor,
        format=params.format,
    )
