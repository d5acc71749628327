"""List templates."""

from typing import Annotated

from pydantic import Field

from benchpin.core import Bench, Effect, Params, Result, paginate, tool
from benchpin.engines.templates import Parameter, Template

from ._catalogue import catalogue_of, line_of


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

    templates: list[Template]
    total: int
    next_cursor: str | None
    parameters: list[Parameter]
    """The parameters of these templates."""
    categories: list[str]
    """All categories."""
    toolchains: list[str]
    """All toolchains that have templates."""
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
            lines += ["", "Parameters (required ones have a star above):"]
            lines += map(_parameter_line, self.parameters)
        return "\n".join((*lines, *(f"Left out: {note}" for note in self.notes)))


def _parameter_line(parameter: Parameter) -> str:
    default = "" if parameter.default is None else f" [{parameter.default}]"
    choices = f" One of {', '.join(parameter.choices)}." if parameter.choices else ""
    return f"{parameter.name}{default}: {parameter.description}{choices}"


@tool(title="List templates", effect=Effect.READ)
def list_templates(params: ListTemplatesParams, bench: Bench) -> TemplateList:
    """List the templates and the parameters that each takes.

    Filter by toolchain or category; templates that suit every toolchain are listed with each.
    """
    catalogue = catalogue_of(bench)
    found = catalogue.select(category=params.category, toolchain=params.toolchain)
    listing = f"templates {params.category} {params.toolchain}"
    page = paginate(found, listing=listing, cursor=params.cursor, limit=params.limit)
    distinct = {parameter for template in page.items for parameter in template.parameters}
    return TemplateList(
        templates=list(page.items),
        total=page.total,
        next_cursor=page.next_cursor,
        parameters=sorted(distinct, key=lambda it: (it.name, it.description)),
        categories=list(catalogue.categories),
        toolchains=list(catalogue.toolchain_names),
        notes=list(catalogue.notes),
    )
