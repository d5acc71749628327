"""Combine several templates into one project."""

import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from benchpin.core.calls import Job
from benchpin.core.errors import InvalidParams, InvalidPath
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
from benchpin.workspace.files import opened
from benchpin.workspace.writing import FileChange, apply_changes

# A folder that contains only these counts as empty.
_HARMLESS = frozenset({".git", ".benchpin"})
# A larger file is not replaced: its content is held in memory until all files are written.
_MAX_REPLACED_BYTES = 16 << 20


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


# Write all files of a project, or none.


class WouldOverwrite(InvalidPath):
    """The folder is not empty."""

    kind = "would_overwrite"


def write_files(
    root: Path,
    target: PurePosixPath,
    files: Sequence[RenderedFile],
    job: Job,
    cache_dir: Path,
    *,
    overwrite: bool = False,
) -> list[PurePosixPath]:
    """Write files into a new or empty folder, and return their paths relative to the root.

    All or none are written, as `apply_changes` does it. `overwrite` allows a folder that has
    files, and replaces those of the same name.

    Raises:
        WouldOverwrite: when the folder is not empty.
        PathError: when a file cannot be written; nothing is changed then.
    """
    if not overwrite:
        _require_empty(root, target, lambda _place: True)
    paths = [target / file.path for file in files]
    changes = [
        FileChange(
            str(path),
            # Of a folder that must be empty only the harmless parts may have the file already.
            _content(root, path) if overwrite or file.path.partition("/")[0] in _HARMLESS else None,
            file.content.encode(),
            file.is_executable,
        )
        for path, file in zip(paths, files, strict=True)
    ]

    def check() -> None:
        # Again once the folders are locked, and made: another writer may have been faster.
        if not overwrite:
            _require_empty(root, target, _has_files)

    apply_changes(root, changes, job, cache_dir, check=check)
    return paths


def _has_files(place: Path) -> bool:
    return not place.is_dir() or any(not it.is_dir() for it in place.rglob("*"))


def _require_empty(root: Path, target: PurePosixPath, counts: Callable[[Path], bool]) -> None:
    place = root / target
    if not place.exists():
        return
    if not place.is_dir():
        hint = "Choose another target."
        raise InvalidPath(f"{str(target)!r} is not a folder", suggestion=hint)
    found = sorted(it.name for it in place.iterdir() if it.name not in _HARMLESS and counts(it))
    if found:
        shown = ", ".join(found[:3]) + (" …" if len(found) > 3 else "")  # noqa: PLR2004 - a few
        raise WouldOverwrite(
            f"{str(target)!r} is not empty: it has {shown}",
            suggestion="Choose a new folder, or give overwrite: true to replace files there.",
            data={"target": str(target), "count": len(found)},
        )


def _content(root: Path, path: PurePosixPath) -> bytes | None:
    if not os.path.lexists(root / path):
        return None
    with opened(root, path, _MAX_REPLACED_BYTES) as file:
        return file.read(_MAX_REPLACED_BYTES)
