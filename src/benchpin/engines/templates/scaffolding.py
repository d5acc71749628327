"""Put several templates together into one project."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from benchpin.core import InvalidParams

from .collection import SCHEME, Catalogue
from .errors import InvalidTemplateParameters
from .model import ANY, Problem, RenderedFile, Template, Value


@dataclass(frozen=True, slots=True)
class Wish:
    """What to make a project of."""

    toolchain: str
    templates: Sequence[str]
    """Categories, such as `makefile`; `category/variant`; or whole URIs."""
    parameters: Mapping[str, object]
    variant: str = "cli"


@dataclass(frozen=True, slots=True)
class Scaffold:
    """A project that was made, in memory."""

    toolchain: str
    variant: str
    templates: tuple[Template, ...]
    parameters: Mapping[str, Value]
    files: tuple[RenderedFile, ...]


def scaffold(catalogue: Catalogue, wish: Wish) -> Scaffold:
    """Render every template that is wished for with the same parameters.

    Raises:
        TemplateNotFound: when there is no such toolchain, or one of them does not exist for it.
        InvalidTemplateParameters: naming every problem with the parameters.
        InvalidParams: when two templates make the same file.
    """
    if wish.toolchain not in catalogue.toolchain_names:
        known = ", ".join(catalogue.toolchain_names)
        wanted = f"{SCHEME}project/{wish.toolchain}/{wish.variant}"
        raise catalogue.not_found(
            f"There are no templates for {wish.toolchain!r}, only for {known}", wanted
        )
    templates = tuple(dict.fromkeys(_chosen(catalogue, name, wish) for name in wish.templates))
    values = _checked(catalogue, templates, wish.parameters)
    categories = frozenset(template.category for template in templates)
    files: dict[str, RenderedFile] = {}
    for template in templates:
        own = {parameter.name: values[parameter.name] for parameter in template.parameters}
        for file in catalogue.render(template, own, categories):
            before = files.setdefault(str(file.path), file)
            if before is not file:
                raise InvalidParams(
                    f"{before.template} and {file.template} both make {file.path}",
                    suggestion="Leave one of them out.",
                    data={"path": str(file.path)},
                )
    return Scaffold(
        toolchain=wish.toolchain,
        variant=wish.variant,
        templates=templates,
        parameters=values,
        files=tuple(files[path] for path in sorted(files)),
    )


def _chosen(catalogue: Catalogue, name: str, wish: Wish) -> Template:
    """Return the template that a name means: for this toolchain, else for any."""
    if name.startswith(SCHEME):
        return catalogue.find(name)
    category, _, variant = name.partition("/")
    wanted = f"{SCHEME}{category}/{wish.toolchain}/{variant or wish.variant}"
    found = catalogue.templates.get(wanted)
    if found is not None:
        return found
    general = [
        template
        for template in catalogue.select(category=category)
        if template.toolchain == ANY and variant in {"", template.variant}
    ]
    if not general:
        shown = f"{name!r} for {wish.toolchain} ({wish.variant})"
        raise catalogue.not_found(f"There is no template {shown}", wanted)
    asked = str(wish.parameters.get(general[0].variant_from or "", "")).lower()
    return next((it for it in general if it.variant == asked), _first(general))


def _first(general: Sequence[Template]) -> Template:
    """Return the one whose variant is the default of the parameter that chooses it."""
    for template in general:
        for parameter in template.parameters:
            if parameter.name == template.variant_from:
                wanted = str(parameter.default).lower()
                return next((it for it in general if it.variant == wanted), template)
    return general[0]


def _checked(
    catalogue: Catalogue, templates: Sequence[Template], given: Mapping[str, object]
) -> dict[str, Value]:
    """Check the parameters against every template that is to use them."""
    values: dict[str, Value] = {}
    problems: dict[Problem, None] = {}
    for template in templates:
        found, wrong = catalogue.check(template, given)
        values |= found
        problems |= dict.fromkeys(wrong)
    if problems:
        by_path = {problem.path: problem for problem in problems}
        raise InvalidTemplateParameters(list(by_path.values()))
    return values
