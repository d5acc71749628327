"""Bring a scaffolded project to the newest templates, and keep what its users have changed.

Every file has three versions: what was generated, what the project has, and what the templates
generate now. What the templates changed in between is merged into the project.
"""

import hashlib
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import PurePosixPath
from typing import Literal, NamedTuple

from msgspec import structs

from benchpin.code.changes import MIN_SIMILARITY, similarity
from benchpin.core.calls import Job
from benchpin.core.errors import InvalidParams, PathError
from benchpin.core.results import Item
from benchpin.templates import SCHEME, RenderedFile, Template, TemplateCatalogue
from benchpin.workspace.files import looks_binary
from benchpin.workspace.git import merge_texts
from benchpin.workspace.writing import FileChange

from ._drift import is_plain
from ._provenance import (
    GeneratedProject,
    ProjectRecord,
    RecordedFile,
    RecordedTemplate,
    base_file,
    provenance,
    record_of,
    recorded,
)
from ._scaffolding import Scaffold, ScaffoldRequest, render_project

LABELS = ("yours", "template")
_UNRESOLVED = re.compile(rb"^<<<<<<< yours\r?$", re.MULTILINE).search
_UNKNOWN_BASE = "what was generated is not known, so every difference is a conflict"


class UpdatedFile(Item):
    """What an update does to a file."""

    path: str
    status: Literal["added", "updated", "merged", "conflict", "moved", "removed", "kept"]
    """Updated: it had no changes of yours; merged: it had, and they do not touch the template's."""
    old_path: str = ""
    """Where it was, if the template has another name for it now."""
    conflicts: int = 0
    """Places that are marked in the file, because both changed the same lines."""
    reason: str = ""


class UpdatedTemplate(Item):
    """A template of the project, as recorded and now."""

    uri: str
    recorded_version: str
    current_version: str | None
    """None when the catalogue no longer has it: its files are kept as they are."""


@dataclass(slots=True)
class UpdatePlan:
    """What to write, and what to say about it."""

    changes: list[FileChange] = field(default_factory=list)
    record: list[FileChange] = field(default_factory=list)
    """To be written after them: it must not describe files that could not be written."""
    files: list[UpdatedFile] = field(default_factory=list)
    templates: list[UpdatedTemplate] = field(default_factory=list)
    unchanged: int = 0
    unresolved: list[str] = field(default_factory=list)
    """Files that still have the marks of an earlier update."""


def plan_update(
    project: GeneratedProject,
    catalogue: TemplateCatalogue,
    parameters: Mapping[str, object],
    job: Job,
) -> UpdatePlan:
    """Return the changes that bring a project to its templates as they are now.

    `parameters` replace recorded values. Nothing is written.

    Raises:
        InvalidParams: when the project has no usable record, or unresolved conflicts.
        InvalidTemplateParameters: when the values do not fit the templates any more.
        TemplateBroken: when a template cannot be rendered.
        PathError: when a file of the project cannot be read.
    """
    record = project.record()
    current, gone = _current_templates(catalogue, record, parameters)
    now = _render(catalogue, record, [it for it in current if it], gone, parameters)
    return _Update(project, record, now, gone, job).plan(current)


def _current_templates(
    catalogue: TemplateCatalogue, record: ProjectRecord, parameters: Mapping[str, object]
) -> tuple[list[Template | None], list[RecordedTemplate]]:
    """Return each recorded template as it is now, and those that are gone.

    A parameter can select the variant of a template: `license` is such a one.
    """
    current: list[Template | None] = []
    for template in record.templates:
        found = catalogue.templates.get(template.uri)
        asked = parameters.get(found.variant_from or "") if found else None
        if found is not None and asked is not None:
            other = f"{SCHEME}{found.category}/{found.toolchain}/{str(asked).lower()}"
            found = catalogue.templates.get(other, found)
        current.append(found)
    gone = [it for it, found in zip(record.templates, current, strict=True) if found is None]
    return current, gone


def _render(
    catalogue: TemplateCatalogue,
    record: ProjectRecord,
    templates: Sequence[Template],
    gone: Sequence[RecordedTemplate],
    parameters: Mapping[str, object],
) -> Scaffold:
    taken = {it.name for template in templates for it in template.parameters}
    kept = {name: value for name, value in record.parameters.items() if name in taken}
    uris = [it.uri for it in templates]
    request = ScaffoldRequest(record.toolchain, uris, {**kept, **parameters}, record.variant)
    others = frozenset(it.uri.removeprefix(SCHEME).partition("/")[0] for it in gone)
    return render_project(catalogue, templates, request, others)


class _Result(NamedTuple):
    """The content that a file gets, and what happened to it."""

    content: bytes
    status: Literal["updated", "merged", "conflict", "moved"]
    conflicts: int = 0
    reason: str = ""


class _Update:
    def __init__(
        self,
        project: GeneratedProject,
        record: ProjectRecord,
        now: Scaffold,
        gone: Sequence[RecordedTemplate],
        job: Job,
    ) -> None:
        self._project = project
        self._record = record
        self._now = now
        self._gone = gone
        self._job = job
        self._merge_texts = partial(merge_texts, labels=LABELS, untrusted_root=project.root)
        self._plan = UpdatePlan()
        self._files: list[RecordedFile] = []
        """The files of the new record."""
        self._contents: list[bytes] = []
        """The contents that later updates merge from."""
        recorded_paths = (path for it in record.files for path in (it.path, it.place))
        self._known = frozenset((*recorded_paths, *(it.path for it in now.files)))

    def plan(self, current: Sequence[Template | None]) -> UpdatePlan:
        for old, new in self._job.each(list(self._pairs()), "generated files"):
            if old is None and new is not None:
                self._add(new)
            elif old is not None and new is None:
                self._remove(old)
            elif old is not None and new is not None:
                self._change(old, new)
        self._job.check()
        self._plan.files.sort(key=lambda it: it.path)
        self._plan.templates = [
            UpdatedTemplate(
                uri=it.uri if now is None else now.uri,
                recorded_version=it.version,
                current_version=now.version if now else None,
            )
            for it, now in zip(self._record.templates, current, strict=True)
        ]
        self._write_record()
        return self._plan

    def _pairs(self) -> Iterator[tuple[RecordedFile | None, RenderedFile | None]]:
        """Pair what was generated with what is generated now, renamed files included."""
        gone = {it.uri for it in self._gone}
        old: dict[str, RecordedFile] = {}
        for file in self._record.files:
            if not (is_plain(file.path) and is_plain(file.place)):
                raise InvalidParams(
                    f"The record names {file.path!r:.200}, which is not a path within the project",
                    suggestion="Restore .benchpin/scaffold.toml from version control.",
                )
            if file.template in gone:
                self._keep(file, file.place, "the catalogue no longer has its template")
            else:
                old[file.path] = file
        left: list[RenderedFile] = []
        for new in self._now.files:
            if new.path in old:
                yield old.pop(new.path), new
            else:
                left.append(new)
        for new in left:
            renamed = self._renamed(new, old)
            yield old.pop(renamed) if renamed else None, new
        for old_file in old.values():
            yield old_file, None

    def _renamed(self, new: RenderedFile, old: Mapping[str, RecordedFile]) -> str:
        """Return the path under which a file was generated before; empty if it is new."""
        category = new.template.removeprefix(SCHEME).partition("/")[0]
        suffix = PurePosixPath(new.path).suffix
        scored = [(0.0, "")]
        for path, old_file in old.items():
            if old_file.template.removeprefix(SCHEME).partition("/")[0] != category:
                continue
            if old_file.source and old_file.source == new.source:
                return path
            base = self._project.generated(old_file)
            if base is not None and PurePosixPath(path).suffix == suffix:
                scored.append((similarity(base, new.content.encode()), path))
        score, path = max(scored)
        return path if score >= MIN_SIMILARITY else ""

    def _add(self, new: RenderedFile) -> None:
        content = new.content.encode()
        present = self._read(new.path)
        if present is None:
            self._write(new.path, None, content, is_executable=new.is_executable)
            self._say(UpdatedFile(path=new.path, status="added"))
        elif present != content:
            if looks_binary(present):
                self._say(UpdatedFile(path=new.path, status="kept", reason="it is not text"))
                return  # not recorded, so that the next update tries again
            merged = self._merge_texts(b"", present, content)
            self._write(new.path, present, merged.content)
            reason = "the template makes it now, and you have one of your own"
            self._say(_conflict(new.path, merged.conflicts, reason))
        else:
            self._plan.unchanged += 1
        self._remember(recorded(new), content)

    def _remove(self, old: RecordedFile) -> None:
        place, present = self._locate(old)
        if present is None:
            return
        if hashlib.sha256(present).hexdigest() == old.sha256:
            self._write(place, present, None)
            self._say(UpdatedFile(path=place, status="removed"))
        else:
            reason = "the template no longer makes it, but it has changes of yours"
            self._say(UpdatedFile(path=place, status="kept", reason=reason))

    def _change(self, old: RecordedFile, new: RenderedFile) -> None:
        content = new.content.encode()
        entry = recorded(new)
        is_same = (new.path, new.sha256) == (old.path, old.sha256)
        if is_same and (new.is_executable == old.is_executable or self._record.format == 1):
            self._plan.unchanged += 1
            self._remember(structs.replace(entry, moved_to=old.moved_to), content)
            self._look_for_marks(old)
            return
        place, present = self._locate(old)
        if present is None:
            self._say(UpdatedFile(path=old.path, status="kept", reason="you deleted it"))
            self._remember(entry, content)
            return
        if looks_binary(present):
            self._keep(old, place, "it is not text")
            return
        result = self._merged(old, present, content, place)
        target, reason = self._target(old, new, place)
        if target != place:
            self._write(place, present, None)
            self._write(target, None, result.content, is_executable=new.is_executable)
        elif result.content != present or (new.is_executable and not old.is_executable):
            self._write(place, present, result.content, is_executable=new.is_executable)
        if target != place or result.content != present:
            self._say(
                UpdatedFile(
                    path=target,
                    status=result.status,
                    old_path="" if target == place else place,
                    conflicts=result.conflicts,
                    reason=result.reason or reason,
                )
            )
        else:
            self._plan.unchanged += 1
        moved_to = "" if target == new.path else target
        self._remember(structs.replace(entry, moved_to=moved_to), content)

    def _target(self, old: RecordedFile, new: RenderedFile, place: str) -> tuple[str, str]:
        """Return where a file goes; one that the user has moved stays."""
        if new.path == old.path or place != old.path:
            return place, ""
        if self._read(new.path) is not None:
            return place, f"its new path {new.path} has a file of yours"
        return new.path, ""

    def _merged(self, old: RecordedFile, present: bytes, content: bytes, place: str) -> _Result:
        if hashlib.sha256(present).hexdigest() == old.sha256:
            is_same = present == content
            return _Result(content, "moved" if is_same else "updated")
        if hashlib.sha256(content).hexdigest() == old.sha256 or present == content:
            return _Result(present, "moved")
        if _UNRESOLVED(present):
            raise InvalidParams(
                f"{self._project.path(place)} has conflicts of an earlier update",
                suggestion="Resolve the lines between <<<<<<< yours and >>>>>>> template first.",
                data={"path": self._project.path(place)},
            )
        base = self._project.generated(old)
        if _has_crlf_only(present) and b"\r" not in content:
            # As git checks files out on Windows: only what the user typed counts as changed.
            content = content.replace(b"\n", b"\r\n")
            base = None if base is None else base.replace(b"\r\n", b"\n").replace(b"\n", b"\r\n")
        merged = self._merge_texts(base or b"", present, content)
        reason = _UNKNOWN_BASE if base is None and merged.conflicts else ""
        if merged.conflicts:
            return _Result(merged.content, "conflict", merged.conflicts, reason)
        return _Result(merged.content, "updated" if present == base else "merged")

    def _locate(self, old: RecordedFile) -> tuple[str, bytes | None]:
        """Return where a file is now, and its content; None if the user has deleted it."""
        for place in dict.fromkeys((old.place, old.path)):
            present = self._read(place)
            if present is not None:
                return place, present
        moved = self._project.find_moved(old, self._known)
        return (moved, self._read(moved)) if moved else (old.path, None)

    def _read(self, path: str) -> bytes | None:
        return self._project.read(path)

    def _keep(self, old: RecordedFile, place: str, reason: str) -> None:
        """Leave a file and its record as they are, so that a later update can try again."""
        self._say(UpdatedFile(path=place, status="kept", reason=reason))
        self._remember(old, self._project.generated(old))
        self._look_for_marks(old)

    def _look_for_marks(self, file: RecordedFile) -> None:
        try:
            present = self._read(file.place) or b""
        except PathError:
            return  # nothing is to be written into it
        if _UNRESOLVED(present) and hashlib.sha256(present).hexdigest() != file.sha256:
            self._plan.unresolved.append(file.place)

    def _remember(self, file: RecordedFile, content: bytes | None) -> None:
        self._files.append(file)
        if content is not None:
            self._contents.append(content)

    def _say(self, file: UpdatedFile) -> None:
        self._plan.files.append(file)

    def _write(
        self,
        path: str,
        before: bytes | None,
        after: bytes | None,
        *,
        is_executable: bool = False,
    ) -> None:
        change = FileChange(self._project.path(path), before, after, is_executable)
        self._plan.changes.append(change)

    def _write_record(self) -> None:
        record = record_of(self._now)
        kept = [it for it in self._gone if any(file.template == it.uri for file in self._files)]
        record = structs.replace(
            record,
            parameters=dict(sorted({**self._record.parameters, **record.parameters}.items())),
            templates=[*record.templates, *kept],
            files=sorted(self._files, key=lambda it: it.path),
        )
        if structs.replace(record, benchpin=self._record.benchpin) == self._record:
            return
        for file in (base_file(self._contents), provenance(record)):
            before, after = self._read(file.path), file.content.encode()
            if before != after:
                change = FileChange(self._project.path(file.path), before, after)
                self._plan.record.append(change)


def _conflict(path: str, conflicts: int, reason: str) -> UpdatedFile:
    status: Literal["conflict", "merged"] = "conflict" if conflicts else "merged"
    return UpdatedFile(path=path, status=status, conflicts=conflicts, reason=reason)


def _has_crlf_only(content: bytes) -> bool:
    return b"\r\n" in content and content.count(b"\n") == content.count(b"\r\n")
