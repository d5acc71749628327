"""List templates."""

import json
from collections.abc import Iterator

from benchpin.core.calls import Bench
from benchpin.core.text import counted
from benchpin.core.tools import Effect, tool
from benchpin.present import Column, ListParams, Report, Table, View
from benchpin.templates import Parameter, Template

from ._catalogue import catalogue_of, template_columns


class ListTemplatesParams(ListParams):
    """Which templates to list."""

    toolchain: str | None = None
    """Only those that suit this toolchain, such as python-uv."""
    category: str | None = None
    """Only this category, such as makefile."""


def _default(parameter: Parameter) -> str | None:
    value = parameter.default
    return value if value is None or isinstance(value, str) else json.dumps(value)


def _headline(report: "TemplateList") -> Iterator[str]:
    if report.templates:
        yield counted(report.total, "template")
    else:
        yield "No template matches."
        yield f"Categories: {', '.join(report.categories)}"
        yield f"Toolchains: {', '.join(report.toolchains)}"


class TemplateList(Report):
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

    view = View["TemplateList"](
        title="Templates",
        headline=_headline,
        tables=(
            Table(
                rows=lambda it: it.templates,
                columns=template_columns(lambda row: row),
                title="Templates; required parameters have a star",
            ),
            Table(
                rows=lambda it: it.parameters,
                columns=(
                    Column("name"),
                    Column("default", _default),
                    Column("description"),
                    Column("choices", lambda it: ", ".join(it.choices) or None),
                ),
                title="Parameters",
            ),
        ),
    )

    def lacks(self) -> list[str]:
        """Return which templates cannot be used."""
        return self.notes


@tool(
    title="List templates",
    effect=Effect.READ,
    also=(
        "which skeletons are there, available templates, starters, boilerplates, catalogue, "
        "parameters of a template, what boilerplates do you have, what can be generated, "
        "project skeletons on offer"
    ),
)
def list_templates(params: ListTemplatesParams, bench: Bench) -> TemplateList:
    """List the templates and the parameters that each takes.

    Filter by toolchain or category; templates that suit every toolchain are listed with each.
    """
    catalogue = catalogue_of(bench)
    page = params.page(catalogue.select(category=params.category, toolchain=params.toolchain))
    distinct = {parameter for template in page.items for parameter in template.parameters}
    return TemplateList(
        templates=list(page.items),
        total=page.total,
        next_cursor=page.next_cursor,
        parameters=sorted(distinct, key=lambda it: (it.name, it.description)),
        categories=list(catalogue.categories),
        toolchains=list(catalogue.toolchain_names),
        notes=list(catalogue.notes),
        format=params.format,
    )
