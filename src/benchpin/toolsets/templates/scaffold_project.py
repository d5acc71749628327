"""Generate a project from several templates."""

from typing import Annotated

from pydantic import Field

from benchpin.core.calls import Bench, Operation
from benchpin.core.errors import InvalidParams
from benchpin.core.results import Result
from benchpin.core.tools import Effect, Params, PathArgument, Rare, tool
from benchpin.templates import RenderedFile, Value
from benchpin.templates.projects import (
    BASE_PATH,
    PROVENANCE_PATH,
    ScaffoldRequest,
    base_file,
    provenance,
    record_of,
    scaffold,
    write_files,
)

from ._catalogue import Parameters, catalogue_of, joined


class ScaffoldParams(Params):
    """What to generate a project from, and where."""

    toolchain: Annotated[str, Field(max_length=100)]
    """rust, python-uv, deno, node, go, java-maven, php-composer or c-cmake."""
    templates: Annotated[tuple[str, ...], Field(min_length=1, max_length=50)]
    """Categories, such as project, makefile, ci, license/mit; or URIs."""
    parameters: Parameters
    """Shared by all, such as {"project_name": "my-project"}."""
    variant: Rare[Annotated[str, Field(max_length=100)]] = "cli"
    """Kind of project: cli, library or web."""
    write: bool = False
    """Write the files; the folder must be new or empty. Needs --allow write."""
    target: PathArgument[str | None] = None
    """Folder to write into."""
    overwrite: Rare[bool] = False
    """Write into a folder that has files already, and replace those of the same name."""


class ScaffoldedProject(Result):
    """The files of the project."""

    files: list[RenderedFile]
    """Without .benchpin/scaffold.base.json, which has their contents once more."""
    templates: list[str]
    """The URIs of the rendered templates."""
    parameters: dict[str, Value]
    """The values that were used, defaults included."""
    target: str | None
    is_written: bool

    def to_text(self) -> str:
        """Return the paths, and the contents when nothing was written."""
        if self.is_written:
            paths = [BASE_PATH, *(file.path for file in self.files)]
            return "\n".join((f"Wrote {len(paths)} files into {self.target}:", *paths))
        return joined((file.path, file.content) for file in self.files)

    def is_verbatim(self) -> bool:
        """Return true: it is the content of files."""
        return True


@tool(
    title="Scaffold a project",
    effect=Effect.READ,
    further_effect=Effect.WRITE,
    also=(
        "new project, start from scratch, create an app, bootstrap, skeleton, command line "
        "program, library, web service, init, boilerplate, set up a new service with tests and "
        "CI, start an application"
    ),
)
def scaffold_project(params: ScaffoldParams, bench: Bench) -> ScaffoldedProject:
    """Generate a project from several templates.

    Returns paths and contents; with write and target it writes all of them or none, and
    .benchpin/scaffold.toml, which records the templates and parameters.
    """
    request = ScaffoldRequest(params.toolchain, params.templates, params.parameters, params.variant)
    project = scaffold(catalogue_of(bench), request)
    record = provenance(record_of(project))
    base = base_file(file.content.encode() for file in project.files)
    # The record goes last: it must not describe files that could not be written.
    target = _write(params, bench, [*project.files, base, record])
    return ScaffoldedProject(
        files=[record, *project.files],
        templates=[template.uri for template in project.templates],
        parameters=dict(project.parameters),
        target=target,
        is_written=target is not None,
    )


def _write(params: ScaffoldParams, bench: Bench, files: list[RenderedFile]) -> str | None:
    """Write the files if `write` is set, and return the folder."""
    if not params.write:
        return None
    bench.require(Effect.WRITE, "Writing a project", by_argument=True)
    if params.target is None:
        raise InvalidParams(
            "target is missing: where to write the project",
            suggestion='Give target, such as "target": "my-project", or leave write out.',
            data={"path": "target"},
        )
    target = bench.workspace.relative(bench.path(params.target, Operation.WRITE))
    for file in files:
        if file.path not in {BASE_PATH, PROVENANCE_PATH}:
            bench.path(str(target / file.path), Operation.WRITE)
    write_files(
        bench.workspace.root,
        target,
        files,
        bench.job,
        bench.cache_dir,
        overwrite=params.overwrite,
    )
    return str(target)
