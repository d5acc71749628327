"""Compare a project with the templates that `.benchpin/scaffold.toml` says it comes from."""

import hashlib
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import PurePosixPath
from typing import Literal

from pydantic import Field

from benchpin.core.calls import Job
from benchpin.core.results import Item
from benchpin.templates import (
    SCHEME,
    RenderedFile,
    Template,
    TemplateBroken,
    TemplateCatalogue,
    common_length,
)

from ._provenance import PROVENANCE_PATH, ProjectRecord, RecordedFile, RecordedTemplate, read_record

_OUT_OF_TIME = "out of time"
_NOT_RENDERED = "its template could not be rendered again"


class DriftedTemplate(Item):
    """A template that the project was generated from: as recorded and as it is now."""

    uri: str
    recorded_version: str
    current_version: str | None
    """None when the catalogue no longer has it."""
    recorded_origin: str
    current_origin: str | None
    is_version_changed: bool | None
    is_content_changed: bool | None
    """Whether the same parameters now give other files; None when unknown."""
    reason: str
    """Why something is unknown; empty otherwise."""


class DriftedFile(Item):
    """A generated file: as recorded and as it is now."""

    path: str
    template: str
    status: Literal["unchanged", "changed", "missing", "not_read"]
    """Compared with the content that was generated."""
    lines_added: int | None
    """Lines of the file that the template does not generate now."""
    lines_removed: int | None
    """Lines that the template generates now and the file lacks."""
    is_template_changed: bool | None
    """Whether the same parameters now give another file; None when unknown."""
    reason: str


class ProjectDrift(Item):
    """What a project was generated from, and what has changed since."""

    file: str
    problem: str
    """Why the record cannot be used; empty when it can."""
    benchpin_version: str | None = None
    toolchain: str | None = None
    variant: str | None = None
    parameters: dict[str, str | int | bool] = Field(default_factory=dict)
    templates: tuple[DriftedTemplate, ...] = ()
    files: tuple[DriftedFile, ...] = ()
    new_files: tuple[str, ...] = ()
    """Files that the templates generate now and did not generate then."""
    unchanged: int = 0
    changed: int = 0
    missing: int = 0
    not_read: int = 0


@dataclass(frozen=True, slots=True)
class _Rendering:
    """What a recorded template generates now."""

    template: Template | None
    files: Mapping[str, RenderedFile] | None
    reason: str = ""


def find_drift(
    read: Callable[[str], bytes | None],
    catalogue: TemplateCatalogue,
    job: Job,
    *,
    folder: str = "",
    may: Callable[[str], bool] = lambda _path: True,
) -> ProjectDrift | None:
    """Compare the project in a folder with its templates; None when it has no record.

    `read` returns the bytes of a file of the workspace, None when it is missing; it is not called
    for paths that `may` refuses. A damaged record is a `problem`, not an error. What is not
    reached in time has that as its reason.
    """
    path = _within(folder, PROVENANCE_PATH)
    content = read(path) if may(path) else None
    if content is None:
        return None
    record = read_record(content)
    if isinstance(record, str):
        return ProjectDrift(file=path, problem=record)
    renderings = {
        it.uri: _render(catalogue, it, record)
        for it in job.each(record.templates, "templates of the project")
    }
    for template in record.templates[len(renderings) :]:
        renderings[template.uri] = _Rendering(
            catalogue.templates.get(template.uri), None, _OUT_OF_TIME
        )
    seen = [
        _compare(it, renderings, read, may, folder)
        for it in job.each(record.files, "generated files")
    ]
    late = [_not_read(it, renderings, _OUT_OF_TIME) for it in record.files[len(seen) :]]
    files = (*seen, *late)
    generated = {path for it in renderings.values() for path in it.files or ()}
    counts: dict[str, int] = Counter(it.status for it in files)
    return ProjectDrift(
        file=path,
        problem="",
        benchpin_version=record.benchpin,
        toolchain=record.toolchain,
        variant=record.variant,
        parameters=record.parameters,
        templates=tuple(_compare_template(it, renderings, record) for it in record.templates),
        files=files,
        new_files=tuple(sorted(generated - {it.path for it in record.files})),
        **counts,
    )


def _render(
    catalogue: TemplateCatalogue, recorded: RecordedTemplate, record: ProjectRecord
) -> _Rendering:
    """Render a template again with the parameters that were recorded."""
    template = catalogue.templates.get(recorded.uri)
    if template is None:
        return _Rendering(None, None, "the catalogue has no such template")
    names = {it.name for it in template.parameters}
    given = {name: value for name, value in record.parameters.items() if name in names}
    values, problems = catalogue.check(template, given)
    if problems:
        listing = "; ".join(f"{it.path} {it.problem}" for it in problems)
        return _Rendering(template, None, f"the recorded parameters no longer fit it: {listing}")
    categories = frozenset(it.uri.removeprefix(SCHEME).split("/")[0] for it in record.templates)
    try:
        generated = catalogue.render(template, values, categories)
    except TemplateBroken as error:
        return _Rendering(template, None, str(error))
    return _Rendering(template, {it.path: it for it in generated})


def _compare_template(
    recorded: RecordedTemplate, renderings: Mapping[str, _Rendering], record: ProjectRecord
) -> DriftedTemplate:
    rendering = renderings[recorded.uri]
    now = rendering.template
    hashes = {it.path: it.sha256 for it in record.files if it.template == recorded.uri}
    is_changed: bool | None = None
    if rendering.files is not None:
        is_changed = hashes != {path: it.sha256 for path, it in rendering.files.items()}
    return DriftedTemplate(
        uri=recorded.uri,
        recorded_version=recorded.version,
        current_version=now.version if now else None,
        recorded_origin=recorded.origin,
        current_origin=now.origin if now else None,
        is_version_changed=now.version != recorded.version if now else None,
        is_content_changed=is_changed,
        reason=rendering.reason,
    )


def _compare(
    recorded: RecordedFile,
    renderings: Mapping[str, _Rendering],
    read: Callable[[str], bytes | None],
    may: Callable[[str], bool],
    folder: str,
) -> DriftedFile:
    if not is_plain(recorded.place):
        return _not_read(recorded, renderings, "it is not a path within the project")
    path = _within(folder, recorded.place)
    if not may(path):
        return _not_read(recorded, renderings, "it may not be read")
    content = read(path)
    base = _not_read(recorded, renderings, "")
    if content is None:
        return base.model_copy(update={"status": "missing"})
    is_same = hashlib.sha256(content).hexdigest() == recorded.sha256
    status = "unchanged" if is_same else "changed"
    generated = _generated(recorded, renderings)
    if generated is None:
        reason = _why_not_generated(recorded, renderings.get(recorded.template))
        return base.model_copy(update={"status": status, "reason": reason})
    added, removed = _count_lines(content, generated.content)
    only_ends = not is_same and not base.is_template_changed and not added and not removed
    counts = {"lines_added": added, "lines_removed": removed}
    reason = "only its line endings or its last line break differ" if only_ends else ""
    return base.model_copy(update={"status": status, "reason": reason, **counts})


def _not_read(
    recorded: RecordedFile, renderings: Mapping[str, _Rendering], reason: str
) -> DriftedFile:
    generated = _generated(recorded, renderings)
    return DriftedFile(
        path=recorded.path,
        template=recorded.template,
        status="not_read",
        lines_added=None,
        lines_removed=None,
        is_template_changed=generated.sha256 != recorded.sha256 if generated else None,
        reason=reason,
    )


def _generated(recorded: RecordedFile, renderings: Mapping[str, _Rendering]) -> RenderedFile | None:
    rendering = renderings.get(recorded.template)
    return (rendering.files or {}).get(recorded.path) if rendering else None


def _why_not_generated(recorded: RecordedFile, rendering: _Rendering | None) -> str:
    if rendering is None:
        return f"the record lacks the version of {recorded.template} that it comes from"
    if rendering.files is None:
        return f"{_NOT_RENDERED}: {rendering.reason}"
    return "its template no longer generates this file"


def _count_lines(content: bytes, generated: str) -> tuple[int, int]:
    """Return how many lines a file has in addition to the generated ones, and how many it lacks."""
    present = content.decode("utf-8", "replace").splitlines()
    wanted = generated.splitlines()
    common = common_length(present, wanted)
    return len(present) - common, len(wanted) - common


def is_plain(path: str) -> bool:
    """Whether a recorded path stays within the project."""
    parts = PurePosixPath(path).parts
    return bool(parts) and not path.startswith("/") and ".." not in parts and "\0" not in path


def _within(folder: str, path: str) -> str:
    return f"{folder}/{path}" if folder else path
