"""How every analysis chooses its files and says which it could not measure."""

from typing import Annotated, Literal

from pydantic import Field

from benchpin.core import Bench, FileMissing, Item, Operation, Params
from benchpin.engines.source.index import Section, SourceQuery, Sources, index_of
from benchpin.engines.source.toolchains import languages_of
from benchpin.engines.source.walk import WalkOptions

CacheStrategy = Literal["normal", "force-refresh", "offline"]
MOST_UNMEASURED = 20


class SelectionParams(Params):
    """Which files to look at."""

    project_path: str = "."
    """File or folder to analyze, relative to the workspace."""
    include_patterns: tuple[str, ...] = ()
    """Only files that match one of these globs, such as src/**/*.py."""
    exclude_patterns: tuple[str, ...] = ()
    """No files that match one of these globs, such as **/migrations/**."""
    max_depth: Annotated[int, Field(ge=1)] | None = None
    """How many folders deep to go."""
    cache_strategy: CacheStrategy = "normal"
    """normal uses what was measured before, force-refresh measures anew, offline only looks up."""
    parallel: Annotated[int, Field(ge=1, le=64)] | None = None
    """How many worker processes to use; one a core by default."""


class Unmeasured(Item):
    """A file without numbers, and why."""

    file: str
    reason: str


def read_sources(
    params: SelectionParams,
    bench: Bench,
    sections: tuple[Section, ...] = ("outline",),
    toolchain: str | None = None,
) -> Sources:
    """Return the facts of the files that a call means; what may not be read is left out.

    Raises:
        PathError: when the path is not there, or may not be read.
        InvalidParams: when there is no such toolchain.
    """
    place = bench.path(params.project_path)
    if not place.exists():
        raise FileMissing(
            f"There is nothing at {params.project_path!r}",
            suggestion="Give a file or folder of the workspace.",
            data={"project_path": params.project_path},
        )
    query = SourceQuery(
        start=str(bench.workspace.relative(place)),
        options=WalkOptions(
            include_patterns=params.include_patterns,
            exclude_patterns=params.exclude_patterns,
            max_depth=params.max_depth,
        ),
        sections=sections,
        languages=languages_of(toolchain),
        strategy=params.cache_strategy,
        workers=params.parallel,
    )
    found = index_of(bench.workspace.root, bench.cache_dir).read(query, bench.job)
    files = [file for file in found.files if bench.may(file.path, Operation.READ)]
    return Sources(files, found.unmeasured, found.skipped)


def list_unmeasured(sources: Sources) -> list[Unmeasured]:
    """Return the first files without numbers, in the order of their paths."""
    first = sorted(sources.unmeasured.items())[:MOST_UNMEASURED]
    return [Unmeasured(file=path, reason=reason) for path, reason in first]
