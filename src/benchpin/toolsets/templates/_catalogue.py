"""What the template tools have in common: the catalogue, and how a template is shown."""

from collections.abc import Sequence
from typing import Annotated, Any

from pydantic import Field

from benchpin.core import Bench, Item
from benchpin.engines.template_settings import TemplateSettings
from benchpin.engines.templates import BUILT_IN, Catalogue, Parameter, Template, load_catalogue

TemplateUri = Annotated[str, Field(max_length=500)]
Parameters = dict[str, Any]


class TemplateParameter(Item):
    """One thing that a template wants to know."""

    name: str
    type: str
    description: str
    required: bool
    default: str | int | bool | None
    pattern: Annotated[str | None, Field(exclude_if=lambda it: it is None)] = None
    choices: Annotated[list[str], Field(exclude_if=lambda it: not it)] = Field(default_factory=list)
    example: str | int | bool | None


class TemplateResource(Item):
    """A template, as `resources/list` has it, and what it wants to know."""

    uri: str
    name: str
    description: str
    mime_type: Annotated[str, Field(alias="mimeType")]
    category: str
    toolchain: str
    variant: str
    version: str
    origin: str
    """`built-in`, or the name of the folder that it comes from."""
    shadows: Annotated[str | None, Field(exclude_if=lambda it: it is None)] = None
    """Where the template comes from that this one stands before."""
    parameters: list[str]
    """The names of its parameters, those that are required with a star."""


def catalogue_of(bench: Bench) -> Catalogue:
    """Return the templates that this Benchpin knows; they are read once."""
    return load_catalogue(bench.settings(TemplateSettings).folders)


def shown(template: Template) -> TemplateResource:
    """Return a template as callers see it."""
    return TemplateResource(
        uri=template.uri,
        name=template.title,
        description=template.description,
        mime_type=template.mime_type,
        category=template.category,
        toolchain=template.toolchain,
        variant=template.variant,
        version=template.version,
        origin=template.origin,
        shadows=template.shadows,
        parameters=[f"{it.name}*" if it.required else it.name for it in template.parameters],
    )


def line_of(template: TemplateResource) -> str:
    """Say a template in one line."""
    parts = [template.uri, template.name, ", ".join(template.parameters)]
    if template.origin != BUILT_IN:
        stands = f", stands before that of {template.shadows}" if template.shadows else ""
        parts.append(f"(from {template.origin}{stands})")
    return "  ".join(part for part in parts if part)


def described(templates: Sequence[Template]) -> list[TemplateParameter]:
    """Return what some templates want to know, each thing once."""
    distinct = {parameter for template in templates for parameter in template.parameters}
    return [_described(it) for it in sorted(distinct, key=lambda it: (it.name, it.description))]


def parameter_line(parameter: TemplateParameter) -> str:
    """Say a parameter in one line."""
    default = "" if parameter.default is None else f" [{parameter.default}]"
    choices = f" One of {', '.join(parameter.choices)}." if parameter.choices else ""
    return f"{parameter.name}{default}: {parameter.description}{choices}"


def _described(parameter: Parameter) -> TemplateParameter:
    return TemplateParameter(
        name=parameter.name,
        type=parameter.type,
        description=parameter.description,
        required=parameter.required,
        default=parameter.default,
        pattern=parameter.pattern,
        choices=list(parameter.choices),
        example=parameter.example,
    )
