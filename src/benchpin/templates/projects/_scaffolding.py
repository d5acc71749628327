"""Combine several templates into one project."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from benchpin.core.errors import InvalidParams
from benchpin.templates import (
    ANY,
    SCHEME,
    InvalidTemplateParameters,
    ParameterProblem,
    RenderedFile,
    Template,
    TemplateCatalogue,
    Value,
)


@dataclass(frozen=True, slots=True)
class ScaffoldRequest:
    """What a project is to be generated from."""

    toolchain: str
    templates: Sequence[str]
    """Categories, such as `makefile`; `category/variant`; or whole URIs."""
    parameters: Mapping[str, object]
    variant: str = "cli"


@dataclass(frozen=True, slots=True)
class Scaffold:
    """A generated project, in memory."""

    toolchain: str
    variant: str
    templates: tuple[Template, ...]
    parameters: Mapping[str, Value]
    files: tuple[RenderedFile, ...]


def scaffold(catalogue: TemplateCatalogue, request: ScaffoldRequest) -> Scaffold:
    """Render all requested templates with the same parameters.

    Raises:
        TemplateNotFound: when the toolchain is unknown or lacks one of the templates.
        InvalidTemplateParameters: naming every problem with the parameters.
        InvalidParams: when two templates produce the same file.
    """
    if request.toolchain not in catalogue.toolchain_names:
        known = ", ".join(catalogue.toolchain_names)
        wanted = f"{SCHEME}project/{request.toolchain}/{request.variant}"
        raise catalogue.not_found(
            f"There are no templates for {request.toolchain!r}, only for {known}", wanted
        )
    templates = tuple(
        dict.fromkeys(_template_named(catalogue, name, request) for name in request.templates)
    )
    return render_project(catalogue, templates, request)


def render_project(
    catalogue: TemplateCatalogue,
    templates: Sequence[Template],
    request: ScaffoldRequest,
    other_categories: frozenset[str] = frozenset(),
) -> Scaffold:
    """Render templates that were found; `other_categories` are in the project without them.

    Raises:
        InvalidTemplateParameters: naming every problem with the parameters.
        InvalidParams: when two templates produce the same file.
    """
    values = _checked_values(catalogue, templates, request.parameters)
    categories = frozenset(template.category for template in templates) | other_categories
    files: dict[str, RenderedFile] = {}
    for template in templates:
        own = {parameter.name: values[parameter.name] for parameter in template.parameters}
        for file in catalogue.render(template, own, categories):
            before = files.setdefault(file.path, file)
            if before is not file:
                raise InvalidParams(
                    f"{before.template} and {file.template} both make {file.path}",
                    suggestion="Leave one of them out.",
                    data={"path": file.path},
                )
    return Scaffold(
        toolchain=request.toolchain,
        variant=request.variant,
        templates=tuple(templates),
        parameters=values,
        files=tuple(files[path] for path in sorted(files)),
    )


def _template_named(catalogue: TemplateCatalogue, name: str, request: ScaffoldRequest) -> Template:
    """Return the template for the toolchain, else one for any toolchain."""
    if name.startswith(SCHEME):
        return catalogue.find(name)
    category, _, variant = name.partition("/")
    wanted = f"{SCHEME}{category}/{request.toolchain}/{variant or request.variant}"
    found = catalogue.templates.get(wanted)
    if found is not None:
        return found
    general = [
        template
        for template in catalogue.select(category=category)
        if template.toolchain == ANY and variant in {"", template.variant}
    ]
    if not general:
        shown = f"{name!r} for {request.toolchain} ({request.variant})"
        raise catalogue.not_found(f"Template not found: {shown}", wanted)
    asked = str(request.parameters.get(general[0].variant_from or "", "")).lower()
    return next((it for it in general if it.variant == asked), _default_variant(general))


def _default_variant(general: Sequence[Template]) -> Template:
    """Return the template whose variant is the default of the parameter that selects it."""
    for template in general:
        for parameter in template.parameters:
            if parameter.name == template.variant_from:
                wanted = str(parameter.default).lower()
                return next((it for it in general if it.variant == wanted), template)
    return general[0]


def _checked_values(
    catalogue: TemplateCatalogue, templates: Sequence[Template], given: Mapping[str, object]
) -> dict[str, Value]:
    values: dict[str, Value] = {}
    problems: dict[str, ParameterProblem] = {}
    for template in templates:
        found, wrong = catalogue.check(template, given)
        values |= found
        problems |= {problem.path: problem for problem in wrong}
    if problems:
        raise InvalidTemplateParameters(list(problems.values()))
    return values
