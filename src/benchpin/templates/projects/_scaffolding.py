"""Combine several templates into one project."""

import os
from collections.abc import Mapping, Sequence
from contextlib import ExitStack, suppress
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from benchpin.core.calls import Job
from benchpin.core.errors import AccessDenied, BenchpinError, InvalidParams, InvalidPath
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
from benchpin.workspace.files import folder_beneath, opened, path_errors
from benchpin.workspace.writing import (
    NO_FILE,
    StagedFile,
    folder_to_write,
    make_executable,
    missing_folders,
    remove_folders,
    replace_file,
    sha256_of,
    staged,
)

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


@dataclass(frozen=True, slots=True)
class _Written:
    path: PurePosixPath
    before: bytes | None
    """None when there was no file."""
    content: bytes


def write_files(
    root: Path,
    target: PurePosixPath,
    files: Sequence[RenderedFile],
    job: Job,
    *,
    overwrite: bool = False,
) -> list[PurePosixPath]:
    """Write files into a new or empty folder, and return their paths relative to the root.

    All are on the disk before the first is renamed to its place, so a full disk changes nothing.
    When a rename fails, the earlier ones are undone. `overwrite` allows a folder that has files,
    and replaces those of the same name. The folders are locked until all is written.

    Raises:
        WouldOverwrite: when the folder is not empty.
        PathError: when a file cannot be written; nothing is changed then.
    """
    if not overwrite:
        _require_empty(root, target)
    paths = [target / file.path for file in files]
    missing = missing_folders(root, paths)
    done: list[_Written] = []
    with ExitStack() as locks:
        try:
            folders = {target: locks.enter_context(folder_to_write(root, target, job))}
            if not overwrite:  # again: another writer may have had the lock meanwhile
                _require_empty(root, target)
            # One order for all, so that two writers do not wait for each other.
            for folder in sorted({path.parent for path in paths} - {target}):
                folders[folder] = locks.enter_context(folder_to_write(root, folder, job))
            with ExitStack() as temporary:
                new: list[tuple[StagedFile, _Written]] = []
                for path, file in zip(paths, files, strict=True):
                    content = file.content.encode()
                    may_exist = overwrite or file.path.partition("/")[0] in _HARMLESS
                    before = _content(root, path) if may_exist else None
                    with path_errors(path):
                        file_stage = temporary.enter_context(
                            staged(folders[path.parent], path, content)
                        )
                    new.append((file_stage, _Written(path, before, content)))
                for (file_stage, written), file in zip(new, files, strict=True):
                    done.append(written)
                    before = written.before
                    with path_errors(written.path):
                        file_stage.commit(NO_FILE if before is None else sha256_of(before))
                    if file.is_executable:
                        make_executable(folders[written.path.parent], written.path.name)
        except (BenchpinError, OSError) as error:
            _undo(root, done, missing)
            if isinstance(error, OSError):
                raise AccessDenied(
                    f"The project cannot be written: {error.strerror}",
                    suggestion="Nothing was changed. Make room or choose another target.",
                    is_server_fault=True,
                ) from error
            raise
    return paths


def _require_empty(root: Path, target: PurePosixPath) -> None:
    place = root / target
    if not place.exists():
        return
    if not place.is_dir():
        hint = "Choose another target."
        raise InvalidPath(f"{str(target)!r} is not a folder", suggestion=hint)
    found = sorted(it.name for it in place.iterdir() if it.name not in _HARMLESS)
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


def _undo(root: Path, done: Sequence[_Written], missing: Sequence[PurePosixPath]) -> None:
    """Restore every file that has our content, as far as the system permits."""
    for written in reversed(done):
        with suppress(OSError, BenchpinError):
            if _content(root, written.path) != written.content:
                continue
            if written.before is None:
                with folder_beneath(root, written.path.parent) as folder:
                    os.unlink(written.path.name, dir_fd=folder)
            else:
                replace_file(root, written.path, written.before)
    remove_folders(root, missing)
