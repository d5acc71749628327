"""Bring a scaffolded project to the newest templates."""

import json
from collections.abc import Iterator
from typing import Annotated

from pydantic import Field

from benchpin.core.calls import Bench, Operation
from benchpin.core.errors import FileChanged
from benchpin.core.results import Result
from benchpin.core.text import counted, plain
from benchpin.core.tools import Effect, Params, PathArgument, Rare, tool
from benchpin.templates.projects import GeneratedProject, UpdatedFile, UpdatedTemplate, plan_update
from benchpin.workspace.writing import FileChange, apply_preview, diff_of, digest_of

from ._catalogue import Parameters, catalogue_of


class UpdateParams(Params):
    """Which project, and what is different now."""

    path: PathArgument[str] = "."
    """Folder of the project, with .benchpin/scaffold.toml."""
    parameters: Rare[Annotated[Parameters, Field(max_length=200)]] = {}  # noqa: RUF012 - pydantic copies it
    """Parameters that get another value than the recorded one, or are new."""
    apply: str | None = None
    """Digest of the preview to write."""


class ProjectUpdate(Result):
    """What changes, file by file, and whether it was written."""

    path: str
    digest: str
    """Names this very change; give it as apply."""
    is_written: bool
    files: list[UpdatedFile]
    """Without those that stay as they are."""
    unchanged: int
    conflicts: int
    """Places that are marked as git marks them, with both versions."""
    unresolved: list[str]
    """Files that still have the marks of an earlier update."""
    templates: list[UpdatedTemplate]
    diff: str
    """Unified diff of all files but the record."""
    given: dict[str, str] = Field(exclude=True)
    """The arguments that the digest belongs to, as they are written."""

    def to_text(self) -> str:
        """Return the diff, a line for each file, and what to do next."""
        return "\n".join(it for it in (self.diff, *self._lines(), self._end()) if it)

    def _lines(self) -> Iterator[str]:
        for template in self.templates:
            if template.current_version is None:
                yield f"{plain(template.uri)}: no longer in the catalogue"
            elif template.current_version != template.recorded_version:
                before, now = plain(template.recorded_version), plain(template.current_version)
                yield f"{plain(template.uri)}: {before} to {now}"
        for file in self.files:
            name = f"{plain(file.old_path)} to {plain(file.path)}" if file.old_path else file.path
            marked = f" ({counted(file.conflicts, 'conflict')})" if file.conflicts else ""
            why = f": {plain(file.reason)}" if file.reason else ""
            yield f"{file.status:8} {plain(name)}{marked}{why}"
        for path in self.unresolved:
            yield f"marked   {plain(path)}: resolve what is between <<<<<<< and >>>>>>>"

    def _end(self) -> str:
        if not self.digest:
            left = counted(len(self.unresolved), "file")
            marked = f", but {left} with unresolved conflicts" if self.unresolved else ""
            return f"[up to date with the templates{marked}]"
        done = counted(len([it for it in self.files if it.status != "kept"]), "file")
        if self.conflicts:
            done += f", {counted(self.conflicts, 'conflict')} to resolve in them"
        if self.is_written:
            return f"[written: {done}]"
        hint = self.text_style.arguments({**self.given, "apply": self.digest})
        return f"[preview of {done}; nothing was written; to write it: {hint}]"

    def exit_status(self) -> int:
        """Return 1 if there are conflicts, as git does, or marks of earlier ones."""
        return 1 if self.conflicts or self.unresolved else 0


@tool(
    title="Update a project to its templates",
    effect=Effect.WRITE,
    also=(
        "upgrade a scaffolded project, newest template, template update, copier update, cruft, "
        "merge template changes, regenerate boilerplate, bring the skeleton up to date, change "
        "the licence or another answer of a generated project"
    ),
)
def update_project(params: UpdateParams, bench: Bench) -> ProjectUpdate:
    """Merge template changes into a scaffolded project: first a preview.

    Then again with apply: all files or none. Your changes stay; conflicts are marked as git does.
    """
    workspace = bench.workspace
    folder = bench.found(params.path)
    project = GeneratedProject(
        workspace.root,
        folder,
        bench.job,
        may=lambda path: bench.may(path, Operation.READ),
        git_folders=bench.session.git_folders,
    )
    plan = plan_update(project, catalogue_of(bench), params.parameters, bench.job)
    changes = [*plan.changes, *plan.record]
    _write(changes, plan.changes, params.apply, bench)
    given = params.model_dump(mode="json", exclude_defaults=True, exclude={"apply"})
    return ProjectUpdate(
        path=str(folder),
        digest=digest_of(changes) if changes else "",
        is_written=params.apply is not None,
        files=plan.files,
        unchanged=plan.unchanged,
        conflicts=sum(it.conflicts for it in plan.files),
        unresolved=plan.unresolved,
        templates=plan.templates,
        diff=diff_of(plan.changes),
        given={
            name: plain(it if isinstance(it, str) else json.dumps(it, ensure_ascii=False))
            for name, it in given.items()
        },
    )


def _write(
    changes: list[FileChange], users: list[FileChange], apply: str | None, bench: Bench
) -> None:
    for change in users:
        bench.path(change.path, Operation.WRITE)
    if apply is None:
        return
    if not changes:
        raise FileChanged(
            f"There is nothing to write, so {apply[:60]!r} is no digest of a change",
            suggestion="Give the same `parameters` as for its preview; or it is written already.",
        )
    apply_preview(bench.workspace.root, changes, apply, bench.job, bench.cache_dir)
