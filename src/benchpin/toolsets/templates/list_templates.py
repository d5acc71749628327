"""List templates."""

from typing import Annotated

from pydantic import Field

from benchpin.core import Bench, Effect, Params, Result, paginate, tool

from ._catalogue import (
    TemplateParameter,
    TemplateResource,
    catalogue_of,
    described,
    line_of,
    parameter_line,
    shown,
)


class ListTemplatesParams(Params):
    """Which templates to list."""

    toolchain: str | None = None
    """Only those that suit this toolchain: rust, python-uv, deno, node, go, java-maven …"""
    category: str | None = None
    """Only this category: project, makefile, readme, gitignore, ci, dockerfile …"""
    limit: Annotated[int, Field(ge=1, le=500)] = 50
    """How many to return."""
    cursor: str | None = None
    """Where to go on: the next_cursor of the page before."""


class TemplateList(Result):
    """Templates in the order of their URIs."""

    templates: list[TemplateResource]
    total: int
    next_cursor: str | None
    parameters: list[TemplateParameter]
    """What the parameters of these templates are."""
    categories: list[str]
    """Every category that there is."""
    toolchains: list[str]
    """Every toolchain that there are templates for."""
    notes: list[str]
    """Templates that could not be read, and why."""

    def to_text(self) -> str:
        """Return a line for each template."""
        lines = [line_of(template) for template in self.templates]
        if not lines:
            lines = [
                (
                    "No template fits. "
                    f"Categories: {', '.join(self.categories)}. "
                    f"Toolchains: {', '.join(self.toolchains)}."
                )
            ]
        if self.next_cursor:
            lines.append(f"{len(lines)} of {self.total}; next_cursor={self.next_cursor}")
        if self.parameters:
            lines += ["", "Parameters, a star above is required:"]
            lines += [parameter_line(parameter) for parameter in self.parameters]
        return "\n".join((*lines, *(f"Left out: {note}" for note in self.notes)))


@tool(title="List templates", effect=Effect.READ)
def list_templates(params: ListTemplatesParams, bench: Bench) -> TemplateList:
    """List the templates that there are, with the parameters that each takes.

    Filter by toolchain or category; templates that suit every toolchain are listed with each.
    """
    catalogue = catalogue_of(bench)
    found = catalogue.select(category=params.category, toolchain=params.toolchain)
    listing = f"templates {params.category} {params.toolchain}"
    page = paginate(found, listing=listing, cursor=params.cursor, limit=params.limit)
    return TemplateList(
        templates=[shown(template) for template in page.items],
        total=page.total,
        next_cursor=page.next_cursor,
        parameters=described(page.items),
        categories=list(catalogue.categories),
        toolchains=list(catalogue.toolchain_names),
        notes=list(catalogue.notes),
    )
