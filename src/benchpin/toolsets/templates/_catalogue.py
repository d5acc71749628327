"""What the template tools share: the catalogue, and how templates and files are shown."""

from collections.abc import Callable, Iterable
from typing import Annotated, Any

from pydantic import Field

from benchpin import templates
from benchpin.core.calls import Bench
from benchpin.present import Column
from benchpin.templates import BUILT_IN, Template, TemplateCatalogue

TemplateUri = Annotated[str, Field(max_length=500)]
Parameters = dict[str, Any]


def catalogue_of(bench: Bench) -> TemplateCatalogue:
    """Return the built-in templates and those of the operator's folders."""
    return templates.catalogue_of(bench.session, bench.template_folders)


def template_columns(template_of: Callable[[Any], Template]) -> tuple[Column[Any], ...]:
    """Return the columns of a table of templates; `template_of` finds the template of a row."""
    return (
        Column("uri", lambda row: template_of(row).uri),
        Column("name", lambda row: template_of(row).name),
        Column("parameters", lambda row: ", ".join(template_of(row).parameter_names())),
        Column("origin", lambda row: _origin(template_of(row))),
    )


def _origin(template: Template) -> str | None:
    if template.origin == BUILT_IN:
        return None
    replaced = f", replaces that of {template.shadows}" if template.shadows else ""
    return f"{template.origin}{replaced}"


def joined(files: Iterable[tuple[str, str]]) -> str:
    """Join the contents of files, each under a line with its path."""
    return "\n".join(f"==> {path} <==\n{content}" for path, content in files)
