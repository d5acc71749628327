"""How every analysis selects its files and reports those that it could not measure."""

from dataclasses import replace
from typing import Annotated, Literal

from pydantic import Field

from benchpin import project as projects
from benchpin.core.calls import Bench
from benchpin.core.results import Coverage, Item, Result, not_read, not_selected
from benchpin.core.text import counted, plain
from benchpin.core.tools import Params, PathArgument, Rare
from benchpin.facts import FileSelection, SourceQuery, Sources
from benchpin.facts.languages import languages_of
from benchpin.workspace.walking import ScopeChoice, WalkOptions

CacheStrategy = Literal["normal", "force-refresh", "offline"]
MAX_UNMEASURED_FILES = 20
# The kinds of code that a scope leaves out, as they are counted among what is skipped.
_APART = {
    "production": "production file",
    "tests": "test file",
    "examples": "example file",
}
NO_CODE = "No file here is in a supported language"


class PathParams(Params):
    """Which files to analyze, by their paths."""

    project_path: PathArgument[str] = "."
    """File or folder to analyze; relative to the workspace."""
    include_patterns: Rare[tuple[str, ...]] = ()
    """Only files that match one of these globs, such as src/**/*.py."""
    exclude_patterns: Rare[tuple[str, ...]] = ()
    """No files that match one of these globs, such as **/migrations/**."""


class SelectionParams(PathParams):
    """Which files to analyze, and how to read them."""

    max_depth: Rare[Annotated[int, Field(ge=1)] | None] = None
    """How many folders deep to go."""
    include_generated: Rare[bool] = False
    """Also analyze generated code and vendor folders."""
    cache_strategy: Rare[CacheStrategy] = "normal"
    """normal uses the cache, force-refresh measures again, offline only reads the cache."""
    parallel: Rare[Annotated[int, Field(ge=1, le=64)] | None] = None
    """How many worker processes to use; one a core by default."""


class ScopedParams(SelectionParams):
    """Which files to analyze, and which kinds of code."""

    scope: Rare[ScopeChoice] = "production"
    """Which code to measure; production leaves out tests, examples and documentation."""


class ToolchainParams(SelectionParams):
    """Which files to analyze, in which languages."""

    toolchain: Rare[str | None] = None
    """Only this toolchain or language: rust, deno, python-uv, go, java …; all by default."""


class Unmeasured(Item):
    """A file without numbers, and why."""

    file: str
    reason: str


class FilesSeen(Coverage):
    """Which files the numbers are about."""

    measured: int
    scope: ScopeChoice
    """production: without tests and examples. all where there is no other code than these."""
    skipped: dict[str, int]
    """How many files and folders were left out, by reason."""
    unmeasured: list[Unmeasured]
    """The first files that could not be measured."""
    unmeasured_total: int
    not_parsed: int
    """Files with a part that does not parse; that part is not counted."""
    first_not_parsed: str | None
    """The first such file, with the line."""
    not_parsed_files: list[str] = Field(default_factory=list)
    """Every such file, with the first line that does not parse."""

    def to_lines(self) -> list[str]:
        """Return a line about the scope, and the files that the selection skips."""
        line = "; ".join([*([f"scope: {self._scope}"] if self._scope else []), *self.skips()])
        return [line] if line else []

    def skips(self) -> list[str]:
        """Return a line about the files that the selection skips whatever code they have."""
        return not_selected({it: self.skipped[it] for it in self.skipped if it not in _APART})

    def sized(self, size: str) -> str:
        """Return how much was measured, with the scope."""
        return f"{size}; {self._scope}" if self._scope else size

    @property
    def _scope(self) -> str:
        """What the numbers are about, and how much code is left out of them."""
        skipped = self.skipped
        apart = [counted(skipped[it], noun) for it, noun in _APART.items() if skipped.get(it)]
        return f"{self.scope} only, without {' and '.join(apart)}" if apart else ""

    def nothing(self) -> str:
        """Return why nothing was measured; empty if something was."""
        return "" if self.measured else NO_CODE

    def lacks(self) -> list[str]:
        """Return which files could not be measured, or not in full."""
        lacking = not_read(self.skipped)
        if self.unmeasured:
            first = self.unmeasured[0]
            count = counted(self.unmeasured_total, "file")
            lacking.append(f"{count} not measured ({plain(first.file)}: {first.reason})")
        if self.first_not_parsed is not None:
            count = counted(self.not_parsed, "file")
            lacking.append(f"{count} not parsed in full ({plain(self.first_not_parsed)})")
        return lacking


def select(params: PathParams, bench: Bench) -> FileSelection:
    """Return the files that a call is about; what is to be measured again is measured now.

    Raises:
        PathError: when the path does not exist or may not be read.
        InvalidParams: when there is no such toolchain.
    """
    start = bench.found(params.project_path)
    if not isinstance(params, SelectionParams):
        paths = {name: getattr(params, name) for name in PathParams.model_fields}
        params = SelectionParams.model_construct(**paths)
    toolchain = params.toolchain if isinstance(params, ToolchainParams) else None
    query = SourceQuery(
        start=str(start),
        options=WalkOptions(
            include_patterns=params.include_patterns,
            exclude_patterns=params.exclude_patterns,
            max_depth=params.max_depth,
            include_vendored=params.include_generated,
        ),
        languages=None if toolchain is None else languages_of(toolchain),
        strategy=params.cache_strategy,
        scope=params.scope if isinstance(params, ScopedParams) else "all",
        workers=params.parallel,
    )
    selection = FileSelection(bench.session, bench.permissions, bench.job, query)
    if params.cache_strategy != "force-refresh":
        return selection
    replace(selection, query=replace(query, scope="all")).read()  # measures look at tests for uses
    return replace(selection, query=replace(query, strategy="normal"), is_fresh=True)


def project_of(
    params: SelectionParams, bench: Bench, *, skip_when_late: bool = False
) -> "projects.Project":
    """Return the measures of the files that a call is about; raises what `select` raises."""
    # Through the door, at the first call: the class imports every measure.
    selection = select(params, bench)
    return projects.Project(selection, bench.now(), skip_when_late=skip_when_late)


def nothing_measured(report: Result) -> str:
    """Say why there is no file in a report."""
    if report.partial:
        return "Time ran out before any file was measured."
    return f"{NO_CODE}."


def files_seen(sources: Sources) -> FilesSeen:
    """Return which files the numbers are about, and which not."""
    first = sorted(sources.unmeasured.items())[:MAX_UNMEASURED_FILES]
    broken = [
        f"{file.path}:{file.outline.error_line}"
        for file in sources.files
        if file.outline.error_line
    ]
    return FilesSeen(
        measured=len(sources.files),
        scope=sources.scope,
        skipped=sources.skipped,
        unmeasured=[Unmeasured(file=path, reason=reason) for path, reason in first],
        unmeasured_total=len(sources.unmeasured),
        not_parsed=len(broken),
        first_not_parsed=broken[0] if broken else None,
        not_parsed_files=broken,
    )
