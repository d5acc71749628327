"""What the template tools share: the catalogue, and texts for templates and files."""

from collections.abc import Iterable
from typing import Annotated, Any

from pydantic import Field

from benchpin.core import Bench
from benchpin.engines.template_settings import TemplateSettings
from benchpin.engines import templates
from benchpin.engines.templates import BUILT_IN, Catalogue, Template

TemplateUri = Annotated[str, Field(max_length=500)]
Parameters = dict[str, Any]


def catalogue_of(bench: Bench) -> Catalogue:
    """Return the built-in templates and those of the operator's folders."""
    return templates.catalogue_of(bench.session, bench.settings(TemplateSettings).folders)


def line_of(template: Template) -> str:
    """Describe a template in one line."""
    names = ", ".join(f"{it.name}*" if it.required else it.name for it in template.parameters)
    parts = [template.uri, template.name, names]
    if template.origin != BUILT_IN:
        instead = f", replaces that of {template.shadows}" if template.shadows else ""
        parts.append(f"(from {template.origin}{instead})")
    return "  ".join(part for part in parts if part)


def joined(files: Iterable[tuple[str, str]]) -> str:
    """Join the contents of files, each under a line with its path."""
    return "\n".join(f"==> {path} <==\n{content}" for path, content in files)
