"""Generate a whole project."""

from pathlib import PurePosixPath
from typing import Annotated

from pydantic import Field

from benchpin.core import Bench, Effect, InvalidParams, Operation, Params, Result, tool
from benchpin.engines.templates import (
    PROVENANCE_PATH,
    RenderedFile,
    Value,
    Wish,
    provenance,
    scaffold,
    write_files,
)

from ._catalogue import Parameters, catalogue_of
from ._files import GeneratedFile, generated


class ScaffoldParams(Params):
    """What to make a project of, and where."""

    toolchain: Annotated[str, Field(max_length=100)]
    """Target toolchain: rust, python-uv, deno, node, go, java-maven, php-composer or c-cmake."""
    templates: Annotated[tuple[str, ...], Field(min_length=1, max_length=50)]
    """Categories (project, makefile, readme, ci …), category/variant (license/mit), or URIs."""
    parameters: Parameters
    """Parameters that all of them share, such as {"project_name": "my-project"}."""
    variant: Annotated[str, Field(max_length=100)] = "cli"
    """Kind of project: cli, library or web."""
    write: bool = False
    """Write the files into target, which must be new or empty; needs --allow write."""
    target: str | None = None
    """Folder to write into, relative to the workspace."""
    overwrite: bool = False
    """Write into a folder that has files already, and replace those of the same name."""


class ScaffoldedProject(Result):
    """The files of the project."""

    files: list[GeneratedFile]
    templates: list[str]
    """The URIs of what was rendered."""
    parameters: dict[str, Value]
    """What was rendered with, defaults included."""
    target: str | None
    is_written: bool

    def to_text(self) -> str:
        """Return the paths; and the contents, where nothing was written."""
        if self.is_written:
            paths = "\n".join(file.path for file in self.files)
            return f"Wrote {len(self.files)} files into {self.target}:\n{paths}"
        return "\n".join(f"==> {file.path} <==\n{file.content}" for file in self.files)


@tool(title="Scaffold a project", effect=Effect.READ, further_effect=Effect.WRITE)
def scaffold_project(params: ScaffoldParams, bench: Bench) -> ScaffoldedProject:
    """Generate the files of a project from several templates that share their parameters.

    Returns paths and contents; with write and target it writes all of them or none, and
    .benchpin/scaffold.toml, which says what they were made from.
    """
    wish = Wish(params.toolchain, params.templates, params.parameters, params.variant)
    made = scaffold(catalogue_of(bench), wish)
    files = [provenance(made), *made.files]
    target = _written(params, bench, [*made.files, files[0]])
    return ScaffoldedProject(
        files=[generated(file) for file in files],
        templates=[template.uri for template in made.templates],
        parameters=dict(made.parameters),
        target=target,
        is_written=target is not None,
    )


def _written(params: ScaffoldParams, bench: Bench, files: list[RenderedFile]) -> str | None:
    """Write the files where that is wished, and return where they lie."""
    if not params.write:
        return None
    bench.require(Effect.WRITE, "Writing a project")
    if params.target is None:
        raise InvalidParams(
            "target is missing: where to write the project",
            suggestion='Give target, such as "target": "my-project", or leave write out.',
            data={"path": "target"},
        )
    target = bench.workspace.relative(bench.path(params.target, Operation.WRITE))
    for file in files:
        if file.path != PROVENANCE_PATH:
            bench.path(str(PurePosixPath(target, file.path)), Operation.WRITE)
    write_files(bench.workspace.root, target, files, overwrite=params.overwrite)
    return str(target)
